import assert from "node:assert/strict";
import fc from "fast-check";
import { diskStore } from "../../memory/files.ts";
import { Flow } from "../../memory/flow.ts";
import { tempFolder } from "../kit/temp_folder.ts";
import { checkConsistent } from "./flow_check.ts";
import { abandon, Kill, Killed, openMemory, said } from "./kit.ts";

type Step =
  | { do: "say" }
  | { do: "archive"; which: number }
  | { do: "consume"; which: number }
  | { do: "distill"; which: number }
  | { do: "save" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>({ do: "say" }) },
  { weight: 3, arbitrary: fc.nat(20).map((which): Step => ({ do: "archive", which })) },
  { weight: 2, arbitrary: fc.nat(20).map((which): Step => ({ do: "consume", which })) },
  { weight: 2, arbitrary: fc.nat(20).map((which): Step => ({ do: "distill", which })) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "save" }) },
);

Deno.test("any schedule of work and kills ends in a consistent home that has all that was acknowledged", async () => {
  const life = fc.array(
    fc.record({ steps: fc.array(step, { maxLength: 8 }), killIn: fc.integer({ min: 1, max: 40 }) }),
    {
      minLength: 1,
      maxLength: 4,
    },
  );
  await fc.assert(
    fc.asyncProperty(life, async (lives) => {
      await using folder = await tempFolder();
      const acknowledged = new Set<string>();
      let next = 0;
      for (const { steps, killIn } of lives) {
        const kill = new Kill(Infinity);
        const memory = openMemory(folder.path, { store: (roots) => kill.store(diskStore(roots)) });
        const flow = new Flow(kill.tiers(memory.tiers));
        kill.killIn(killIn);
        try {
          for (const one of steps) {
            const pick = (
              ids: string[],
            ) => ("which" in one ? ids.slice(one.which % (ids.length || 1)).slice(0, 2) : []);
            const documents = [...memory.documents.iterate()].map((document) => document.id).sort();
            if (one.do === "say") {
              const id = `e${next++}`;
              await flow.append(said(id, `thing number ${id}`));
              acknowledged.add(id);
            } else if (one.do === "archive") await flow.archive(pick(memory.context.events().map((event) => event.id)));
            else if (one.do === "consume") await flow.consume(pick(documents));
            else if (one.do === "distill") {
              for (const id of pick(documents).slice(0, 1)) {
                flow.distill(memory.documents.get(id)!, [{ subject: id, predicate: "is", object: `thing ${id}` }]);
              }
            } else await memory.context.save();
          }
        } catch (error) {
          assert.ok(error instanceof Killed, String(error));
        }
        abandon(memory);
      }
      await using after = openMemory(folder.path);
      checkConsistent(after);
      for (const id of acknowledged) {
        const places = [
          after.context.get(id),
          after.documents.get(id),
          after.graph.relation(`${id}/0`),
        ].filter((place) => place !== undefined);
        assert.equal(places.length, 1, `${id} is in exactly one tier`);
      }
    }),
    { numRuns: 40 },
  );
});
