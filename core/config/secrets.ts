/** How a secret is shown: nothing of it under twelve characters, else its last four; empty stays empty. */
export function maskSecret(secret: string): string {
  if (secret === "") return "";
  const characters = [...secret];
  return characters.length < 12 ? "••••" : `••••${characters.slice(-4).join("")}`;
}

/** True for what `maskSecret` makes: such a text is never stored, or showing and saving a form would lose the secret. */
export function isMasked(text: string): boolean {
  return text.startsWith("••••");
}

/** Replaces every secret in a text by its mask. Secrets under six characters are left: they would hide ordinary words. */
export function scrub(text: string, secrets: Iterable<string>): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length >= 6 && clean.includes(secret)) clean = clean.replaceAll(secret, maskSecret(secret));
  }
  return clean;
}
