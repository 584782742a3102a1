/** Whether a tool's name fits a pattern, in which `*` stands for any text, also none. */
export function fitsPattern(tool: string, pattern: string): boolean {
  if (!pattern.includes("*")) return pattern === tool;
  const parts = pattern.split("*");
  const first = parts.shift()!, last = parts.pop()!;
  if (tool.length < first.length + last.length || !tool.startsWith(first) || !tool.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = tool.indexOf(part, at);
    if (found === -1 || found + part.length > tool.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}
