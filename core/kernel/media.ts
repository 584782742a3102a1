/** Media on their way in: stored under their digest, shown to a model that can see or hear, described for one that
 * cannot. @module */
import { messageOf } from "../base/errors.ts";
import type { MediaInput } from "../wire/chat.ts";
import type { ContentPart } from "../wire/llm.ts";
import type { MediaBlob } from "../wire/memory.ts";
import type { Kernel } from "./kernel.ts";
import { mediaMarker } from "./prompt.ts";
import type { Turn, TurnMedia } from "./turn_state.ts";

/** Stores what came with a message and puts it at hand in the turn. Media that cannot be stored are told and left
 * out; with media turned off the message is plain text. */
export async function receiveMedia(kernel: Kernel, turn: Turn, media: MediaInput[]): Promise<TurnMedia[]> {
  if (!kernel.settings.media_enabled) return [];
  const received: TurnMedia[] = [];
  for (const input of media) {
    try {
      const data = decodeBase64(input.data);
      received.push(await storeMedia(kernel, input, data, turn.cancel.signal));
    } catch (error) {
      const text = `${input.name ?? input.mime}: ${messageOf(error)}`;
      kernel.log.warn(`Cannot take in media: ${text}`);
      turn.say({ type: "notice", text });
    }
  }
  turn.attached.push(...received);
  return received;
}

async function storeMedia(
  kernel: Kernel,
  input: Pick<MediaInput, "mime" | "name">,
  data: Uint8Array,
  signal: AbortSignal,
): Promise<TurnMedia> {
  const { digest } = await kernel.memory.call("media.put", { mime: input.mime, data });
  const { blob } = await kernel.memory.call("media.get", { digest });
  const known = blob?.description ?? "";
  const whole: MediaBlob = { digest, mime: input.mime, bytes: data.length, description: known, data };
  const part = partFor(kernel, whole);
  if (part || known) return { digest, mime: input.mime, description: known || input.name || "", ...(part && { part }) };
  const description = await describeMedia(kernel, whole, signal);
  if (description) await kernel.memory.call("media.describe", { digest, description });
  return { digest, mime: input.mime, description: description || input.name || "" };
}

/** The part of a message that shows the media to the model in use, if that can take it. */
export function partFor(kernel: Kernel, blob: Pick<MediaBlob, "mime" | "data">): ContentPart | undefined {
  const source = kernel.llm.first();
  if (!blob.data) return undefined;
  if (blob.mime.startsWith("image/") && source.vision) return mediaPart(blob.mime, blob.data);
  if (blob.mime.startsWith("audio/") && source.audio) return mediaPart(blob.mime, blob.data);
  return undefined;
}

function mediaPart(mime: string, data: Uint8Array): ContentPart {
  const base64 = encodeBase64(data);
  return mime.startsWith("image/")
    ? { type: "image_url", image_url: { url: `data:${mime};base64,${base64}` } }
    : { type: "input_audio", input_audio: { data: base64, format: audioFormat(mime) } };
}

function audioFormat(mime: string): string {
  const kind = mime.slice("audio/".length).replace(/^x-/, "").split(";")[0]!;
  return kind === "mpeg" ? "mp3" : kind === "wave" || kind === "vnd.wave" ? "wav" : kind;
}

/** A description by the configured fallback source; empty when there is none or it did not answer. */
export async function describeMedia(kernel: Kernel, blob: MediaBlob, signal: AbortSignal): Promise<string> {
  const isImage = blob.mime.startsWith("image/");
  if (!blob.data || (!isImage && !blob.mime.startsWith("audio/"))) return "";
  const fallback = isImage ? kernel.settings.image : kernel.settings.audio;
  if (!fallback.fallback_source) return "";
  const completed = await kernel.llm.complete({
    messages: [{
      role: "user",
      content: [{ type: "text", text: describePrompt(kernel, isImage) }, mediaPart(blob.mime, blob.data)],
    }],
    temperature: 0,
    max_tokens: 500,
    stream: false,
  }, {
    signal,
    only: fallback.fallback_source,
    ...(fallback.fallback_model && { model: fallback.fallback_model }),
  });
  if (completed.kind === "answered") return completed.response.content.trim();
  kernel.log.warn(`Cannot describe media through ${fallback.fallback_source}: ${completed.kind}`);
  return "";
}

