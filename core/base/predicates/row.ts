/** One kind of relation, and how people say it. */
export interface Predicate {
  /** Stable identifier, never shown. */
  readonly id: string;
  /** What is written into the graph for a fact told in that language. */
  readonly en: string;
  readonly zh: string;
  /** Every way the relation is named or stated, the written one first. */
  readonly forms: { readonly en: readonly string[]; readonly zh: readonly string[] };
  /** Phrases of a question that ask for it, beyond its forms. */
  readonly asks: { readonly en: readonly string[]; readonly zh: readonly string[] };
  /** At most one value is true at a time: a new one closes the old one. */
  readonly single: boolean;
  /** The relation seen from the object's side. */
  readonly inverse?: string;
  /** The wider relation that holds too: a sister is a sibling. */
  readonly broader?: string;
}

export interface RowOptions {
  /** Question phrases, `|` between them. */
  en?: string;
  zh?: string;
  inverse?: string;
  broader?: string;
}

const split = (text: string) => text === "" ? [] : text.split("|");

function row(single: boolean, id: string, en: string, zh: string, options: RowOptions = {}): Predicate {
  const forms = { en: split(en), zh: split(zh) };
  return {
    id,
    en: forms.en[0] ?? id,
    zh: forms.zh[0] ?? id,
    forms,
    asks: { en: split(options.en ?? ""), zh: split(options.zh ?? "") },
    single,
    ...(options.inverse ? { inverse: options.inverse } : {}),
    ...(options.broader ? { broader: options.broader } : {}),
  };
}

/** A relation with one current value. Forms are separated by `|`. */
export const one = (id: string, en: string, zh: string, options?: RowOptions) => row(true, id, en, zh, options);

/** A relation whose values are true side by side. */
export const many = (id: string, en: string, zh: string, options?: RowOptions) => row(false, id, en, zh, options);
