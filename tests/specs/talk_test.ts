import assert from "node:assert/strict";
import { connect, homed, serve } from "../kit/homed.ts";
import { tempFolder } from "../kit/temp_folder.ts";

Deno.test("with nothing configured a conversation is remembered by a new process, in English and 中文", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  const say = async (text: string, env: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await homed(["chat", text], { home, env });
    assert.equal(code, 0, stderr);
    return stdout;
  };
  assert.match(await say("Hello! My name is Margit and I live in Trondheim."), /\S/);
  assert.match(await say("What is my name?"), /Margit/);
  assert.match(await say("Where do I live?"), /Trondheim/);
  await say("我的猫叫布丁。");
  assert.match(await say("我的猫叫什么名字？"), /布丁/);
  // A fact changes: the new one is the answer.
  await say("I moved to Bergen.");
  const where = await say("Where do I live now?");
  assert.match(where, /Bergen/);
  assert.doesNotMatch(where, /Trondheim/);
  assert.match(await say("Who is my landlord?"), /don['’]t know|do not know|no memory|not know|nothing/i);
});

Deno.test("the reply is alone on stdout, a message may come by stdin, and --json gives the events up to the reply", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  const piped = await homed(["chat"], { home, stdin: "My favourite colour is teal." });
  assert.equal(piped.code, 0, piped.stderr);
  const { code, stdout } = await homed(["chat", "--json", "What is my favourite colour?"], { home });
  assert.equal(code, 0);
  const events = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.equal(events[0].type, "started");
  const reply = events.at(-1);
  assert.equal(reply.type, "reply");
  assert.match(reply.text, /teal/);
  assert.ok(events.some((event) => event.type === "tool" && event.name === "memory_recall"));
  assert.ok(events.some((event) => event.type === "delta"));
  assert.deepEqual(
    events.filter((event) => event.seq).map((event) => event.seq),
    events.filter((e) => e.seq).map((_, i) => i + 1),
  );
});

Deno.test("serve says when it is ready; chat joins it; a second serve exits 75; stop ends it", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using daemon = await serve({ home });
  assert.match(daemon.output(), /homed ready.*homed\.sock/s);
  const said = await homed(["chat", "I work at the harbour office."], { home });
  assert.equal(said.code, 0, said.stderr);
  const second = await homed(["serve"], { home });
  assert.equal(second.code, 75, second.stderr);
  assert.match(second.stderr, /^homed: .+\n$/);
  const status = await homed(["status", "--json"], { home });
  assert.equal(status.code, 0);
  assert.equal(JSON.parse(status.stdout).pid, daemon.pid);
  {
    await using client = await connect(home);
    const events: Record<string, unknown>[] = [];
    const result = await client.peer.call("chat.send", { text: "Where do I work?" }, {
      onEvent: (method, params) => (assert.equal(method, "chat.event"), events.push(params)),
    });
    assert.match(result.reply, /harbour office/);
    assert.equal(result.source, "offline");
    assert.deepEqual(events[0]!.type, "started");
    assert.deepEqual(events.at(-1)!.type, "reply");
    assert.equal(events.at(-1)!.text, result.reply);
  }
  const stopped = await homed(["stop"], { home });
  assert.equal(stopped.code, 0, stopped.stderr);
  assert.equal((await daemon.exited).code, 0);
  const after = await homed(["status"], { home });
  assert.equal(after.code, 1);
});

Deno.test("what a crash leaves behind (lock, socket) never blocks the next start, and what was said is known", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  {
    await using daemon = await serve({ home });
    const said = await homed(["chat", "My sister Ingrid is a vet."], { home });
    assert.equal(said.code, 0, said.stderr);
    daemon.kill("SIGKILL");
    await daemon.exited;
  }
  assert.ok((await Deno.lstat(`${home}/run/homed.sock`)).isSocket);
  await using daemon = await serve({ home });
  const asked = await homed(["chat", "What is my sister's name?"], { home });
  assert.equal(asked.code, 0, asked.stderr);
  assert.match(asked.stdout, /Ingrid/);
  assert.ok(daemon.pid > 0);
});

Deno.test("the home is private: folders 0700, files 0600", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await homed(["chat", "hello"], { home });
  const open: string[] = [];
  const walk = async (path: string) => {
    const info = await Deno.lstat(path);
    if ((info.mode! & 0o077) !== 0 && !info.isSymlink) open.push(`${path} ${(info.mode! & 0o777).toString(8)}`);
    if (info.isDirectory) { for await (const entry of Deno.readDir(path)) await walk(`${path}/${entry.name}`); }
  };
  await walk(home);
  assert.deepEqual(open, []);
});
