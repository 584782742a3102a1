import { messageOf } from "../../base/errors.ts";
import type { CommandContext } from "./command.ts";
import type { ConfigItem } from "./session.ts";
import { type Line, line } from "./spans.ts";
import { fit } from "./width.ts";
import { visibleLine } from "./visible.ts";
import { fixOf } from "../failure.ts";
import { reasonOfSource } from "./failure.ts";

const PREFIX = "core.llm.sources.";
/** The sources homed knows; also the names of the adapters. */
const KNOWN = ["deepseek", "openai", "anthropic", "gemini", "mistral", "groq", "github", "ollama"];
const TEST_PROMPT = "Reply with the one word: ready";

/** `/setup`: choose a source, its key and model, try it, keep it. Ctrl-C at a question stops; what was set until then is
 * put back. */
export async function setup(context: CommandContext): Promise<void> {
  await new Setup(context).run();
}

/** Thrown where a question was not answered. */
class Stopped extends Error {}

class Setup {
  readonly #context: CommandContext;
  /** What each changed setting was before. */
  readonly #before = new Map<string, ConfigItem | undefined>();
  #items = new Map<string, ConfigItem>();

  constructor(context: CommandContext) {
    this.#context = context;
  }

  async run(): Promise<void> {
    try {
      await this.#read();
      const name = await this.#choose();
      if (!KNOWN.includes(name)) await this.#address(name);
      if (this.#needsKey(name)) await this.#key(name);
      await this.#model(name);
      await this.#set(name, "enabled", "true");
      await this.#try(name);
    } catch (error) {
      if (!(error instanceof Stopped)) {
        await this.#discard();
        throw error;
      }
      if (this.#before.size === 0) this.#say(this.#context.texts("setupStopped"));
      else await this.#discard();
    }
  }

  async #read(): Promise<void> {
    const items = await this.#context.session.call("config.list", { prefix: PREFIX });
    this.#items = new Map(items.map((item) => [item.key, item]));
  }

  async #choose(): Promise<string> {
    const { texts, session } = this.#context;
    const configured = new Set((await session.call("status", {})).kernel.sources.map(({ name }) => name));
    const own = [...this.#items.keys()].map((key) => key.slice(PREFIX.length).split(".")[0]!);
    const names = [...new Set([...KNOWN, ...own])];
    this.#context.display.print(...names.map((name, i): Line => ({
      spans: [
        { text: `${String(i + 1).padStart(2)}  ${visibleLine(name)}` },
        ...(configured.has(name) ? [{ text: `  ${texts("setupConfigured")}`, look: { dim: true as const } }] : []),
      ],
    })));
    for (;;) {
      const answer = (await this.#ask(texts("setupChoose"))).toLowerCase();
      const name = /^\d+$/.test(answer) ? names[Number(answer) - 1] : answer;
      if (name && /^[a-z][a-z0-9_-]*$/.test(name)) return name;
      this.#say(texts("setupBadName"));
    }
  }

  async #address(name: string): Promise<void> {
    const { texts } = this.#context;
    for (;;) {
      const current = this.#value(name, "adapter") || "openai";
      const adapter = await this.#ask(texts("setupAdapter", { current })) || current;
      if (await this.#trySet(name, "adapter", adapter)) break;
    }
    for (;;) {
      const current = this.#value(name, "base_url");
      const address = await this.#ask(texts("setupAddress", { current })) || current;
      if (!/^https?:\/\/\S+$/.test(address)) this.#say(texts("setupNeedAddress"));
      else if (await this.#trySet(name, "base_url", address)) return;
    }
  }

  /** Ollama, and any address on this machine, needs no key. */
  #needsKey(name: string): boolean {
    const address = this.#value(name, "base_url");
    const host = URL.canParse(address) ? new URL(address).hostname : "";
    return name !== "ollama" && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
  }

  async #key(name: string): Promise<void> {
    const { texts } = this.#context;
    for (;;) {
      const empty = texts(this.#value(name, "api_key") === "" ? "setupKeyEnv" : "setupKeyKeep");
      const key = await this.#ask(texts("setupKey", { empty }), true);
      if (key === "" || await this.#trySet(name, "api_key", key)) return;
    }
  }

  async #model(name: string): Promise<void> {
    const { texts } = this.#context;
    for (;;) {
      const current = this.#value(name, "model");
      const model = await this.#ask(texts("setupModel", { current })) || current;
      if (model === "") this.#say(texts("setupNeedModel"));
      else if (model === current || await this.#trySet(name, "model", model)) return;
    }
  }

  /** The test call, again until it works or the person decides. */
  async #try(name: string): Promise<void> {
    const { display, session, texts } = this.#context;
    for (;;) {
      display.status([texts("setupTesting", { name })]);
      try {
        const { text } = await session.call("llm.complete", { prompt: TEST_PROMPT, source: name, now: true });
        display.status([]);
        this.#say(texts("setupWorks", { name, reply: fit(visibleLine(text), 60) }), "green");
        this.#say(texts("setupSaved"));
        return;
      } catch (error) {
        display.status([]);
        this.#say(texts("setupFailed", { name, reason: reasonOfSource(error, texts) }), "red");
        const fix = fixOf(error);
        if (fix) this.#say(texts("fix", { fix: visibleLine(texts.told(fix)) }));
      }
      const answer = await this.#choice();
      if (answer === "s") return this.#say(texts("setupSaved"));
      if (answer === "d") return await this.#discard();
      if (answer === "k") await this.#key(name);
      if (answer === "m") await this.#model(name);
    }
  }

  /** What to do about a source that did not answer; nothing typed is another try. */
  async #choice(): Promise<string> {
    for (;;) {
      const answer = (await this.#ask(this.#context.texts("setupAgain"))).toLowerCase() || "r";
      if (/^[rkmsd]$/.test(answer)) return answer;
    }
  }

  #value(name: string, part: string): string {
    const value = this.#items.get(`${PREFIX}${name}.${part}`)?.value;
    return typeof value === "string" ? value : "";
  }

  /** Sets one part; false when the value was refused, which is told. */
  async #trySet(name: string, part: string, value: string): Promise<boolean> {
    try {
      await this.#set(name, part, value);
      return true;
    } catch (error) {
      const { texts } = this.#context;
      this.#say(
        texts("setupNotSaved", { key: `${PREFIX}${name}.${part}`, reason: visibleLine(texts.told(messageOf(error))) }),
        "red",
      );
      const fix = fixOf(error);
      if (fix) this.#say(texts("fix", { fix: visibleLine(texts.told(fix)) }));
      return false;
    }
  }

  async #set(name: string, part: string, value: string): Promise<void> {
    const key = `${PREFIX}${name}.${part}`, before = this.#items.get(key);
    if (before && String(before.value) === value && !before.secret) return;
    await this.#context.session.call("config.set", { key, value });
    if (!this.#before.has(key)) this.#before.set(key, before);
    await this.#read();
  }

  /** Puts every changed setting back. A key that was replaced is gone: it was never shown to us. */
  async #discard(): Promise<void> {
    const { session, texts } = this.#context;
    let lost = false;
    for (const [key, before] of [...this.#before].reverse()) {
      const own = before !== undefined && before.value !== before.default && before.value !== "";
      if (own && !before.secret) await session.call("config.set", { key, value: String(before.value) });
      else {
        await session.call("config.unset", { key });
        if (own) lost = true;
      }
    }
    const name = [...this.#before.keys()][0]?.slice(PREFIX.length).split(".")[0] ?? "";
    if (this.#before.size > 0) this.#say(lost ? texts("setupKeyLost", { name }) : texts("setupDiscarded"));
    this.#before.clear();
  }

  async #ask(prompt: string, masked = false): Promise<string> {
    const answer = await this.#context.display.ask({ prompt, masked });
    if (answer === null) throw new Stopped();
    return answer.trim();
  }

  #say(text: string, color?: "green" | "red"): void {
    this.#context.display.print(line(text, color && { color }));
  }
}
