/** Kinds of images and audio, by their first bytes: file names are not believed. */
const SIGNATURES: { mime: string; at: number; text: string; also?: { at: number; text: string } }[] = [
  { mime: "image/png", at: 0, text: "\x89PNG\r\n\x1a\n" },
  { mime: "image/jpeg", at: 0, text: "\xff\xd8\xff" },
  { mime: "image/gif", at: 0, text: "GIF8" },
  { mime: "image/webp", at: 0, text: "RIFF", also: { at: 8, text: "WEBP" } },
  { mime: "audio/wav", at: 0, text: "RIFF", also: { at: 8, text: "WAVE" } },
  { mime: "audio/ogg", at: 0, text: "OggS" },
  { mime: "audio/flac", at: 0, text: "fLaC" },
  { mime: "audio/mpeg", at: 0, text: "ID3" },
  { mime: "audio/mpeg", at: 0, text: "\xff\xfb" },
  { mime: "audio/mpeg", at: 0, text: "\xff\xf3" },
  { mime: "audio/mp4", at: 4, text: "ftypM4A" },
];

/** The kind of an image or audio file; undefined when it is none that is known. */
export function mimeOf(bytes: Uint8Array): string | undefined {
  const has = (at: number, text: string) =>
    [...text].every((character, i) => bytes[at + i] === character.charCodeAt(0));
  return SIGNATURES.find(({ at, text, also }) => has(at, text) && (!also || has(also.at, also.text)))?.mime;
}
