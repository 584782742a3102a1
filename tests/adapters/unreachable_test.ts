import assert from "node:assert/strict";
import { unreachable } from "../../adapters/unreachable.ts";

const said = (text: string, url = "https://api.example.org/v1/chat") => unreachable(new TypeError(text), url);
const sending = (cause: string) => `error sending request for url (https://api.example.org/v1/chat): ${cause}`;

Deno.test("why no connection came about is told in words, with the host", () => {
  assert.equal(
    said(
      sending("client error (Connect): tcp connect error: Connection refused (os error 111)"),
      "http://127.0.0.1:9/v1",
    ),
    "nothing listens at 127.0.0.1:9",
  );
  assert.equal(
    said(sending("client error (Connect): dns error: failed to lookup address information: Name or service not known")),
    "there is no host api.example.org, or no network",
  );
  assert.equal(
    said(sending("client error (Connect): invalid peer certificate: UnknownIssuer")),
    "the certificate of api.example.org is not trusted (UnknownIssuer)",
  );
  assert.equal(
    said(sending("tcp connect error: Network is unreachable (os error 101)")),
    "no network leads to api.example.org",
  );
  assert.match(
    said(sending("client error (Connect): received corrupt message of type InvalidContentType")),
    /mixed up/,
  );
  assert.equal(said(sending("something else: of a new kind (os error 5)")), "of a new kind");
});

Deno.test("the runtime's own refusals are known", async () => {
  const failing = async (url: string) => {
    try {
      await fetch(url, { redirect: "error" });
    } catch (error) {
      return unreachable(error, url);
    }
  };
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  assert.equal(await failing(`http://127.0.0.1:${port}/`), `nothing listens at 127.0.0.1:${port}`);
  assert.match(await failing("http://no-such-host.invalid/") ?? "", /^there is no host no-such-host\.invalid/);
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => new URL(request.url).pathname === "/" ? Response.redirect("http://127.0.0.1:1/") : new Response("ok"),
  );
  const here = `127.0.0.1:${server.addr.port}`;
  assert.equal(await failing(`http://${here}/`), `${here} leads to another address: set that one`);
  assert.match(await failing(`https://${here}/`) ?? "", /speaks another protocol/);
});
