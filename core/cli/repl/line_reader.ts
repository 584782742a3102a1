import { Channel } from "../../base/channel.ts";
import { pastedText } from "./keys.ts";

/** Lines out of a byte stream, for the conversation or, when a question waits, for that. */
export class LineReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #lines = new Channel<string>(Infinity);
  #asking: ((line: string | null) => void) | undefined;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
    this.#read().catch(() => {}).finally(() => {
      // A stream that broke has ended.
      this.#lines.close();
      this.stopAsking();
    });
  }

  /** The next line for the conversation; null at the end. */
  async next(): Promise<string | null> {
    const { value } = await this.#lines.take();
    return value ?? null;
  }

  /** The next line, for a question; null when there is none, or the question is stopped. */
  answer(): Promise<string | null> {
    const waiting = this.#lines.poll();
    if (waiting !== undefined) return Promise.resolve(waiting);
    if (this.#lines.closed) return Promise.resolve(null);
    return new Promise((resolve) => this.#asking = resolve);
  }

  /** Ends the question that waits with null. False when none does. */
  stopAsking(): boolean {
    return this.#answer(null);
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "", afterReturn = false;
    for (let chunk = await this.#reader.read(); !chunk.done; chunk = await this.#reader.read()) {
      const decoded = decoder.decode(chunk.value, { stream: true });
      const text = afterReturn && decoded.startsWith("\n") ? decoded.slice(1) : decoded;
      afterReturn = decoded === "" ? afterReturn : decoded.endsWith("\r");
      // Unechoed (a key is asked for) a terminal ends lines with CR, and Ctrl-C is a character.
      const parts = (rest + text).split(/\r\n|[\r\n]/);
      rest = parts.pop()!;
      for (const part of parts) this.#take(part);
      if (!rest.includes("\x03")) continue;
      this.#answer(null);
      rest = "";
    }
    rest += decoder.decode();
    if (rest !== "") this.#take(rest);
  }

  #take(raw: string): void {
    const text = pastedText(rubbedOut(raw));
    if (!this.#answer(text)) this.#lines.offer(text);
  }

  #answer(text: string | null): boolean {
    const asking = this.#asking;
    this.#asking = undefined;
    asking?.(text);
    return asking !== undefined;
  }
}

/** What is left when every backspace has taken its character. */
function rubbedOut(text: string): string {
  const kept: string[] = [];
  for (const character of text) {
    if (character === "\x7f" || character === "\b") kept.pop();
    else kept.push(character);
  }
  return kept.join("");
}
