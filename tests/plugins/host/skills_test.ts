import assert from "node:assert/strict";
import { createLog, type LogRecord } from "../../../core/base/mod.ts";
import { Skills } from "../../../plugins/host/skills.ts";
import { testHost } from "./kit.ts";

async function skillHome(files: Record<string, string>) {
  const dir = await Deno.realPath(await Deno.makeTempDir());
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(`${dir}/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
    await Deno.writeTextFile(`${dir}/${path}`, text);
  }
  const logged: LogRecord[] = [];
  const skills = new Skills(createLog("skills", (record) => logged.push(record)));
  return { dir, skills, logged, [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }) };
}

const skill = (front: string, body = "Do it well.") => `---\n${front}\n---\n${body}\n`;

Deno.test("skills are read leniently: what can be read is, with a warning", async () => {
  await using home = await skillHome({
    "good/SKILL.md": skill("name: good\ndescription: A good one"),
    "other-name/SKILL.md": skill("name: Bad_Name\ndescription: Named otherwise"),
    "colon/SKILL.md": skill("name: colon\ndescription: Use when: the sky falls"),
    "crlf/SKILL.md": `\ufeff${skill("name: crlf\ndescription: From Windows").replaceAll("\n", "\r\n")}`,
    "empty/SKILL.md": skill("name: empty"),
    "broken/SKILL.md": skill("name: [broken"),
    "none/SKILL.md": "just text",
    "lower/skill.md": skill("name: lower\ndescription: x"),
    "node_modules/SKILL.md": skill("name: x\ndescription: x"),
  });
  await home.skills.scan([home.dir, `${home.dir}/not-there`]);
  assert.deepEqual(home.skills.list().map(({ name, description }) => [name, description]), [
    ["Bad_Name", "Named otherwise"],
    ["colon", "Use when: the sky falls"],
    ["crlf", "From Windows"],
    ["good", "A good one"],
  ]);
  const log = home.logged.map(({ text }) => text).join("\n");
  for (const words of ["Bad_Name", "values quoted", "empty is left out", "broken is left out", "none is left out"]) {
    assert.ok(log.includes(words), `${words}: ${log}`);
  }
});

Deno.test("a skill's body comes on activation, its files on demand and only from below its folder", async () => {
  await using home = await skillHome({
    "pdf/SKILL.md": skill("name: pdf\ndescription: Reads PDF"),
    "pdf/scripts/read.py": "print(1)",
    "pdf/.hidden": "x",
    "secret": "s",
  });
  await Deno.symlink(`${home.dir}/secret`, `${home.dir}/pdf/link`);
  await home.skills.scan([home.dir]);
  const text = await home.skills.activate("pdf");
  assert.equal(text, "Do it well.\n\nFiles of this skill (read on demand):\nscripts/read.py");
  assert.equal(await home.skills.file("pdf", "scripts/read.py"), "print(1)");
  for (const path of ["../secret", "/etc/passwd", "link", "scripts/../../secret", "C:\\x", "scripts\\read.py"]) {
    await assert.rejects(
      () => home.skills.file("pdf", path),
      (error: { code: string }) => error.code === "outside",
      path,
    );
  }
  await assert.rejects(() => home.skills.file("pdf", "nothing"), /no file/);
  await assert.rejects(() => home.skills.activate("other"), /no skill/);
});

Deno.test("a skill that is a plugin is listed, and gone when it is switched off; none means nothing", async () => {
  await using test = await testHost({
    plugins: {
      sky: { manifest: { entry: "SKILL.md" }, files: { "SKILL.md": skill("name: sky\ndescription: Looks up") } },
    },
  });
  assert.deepEqual(test.host.skills.list().map(({ name }) => name), ["sky"]);
  const activated = await test.handlers["skill.activate"]({ name: "sky" }, test.context);
  assert.equal(activated.text, "Do it well.");
  assert.equal(test.info("sky").pid, undefined);
  await test.host.disable("sky");
  assert.deepEqual(test.host.skills.list(), []);
});
