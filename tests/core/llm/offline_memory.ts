/** A small memory in a test's own process, behind the tools that the offline provider uses: triples that close one
 * another, documents, a knowledge base. @module */
import { canonicalPredicate } from "../../../core/base/predicates.ts";
import { fence } from "../../../core/llm/fence.ts";
import { OfflineProvider } from "../../../core/llm/offline.ts";
import type { ChatMessage, RequestToolCall, ToolSpec } from "../../../core/wire/llm.ts";

interface Stored {
  subject: string;
  predicate: string;
  object: string;
  sentence?: string;
  current: boolean;
}

type Args = Record<string, unknown>;

export const OFFLINE_TOOLS = [
  "memory_recall",
  "memory_commit",
  "doc_commit",
  "knowledge_search",
  "knowledge_list",
  "timer_set",
];

export class OfflineMemory {
  relations: Stored[] = [];
  documents: string[] = [];
  knowledge: { name: string; content: string }[] = [];
  calls: { name: string; args: Args }[] = [];
  /** A tool that fails, and what it says. */
  failing: Record<string, string> = {};

  run(name: string, args: Args): string {
    this.calls.push({ name, args });
    if (this.failing[name]) return this.failing[name];
    switch (name) {
      case "memory_commit":
        return fence(name, JSON.stringify(this.#commit(args["triples"] as Stored[], args["sentence_text"] as string)));
      case "memory_recall":
        return fence(name, JSON.stringify(this.#recall(args)));
      case "doc_commit":
        this.documents.push(String(args["content"]));
        return fence(name, JSON.stringify({ id: `d${this.documents.length}` }));
      case "knowledge_search": {
        const words = grams(String(args["query"]));
        const hits = this.knowledge.filter(({ content }) => words.some((word) => grams(content).includes(word)))
          .map(({ name, content }) => ({
            id: name,
            kind: "knowledge",
            text: content,
            score: 0.5,
            why: ["text"],
            at: "",
          }));
        return fence(name, JSON.stringify({ hits }));
      }
      case "knowledge_list":
        return fence(
          name,
          JSON.stringify({ items: this.knowledge.map(({ name }) => ({ name, bytes: 1, title: name })) }),
        );
      case "timer_set":
        return fence(name, JSON.stringify({ id: "t1", ...args }));
    }
    return `There is no tool "${name}"`;
  }

  #commit(triples: Stored[], sentence: string): unknown {
    const closed: string[] = [];
    for (const { subject, predicate, object } of triples) {
      const known = canonicalPredicate(predicate);
      for (const old of this.relations) {
        const same = old.subject === subject &&
          (canonicalPredicate(old.predicate)?.id ?? old.predicate) === (known?.id ?? predicate);
        if (old.current && same && known?.single && old.object !== object) {
          old.current = false;
          closed.push(`${old.subject} ${old.predicate} ${old.object}`);
        }
      }
      this.relations.push({ subject, predicate, object, sentence, current: true });
    }
    return { committed: triples.length, closed, ids: triples.map((_, index) => `r${index}`) };
  }

  /** Everything that shares a word with the question or a keyword, and what hangs on that. */
  #recall(args: Args): unknown {
    const words = new Set([
      ...grams(String(args["query"] ?? "")),
      ...((args["keywords"] as string[] | undefined) ?? []).flatMap(grams),
    ]);
    const touches = (text: string) => grams(text).some((word) => words.has(word));
    const seeds = this.relations.filter(({ subject, predicate, object, sentence }) =>
      touches(`${subject} ${predicate} ${object} ${sentence ?? ""}`)
    );
    const nodes = new Set(seeds.flatMap(({ subject, object }) => [subject, object]).filter((name) => name !== "user"));
    const found = this.relations.filter((relation) => seeds.includes(relation) || nodes.has(relation.subject));
    const relations = found.map((relation, index) => ({
      id: `r${index}`,
      confidence: 0.9,
      valid_from: "2026-01-01",
      valid_to: null,
      ...relation,
    }));
    const documents = this.documents.filter(touches).map((text, index) => ({
      id: `d${index}`,
      kind: "document",
      text,
      score: 0.4,
      why: ["text"],
      at: "",
    }));
    const hits = [
      ...relations.map(({ id, subject, predicate, object, current }) => ({
        id,
        kind: "relation",
        text: `${subject} ${predicate} ${object}`,
        score: 0.5,
        why: ["graph"],
        at: "",
        current,
      })),
      ...documents,
    ];
    return { hits, entities: [], relations };
  }
}

function grams(text: string): string[] {
  const lower = text.normalize("NFKC").toLowerCase();
  const han = (lower.match(/\p{Script=Han}+/gu) ?? []).flatMap((run) =>
    run.length === 1 ? [run] : [...run].slice(1).map((_, index) => run.slice(index, index + 2))
  );
  return [...lower.match(/[a-z0-9]{3,}/g) ?? [], ...han];
}

export interface ConversationOptions {
  tools?: string[];
  system?: string;
}

/** A conversation with the offline provider through the kernel's tool loop, as far as the provider sees it. */
export class Conversation {
  readonly messages: ChatMessage[] = [];
  readonly deltas: string[] = [];
  readonly #tools: ToolSpec[];

  constructor(
    readonly memory: OfflineMemory,
    { tools = OFFLINE_TOOLS, system = "You are homed." }: ConversationOptions = {},
  ) {
    this.messages.push({ role: "system", content: system });
    this.#tools = tools.map((name) => ({ type: "function", function: { name, description: "", parameters: {} } }));
  }

  /** Says something and answers with the reply. */
  async say(text: string): Promise<string> {
    const provider = new OfflineProvider();
    this.messages.push({ role: "user", content: text });
    for (let cycle = 0; cycle < 8; cycle++) {
      const outcome = await provider.complete({
        model: "rules",
        messages: this.messages,
        temperature: 0,
        max_tokens: 1000,
        stream: true,
        tools: this.#tools,
      }, { signal: new AbortController().signal, onDelta: (delta) => void this.deltas.push(delta.text) });
      if (outcome.kind === "failed") throw new Error(outcome.failure.message);
      const { content, tool_calls } = outcome.response;
      if (!tool_calls || tool_calls.length === 0) {
        this.messages.push({ role: "assistant", content });
        return content;
      }
      const asked: RequestToolCall[] = tool_calls.map(({ id, name, arguments: args }) => ({
        id,
        type: "function",
        function: { name, arguments: args },
      }));
      this.messages.push({ role: "assistant", content, tool_calls: asked });
      for (const { id, name, arguments: args } of tool_calls) {
        this.messages.push({
          role: "tool",
          tool_call_id: id,
          content: this.memory.run(name, JSON.parse(args) as Args),
        });
      }
    }
    throw new Error("The offline provider asked for tools eight times in a turn");
  }
}
