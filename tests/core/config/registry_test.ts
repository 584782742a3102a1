import assert from "node:assert/strict";
import { HomedError } from "../../../core/base/errors.ts";
import { Registry, type SettingChange, sourceWarnings } from "../../../core/config/mod.ts";
import { tempFolder } from "../../kit/temp_folder.ts";

async function withRegistry(
  work: (registry: Registry, path: string) => void | Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  await using folder = await tempFolder();
  const path = `${folder.path}/config.db`;
  using registry = Registry.open(path, { env });
  await work(registry, path);
}

const refused = (code: string, about: RegExp) => (error: unknown) => {
  assert.ok(error instanceof HomedError, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, about);
  return true;
};

Deno.test("values of the wrong type, out of limits or of another form are refused with the reason, and nothing changes", () =>
  withRegistry((registry) => {
    const wrong: [string, unknown, RegExp][] = [
      ["core.agent.max_tool_turns", "many", /a whole number from 1 to 200/],
      ["core.agent.max_tool_turns", "2.5", /a whole number/],
      ["core.agent.max_tool_turns", "0", /from 1 to 200/],
      ["core.agent.max_tool_turns", "201", /from 1 to 200/],
      ["core.agent.max_tool_turns", "", /a whole number/],
      ["core.agent.max_tool_turns", "1e999", /a whole number/],
      ["core.agent.max_tool_turns", true, /a whole number/],
      ["core.llm.temperature", "hot", /a number from 0 to 2/],
      ["core.llm.temperature", NaN, /a number/],
      ["core.llm.thinking_enabled", "maybe", /true or false/],
      ["core.agent.distill_interval", "soon", /a duration such as/],
      ["core.agent.distill_interval", "30", /a duration/],
      ["core.agent.distill_interval", "-5m", /a duration/],
      ["core.agent.distill_interval", "1ms", /from 1s to/],
      ["core.daemon.log_level", "loud", /one of debug, info, warn, error/],
      ["core.llm.sources.openai.base_url", "api.openai.com", /begins with http/],
      ["core.llm.sources.openai.base_url", "file:///etc/passwd", /begins with http/],
      ["core.llm.sources.openai.base_url", "https://me:secret@host/", /without a name or password/],
      ["core.llm.sources.openai.api_key", "two\nlines", /one line/],
      ["core.llm.sources.openai.api_key", "••••1234", /the secret itself/],
      ["core.llm.sources.openai.adapter", "../evil", /the name of an adapter/],
      ["core.llm.provider", "No Such", /the name of a source/],
      ["core.llm.provider", "opnai", /auto or the name of a source: anthropic, deepseek/],
      ["core.llm.provider", "mine", /auto or the name of a source/],
      ["core.input_processing.image.fallback_source", "eyes", /must be the name of a source: anthropic/],
      ["core.input_processing.audio.fallback_source", "ears", /must be the name of a source/],
      ["core.agent.workdir", "a\0b", /NUL/],
      ["core.service.memory_max", "much", /a size such as 1G/],
      ["core.approval.cmd_run", "perhaps", /one of allow, ask, deny/],
    ];
    for (const [key, value, reason] of wrong) {
      assert.throws(() => registry.set(key, value, "owner"), refused("bad_value", reason), `${key} ${value}`);
    }
    assert.deepEqual(registry.keys().filter((key) => registry.origin(key) !== "default"), []);
  }));

Deno.test("a name of no source is refused with the nearest one, or with how a source is made; one's own is taken", () =>
  withRegistry((registry) => {
    const fixFor = (name: string) => {
      try {
        registry.set("core.llm.provider", name, "owner");
      } catch (error) {
        return (error as HomedError).fix;
      }
    };
    assert.equal(fixFor("opnai"), "did you mean openai?");
    assert.match(fixFor("shed") ?? "", /core\.llm\.sources\.shed\.base_url ADDRESS/);
    registry.set("core.llm.sources.shed.base_url", "http://127.0.0.1:9000", "owner");
    assert.equal(fixFor("shed"), undefined);
    assert.equal(registry.text("core.llm.provider"), "shed");
    assert.equal(fixFor("auto"), undefined);
  }));

