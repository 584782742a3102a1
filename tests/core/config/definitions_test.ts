import assert from "node:assert/strict";
import { checkValue, CORE_DEFINITIONS, patternDefinition, sourceDefinitions } from "../../../core/config/mod.ts";
import { SOURCE_FIELDS } from "../../../core/config/definitions/mod.ts";
import { SOURCE_DEFAULTS } from "../../../core/config/source_defaults.ts";
import { ADAPTER_NAMES } from "../../../adapters/catalog.ts";

const ALL = [
  ...CORE_DEFINITIONS,
  ...sourceDefinitions("openai"),
  ...sourceDefinitions("ollama"),
  ...sourceDefinitions("my-own"),
  patternDefinition("core.approval.cmd_*")!,
];

Deno.test("every definition has a title and a help in English and 中文", () => {
  assert.ok(ALL.length > 80, `only ${ALL.length}`);
  for (const { key, title, help } of ALL) {
    for (const text of [title, help]) {
      assert.match(text.en, /^[\x20-\x7e…•“”’]+$/, key);
      assert.match(text.zh, /[\u4e00-\u9fff]/, key);
    }
  }
});

Deno.test("every default is a value of its own definition, and every key is defined once", () => {
  for (const definition of ALL) assert.deepEqual(checkValue(definition, definition.default), definition.default);
  const keys = CORE_DEFINITIONS.map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length);
});

Deno.test("the defaults that CONTRACT 4 names are as it names them", () => {
  const named: Record<string, unknown> = {
    "core.daemon.log_level": "info",
    "core.daemon.heartbeat_interval": "15s",
    "core.llm.provider": "auto",
    "core.llm.temperature": 0.7,
    "core.llm.max_tokens": 4096,
    "core.llm.thinking_enabled": false,
    "core.llm.timeout": "120s",
    "core.llm.idle_timeout": "60s",
    "core.agent.max_tool_turns": 10,
    "core.agent.max_context_size": 30,
    "core.agent.distill_interval": "30m",
    "core.agent.archive_interval": "60m",
    "core.agent.merge_interval": "120m",
    "core.agent.review_interval": "120m",
    "core.agent.embedding_model_path": "",
    "core.agent.tool_timeout": "120s",
    "core.memory.media.enabled": true,
    "core.memory.pipeline_interval": "10m",
    "core.memory.pipeline_retention": "7d",
    "core.memory.cold_after": "72h",
    "core.memory.cold_max_accesses": 2,
    "core.plugin.restart_max": 5,
    "core.plugin.restart_window": "5m",
    "core.plugin.restart_backoff": "1s",
    "core.plugin.start_timeout": "10s",
    "core.plugin.stop_grace": "5s",
    "core.approval.timeout": "5m",
  };
  for (const [key, value] of Object.entries(named)) {
    assert.equal(CORE_DEFINITIONS.find((definition) => definition.key === key)?.default, value, key);
  }
});

Deno.test("the keys that decide what may be done are the owner's alone", () => {
  const owner = (key: string) =>
    (CORE_DEFINITIONS.find((definition) => definition.key === key) ?? patternDefinition(key))?.owner === true;
  for (
    const key of [
      "core.approval.cmd_run",
      "core.approval.*",
      "core.approval.timeout",
      "core.llm.sources.openai.base_url",
      "core.llm.sources.openai.api_key",
      "core.llm.sources.openai.adapter",
      "core.llm.sources.own.adapter_path",
      "core.plugin.dir",
      "core.agent.workdir",
      "core.daemon.socket",
      "core.memory.graph",
    ]
  ) assert.ok(owner(key), key);
  for (const key of ["core.agent.max_tool_turns", "core.llm.sources.openai.model"]) assert.ok(!owner(key), key);
});

Deno.test("patterns take the names they should and no others", () => {
  for (const name of ["a", "my_source-2", "openrouter"]) assert.ok(patternDefinition(`core.llm.sources.${name}.model`));
  for (const name of ["", "A", "2x", "a b", "a.b", "_x", "é"]) {
    assert.equal(patternDefinition(`core.llm.sources.${name}.model`), undefined, name);
  }
  assert.equal(patternDefinition("core.llm.sources.openai.nothing"), undefined);
  for (const tool of ["cmd_run", "files_*", "*", "output_send__cli"]) {
    assert.ok(patternDefinition(`core.approval.${tool}`));
  }
  for (const tool of ["", "a.b", "a b", "x".repeat(65)]) {
    assert.equal(patternDefinition(`core.approval.${tool}`), undefined);
  }
});

Deno.test("the eight sources are the eight adapters, each with an address, a model and the key's variable", () => {
  assert.deepEqual(Object.keys(SOURCE_DEFAULTS).sort(), [...ADAPTER_NAMES].sort());
  for (const [name, own] of Object.entries(SOURCE_DEFAULTS)) {
    assert.equal(own.adapter, name);
    assert.ok(URL.canParse(own.base_url) && own.model !== "", name);
    const variable = name === "ollama"
      ? undefined
      : name === "github"
      ? "GITHUB_TOKEN"
      : `${name.toUpperCase()}_API_KEY`;
    assert.equal(own.key_variable, variable, name);
  }
  assert.equal(SOURCE_FIELDS.length, 12);
});
