import { basename, join } from "node:path";
import { KNOWN_MODELS, knownModel } from "../../../memory/embedders/known_models.ts";
import { parseModelPaths } from "../../../memory/embedders/vector_file.ts";
import { isThere } from "../../base/files.ts";
import { reasonOf } from "../../base/system_error.ts";
import type { Home } from "../home.ts";
import { recordOf } from "./download.ts";

/** One file of a model: where it comes from, and where it goes. */
export interface ModelFile {
  url: string;
  path: string;
  /** Without it the model works, too. */
  optional?: true;
}

/** One model of `core.agent.embedding_model_path`. */
export interface ModelPlace {
  /** For people. */
  title: string;
  /** What the memory and the embed worker are given once it is here: a path, and `#N` behind it. */
  setting: string;
  isHere: boolean;
  /** Why what the setting names can neither be used nor downloaded. */
  problem?: string;
  /** What `main` has to download; nothing for a path. Files that stand for each other are tried in order. */
  files: ModelFile[][];
  /** About how much that is, where it is known. */
  bytes?: number;
}

const VECTOR_FILE = /\.(?:vec|txt)(?:\.gz)?$/i;
const HUB_NAME = /^(?:hf:)?([A-Za-z0-9][\w.-]*)\/([A-Za-z0-9][\w.-]*)$/;
const HUB = "https://huggingface.co";
const NEEDED = ["config.json", "tokenizer.json"];
const OPTIONAL = ["tokenizer_config.json", "special_tokens_map.json", "1_Pooling/config.json"];
const WEIGHTS = ["onnx/model_quantized.onnx", "onnx/model.onnx"];

/** The models that the setting names: files and folders by their path; the address of a vector file, or the name of a
 * known one; the name or address of a model on the hub. What is downloaded lies below `models/`. */
export function modelPlaces(setting: string, home: Home): ModelPlace[] {
  return parseModelPaths(setting).map(({ path, top }) => {
    const rows = top === undefined ? "" : `#${top}`;
    const own = home.path(path);
    if (isThere(own)) {
      const problem = unfit(own);
      if (problem !== undefined) return { title: own, setting: own + rows, isHere: false, problem, files: [] };
      return { title: path, setting: own + rows, isHere: true, files: [] };
    }
    if (/^https?:\/\/\S+$/.test(path)) {
      const url = new URL(path);
      if (!VECTOR_FILE.test(url.pathname)) return hubModel(path.replace(/\/+$/, ""), home);
      return vectorModel({ title: basename(url.pathname), url: path, file: basename(url.pathname) }, { home, rows });
    }
    // A bare word means a known model, but not one that looks like a file: that would download what nobody asked for.
    const known = !VECTOR_FILE.test(path) || isNamed(path) ? knownModel(path) : undefined;
    if (known) return { ...vectorModel(known, { home, rows: rows || `#${known.top}` }), bytes: known.bytes };
    const hub = HUB_NAME.exec(path);
    if (hub && !VECTOR_FILE.test(path)) return hubModel(`${HUB}/${hub[1]}/${hub[2]}`, home);
    const missing = "there is no such file or folder";
    return { title: own, setting: own + rows, isHere: false, problem: missing, files: [] };
  });
}

/** The setting as the memory and the embed worker are given it: paths of what is here. */
export function settingHere(setting: string, home: Home): string {
  return modelPlaces(setting, home).filter(({ isHere }) => isHere).map((place) => place.setting).join(",");
}

const isNamed = (path: string) => KNOWN_MODELS.some(({ match }) => path.includes(match)) && !/[/\\]/.test(path);

/** Why a path that is there holds no model: what can be told at a glance. */
function unfit(path: string): string | undefined {
  try {
    const info = Deno.statSync(path);
    if (info.isFile) return info.size === 0 ? "it is empty" : undefined;
    if (!info.isDirectory) return "it is no file";
  } catch (error) {
    return reasonOf(error);
  }
  const lacking = NEEDED.filter((one) => !isThere(join(path, one)));
  return lacking.length === 0 ? undefined : `the folder holds no model: it lacks ${lacking.join(" and ")}`;
}

function vectorModel(
  { title, url, file }: { title: string; url: string; file: string },
  { home, rows }: { home: Home; rows: string },
): ModelPlace {
  const path = home.path(join("models", file));
  return { title, setting: path + rows, isHere: isThere(path), files: [[{ url, path }]] };
}

function hubModel(url: string, home: Home): ModelPlace {
  const [owner, name] = url.split("/").slice(-2);
  // Not "--", as the hub's own caches have it: the library takes that for no name of a model.
  const folder = home.path(join("models", `${owner}_${name}`));
  const file = (one: string): ModelFile => ({ url: `${url}/resolve/main/${one}`, path: join(folder, one) });
  const weights = WEIGHTS.map(file);
  const isHere = weights.some(({ path }) => recordOf(path) !== undefined);
  // The weights come last: with them the model is whole.
  const files = [
    ...NEEDED.map((one) => [file(one)]),
    ...OPTIONAL.map((one): ModelFile[] => [{ ...file(one), optional: true }]),
    weights,
  ];
  return { title: `${owner}/${name}`, setting: folder, isHere, files };
}