Deno.test("a setting that names a source which went, or which is not set up, is told with what to do", () =>
  withRegistry((registry) => {
    registry.set("core.llm.sources.shed.model", "m", "owner");
    registry.set("core.llm.provider", "shed", "owner");
    registry.unset("core.llm.sources.shed.model", "owner");
    const [gone, eyes, ...rest] = sourceWarnings(registry, []);
    assert.deepEqual(rest, []);
    assert.match(gone!.text, /core\.llm\.provider is "shed", which is no source/);
    assert.match(eyes!.text, /image\.fallback_source is "openai", a source that is not set up/);
    assert.match(eyes!.fix, /homed config list core\.llm\.sources\.openai/);
    assert.equal(sourceWarnings(registry, ["openai"]).length, 1);
  }, { HOMED_CORE__INPUT_PROCESSING__IMAGE__FALLBACK_SOURCE: "openai" }));

Deno.test("a stored value that a variable overrides is told; a slip in a variable's name with what was meant", () =>
  withRegistry((registry) => {
    const key = "core.agent.max_tool_turns";
    assert.equal(registry.overridden(key), undefined, "nothing is stored");
    registry.set(key, "5", "owner");
    assert.equal(registry.get(key), 3);
    assert.match(registry.overridden(key)!.text, /is stored, and HOMED_CORE__AGENT__MAX_TOOL_TURNS has the last word/);
    assert.equal(registry.overridden("core.agent.workdir"), undefined);
    assert.deepEqual(registry.problems(), [
      'HOMED_CORE__AGENT__MAX_TOOL_TURN is not used: There is no setting "core.agent.max_tool_turn": ' +
      "did you mean core.agent.max_tool_turns?",
    ]);
  }, { HOMED_CORE__AGENT__MAX_TOOL_TURNS: "3", HOMED_CORE__AGENT__MAX_TOOL_TURN: "4" }));

Deno.test("the first setting of a source of one's own changes that one alone, and so does taking it back", () =>
  withRegistry((registry) => {
    const key = "core.llm.sources.shed.base_url";
    const changed = (changes: SettingChange[]) => changes.map(({ key, value, before }) => [key, value, before]);
    assert.deepEqual(changed(registry.set(key, "http://127.0.0.1:9", "owner")), [[key, "http://127.0.0.1:9", ""]]);
    assert.deepEqual(changed(registry.unset(key, "owner")), [[key, "", "http://127.0.0.1:9"]]);
  }));

Deno.test("a refused secret is not repeated in the error", () =>
  withRegistry((registry) => {
    assert.throws(
      () => registry.set("core.llm.sources.openai.api_key", "sk-line-one\nsk-line-two", "owner"),
      (error: Error) => !error.message.includes("sk-line"),
    );
  }));

Deno.test("a key that does not exist is refused, and the nearest one is named", () =>
  withRegistry((registry) => {
    for (const key of ["core.agent.max_tool_turn", "core.nothing", "", "plugin.x.y", "core.llm.sources.BAD.model"]) {
      assert.throws(() => registry.get(key), refused("unknown_key", /There is no setting/));
    }
    assert.throws(
      () => registry.set("core.agent.max_tool_turn", "1", "owner"),
      (error: HomedError) => error.fix === "did you mean core.agent.max_tool_turns?",
    );
  }));

