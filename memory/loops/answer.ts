/** The JSON array in a model's answer, whatever it wrote around it; undefined when there is none. */
export function arrayIn(text: string): Record<string, unknown>[] | undefined {
  for (let start = text.indexOf("["); start >= 0; start = text.indexOf("[", start + 1)) {
    for (let end = text.lastIndexOf("]"); end > start; end = text.lastIndexOf("]", end - 1)) {
      try {
        const value: unknown = JSON.parse(text.slice(start, end + 1));
        if (Array.isArray(value)) return value.filter((item) => typeof item === "object" && item !== null);
      } catch {
        // Another bracket may be the right one.
      }
      if (text.length > 100_000) break;
    }
  }
}

/** A text as data in a prompt: one line, bounded, with nothing that ends the quotation. */
export function quote(text: string, most = 500): string {
  const line = text.replace(/\p{Cc}+/gu, " ").replaceAll("«", "‹").replaceAll("»", "›");
  return `«${line.length > most ? `${line.slice(0, most)}…` : line}»`;
}
