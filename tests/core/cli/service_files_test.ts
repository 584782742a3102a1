import assert from "node:assert/strict";
import { launchdPlist, scheduledTask, type ServicePlan, systemdUnit } from "../../../core/cli/service_files.ts";
import { tempFolder } from "../../kit/temp_folder.ts";

const PLAN: ServicePlan = {
  name: "homed",
  command: ["/usr/bin/true", "--home", "/srv/a home/100% $HOME", "serve"],
  home: "/srv/a home",
  system: true,
  user: "ann",
  restartPause: 5000,
  watchdog: 60_000,
  memoryMax: "1G",
};

Deno.test("the unit says what a service that is told things and may act must say", () => {
  const unit = systemdUnit(PLAN);
  for (
    const line of [
      "Type=notify",
      "WatchdogSec=60",
      "Restart=on-failure",
      "RestartPreventExitStatus=75",
      "UMask=0077",
      "NoNewPrivileges=yes",
      "ProtectSystem=strict",
      "CapabilityBoundingSet=",
      "User=ann",
      "MemoryMax=1G",
      "WantedBy=multi-user.target",
      'ExecStart=/usr/bin/true --home "/srv/a home/100%% $$HOME" serve',
    ]
  ) assert.ok(unit.split("\n").includes(line), line);
  const user = systemdUnit({ ...PLAN, system: false, memoryMax: "", watchdog: 0 });
  assert.ok(user.includes("WantedBy=default.target"));
  for (const absent of ["User=", "MemoryMax", "WatchdogSec"]) assert.ok(!user.includes(absent), absent);
});

Deno.test("systemd finds nothing wrong with the unit", async (test) => {
  await using folder = await tempFolder();
  const path = `${folder.path}/homed.service`;
  Deno.writeTextFileSync(
    path,
    systemdUnit({ ...PLAN, user: "root", home: "/srv", command: ["/usr/bin/true", "serve"] }),
  );
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command("systemd-analyze", { args: ["verify", path] }).output();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return void await test.step({ name: "systemd-analyze is not on this machine", ignore: true, fn: () => {} });
  }
  const said = new TextDecoder().decode(output.stderr).split("\n").filter((line) => line.includes("homed.service"));
  assert.deepEqual(said, []);
});

Deno.test("the launchd file is XML whatever is in the paths, and the task's command keeps its words", () => {
  const plist = launchdPlist({ ...PLAN, command: ["/a & b/homed", "--home", "<x>", "serve"] });
  assert.ok(plist.includes("<string>/a &amp; b/homed</string>") && plist.includes("<string>&lt;x&gt;</string>"));
  assert.ok(plist.includes("<string>local.homed</string>"));
  const task = scheduledTask({ ...PLAN, command: ["C:\\Program Files\\homed.exe", "--home", "D:\\my home", "serve"] });
  assert.equal(task.at(-1), '"C:\\Program Files\\homed.exe" "--home" "D:\\my home" "serve"');
});
