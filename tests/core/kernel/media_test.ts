import assert from "node:assert/strict";
import { decodeBase64, encodeBase64 } from "../../../core/kernel/media.ts";
import type { ContentPart } from "../../../core/wire/llm.ts";
import { kernelHome } from "../../kit/kernel_home.ts";
import { testSource } from "../../kit/scripted_llm.ts";

const bytes = new Uint8Array(70_000).map((_, index) => index % 256);
const png = { mime: "image/png", data: encodeBase64(bytes), name: "cat.png" };
const parts = (content: string | ContentPart[]) => typeof content === "string" ? [] : content;

Deno.test("a source that sees gets the picture, and the memory its mark and digest", async () => {
  const home = await kernelHome([{ text: "a cat" }], { source: testSource("eyes", { vision: true }) });
  await home.say("what is this?", { media: [png] });
  const [digest] = [...home.memory.media.keys()];
  const message = home.llm.requests[0]!.messages.at(-1)!;
  assert.deepEqual(parts(message.content).map(({ type }) => type), ["text", "image_url"]);
  const shown = parts(message.content)[1] as { image_url: { url: string } };
  assert.equal(shown.image_url.url, `data:image/png;base64,${png.data}`);
  const event = home.memory.events[0]!;
  assert.deepEqual(event.media, [digest]);
  assert.equal(event.input, `what is this?\n[image/png ${digest!.slice(0, 12)}] cat.png`);
});

Deno.test("for a source that does not see, the fallback source describes it, and the description is kept", async () => {
  const home = await kernelHome([{ text: "a striped chart" }, { text: "I see" }], {
    settings: {
      image: { fallback_source: "eyes", fallback_model: "big", describe_prompt: "Describe it", ocr_prompt: "" },
    },
  });
  await home.say("look", { media: [png] });
  assert.deepEqual([home.llm.options[0]!.only, home.llm.options[0]!.model], ["eyes", "big"]);
  assert.match(
    String(home.llm.requests[1]!.messages.at(-1)!.content),
    /^look\n\[image\/png [0-9a-f]{12}\] a striped chart$/,
  );
  assert.equal([...home.memory.media.values()][0]!.description, "a striped chart");
});

Deno.test("with neither eyes nor fallback the message carries the mark alone", async () => {
  const home = await kernelHome([{ text: "ok" }]);
  await home.say("look", { media: [png] });
  assert.match(String(home.llm.requests[0]!.messages.at(-1)!.content), /^look\n\[image\/png [0-9a-f]{12}\] cat\.png$/);
});

Deno.test("media turned off is silently plain text", async () => {
  const home = await kernelHome([{ text: "ok" }], { settings: { media_enabled: false } });
  await home.say("look", { media: [png] });
  assert.equal(home.llm.requests[0]!.messages.at(-1)!.content, "look");
  assert.equal(home.memory.media.size, 0);
  assert.ok(!home.events.some(({ type }) => type === "notice"));
});

Deno.test("media that is no base64 is told and left out", async () => {
  const home = await kernelHome([{ text: "ok" }]);
  assert.equal((await home.say("look", { media: [{ mime: "image/png", data: "%%%" }] })).reply, "ok");
  assert.ok(home.events.some((event) => event.type === "notice" && /not base64/.test(event.text)));
});

Deno.test("the media tools are there only while there is media, and take the digest from its mark", async () => {
  const home = await kernelHome([{ text: "none" }], { source: testSource("eyes", { vision: true }) });
  await home.say("hi");
  const has = (request: number) =>
    home.llm.requests[request]!.tools!.some((tool) => tool.function.name === "media_view");
  assert.ok(!has(0));
  home.llm.steps.push(
    (request) => {
      const mark = /\[image\/png ([0-9a-f]{12})\]/.exec(JSON.stringify(request.messages))![1]!;
      return {
        calls: [
          { name: "media_view", args: { digest: mark } },
          { name: "media_describe", args: { digest: mark, description: "a cat" } },
          {
            name: "memory_commit",
            args: { triples: [{ subject: "Ann", predicate: "has", object: "cat" }], media_digests: [mark] },
          },
        ],
      };
    },
    { text: "seen" },
  );
  await home.say("look", { media: [png] });
  assert.ok(has(1));
  const [digest] = [...home.memory.media.keys()];
  assert.equal(home.memory.media.get(digest!)!.description, "a cat");
  assert.deepEqual(parts(home.llm.requests[2]!.messages.at(-1)!.content).map(({ type }) => type), [
    "text",
    "image_url",
  ]);
  const commit = home.memory.calls.find(({ method }) => method === "graph.commit")!.params as Record<string, unknown>;
  assert.deepEqual(commit.media_digests, [digest]);
  assert.equal(commit.sentence_text, `Ann has cat\n[image/png ${digest!.slice(0, 12)}] a cat`);
  const stored = JSON.stringify(home.memory.events);
  assert.ok(!stored.includes(png.data.slice(0, 100)), "no picture is stored as text");
});

Deno.test("a digest that is not known is an error the model can act on", async () => {
  const home = await kernelHome([
    { calls: [{ name: "doc_commit", args: { content: "x", media_digests: ["0123456789ab"] } }] },
    { text: "ok" },
  ]);
  await home.say("go");
  assert.match(String(home.llm.requests[1]!.messages.at(-1)!.content), /no media with the digest 0123456789ab/);
});

Deno.test("pictures from a tool reach a model that sees, after all results, and are stored as marks", async () => {
  const block: ContentPart = { type: "image_url", image_url: { url: `data:image/png;base64,${png.data}` } };
  for (const vision of [true, false]) {
    const home = await kernelHome([{ calls: [{ name: "plug_shot" }, { name: "knowledge_list" }] }, { text: "ok" }], {
      source: testSource("eyes", { vision }),
      host: { "tool.invoke": () => ({ result: "shot taken", blocks: [block] }) },
    });
    home.kernel.stages.registerTools("plug", [{ name: "plug_shot", description: "", parameters: {} }]);
    await home.say("go");
    const roles = home.llm.requests[1]!.messages.slice(-4).map(({ role }) => role);
    assert.deepEqual(roles, vision ? ["assistant", "tool", "tool", "user"] : ["user", "assistant", "tool", "tool"]);
    assert.match(JSON.stringify(home.memory.events.at(-1)!.messages), /shot taken.*\[image\/png [0-9a-f]{12}\]/);
  }
});

Deno.test("base64 there and back is the identity", () => assert.deepEqual(decodeBase64(encodeBase64(bytes)), bytes));
