/** A model that `core.agent.embedding_model_path` can name without a file: `main` downloads it, this is only the table. */
export interface KnownModel {
  /** A path or word of the setting that contains this means it; the seed's rule. */
  match: string;
  /** For people. */
  title: string;
  url: string;
  /** The file's name below `models/`. */
  file: string;
  /** Bytes of the download, about, for the person to see before. */
  bytes: number;
  /** How many rows are taken when the setting does not say (`#N`). */
  top: number;
}

/** In the order in which they are tried; the last is the default. */
export const KNOWN_MODELS: readonly KnownModel[] = [
  {
    match: "cc.zh.",
    title: "fastText, Chinese, 300 dimensions",
    url: "https://dl.fbaipublicfiles.com/fasttext/vectors-crawl/cc.zh.300.vec.gz",
    file: "cc.zh.300.vec.gz",
    bytes: 1_360_000_000,
    top: 400_000,
  },
  {
    match: "cc.en.",
    title: "fastText, English, 300 dimensions",
    url: "https://dl.fbaipublicfiles.com/fasttext/vectors-crawl/cc.en.300.vec.gz",
    file: "cc.en.300.vec.gz",
    bytes: 1_330_000_000,
    top: 400_000,
  },
  {
    match: "numberbatch-en",
    title: "ConceptNet Numberbatch, English, 300 dimensions",
    url: "https://conceptnet.s3.amazonaws.com/downloads/2019/numberbatch/numberbatch-en-19.08.txt.gz",
    file: "numberbatch-en-19.08.txt.gz",
    bytes: 325_000_000,
    top: 600_000,
  },
  {
    match: "numberbatch",
    title: "ConceptNet Numberbatch, 77 languages in one space, 300 dimensions",
    url: "https://conceptnet.s3.amazonaws.com/downloads/2019/numberbatch/numberbatch-19.08.txt.gz",
    file: "numberbatch-19.08.txt.gz",
    bytes: 3_110_000_000,
    top: 2_000_000,
  },
];

/** What a part of the setting that is no file means: the known model that it names; a bare word that names none means
 * ConceptNet Numberbatch, as in the seed. A path to a file that is not there names nothing. */
export function knownModel(part: string): KnownModel | undefined {
  const name = part.trim().replace(/#\d+$/, "");
  if (name === "") return undefined;
  const named = KNOWN_MODELS.find((model) => name.includes(model.match));
  return named ?? (/[/\\]/.test(name) ? undefined : KNOWN_MODELS.at(-1));
}
