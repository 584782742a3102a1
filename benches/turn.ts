import { type Client, connect, serve } from "../tests/kit/homed.ts";
import { startLlmServer } from "../tests/kit/llm_servers/mod.ts";
import { tempFolder } from "../tests/kit/temp_folder.ts";
import { ms, percentile, type Row, timeEach } from "./kit/measure.ts";

const HISTORY = [100, 1_000, 10_000];
const ROUNDS = 150;
const DELTAS = 200;
const INTERRUPTS = 40;

const chunk = (content: string, finish: string | null = null) =>
  `data: ${
    JSON.stringify({
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta: { content }, finish_reason: finish }],
    })
  }\n\n`;
const REPLY = chunk("It is done.") + chunk("", "stop") +
  `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 } })}\n\n` +
  "data: [DONE]\n\n";

/** An LLM that answers at once or in pieces, as `mode` says, and notes when each piece went out. */
function startSource() {
  const encoder = new TextEncoder();
  const state = { mode: "instant" as "instant" | "pieces", sent: [] as number[] };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    await request.body?.cancel();
    const headers = { "content-type": "text/event-stream" };
    if (state.mode === "instant") return new Response(REPLY, { headers });
    let stop = false;
    request.signal.addEventListener("abort", () => (stop = true), { once: true });
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        state.sent = [];
        for (let i = 0; i < DELTAS && !stop; i++) {
          await new Promise((resolve) => setTimeout(resolve, 4));
          state.sent.push(performance.now());
          controller.enqueue(encoder.encode(chunk(`${i} `)));
        }
        controller.enqueue(encoder.encode(chunk("", "stop") + "data: [DONE]\n\n"));
        controller.close();
      },
    });
    return new Response(body, { headers });
  });
  return { state, url: `http://127.0.0.1:${server.addr.port}/v1`, [Symbol.asyncDispose]: () => server.shutdown() };
}

const environment = (url: string) => ({
  HOMED_CORE__LLM__SOURCES__OPENAI__BASE_URL: url,
  HOMED_CORE__LLM__SOURCES__OPENAI__API_KEY: "bench-key-not-secret",
  HOMED_CORE__LLM__SOURCES__OPENAI__MODEL: "bench",
});

async function bareFetch(url: string): Promise<void> {
  const response = await fetch(`${url}/chat/completions`, { method: "POST", body: '{"model":"bench","stream":true}' });
  await response.text();
}

/** Milliseconds each piece took from the server to a bare reader of the same stream. */
async function bareDeltas(source: ReturnType<typeof startSource>): Promise<number[]> {
  const response = await fetch(`${source.url}/chat/completions`, { method: "POST", body: "{}" });
  const samples: number[] = [];
  for await (
    const text of response.body!.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
  ) {
    for (const [, n] of text.matchAll(/"content":"(\d+) "/g)) {
      samples.push(performance.now() - source.state.sent[Number(n)]!);
    }
  }
  return samples;
}

async function relayedDeltas(source: ReturnType<typeof startSource>, client: Client): Promise<number[]> {
  const samples: number[] = [];
  await client.peer.call("chat.send", { text: "count" }, {
    onEvent: (_, params) => {
      if (params.type !== "delta") return;
      for (const n of String(params.text).split(" ").filter(Boolean)) {
        samples.push(performance.now() - source.state.sent[Number(n)]!);
      }
    },
  });
  return samples;
}

async function importHistory(client: Client, folder: string, from: number, to: number): Promise<void> {
  const lines: string[] = [];
  for (let i = from; i < to; i++) {
    const at = new Date(Date.UTC(2025, 0, 1) + i * 60_000).toISOString();
    lines.push(
      JSON.stringify({
        kind: "document",
        id: `h${i}`,
        title: `Note ${i}`,
        content: `Entry ${i} about room ${i % 97}, shelf ${i % 13} and the box of ${i % 41} cables.`,
        at,
      }),
    );
    lines.push(
      JSON.stringify({
        kind: "message",
        role: i % 2 ? "agent" : "user",
        text: `Message ${i} on cables and shelves`,
        at,
      }),
    );
  }
  const path = `${folder}/history-${to}.jsonl`;
  await Deno.writeTextFile(path, lines.join("\n"));
  await client.peer.call("memory.import", { path });
}

