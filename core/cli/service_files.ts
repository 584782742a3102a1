/** What a service file is made of. */
export interface ServicePlan {
  name: string;
  /** The program and its arguments, ending with `serve`. */
  command: string[];
  home: string;
  /** Of the whole machine instead of one user. */
  system: boolean;
  /** The user it runs as, when `system`. */
  user: string;
  restartPause: number;
  /** Milliseconds; 0: none. */
  watchdog: number;
  memoryMax: string;
}

/** The systemd unit. Hardened as far as an agent can be that may be asked to run commands for its owner: it gains no
 * rights, sees no other users' files and no devices, and cannot change the system. */
export function systemdUnit(plan: ServicePlan): string {
  const { command, home, system, user, restartPause, watchdog, memoryMax } = plan;
  const lines = [
    "[Unit]",
    "Description=homed, a personal agent",
    "After=network-online.target",
    "Wants=network-online.target",
    "",
    "[Service]",
    "Type=notify",
    "NotifyAccess=main",
    `ExecStart=${command.map(systemdQuote).join(" ")}`,
    "ExecReload=/bin/kill -HUP $MAINPID",
    "Restart=on-failure",
    `RestartSec=${seconds(restartPause)}`,
    // A second serve on the same home does not get better by trying again.
    "RestartPreventExitStatus=75",
    ...(watchdog > 0 ? [`WatchdogSec=${seconds(watchdog)}`] : []),
    "TimeoutStopSec=30",
    "UMask=0077",
    ...(memoryMax === "" ? [] : [`MemoryMax=${memoryMax}`]),
    ...(system ? [`User=${user}`] : []),
    "NoNewPrivileges=yes",
    "LockPersonality=yes",
    "RestrictRealtime=yes",
    "RestrictSUIDSGID=yes",
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
    "SystemCallArchitectures=native",
    ...(system
      ? [
        "ProtectSystem=strict",
        `ReadWritePaths=${systemdQuote(home)}`,
        "ProtectHome=tmpfs",
        `BindPaths=${systemdQuote(home)}`,
        "PrivateTmp=yes",
        "PrivateDevices=yes",
        "ProtectClock=yes",
        "ProtectHostname=yes",
        "ProtectKernelLogs=yes",
        "ProtectKernelModules=yes",
        "ProtectKernelTunables=yes",
        "ProtectControlGroups=yes",
        "ProtectProc=invisible",
        "RestrictNamespaces=yes",
        "CapabilityBoundingSet=",
        "AmbientCapabilities=",
        "SystemCallFilter=@system-service",
        "SystemCallErrorNumber=EPERM",
        "KeyringMode=private",
        "RemoveIPC=yes",
      ]
      : []),
    "",
    "[Install]",
    `WantedBy=${system ? "multi-user.target" : "default.target"}`,
    "",
  ];
  return lines.join("\n");
}

/** The launchd agent. */
export function launchdPlist({ name, command, home, restartPause }: ServicePlan): string {
  const strings = command.map((word) => `    <string>${xml(word)}</string>`).join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${xml(launchdLabel(name))}</string>
  <key>ProgramArguments</key>
  <array>
${strings}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>${Math.max(1, Math.round(restartPause / 1000))}</integer>
  <key>ProcessType</key>
  <string>Background</string>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardErrorPath</key>
  <string>${xml(`${home}/logs/launchd.log`)}</string>
</dict>
</plist>
`;
}

export const launchdLabel = (name: string) => `local.${name}`;

/** What makes the scheduled task that starts homed when its user logs on. */
export function scheduledTask({ name, command }: ServicePlan): string[] {
  const run = command.map((word) => `"${word.replaceAll('"', '\\"')}"`).join(" ");
  return ["schtasks", "/Create", "/F", "/TN", name, "/SC", "ONLOGON", "/RL", "LIMITED", "/TR", run];
}

/** A word of ExecStart: specifiers and variables are not expanded. */
function systemdQuote(word: string): string {
  const escaped = word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /^[\w@%+=:,./-]+$/.test(word) ? escaped : `"${escaped}"`;
}

const seconds = (ms: number) => Math.max(1, Math.round(ms / 1000));
const xml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
