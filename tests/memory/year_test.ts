import assert from "node:assert/strict";
import type { MemoryAsks } from "../../core/wire/memory.ts";
import { ManualClock } from "../kit/manual_clock.ts";
import { tempFolder } from "../kit/temp_folder.ts";
import { checkConsistent } from "./flow_check.ts";
import { HOUR, openMemory, openService, said } from "./kit.ts";

const DAY = 24 * HOUR;
const CITIES = ["Lyon", "Oslo", "Bern", "Kyiv", "Rome", "Graz"];

/** Four hundred days in a home: talk every day, the loops at their times, a move every two months, a restart a month. */
async function liveAYear(
  path: string,
): Promise<{ clock: ManualClock; asked: Record<string, number>; windows: number[] }> {
  const clock = new ManualClock(Date.UTC(2027, 0, 1));
  const asked: Record<string, number> = {};
  const decide = ({ kind, prompt }: MemoryAsks["self.decide"]["params"]): string => {
    asked[kind] = (asked[kind] ?? 0) + 1;
    if (kind !== "distill") return "[]";
    const lines = [...prompt.matchAll(/^(\d+)\. .*the visitor number (\d+)/gm)];
    return JSON.stringify(lines.map(([, n, visitor]) => ({
      n: Number(n),
      triples: [{ subject: `visitor ${visitor}`, predicate: "came on", object: `day ${visitor}` }],
    })));
  };
  const windows: number[] = [];
  for (let day = 0; day < 400;) {
    await using home = await openService(path, { clock, decide });
    assert.deepEqual(home.notices, []);
    do {
      clock.setWall(clock.now() + DAY);
      const at = clock.now();
      const tell = (n: number, input: string) =>
        home.call("context.append", { event: said(`e${day}-${n}`, input, { at: at + n, turn: `t${day}` }) });
      if (day % 60 === 0) await tell(0, `I moved to ${CITIES[(day / 60) % CITIES.length]}.`);
      if (day % 7 === 0) await tell(1, `My sister Mirabelle likes the number ${day}.`);
      await tell(2, `Today was day ${day}; the garden got water.`);
      if (day % 5 === 0) await home.call("doc.commit", { content: `We had the visitor number ${day} for tea.`, at });
      const { events } = await home.call("context.load", {});
      const archive = events.slice(0, Math.max(0, events.length - 30)).map((event) => event.id);
      if (archive.length > 0) await home.call("context.archive", { ids: archive });
      windows.push(Math.min(events.length, 30));
      await home.call("memory.tick", { loop: "pipeline" });
      if (day % 4 === 0) {
        for (const loop of ["distill", "archive", "merge", "review", "media"] as const) {
          await home.call("memory.tick", { loop });
        }
      }
      day++;
    } while (day % 30 !== 0 && day < 400);
  }
  return { clock, asked, windows };
}

Deno.test("a year with all loops: nothing is lost, nothing grows without end, one person goes without a trace", async () => {
  await using folder = await tempFolder();
  const { clock, asked, windows } = await liveAYear(folder.path);
  assert.ok(Math.max(...windows) <= 30);
  assert.ok(asked.distill! <= 110 && asked.distill! >= 10, `${asked.distill} questions about cold documents`);
  {
    await using memory = openMemory(folder.path, { clock });
    checkConsistent(memory);
    const visitors = [...memory.graph.iterate()].filter((relation) => relation.predicate === "came on").length;
    const waiting = [...memory.documents.iterate()].filter((document) => document.content.includes("visitor")).length;
    assert.equal(visitors + waiting, 80, "each visitor is a document or a fact, once");
    assert.ok(visitors > 60);
    const spoken = new Set([
      ...memory.context.events().map((event) => event.id),
      ...[...memory.documents.iterate()].map((document) => document.id),
      ...[...memory.graph.iterate()].map((relation) => relation.id.replace(/\/\d+$/, "")),
    ]);
    for (let day = 0; day < 400; day++) assert.ok(spoken.has(`e${day}-2`), `day ${day} is somewhere`);
    const homes = memory.graph.relationsOf("user").filter((relation) =>
      relation.attribute === "lives_in" || /live|moved/.test(relation.predicate)
    );
    const now = homes.filter((relation) => relation.until === undefined).map((relation) => relation.object);
    assert.deepEqual(now, ["Lyon"], "the seventh move is the present one");
  }
  await using home = await openService(folder.path, { clock });
  const { counts } = await home.call("memory.forget", { name: "Mirabelle" });
  assert.ok(counts.documents! + counts.relations! + counts.context_events! > 10);
  const left: string[] = [];
  const visit = (path: string) => {
    for (const entry of Deno.readDirSync(path)) {
      const inner = `${path}/${entry.name}`;
      if (entry.isDirectory) visit(inner);
      else if (/mirabelle/i.test(new TextDecoder("latin1").decode(Deno.readFileSync(inner)))) left.push(inner);
    }
  };
  visit(folder.path);
  assert.deepEqual(left, []);
});
