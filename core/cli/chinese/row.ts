/** English as it is thrown, with `{name}` for any text, and the same in Chinese with the same names. */
export type Row = readonly [en: string, zh: string];
