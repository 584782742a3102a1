import assert from "node:assert/strict";
import { homed, type Ran, serve } from "../kit/homed.ts";
import { tempFolder } from "../kit/temp_folder.ts";

const oneLine = (ran: Ran) => {
  assert.match(ran.stderr, /^homed: [^\n]+\n$/, JSON.stringify(ran));
  assert.doesNotMatch(ran.stderr, /os error|\bat \S+:\d+/, "the system's own words");
};

async function say(home: string, text: string, env: Record<string, string> = {}): Promise<Ran> {
  const ran = await homed(["chat", text], { home, env });
  assert.equal(ran.code, 0, JSON.stringify(ran));
  return ran;
}

async function knows(home: string, place: string): Promise<void> {
  assert.match((await say(home, "Where do I live?")).stdout, new RegExp(place));
}

Deno.test("a home may be anywhere: behind a link, with spaces and signs, deep, relative", async () => {
  await using folder = await tempFolder();
  await Deno.mkdir(`${folder.path}/real`);
  await Deno.symlink("real", `${folder.path}/link`);
  for (const name of ["link/home", "with space é 家 '\"$", `deep/${"d".repeat(200)}`, "not/there/yet"]) {
    const home = `${folder.path}/${name}`;
    const ran = await say(home, "I live in Lisbon");
    assert.equal(ran.stderr, "", name);
    await using _daemon = await serve({ home });
    await knows(home, "Lisbon");
  }
  await knows(`${folder.path}/real/home`, "Lisbon");
  const status = await homed(["memory", "stats", "--json"], { home: `${folder.path}/link/home` });
  assert.ok(JSON.parse(status.stdout).messages > 0, "messages were written through the link");
});

Deno.test("the memory may be on another disk, behind a link, and has its rights there and no others", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await say(home, "I live in Lisbon");
  await Deno.rename(`${home}/memory`, `${folder.path}/elsewhere`);
  await Deno.symlink(`${folder.path}/elsewhere`, `${home}/memory`);
  await knows(home, "Lisbon");
  await say(home, "I moved to Porto");
  await knows(home, "Porto");
  const report = JSON.parse((await homed(["doctor", "--json"], { home })).stdout);
  assert.deepEqual(report.checks.filter(({ ok }: { ok: boolean }) => !ok), []);
});

Deno.test("a place that cannot be a home is refused with one line that says why and what to do", async () => {
  await using folder = await tempFolder();
  const file = `${folder.path}/file`;
  await Deno.writeTextFile(file, "mine");
  for (const home of [file, `${file}/below`, `${folder.path}/${"n".repeat(300)}`, "/proc/nowhere"]) {
    for (const args of [["chat", "hi"], ["config", "list"], ["doctor"]]) {
      const ran = await homed(args, { home });
      assert.equal(ran.code, 1, JSON.stringify(ran));
      oneLine(ran);
      assert.match(ran.stderr, /as the home folder: .*: name another/);
    }
    const status = await homed(["status"], { home });
    assert.equal(status.code, 1);
    assert.match(status.stderr, /No homed is running/);
  }
  assert.equal(await Deno.readTextFile(file), "mine");
});

Deno.test("a folder where a file should be is named, and nothing in it is lost", async () => {
  await using folder = await tempFolder();
  for (const name of ["config.db", "run/lock", "run/homed.addr", "persona.md", "schema.json", "memory/context.json"]) {
    const home = `${folder.path}/${name.replace("/", "-")}`;
    await Deno.mkdir(`${home}/${name}`, { recursive: true });
    await Deno.writeTextFile(`${home}/${name}/kept`, "mine");
    const ran = await homed(["chat", "hi"], { home });
    assert.equal(ran.code, 1, JSON.stringify(ran));
    oneLine(ran);
    assert.match(ran.stderr, new RegExp(`${name} is a folder`));
    assert.equal(await Deno.readTextFile(`${home}/${name}/kept`), "mine");
  }
});

