/** The built-in plugin `agentcli`: programs in terminals, typed into and read like a person would. @module */
import type { BuiltinPlugin } from "../../sdk/mod.ts";
import { cleanEnvironment, Hands, workingFolder } from "../hands/hands.ts";

const id = { type: "string", description: "The terminal, as agentcli_start named it" };
const columns = { type: "integer", minimum: 20, maximum: 300 };
const rows = { type: "integer", minimum: 5, maximum: 120 };

/** Names for keys that text cannot hold. */
export const KEYS: Record<string, string> = {
  enter: "\r",
  tab: "\t",
  escape: "\x1b",
  backspace: "\x7f",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  home: "\x1b[H",
  end: "\x1b[F",
  "page-up": "\x1b[5~",
  "page-down": "\x1b[6~",
  "ctrl-c": "\x03",
  "ctrl-d": "\x04",
  "ctrl-z": "\x1a",
};

interface Sent {
  id: string;
  text?: string;
  keys?: string[];
  wait_s?: number;
}

export const agentcli: BuiltinPlugin = {
  name: "agentcli",
  description: "Runs interactive programs in terminals: starts them, types, reads the screen",
  capabilities: ["settings_cross"],
  settings: [],
  create(ports) {
    const hands = new Hands(ports);
    return {
      async start(sdk) {
        const tool = <A>(
          name: string,
          description: string,
          properties: Record<string, unknown>,
          required: string[],
          acts: boolean,
          run: (args: A) => Promise<unknown>,
        ) =>
          sdk.registerTool(
            { name, description, parameters: { type: "object", properties, required }, acts, no_memory: true },
            (args) => run(args as A),
          );
        await tool(
          "agentcli_start",
          "Starts a program in a terminal of its own and answers its id and first screen.",
          { argv: { type: "array", items: { type: "string" } }, cwd: { type: "string" }, columns, rows },
          ["argv"],
          true,
          async (
            { argv, cwd, columns = 100, rows = 30 }: { argv: string[]; cwd?: string; columns?: number; rows?: number },
          ) => {
            if (argv.length === 0) throw new Error("argv names no program");
            const folder = await workingFolder(sdk, cwd);
            const { id } = await hands.call("pty.start", { argv, cwd: folder, env: cleanEnvironment(), columns, rows });
            return await hands.call("pty.send", { id, text: "", wait: 1000 });
          },
        );
        await tool(
          "agentcli_send",
          `Types text, then keys (${Object.keys(KEYS).join(", ")}), and answers the screen once the program is quiet.`,
          {
            id,
            text: { type: "string" },
            keys: { type: "array", items: { type: "string" } },
            wait_s: { type: "number" },
          },
          ["id"],
          true,
          async ({ id, text = "", keys = [], wait_s = 5 }: Sent) => {
            const unknown = keys.find((key) => !(key in KEYS));
            if (unknown) throw new Error(`There is no key "${unknown}": the keys are ${Object.keys(KEYS).join(", ")}`);
            const typed = text + keys.map((key) => KEYS[key]).join("");
            return await hands.call("pty.send", { id, text: typed, wait: Math.min(60, wait_s) * 1000 });
          },
        );
        await tool(
          "agentcli_read",
          "Answers the screen as it is, with lines that scrolled out of it when asked for.",
          { id, scrollback: { type: "integer", description: "Lines above the screen" } },
          ["id"],
          false,
          ({ id, scrollback = 0 }: { id: string; scrollback?: number }) => hands.call("pty.screen", { id, scrollback }),
        );
        await tool(
          "agentcli_resize",
          "Changes the size of a terminal.",
          { id, columns, rows },
          ["id", "columns", "rows"],
          false,
          (args: { id: string; columns: number; rows: number }) => hands.call("pty.resize", args),
        );
        await tool(
          "agentcli_stop",
          "Ends a terminal with everything that runs in it.",
          { id },
          ["id"],
          false,
          (args: { id: string }) => hands.call("pty.stop", args),
        );
        await tool(
          "agentcli_list",
          "Lists the terminals.",
          {},
          [],
          false,
          () => hands.isRunning ? hands.call("pty.list", {}) : Promise.resolve({ sessions: [] }),
        );
      },
      stop: () => hands.stop(),
    };
  },
};
