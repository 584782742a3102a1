/** A source's address: the adapter's endpoint joined to the base address, both with their placeholders filled in. A base
 * that already ends with the endpoint, or with its first segment (`…/v1` and `/v1/messages`), is not doubled. */
export function joinEndpoint(base: string, endpoint: string, fill: { model: string; api_key: string }): string {
  const filled = (text: string) =>
    text
      .replaceAll("{model}", encodeURIComponent(fill.model).replaceAll("%2F", "/").replaceAll("%3A", ":"))
      .replaceAll("{api_key}", encodeURIComponent(fill.api_key));
  const path = filled(endpoint);
  if (/^https?:\/\//.test(path)) return path;
  const root = filled(base).replace(/\/+$/, "");
  if (path === "") return root;
  const slashed = path.startsWith("/") ? path : `/${path}`;
  if (root.endsWith(slashed)) return root;
  const first = /^\/[^/?]+(?=\/)/.exec(slashed)?.[0];
  return first !== undefined && /^\/(?:api|v\d\w*)$/.test(first) && root.endsWith(first)
    ? root + slashed.slice(first.length)
    : root + slashed;
}

/** The adapter's headers, filled in. One that needs a key is left out when there is none. Without any header or address
 * that carries the key, `Authorization: Bearer` does. */
export function headersFor(
  headers: Record<string, string>,
  endpoint: string,
  fill: { model: string; api_key: string },
): Headers {
  const out = new Headers({
    "content-type": "application/json",
    accept: "application/json, text/event-stream, application/x-ndjson",
  });
  let carried = endpoint.includes("{api_key}");
  for (const [name, value] of Object.entries(headers)) {
    const needsKey = value.includes("{api_key}");
    if (needsKey || name.toLowerCase() === "authorization") carried = true;
    if (needsKey && fill.api_key === "") continue;
    out.set(name, value.replaceAll("{model}", fill.model).replaceAll("{api_key}", fill.api_key));
  }
  if (!carried && fill.api_key !== "") out.set("authorization", `Bearer ${fill.api_key}`);
  return out;
}
