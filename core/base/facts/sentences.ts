/** Parts of a message that are not the person's own words: fenced data, code, quoted lines. */
const NOT_OWN = /⟦data from [^]*?(?:⟦end of data⟧|(?![^]))|```[^]*?(?:```|(?![^]))|^\s*>.*$/gm;

/** Abbreviations whose full stop ends no sentence. */
const ABBREVIATION = /\b(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|No|vs|etc|approx|a\.m|p\.m|e\.g|i\.e|[A-Z])\.$/;

/** The sentences of what a person said, with their end marks; fenced data, code blocks and quoted lines left out. */
export function splitSentences(text: string): string[] {
  const own = text.replace(NOT_OWN, "\n");
  const sentences: string[] = [];
  let start = 0;
  const push = (end: number) => {
    const sentence = own.slice(start, end).trim();
    if (sentence !== "") sentences.push(sentence);
    start = end;
  };
  const ends = /[。！？!?；;]+["”』」）)]*|\.+["”)]*(?=\s|$)|\n+/g;
  for (let end = ends.exec(own); end; end = ends.exec(own)) {
    const stop = end.index + end[0].length;
    if (end[0].startsWith(".") && ABBREVIATION.test(own.slice(start, end.index + 1))) continue;
    push(stop);
  }
  push(own.length);
  return sentences;
}