/** What the fallback source is asked: what a picture shows and the text in it, or what a sound says. */
function describePrompt({ settings }: Kernel, isImage: boolean): string {
  const asked = isImage
    ? [settings.image.describe_prompt, settings.image.ocr_prompt]
    : [settings.audio.describe_prompt];
  return asked.filter((prompt) => prompt.trim()).join("\n") || "Describe this in one or two sentences.";
}

/** Full digests of the media that the turn brings or the window refers to. */
export function knownMedia(kernel: Kernel, turn: Turn): string[] {
  const inWindow = kernel.context.events.flatMap((event) => event.media ?? []);
  return [...new Set([...turn.attached.map(({ digest }) => digest), ...inWindow])];
}

/** The full digest for what the model wrote: a digest or its beginning, as it stands in a mark. */
export function findDigest(kernel: Kernel, turn: Turn, written: string): string {
  const wanted = written.toLowerCase().replace(/^sha256:/, "").trim();
  return knownMedia(kernel, turn).find((digest) => wanted.length >= 12 && digest.startsWith(wanted)) ?? wanted;
}

/** A text with the marks of the media that go with it, and their full digests. Unknown digests are an error the model
 * can act on. */
export async function sentenceWithMedia(
  kernel: Kernel,
  turn: Turn,
  sentence: string,
  written: string[],
): Promise<{ sentence: string; digests: string[] }> {
  if (!kernel.settings.media_enabled || written.length === 0) return { sentence, digests: [] };
  const digests: string[] = [];
  const marks: string[] = [];
  for (const each of written) {
    const { blob } = await kernel.memory.call("media.get", { digest: findDigest(kernel, turn, each) });
    if (!blob) throw new Error(`There is no media with the digest ${each}: use one from a [mime digest] mark`);
    digests.push(blob.digest);
    marks.push(mediaMarker(blob));
  }
  return { sentence: [sentence, ...marks].join("\n"), digests };
}

/** Pictures and sounds of tool results: stored, and as marks for what is kept. */
export async function storeBlocks(kernel: Kernel, blocks: ContentPart[]): Promise<string[]> {
  const marks: string[] = [];
  for (const block of blocks) {
    if (block.type === "text") continue;
    const { mime, base64 } = block.type === "image_url"
      ? dataUrl(block.image_url.url)
      : { mime: `audio/${block.input_audio.format}`, base64: block.input_audio.data };
    if (base64 === undefined || !kernel.settings.media_enabled) continue;
    try {
      const { digest } = await kernel.memory.call("media.put", { mime, data: decodeBase64(base64) });
      marks.push(mediaMarker({ mime, digest, description: "" }));
    } catch (error) {
      kernel.log.warn(`Cannot store a tool's media: ${messageOf(error)}`);
    }
  }
  return marks;
}

function dataUrl(url: string): { mime: string; base64: string | undefined } {
  const match = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  return { mime: match?.[1] ?? "image/png", base64: match?.[2] };
}

/** @throws {TypeError} when the text is no base64 */
export function decodeBase64(text: string): Uint8Array {
  let binary: string;
  try {
    binary = atob(text);
  } catch (cause) {
    throw new TypeError("The data is not base64", { cause });
  }
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}

/** Base64 of bytes, in pieces that a call's arguments can hold. */
export function encodeBase64(data: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < data.length; at += 0x8000) binary += String.fromCharCode(...data.subarray(at, at + 0x8000));
  return btoa(binary);
}
