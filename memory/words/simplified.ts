/** Traditional characters with one Simplified counterpart: character code → Simplified character. */
export const SIMPLIFIED: ReadonlyMap<number, string> = new Map<number, string>();
