import assert from "node:assert/strict";
import { parseArguments } from "../../../core/cli/arguments.ts";
import { UsageError } from "../../../core/cli/failure.ts";
import { textWidth } from "../../../core/cli/repl/width.ts";
import { VERBS } from "../../../core/cli/verbs.ts";
import { generalHelp, verbHelp } from "../../../core/cli/help.ts";

const parse = (line: string) => parseArguments(line.split(" ").filter(Boolean), VERBS);

Deno.test("options may stand anywhere, with = or a word, and -- ends them", () => {
  for (
    const line of [
      "--home /h memory recall tea --top 3",
      "memory recall --home=/h tea --top=3",
      "memory --top 3 recall tea --home /h",
    ]
  ) {
    const { verb, sub, words, options } = parse(line);
    assert.equal(verb?.name, "memory", line);
    assert.deepEqual(
      [sub, words, options.get("--home"), options.get("--top")],
      ["recall", ["tea"], ["/h"], ["3"]],
      line,
    );
  }
  assert.deepEqual(parse("chat -- --json is an option").words, ["--json", "is", "an", "option"]);
  assert.deepEqual(parse("config set core.agent.max_tool_turns -3").words, ["core.agent.max_tool_turns", "-3"]);
  assert.deepEqual(parse("chat --attach a --attach b look").options.get("--attach"), ["a", "b"]);
});

Deno.test("what makes no sense is wrong usage, and says where help is", () => {
  for (
    const line of [
      "frobnicate",
      "Chat",
      "config",
      "config explode",
      "config get",
      "config get a b",
      "config set a",
      "config set a b c",
      "memory recall",
      "memory recall tea --top",
      "memory recall tea --top 3 --top 4",
      "serve now",
      "serve --no-such-option",
      "serve --verbose=yes",
      "--home",
      "status --home",
      "status --top 3",
      "plugin install",
      "backup",
      "restore",
      "help a b",
    ]
  ) {
    assert.throws(() => parse(line), (error) => error instanceof UsageError && error.fix !== "", line);
  }
});

Deno.test("wrong usage names what is missing, too much, empty, misplaced or nearly right, and how it is written", () => {
  const said: [line: string[], message: RegExp, fix: RegExp][] = [
    [["config", "get"], /^KEY is missing$/, /^write homed config get KEY/],
    [["config", "set", "a"], /^VALUE is missing$/, /^write homed config set KEY VALUE$/],
    [["config", "set", "core.a.b=5"], /^VALUE is missing$/, /^write homed config set core\.a\.b 5$/],
    [["plugin", "install"], /^FILE is missing$/, /FILE\.hmap/],
    [["memory", "recall", " "], /^QUERY is empty$/, /memory recall QUERY/],
    [["knowledge", "add", "", "f"], /^NAME is empty$/, /knowledge add NAME FILE/],
    [["serve", "now"], /^"now" is too much$/, /^write homed serve/],
    [["memory", "stats", "--top", "3"], /^--top is not for homed memory stats$/, /memory stats \[--json\]/],
    [["plugin", "list", "--lang", "ts"], /^--lang is not for homed plugin list$/, /plugin list/],
    [["memory", "recal", "x"], /cannot "recal"/, /^did you mean homed memory recall\?$/],
    [["plugin", "uninstall", "x"], /cannot "uninstall"/, /^did you mean homed plugin remove\?$/],
    [["config", "show"], /cannot "show"/, /^did you mean homed config get\?$/],
    [["memory", "stats", "--jsn"], /no option "--jsn"/, /^did you mean --json\?$/],
    [["serv"], /no verb "serv"/, /^did you mean homed serve\?/],
    [["memory", "recall", "x", "--top"], /^--top needs a value$/, /^write --top N$/],
    [["help", "a", "b"], /^"b" is too much$/, /help \[VERB\]/],
  ];
  for (const [line, message, fix] of said) {
    assert.throws(() => parseArguments(line, VERBS), (error) => {
      assert.ok(error instanceof UsageError, line.join(" "));
      assert.match(error.message, message);
      assert.match(error.fix, fix);
      return true;
    });
  }
  // A setting may be emptied, and a yes or JSON goes with every form of a verb that knows it.
  assert.deepEqual(parseArguments(["config", "set", "a", ""], VERBS).words, ["a", ""]);
  assert.ok(parseArguments(["memory", "undo", "--yes", "--json"], VERBS).options.has("--yes"));
});

Deno.test("every option is in the usage of a form, and help fits a terminal of 80 columns", () => {
  for (const verb of VERBS) {
    const usages = Object.values(verb.forms).map(({ usage }) => usage).join(" ");
    for (const option of Object.keys(verb.options ?? {})) {
      if (option !== "--json" && option !== "--yes") assert.ok(usages.includes(option), `${verb.name} ${option}`);
    }
    if (Object.keys(verb.forms).length > 1) {
      for (const { usage, help } of Object.values(verb.forms)) assert.ok(help?.en && help.zh, usage);
    }
    for (const language of ["en", "zh"] as const) {
      for (const line of (verbHelp(verb, language) + generalHelp(VERBS, language)).split("\n")) {
        assert.ok(textWidth(line) <= 80, `${textWidth(line)}: ${line}`);
      }
    }
  }
});

Deno.test("every verb, form and option has its help in English and 中文, and every form is written as it is read", () => {
  assert.ok(VERBS.length >= 14);
  for (const verb of VERBS) {
    for (const { en, zh } of [verb.help, ...Object.values(verb.options ?? {}).map(({ help }) => help)]) {
      assert.match(en, /^[\x20-\x7e…]+$/, verb.name);
      assert.match(zh, /[\u4e00-\u9fff]/, verb.name);
    }
    for (const [sub, { usage, least }] of Object.entries(verb.forms)) {
      assert.ok(usage.startsWith(sub === "" ? verb.name : `${verb.name} ${sub}`), usage);
      const required = usage.split(" ").slice(sub === "" ? 1 : 2).filter((word) => /^[A-Z]/.test(word));
      assert.ok(required.length >= least, usage);
      for (const option of usage.match(/--[a-z-]+/g) ?? []) assert.ok(verb.options?.[option], `${usage}: ${option}`);
      assert.ok(verbHelp(verb, "en").includes(usage));
    }
    assert.ok(verb.hidden || generalHelp(VERBS, "zh").includes(verb.help.zh));
  }
});

Deno.test("the verbs are those of the contract", () => {
  const names = VERBS.filter(({ hidden }) => !hidden).map(({ name }) => name).sort();
  assert.deepEqual(names, [
    "backup",
    "chat",
    "config",
    "doctor",
    "help",
    "knowledge",
    "memory",
    "plugin",
    "restore",
    "serve",
    "service",
    "status",
    "stop",
    "version",
  ]);
});

Deno.test("every verb's module is there and has a run()", async () => {
  for (const verb of VERBS) assert.equal(typeof (await verb.load()).run, "function", verb.name);
});
