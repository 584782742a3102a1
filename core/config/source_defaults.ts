/** What a source that comes with homed starts from. */
export interface SourceDefaults {
  adapter: string;
  base_url: string;
  model: string;
  priority: number;
  context_window: number;
  vision: boolean;
  audio: boolean;
  /** The variable an empty `api_key` is read from; the source needs no key without one. */
  key_variable?: string;
}

/** The eight sources that every home has. */
export const SOURCE_DEFAULTS: Readonly<Record<string, SourceDefaults>> = {
  deepseek: {
    adapter: "deepseek",
    base_url: "https://api.deepseek.com",
    model: "deepseek-chat",
    priority: 80,
    context_window: 128_000,
    vision: false,
    audio: false,
    key_variable: "DEEPSEEK_API_KEY",
  },
  openai: {
    adapter: "openai",
    base_url: "https://api.openai.com/v1",
    model: "gpt-5-mini",
    priority: 70,
    context_window: 400_000,
    vision: true,
    audio: false,
    key_variable: "OPENAI_API_KEY",
  },
  anthropic: {
    adapter: "anthropic",
    base_url: "https://api.anthropic.com",
    model: "claude-sonnet-4-5",
    priority: 60,
    context_window: 200_000,
    vision: true,
    audio: false,
    key_variable: "ANTHROPIC_API_KEY",
  },
  gemini: {
    adapter: "gemini",
    base_url: "https://generativelanguage.googleapis.com/v1beta",
    model: "gemini-2.5-flash",
    priority: 50,
    context_window: 1_000_000,
    vision: true,
    audio: true,
    key_variable: "GEMINI_API_KEY",
  },
  mistral: {
    adapter: "mistral",
    base_url: "https://api.mistral.ai/v1",
    model: "mistral-medium-latest",
    priority: 40,
    context_window: 128_000,
    vision: false,
    audio: false,
    key_variable: "MISTRAL_API_KEY",
  },
  groq: {
    adapter: "groq",
    base_url: "https://api.groq.com/openai/v1",
    model: "openai/gpt-oss-120b",
    priority: 30,
    context_window: 128_000,
    vision: false,
    audio: false,
    key_variable: "GROQ_API_KEY",
  },
  github: {
    adapter: "github",
    base_url: "https://models.github.ai/inference",
    model: "openai/gpt-4.1-mini",
    priority: 20,
    context_window: 8_000,
    vision: true,
    audio: false,
    key_variable: "GITHUB_TOKEN",
  },
  ollama: {
    adapter: "ollama",
    base_url: "http://127.0.0.1:11434",
    model: "llama3.2",
    priority: 10,
    context_window: 8_192,
    vision: false,
    audio: false,
  },
};

/** What a source of the person's own starts from: OpenAI's format, which most servers speak. */
export const OWN_SOURCE_DEFAULTS: SourceDefaults = {
  adapter: "openai",
  base_url: "",
  model: "",
  priority: 50,
  context_window: 32_000,
  vision: false,
  audio: false,
};

/** A source's name. */
export const SOURCE_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

/** Where a source's key is looked for when none is stored. */
export function keyVariable(source: string): string {
  return SOURCE_DEFAULTS[source]?.key_variable ?? `${source.toUpperCase().replaceAll("-", "_")}_API_KEY`;
}