export async function turnBench(): Promise<Row[]> {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using source = startSource();
  await using _daemon = await serve({ home, env: environment(source.url) });
  await using client = await connect(home);
  const rows: Row[] = [];
  const floor: number[] = [];
  let smallest: number | undefined, stored = 0;
  for (const history of HISTORY) {
    await importHistory(client, folder.path, stored, history);
    stored = history;
    floor.length = 0;
    const ours: number[] = [];
    for (let part = 0; part < 3; part++) {
      floor.push(...await timeEach(ROUNDS / 3, () => bareFetch(source.url)));
      ours.push(
        ...await timeEach(
          ROUNDS / 3,
          (i) => client.peer.call("chat.send", { text: `What is on shelf ${Math.abs(i) % 13}?` }),
        ),
      );
    }
    const beyond = percentile(ours, 0.5) - percentile(floor, 0.5);
    smallest ??= beyond;
    rows.push({
      what: `turn: beyond a bare fetch, ${history} documents and messages stored, p50`,
      figure: `${ms(beyond)} (${(beyond / smallest).toFixed(2)}× of the smallest)`,
      floor: `${ms(percentile(floor, 0.5))} bare fetch`,
      reach: "≤ 8 ms",
      ok: beyond <= 8,
    });
  }

  source.state.mode = "pieces";
  const bare: number[] = [], relayed: number[] = [];
  for (let i = 0; i < 3; i++) {
    bare.push(...await bareDeltas(source));
    relayed.push(...await relayedDeltas(source, client));
  }
  const p50 = percentile(relayed, 0.5) - percentile(bare, 0.5),
    p95 = percentile(relayed, 0.95) - percentile(bare, 0.95);
  rows.push({
    what: "delta: from the LLM server to a socket client, added to a bare reader, p50 / p95",
    figure: `${ms(p50)} / ${ms(p95)}`,
    floor: `${ms(percentile(bare, 0.5))} / ${ms(percentile(bare, 0.95))}`,
    reach: "≤ 3 / 10 ms",
    ok: p50 <= 3 && p95 <= 10,
  });

  return [...rows, await interruptRow()];
}

/** Milliseconds from the command to the end of the connection, as the LLM server sees it. */
async function interruptRow(): Promise<Row> {
  await using folder = await tempFolder();
  await using server = startLlmServer("openai");
  await using _daemon = await serve({ home: `${folder.path}/home`, env: environment(server.url) });
  await using client = await connect(`${folder.path}/home`);
  const closed: number[] = [];
  for (let i = 0; i < INTERRUPTS; i++) {
    server.say({ text: ["thinking ", "on"], finish: null, faults: { noEnd: true, stayOpen: true } }, { text: "done" });
    const talking = Promise.withResolvers<void>();
    const turn = client.peer.call("chat.send", { text: `hold ${i}` }, {
      onEvent: (_, params) => params.type === "delta" && talking.resolve(),
    });
    await talking.promise;
    const held = server.requests.at(-1)!;
    const from = performance.now();
    void client.peer.call("chat.interrupt", { text: "stop that" });
    await held.ended;
    closed.push(performance.now() - from);
    await turn;
  }
  return {
    what: "interrupt: received → connection closed at the server, p95",
    figure: `${ms(percentile(closed, 0.95))} (p50 ${ms(percentile(closed, 0.5))})`,
    floor: "",
    reach: "≤ 100 ms",
    ok: percentile(closed, 0.95) <= 100,
  };
}

if (import.meta.main) { for (const row of await turnBench()) console.log(row); }
