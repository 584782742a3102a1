import { messageOf } from "../core/base/errors.ts";

/** Why no connection to an address came about, in words. The runtime's own text is for programmers: what is known is told
 * by what it names, anything else by its last part. */
export function unreachable(error: unknown, url: string): string {
  const { host, hostname } = new URL(url);
  const text = messageOf(error);
  if (/connection refused/i.test(text)) return `nothing listens at ${host}`;
  if (/dns error|failed to lookup|name or service not known|nodename nor servname/i.test(text)) {
    return `there is no host ${hostname}, or no network`;
  }
  if (/network is unreachable|no route to host|host is unreachable/i.test(text)) return `no network leads to ${host}`;
  if (/certificate/i.test(text)) return `the certificate of ${hostname} is not trusted (${lastOf(error)})`;
  if (/received corrupt message|InvalidContentType|invalid http version/i.test(text)) {
    return `what listens at ${host} speaks another protocol: http:// and https:// may be mixed up`;
  }
  if (/redirect/i.test(text)) return `${host} leads to another address: set that one`;
  if (/timed out/i.test(text)) return `${host} does not answer`;
  return lastOf(error);
}

/** The last part of what the runtime says of a connection: what stands behind the last colon, without the number of the
 * system's error. */
export function lastOf(error: unknown): string {
  const text = messageOf(error);
  return text.replace(/ \(os error \d+\)$/, "").split(/: (?=\S)/).at(-1)!;
}
