/** The built-in plugin `cmd`: runs one program to its end. @module */
import type { BuiltinPlugin } from "../../sdk/mod.ts";
import { cleanEnvironment, Hands, workingFolder } from "../hands/hands.ts";
import { refusal } from "./seat_belt.ts";

const PARAMETERS = {
  type: "object",
  properties: {
    argv: {
      type: "array",
      items: { type: "string" },
      description: 'Program and arguments, one each: ["df", "-h", "/home"]. No shell looks at them.',
    },
    shell: { type: "string", description: "A line for the shell instead, when pipes or wildcards are needed" },
    cwd: { type: "string", description: "Folder to run in, relative to the working folder" },
    stdin: { type: "string" },
    timeout_s: { type: "number", description: "Seconds until it is ended with all that it started; 60 by default" },
  },
};

interface Arguments {
  argv?: string[];
  shell?: string;
  cwd?: string;
  stdin?: string;
  timeout_s?: number;
}

export const cmd: BuiltinPlugin = {
  name: "cmd",
  description: "Runs programs, without a shell unless asked for, with a time and an output limit",
  capabilities: ["settings_cross"],
  settings: [
    {
      key: "max_output",
      type: "int",
      default: 32768,
      min: 1024,
      max: 1048576,
      title: { en: "Bytes of output kept", zh: "保留的输出字节数" },
    },
    { key: "max_timeout", type: "duration", default: "10m", title: { en: "Longest run", zh: "最长运行时间" } },
  ],
  create(ports) {
    const hands = new Hands(ports);
    return {
      async start(sdk) {
        await sdk.registerTool({
          name: "cmd_run",
          description: "Runs a program and answers its exit code and output. Give argv, or shell for a shell line.",
          parameters: PARAMETERS,
          acts: true,
        }, async (args, { signal, deadlineMs }) => {
          const { argv, shell, cwd, stdin, timeout_s = 60 } = args as Arguments;
          if ((argv === undefined) === (shell === undefined)) throw new Error("Give either argv or shell");
          const command = argv ?? (Deno.build.os === "windows" ? ["cmd.exe", "/c", shell!] : ["/bin/sh", "-c", shell!]);
          if (command.length === 0 || command[0] === "") throw new Error("argv names no program");
          const refused = refusal(argv?.join(" ") ?? shell!);
          if (refused) throw new Error(refused);
          // The tool's own deadline comes a little after, so that its answer still says what happened.
          const timeout = Math.max(100, Math.min(timeout_s * 1000, deadlineMs - 3000));
          const max_output = Number(await sdk.settings.get("max_output") ?? 32768);
          return await hands.call("cmd.run", {
            argv: command,
            cwd: await workingFolder(sdk, cwd),
            env: cleanEnvironment(),
            ...(stdin !== undefined && { stdin }),
            timeout,
            max_output,
          }, { signal });
        });
      },
      stop: () => hands.stop(),
    };
  },
};