Deno.test("anything at the socket's place, and a lock that names a living process, never block a start", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await Deno.mkdir(`${home}/run/homed.sock/sub`, { recursive: true });
  await Deno.writeTextFile(`${home}/run/lock`, JSON.stringify({ pid: 1, since: "2020-01-01T00:00:00Z" }));
  {
    await using _daemon = await serve({ home });
    await say(home, "I live in Lisbon");
  }
  await Deno.writeTextFile(`${home}/run/homed.sock`, "no socket");
  await Deno.writeTextFile(`${home}/run/homed.addr`, "{half");
  await using _daemon = await serve({ home });
  await knows(home, "Lisbon");
});

Deno.test("a setting that puts something at a place where it cannot be is told in words, and takes nothing away", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await say(home, "I live in Lisbon");
  const places: Record<string, string[]> = {
    "core.daemon.socket": [`${home}/memory`, `${home}/config.db`, "/nonexistent/folder/x.sock"],
    "core.memory.graph": ["/proc/x.db", "config.db"],
    "core.memory.text": ["run", "config.db"],
    "core.knowledge.path": ["/"],
  };
  for (const [key, values] of Object.entries(places)) {
    for (const value of values) {
      assert.equal((await homed(["config", "set", key, value], { home })).code, 0);
      const ran = await homed(["chat", "hello"], { home });
      assert.equal(ran.code, 1, `${key} = ${value}: ${JSON.stringify(ran)}`);
      oneLine(ran);
      assert.doesNotMatch(ran.stderr, /deno|Cannot go on/, `${key} = ${value}`);
      assert.equal((await homed(["config", "unset", key], { home })).code, 0);
      await knows(home, "Lisbon");
    }
  }
});

Deno.test("backup and export write over nothing that is the home's, also through a link; backups/ and elsewhere are fine", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await say(home, "I live in Lisbon");
  await Deno.symlink(home, `${folder.path}/link`);
  for (const verb of [["backup"], ["memory", "export"]]) {
    for (const path of [`${home}/memory/graph.db`, `${folder.path}/link/config.db`, `${home}/new.file`]) {
      const ran = await homed([...verb, path], { home });
      assert.equal(ran.code, 1, JSON.stringify(ran));
      oneLine(ran);
      assert.match(ran.stderr, /in the home folder: name a file elsewhere/);
    }
    await Deno.mkdir(`${home}/backups`, { recursive: true });
    for (const path of [`${home}/backups/mine`, `${folder.path}/mine`]) {
      assert.equal((await homed([...verb, path], { home })).code, 0, path);
    }
  }
  await knows(home, "Lisbon");
});

Deno.test("a file that is damaged in any way never stops a start, is kept aside, and the person is told in the same run", async () => {
  await using folder = await tempFolder();
  const whole = `${folder.path}/whole`;
  await say(whole, "I live in Lisbon");
  await homed(["config", "set", "core.agent.max_tool_turns", "7"], { home: whole });
  const damage: Record<string, (bytes: Uint8Array) => Uint8Array> = {
    zeroes: (bytes) => new Uint8Array(bytes.length),
    cut: (bytes) => bytes.slice(0, Math.floor(bytes.length / 3)),
    garbage: () => crypto.getRandomValues(new Uint8Array(4096)),
  };
  for (const name of ["config.db", "memory/graph.db", "memory/context.json", "memory/index.db", "schema.json"]) {
    for (const [kind, spoil] of Object.entries(damage)) {
      const home = `${folder.path}/${name.replace("/", "-")}-${kind}`;
      await new Deno.Command("cp", { args: ["-a", whole, home] }).output();
      await Deno.writeFile(`${home}/${name}`, spoil(await Deno.readFile(`${home}/${name}`)));
      const ran = await say(home, "hello");
      if (name !== "schema.json" && name !== "memory/index.db") {
        assert.match(ran.stderr, /damaged|set aside|损坏/, `${name}, ${kind}: ${JSON.stringify(ran)}`);
        assert.equal(new Set(ran.stderr.trim().split("\n")).size, ran.stderr.trim().split("\n").length, ran.stderr);
      }
      if (name !== "memory/graph.db") await knows(home, "Lisbon");
      const again = await say(home, "hello");
      assert.doesNotMatch(again.stderr, /damaged|损坏/, `${name}, ${kind}: told again`);
    }
  }
});

