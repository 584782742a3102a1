import assert from "node:assert/strict";
import { headersFor, joinEndpoint } from "../../adapters/address.ts";

const fill = { model: "openai/gpt-5 mini", api_key: "k/e+y" };

Deno.test("joinEndpoint() joins with one slash, doubles nothing, and fills in what is asked for", () => {
  const cases: [string, string, string][] = [
    ["https://h/v1", "/chat/completions", "https://h/v1/chat/completions"],
    ["https://h/v1/", "chat/completions", "https://h/v1/chat/completions"],
    ["https://h/v1/chat/completions", "/chat/completions", "https://h/v1/chat/completions"],
    ["https://h", "/v1/messages", "https://h/v1/messages"],
    ["https://h/v1", "/v1/messages", "https://h/v1/messages"],
    ["http://h:11434/api", "/api/chat", "http://h:11434/api/chat"],
    ["https://h/v1beta", "/models/{model}:x?alt=sse", "https://h/v1beta/models/openai/gpt-5%20mini:x?alt=sse"],
    ["https://h", "/x?key={api_key}", "https://h/x?key=k%2Fe%2By"],
    ["https://h", "https://other/x", "https://other/x"],
    ["https://h/only/", "", "https://h/only"],
  ];
  for (const [base, endpoint, expected] of cases) assert.equal(joinEndpoint(base, endpoint, fill), expected);
});

Deno.test("headersFor() adds a bearer token only where nothing else carries the key", () => {
  const key = { model: "m", api_key: "secret" };
  assert.equal(headersFor({}, "/x", key).get("authorization"), "Bearer secret");
  assert.equal(headersFor({ "x-api-key": "{api_key}" }, "/x", key).get("authorization"), null);
  assert.equal(headersFor({ "x-api-key": "{api_key}" }, "/x", key).get("x-api-key"), "secret");
  assert.equal(headersFor({ Authorization: "Basic abc" }, "/x", key).get("authorization"), "Basic abc");
  assert.equal(headersFor({ Authorization: "Key {api_key}" }, "/x", key).get("authorization"), "Key secret");
  assert.equal(headersFor({}, "/x?key={api_key}", key).get("authorization"), null);
  assert.equal(headersFor({ "X-Model": "{model}" }, "/x", key).get("x-model"), "m");
});

Deno.test("headersFor() leaves out what needs a key when there is none", () => {
  const headers = headersFor({ "x-api-key": "{api_key}" }, "/x", { model: "m", api_key: "" });
  assert.equal(headers.get("x-api-key"), null);
  assert.equal(headers.get("authorization"), null);
});
