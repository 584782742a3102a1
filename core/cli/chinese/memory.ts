import type { Row } from "./row.ts";

/** Memory and knowledge. */
export const MEMORY: readonly Row[] = [
  ["There is nothing to take back", "没有可以撤销的操作"],
  ['There is nothing to take back under "{id}"', "“{id}” 没有可以撤销的操作"],
  ["changes are kept for thirty days", "改动保留三十天"],
  ["homed memory undo --list shows what there is", "homed memory undo --list 列出可撤销的操作"],
  ['Forgetting "{name}" ({counts}) cannot be undone', "忘记 “{name}”（{counts}）无法撤销"],
  ["say --yes", "加上 --yes"],
  ["`{name}` must be a text that is not empty", "{name} 必须是非空文本"],
  ['There is an entry named "{name}" already', "已经有名为 “{name}” 的条目"],
  [
    "choose another name, or say --replace to put this in its place",
    "请换一个名称，或加上 --replace 取代它",
  ],
  [
    '"{name}" cannot name an entry: a name has no / or \\, and does not begin with a dot',
    "“{name}” 不能用作条目名：名称不能含 / 或 \\，也不能以点开头",
  ],
  [
    "Nothing was imported from {path}: 1 line was rejected, line {line} as {reason}",
    "没有从 {path} 导入任何内容：1 行被拒绝，第 {line} 行：{reason}",
  ],
  [
    "Nothing was imported from {path}: {count} lines were rejected, line {line} as {reason}",
    "没有从 {path} 导入任何内容：{count} 行被拒绝，第 {line} 行：{reason}",
  ],
  [
    "name a file that `homed memory export` made, or one in its format",
    "请指定由 homed memory export 生成的文件，或同格式的文件",
  ],
  // Why a line is rejected.
  ["it is not JSON: {detail}", "它不是 JSON：{detail}"],
  ["it is not a JSON object", "它不是 JSON 对象"],
  ['"{name}" is not a time in ISO 8601', "“{name}” 不是 ISO 8601 格式的时间"],
  ['a knowledge line needs "name" and "content"', "knowledge 行需要 name 和 content"],
  [
    '"kind" is {value}: it must be relation, document, message, knowledge, media, entity or attribute',
    "kind 是 {value}：应为 relation、document、message、knowledge、media、entity 或 attribute",
  ],
  ['a relation needs "subject", "predicate" and "object"', "relation 行需要 subject、predicate 和 object"],
  ['"confidence" is not a number from 0 to 1', "confidence 不是 0 到 1 的数"],
  ['a document needs "content"', "document 行需要 content"],
  ['a message needs "text"', "message 行需要 text"],
  [
    '"role" is {value}: it must be user, assistant, system or tool',
    "role 是 {value}：应为 user、assistant、system 或 tool",
  ],
  ['a media line needs "digest" and "mime"', "media 行需要 digest 和 mime"],
  ['"data" is not base64: {detail}', "data 不是 base64：{detail}"],
  ['"digest" is not that of "data"', "digest 与 data 不符"],
  ['an entity needs "name"', "entity 行需要 name"],
  ['an attribute line needs "attribute" and "many_valued"', "attribute 行需要 attribute 和 many_valued"],
  ["the line is longer than {most} bytes", "这一行超过 {most} 字节"],
];
