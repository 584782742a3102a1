/** Writes a sentence-embedding model of a few hundred bytes: one `Gather` from a matrix by `input_ids`, and a tokenizer
 * that knows the words of the matrix. Vectors are the mean of the words' rows. */
export async function writeToyModel(folder: string, words: Record<string, number[]>): Promise<void> {
  const vocabulary = ["[UNK]", ...Object.keys(words)];
  const dimension = Object.values(words)[0]!.length;
  const rows = [Array<number>(dimension).fill(0.01), ...Object.values(words)];
  await Deno.mkdir(`${folder}/onnx`, { recursive: true });
  await Deno.writeFile(`${folder}/onnx/model.onnx`, gatherModel(rows));
  const json = (name: string, value: unknown) => Deno.writeTextFile(`${folder}/${name}`, JSON.stringify(value));
  await json("config.json", { model_type: "bert", hidden_size: dimension });
  await json("tokenizer_config.json", {
    tokenizer_class: "PreTrainedTokenizerFast",
    model_max_length: 512,
    unk_token: "[UNK]",
    pad_token: "[UNK]",
  });
  await json("tokenizer.json", {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: [{
      id: 0,
      content: "[UNK]",
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    }],
    normalizer: { type: "Lowercase" },
    pre_tokenizer: { type: "Whitespace" },
    post_processor: null,
    decoder: null,
    model: { type: "WordLevel", vocab: Object.fromEntries(vocabulary.map((word, i) => [word, i])), unk_token: "[UNK]" },
  });
}

/** An ONNX `ModelProto` by hand (onnx.proto3): fields as tag and value, messages with their length before them. */
function gatherModel(rows: number[][]): Uint8Array<ArrayBuffer> {
  const dimension = rows[0]!.length;
  const raw = new Uint8Array(Float32Array.from(rows.flat()).buffer);
  const table = message([number(1, rows.length), number(1, dimension), number(2, 1), text(8, "table"), bytes(9, raw)]);
  const node = message([
    text(1, "table"),
    text(1, "input_ids"),
    text(2, "last_hidden_state"),
    text(3, "g"),
    text(4, "Gather"),
  ]);
  const value = (name: string, type: number, dims: string[]) => {
    const shape = message(dims.map((dim) => bytes(1, message([text(2, dim)]))));
    return message([text(1, name), bytes(2, message([bytes(1, message([number(1, type), bytes(2, shape)]))]))]);
  };
  const graph = message([
    bytes(1, node),
    text(2, "toy"),
    bytes(5, table),
    bytes(11, value("input_ids", 7, ["batch", "sequence"])),
    bytes(12, value("last_hidden_state", 1, ["batch", "sequence", "hidden"])),
  ]);
  return message([number(1, 8), bytes(7, graph), bytes(8, message([text(1, ""), number(2, 13)]))]);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [value & 127 | 128, ...varint(value >>> 7)];
}
const number = (field: number, value: number) => Uint8Array.from([...varint(field << 3), ...varint(value)]);
const bytes = (field: number, value: Uint8Array) =>
  Uint8Array.from([...varint(field << 3 | 2), ...varint(value.length), ...value]);
const text = (field: number, value: string) => bytes(field, new TextEncoder().encode(value));
const message = (fields: Uint8Array[]) => Uint8Array.from(fields.flatMap((field) => [...field]));
