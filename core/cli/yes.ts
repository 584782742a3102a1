/** Whether an answer typed at a question is a yes, in English or 中文; nothing typed is a no. */
export const isYes = (answer: string | null): boolean => /^\s*(y|yes|是|好|允许)\s*$/i.test(answer ?? "");