Deno.test("a graph that lies elsewhere may be damaged in any way: it is kept in the home, and what is known comes back", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`, graph = `${folder.path}/elsewhere/mine.db`;
  await Deno.mkdir(`${folder.path}/elsewhere`);
  await homed(["config", "set", "core.memory.graph", graph], { home });
  await say(home, "I live in Lisbon");
  const damage: Record<string, () => Promise<void>> = {
    zeroes: () => Deno.writeFile(graph, new Uint8Array(50_000)),
    cut: () => Deno.truncate(graph, 30_000),
    gone: () => Deno.remove(graph),
  };
  for (const [kind, spoil] of Object.entries(damage)) {
    await spoil();
    const ran = await say(home, "Where do I live?");
    assert.match(ran.stdout, /Lisbon/, `${kind}: ${ran.stderr}`);
    assert.match(ran.stderr, /restored from the index/, kind);
    assert.equal((await say(home, "hello")).stderr, "", kind);
  }
  const kept = [...Deno.readDirSync(`${home}/memory`)].filter(({ name }) => name.startsWith("mine.db.damaged-"));
  assert.equal(kept.length, 2);
});

Deno.test("a file system that is full or read-only is told in words; with room again everything works", async (t) => {
  await using folder = await tempFolder();
  const disk = `${folder.path}/disk`;
  await Deno.mkdir(disk);
  const run = (command: string, ...args: string[]) => new Deno.Command(command, { args, stderr: "null" }).output();
  const mounted = Deno.build.os === "linux" &&
    (await run("mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", disk).catch(() => ({ success: false }))).success;
  if (!mounted) {
    return void await t.step({ name: "skipped: a file system cannot be mounted here", ignore: true, fn() {} });
  }
  const home = `${disk}/home`;
  try {
    await say(home, "I live in Lisbon");
    await run("dd", "if=/dev/zero", `of=${disk}/fill`, "bs=1k");
    for (const args of [["chat", "I live in Porto"], ["config", "set", "core.agent.max_tool_turns", "3"]]) {
      const ran = await homed(args, { home });
      if (ran.code !== 0) {
        oneLine(ran);
        assert.match(ran.stderr, /full/);
      }
      const zh = await homed(args, { home, env: { LANG: "zh_CN.UTF-8" } });
      if (zh.code !== 0) assert.match(zh.stderr, /磁盘已满/);
    }
    const fresh = await homed(["chat", "hi"], { home: `${disk}/other` });
    assert.notEqual(fresh.code, 0);
    oneLine(fresh);
    await Deno.remove(`${disk}/fill`);
    await say(home, "I live in Faro");
    await knows(home, "Faro");
    await run("mount", "-o", "remount,ro", disk);
    const readOnly = await homed(["chat", "hi"], { home });
    oneLine(readOnly);
    assert.match(readOnly.stderr, /read-only/);
    await run("mount", "-o", "remount,rw", disk);
    await knows(home, "Faro");
  } finally {
    await run("umount", "-l", disk);
  }
});

Deno.test("a home of a newer homed is refused with the versions by every verb, and stays as it is", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await say(home, "I live in Lisbon");
  const mark = JSON.stringify({ schema: 99, homed: "9.9.9" });
  await Deno.writeTextFile(`${home}/schema.json`, mark);
  for (const args of [["chat", "hi"], ["config", "list"], ["serve"], ["memory", "stats"], ["doctor"]]) {
    const ran = await homed(args, { home });
    assert.equal(ran.code, 1, JSON.stringify(ran));
    oneLine(ran);
    assert.match(ran.stderr, /9\.9\.9.*99/);
  }
  assert.equal(await Deno.readTextFile(`${home}/schema.json`), mark);
  const zh = await homed(["chat", "hi"], { home, env: { HOMED_LANG: "zh" } });
  assert.match(zh.stderr, /请使用 homed 9\.9\.9/);
});

Deno.test("modes of a home that was opened to others are private again after a start", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await say(home, "I live in Lisbon");
  await new Deno.Command("chmod", { args: ["-R", "a+rwX", home] }).output();
  await say(home, "hello");
  for (const path of ["", "memory", "run", "logs", "config.db"]) {
    assert.equal(((await Deno.stat(`${home}/${path}`)).mode ?? 0) & 0o077, 0, path || "home");
  }
});
