import assert from "node:assert/strict";
import { refusal } from "../../../../plugins/builtin/cmd/seat_belt.ts";
import { cleanEnvironment, Hands } from "../../../../plugins/builtin/hands/hands.ts";
import { run } from "../../../../plugins/builtin/hands/run.ts";
import type { HandsMethods } from "../../../../plugins/builtin/hands/methods.ts";
import { tempFolder } from "../../../kit/temp_folder.ts";

const posix = Deno.build.os !== "windows";
const never = new AbortController().signal;

const sh = (line: string, options: Partial<HandsMethods["cmd.run"]["params"]> = {}, signal = never) =>
  run({
    argv: ["/bin/sh", "-c", line],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    timeout: 20_000,
    max_output: 10_000,
    ...options,
  }, signal);

async function isAlive(pid: number): Promise<boolean> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "");
  return stat !== "" && !/\) Z /.test(stat);
}

Deno.test({
  name: "run() answers exit code, both outputs and the signal; stdin is given, the environment is only ours",
  ignore: !posix,
  fn: async () => {
    const ran = await sh("cat; echo err >&2; env | sort; exit 3", {
      stdin: "in 中文\n",
      env: { PATH: "/usr/bin:/bin", A: "1" },
    });
    assert.equal(ran.code, 3);
    assert.match(ran.stdout, /^in 中文\nA=1\n/);
    assert.doesNotMatch(ran.stdout, /HOME=/);
    assert.equal(ran.stderr, "err\n");
    assert.deepEqual([ran.timed_out, ran.dropped, ran.signal], [false, 0, null]);
    const killed = await sh("kill -9 $$");
    assert.deepEqual([killed.code, killed.signal], [null, "SIGKILL"]);
  },
});

Deno.test({
  name: "arguments reach the program as they are: no shell looks at them",
  ignore: !posix,
  fn: async () => {
    const argv = ["/usr/bin/printf", "%s|", "$(id)", "a b", "*", ";", "'"];
    const ran = await run({ argv, cwd: "/", env: {}, timeout: 5000, max_output: 1000 }, never);
    assert.equal(ran.stdout, "$(id)|a b|*|;|'|");
  },
});

Deno.test({
  name: "a timeout ends the work, grandchildren that ignore the polite signal included",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await using folder = await tempFolder();
    const pids = `${folder.path}/pids`;
    const line = `trap '' TERM; (trap '' TERM; echo $$ > ${pids}; exec sleep 60) & echo started; wait`;
    const ran = await sh(line, { timeout: 300 });
    assert.equal(ran.timed_out, true);
    assert.match(ran.stdout, /started/);
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const pid of (await Deno.readTextFile(pids)).trim().split("\n")) {
      assert.equal(await isAlive(Number(pid)), false);
    }
  },
});

Deno.test({
  name: "what a program left behind in its group ends with it, and does not hold up its answer",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const ran = await sh("sleep 60 & echo $!");
    assert.equal(ran.code, 0);
    assert.ok(ran.ms < 15_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(await isAlive(Number(ran.stdout.trim())), false);
  },
});

Deno.test({
  name: "cancelling ends the program",
  ignore: !posix,
  fn: async () => {
    const controller = new AbortController();
    const running = sh("exec sleep 60", {}, controller.signal);
    setTimeout(() => controller.abort(), 50);
    const ran = await running;
    assert.equal(ran.signal, "SIGTERM");
    assert.equal(ran.timed_out, false);
  },
});

Deno.test({
  name: "endless output keeps its beginning and its end and says how much is left out",
  ignore: !posix,
  fn: async () => {
    const ran = await sh("echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last", { max_output: 4000 });
    assert.equal(ran.code, 0);
    assert.ok(ran.stdout.length < 70_000, `${ran.stdout.length}`);
    assert.match(ran.stdout, /^first/);
    assert.match(ran.stdout, /last\n$/);
    assert.ok(ran.dropped > 4_000_000);
    assert.match(ran.stdout, /bytes left out/);
  },
});

Deno.test("no such program, or no such folder, is a sentence", async () => {
  await assert.rejects(
    run({ argv: ["/no/such/program"], cwd: "/", env: {}, timeout: 1000, max_output: 1000 }, never),
    /Cannot run "\/no\/such\/program"/,
  );
});

Deno.test("the environment for programs holds no secrets", () => {
  Deno.env.set("SOME_API_KEY", "sk-secret");
  try {
    assert.ok(!JSON.stringify(cleanEnvironment()).includes("sk-secret"));
    if (Deno.env.has("PATH")) assert.equal(cleanEnvironment().PATH, Deno.env.get("PATH"));
  } finally {
    Deno.env.delete("SOME_API_KEY");
  }
});

Deno.test("the seat belt holds for what would ruin the machine, and lets ordinary work through", () => {
  for (
    const command of [
      "rm -rf /",
      "sudo rm -rf --no-preserve-root / ",
      "rm -rf /*",
      "mkfs.ext4 /dev/sda1",
      "dd if=/dev/zero of=/dev/sda",
      "cat x > /dev/nvme0n1",
      ":(){ :|:& };:",
      "shutdown -h now",
      "chmod -R 777 /",
    ]
  ) {
    assert.ok(refusal(command), command);
  }
  for (
    const command of [
      "rm -rf /home/me/build",
      "rm notes.txt",
      "dd if=a of=b",
      "ls /dev/sda",
      "chmod 755 run",
      "echo hello",
    ]
  ) {
    assert.equal(refusal(command), undefined, command);
  }
});

Deno.test({
  name: "a terminal: typed into, read with wide characters, resized, stopped with all that runs in it",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const hands = new Hands();
    try {
      const env = { PATH: "/usr/bin:/bin", PS1: "$ ", LC_ALL: "C.UTF-8" };
      const { id } = await hands.call("pty.start", { argv: ["/bin/sh"], cwd: "/", env, columns: 60, rows: 10 });
      const typed = await hands.call("pty.send", { id, text: "echo 你好 $((6*7)); sleep 300 &\r", wait: 5000 });
      assert.match(typed.text, /你好 42/);
      assert.equal(typed.exit, null);
      const sized = await hands.call("pty.resize", { id, columns: 80, rows: 20 });
      assert.deepEqual(sized.size, { columns: 80, rows: 20 });
      const stty = await hands.call("pty.send", { id, text: "stty size; echo pid=$!\r", wait: 5000 });
      assert.match(stty.text, /20 80/);
      const sleeper = Number(/pid=(\d+)/.exec(stty.text)![1]);
      assert.equal(await isAlive(sleeper), true);
      assert.equal((await hands.call("pty.list", {})).sessions.length, 1);
      await hands.call("pty.stop", { id });
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.equal(await isAlive(sleeper), false);
      await assert.rejects(hands.call("pty.screen", { id }), /no terminal "s1"/);
    } finally {
      await hands.stop();
    }
  },
});