Deno.test("values come back in their type, in this process and the next", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/config.db`;
  {
    using registry = Registry.open(path);
    registry.set("core.agent.max_tool_turns", "7", "owner");
    registry.set("core.llm.thinking_enabled", "yes", "owner");
    registry.set("core.agent.tool_timeout", "90s", "owner");
    registry.set("core.agent.personal_prompt", "line one\nline two 你好", "owner");
    registry.set("core.llm.sources.router.base_url", "https://router.example/v1", "owner");
  }
  using registry = Registry.open(path);
  assert.equal(registry.get("core.agent.max_tool_turns"), 7);
  assert.equal(registry.get("core.llm.thinking_enabled"), true);
  assert.equal(registry.duration("core.agent.tool_timeout"), 90_000);
  assert.equal(registry.get("core.agent.personal_prompt"), "line one\nline two 你好");
  assert.ok(registry.keys("core.llm.sources.router").includes("core.llm.sources.router.model"));
  registry.unset("core.agent.max_tool_turns", "owner");
  assert.equal(registry.get("core.agent.max_tool_turns"), 10);
});

Deno.test("an environment variable overrides, is never stored, and is told of when it does not fit", async () => {
  const env = {
    HOMED_CORE__AGENT__MAX_TOOL_TURNS: "3",
    HOMED_CORE__LLM__SOURCES__ROUTER__MODEL: "big",
    HOMED_CORE__APPROVAL__CMD_RUN: "deny",
    HOMED_CORE__LLM__TEMPERATURE: "hot",
    HOMED_CORE__NO__SUCH: "1",
    HOMED_HOME: "/somewhere",
  };
  await withRegistry((registry, path) => {
    assert.equal(registry.get("core.agent.max_tool_turns"), 3);
    assert.equal(registry.origin("core.agent.max_tool_turns"), "environment");
    assert.equal(registry.get("core.llm.sources.router.model"), "big");
    assert.equal(registry.get("core.approval.cmd_run"), "deny");
    assert.equal(registry.get("core.llm.temperature"), 0.7);
    registry.set("core.agent.max_tool_turns", 5, "owner");
    assert.equal(registry.get("core.agent.max_tool_turns"), 3);
    const problems = registry.problems();
    assert.equal(problems.length, 2);
    assert.ok(problems.some((text) => text.startsWith("HOMED_CORE__LLM__TEMPERATURE is not used")));
    assert.ok(problems.some((text) => text.startsWith("HOMED_CORE__NO__SUCH is not used")));
    using plain = Registry.open(path);
    assert.equal(plain.get("core.agent.max_tool_turns"), 5);
    assert.equal(plain.origin("core.llm.sources.router.model"), "default");
  }, env);
});

Deno.test("secrets are masked wherever they are shown: the last four from twelve characters on", () =>
  withRegistry((registry) => {
    const key = "core.llm.sources.openai.api_key";
    for (
      const [secret, shown] of [
        ["sk-verysecretkey1234", "••••1234"],
        ["twelve-chars", "••••hars"],
        [
          "eleven-char",
          "••••",
        ],
        ["short", "••••"],
        ["", ""],
      ]
    ) {
      registry.set(key, secret, "owner");
      assert.equal(registry.shown(key), shown);
      const list = JSON.stringify(registry.list());
      if (secret) assert.ok(!list.includes(secret), secret);
    }
    const changes: SettingChange[] = [];
    using _listening = registry.onChange((some) => changes.push(...some));
    registry.set(key, "sk-anothersecret9876", "owner");
    assert.ok(!JSON.stringify(changes).includes("anothersecret"));
    assert.equal(registry.scrub("it said sk-anothersecret9876!"), "it said ••••9876!");
  }));

Deno.test("tools and plugins cannot change the owner's keys, and can change others", () =>
  withRegistry((registry) => {
    for (const actor of ["tool", "plugin:weather"] as const) {
      for (const key of ["core.approval.cmd_run", "core.llm.sources.openai.base_url", "core.agent.workdir"]) {
        assert.throws(() => registry.set(key, "allow", actor), refused("owner_key", /by your own hand/));
        assert.throws(() => registry.unset(key, actor), refused("owner_key", /by your own hand/));
      }
      registry.set("core.agent.max_tool_turns", 4, actor);
    }
    assert.equal(registry.get("core.agent.max_tool_turns"), 4);
  }));

Deno.test("another host forgets the stored key; another path on the same host keeps it", () =>
  withRegistry((registry) => {
    const source = "core.llm.sources.openai";
    registry.set(`${source}.api_key`, "sk-verysecretkey1234", "owner");
    registry.set(`${source}.base_url`, "https://api.openai.com/v2", "owner");
    assert.equal(registry.sourceKey("openai"), "sk-verysecretkey1234");
    const changes = registry.set(`${source}.base_url`, "https://elsewhere.example/v1", "owner");
    assert.deepEqual(changes.map(({ key }) => key).sort(), [`${source}.api_key`, `${source}.base_url`]);
    assert.equal(registry.sourceKey("openai"), "");
    registry.set(`${source}.api_key`, "sk-forelsewhere1234", "owner");
    registry.unset(`${source}.base_url`, "owner");
    assert.equal(registry.sourceKey("openai"), "");
  }));

Deno.test("an empty key is read from the source's own variable", () =>
  withRegistry((registry) => {
    assert.equal(registry.sourceKey("openai"), "sk-from-env");
    assert.equal(registry.sourceKey("github"), "ghp-from-env");
    assert.equal(registry.sourceKey("my-own"), "own-from-env");
    registry.set("core.llm.sources.openai.api_key", "sk-stored", "owner");
    assert.equal(registry.sourceKey("openai"), "sk-stored");
    assert.ok(registry.secrets().includes("ghp-from-env"));
  }, { OPENAI_API_KEY: "sk-from-env", GITHUB_TOKEN: "ghp-from-env", MY_OWN_API_KEY: "own-from-env" }));

Deno.test("changes are told once, with all that changed, and not when nothing did", () =>
  withRegistry((registry) => {
    const told: SettingChange[][] = [];
    const listening = registry.onChange((changes) => told.push(changes));
    registry.set("core.agent.max_tool_turns", 5, "owner");
    registry.set("core.agent.max_tool_turns", "5", "owner");
    registry.unset("core.llm.temperature", "owner");
    listening[Symbol.dispose]();
    registry.set("core.agent.max_tool_turns", 6, "owner");
    assert.deepEqual(told, [[{ key: "core.agent.max_tool_turns", value: 5, before: 10 }]]);
  }));

Deno.test("reload() sees what another process stored and tells it", () =>
  withRegistry((registry, path) => {
    const told: string[] = [];
    using _listening = registry.onChange((changes) => told.push(...changes.map(({ key }) => key)));
    using other = Registry.open(path);
    other.set("core.agent.max_tool_turns", 8, "owner");
    assert.equal(registry.get("core.agent.max_tool_turns"), 10);
    registry.reload();
    assert.equal(registry.get("core.agent.max_tool_turns"), 8);
    assert.deepEqual(told, ["core.agent.max_tool_turns"]);
  }));

Deno.test("a plugin's settings have their own table, are checked, and go when it goes", () =>
  withRegistry((registry, path) => {
    registry.define("weather", [
      { key: "city", type: "string", default: "Oslo", title: "City" },
      { key: "plugin.weather.token", type: "secret" },
      { key: "every", type: "duration", default: "10m", min: "1m" },
      { key: "unit", type: "select", options: ["c", "f"] },
    ]);
    assert.equal(registry.get("plugin.weather.city"), "Oslo");
    assert.equal(registry.get("plugin.weather.unit"), "c");
    registry.set("plugin.weather.city", "Bergen", "plugin:weather");
    registry.set("plugin.weather.token", "a-long-secret-token", "owner");
    assert.throws(() => registry.set("plugin.weather.every", "1s", "owner"), refused("bad_value", /at least 1m/));
    assert.equal(registry.shown("plugin.weather.token"), "••••oken");
    using again = Registry.open(path);
    assert.ok(!again.keys().includes("plugin.weather.city"));
    again.define("weather", [{ key: "city", type: "string", default: "Oslo" }]);
    assert.equal(again.get("plugin.weather.city"), "Bergen");
    registry.undefine("weather", { values: true });
    again.reload();
    assert.equal(again.get("plugin.weather.city"), "Oslo");
  }));

Deno.test("definitions that make no sense are refused", () =>
  withRegistry((registry) => {
    for (
      const definition of [
        null,
        {},
        { key: "x", type: "colour" },
        { key: "X Y", type: "string" },
        { key: "x", type: "select" },
        { key: "x", type: "int", default: "many" },
      ]
    ) assert.throws(() => registry.define("weather", [definition]), HomedError, JSON.stringify(definition));
    assert.deepEqual(registry.keys("plugin.weather"), []);
  }));
