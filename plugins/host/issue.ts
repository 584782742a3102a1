/** What is wrong with a value from outside, in words: a checker's own message where it is a sentence, else one made of
 * what it says of types, options and sizes. */
export function issueText(message: string): string {
  const [, expected, received] = /^Invalid input: expected (\w+), received (\w+)$/.exec(message) ?? [];
  if (received === "undefined") return "it is missing";
  if (expected !== undefined) return `it must be ${KINDS[expected] ?? expected}, not ${KINDS[received!] ?? received}`;
  const options = /^Invalid option: expected one of (.+)$/.exec(message)?.[1];
  if (options !== undefined) return `it must be one of ${options.replaceAll("|", ", ").replaceAll('"', "")}`;
  if (/^Too small: expected string to have >=1 /.test(message)) return "it is empty";
  const most = /^Too big: expected (?:string|array) to have <=(\d+) (?:characters|items)$/.exec(message)?.[1];
  if (most !== undefined) return `it is longer than ${most}`;
  return message === "Invalid input" ? "it is of the wrong kind" : message;
}

const KINDS: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "nothing",
};
