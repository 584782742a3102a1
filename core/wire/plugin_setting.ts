import * as z from "zod";

/** A text for people: in English, or in both languages; without `zh` the English one is shown. */
export type LocalizedText = string | { en: string; zh?: string };

const Localized = z.union([z.string(), z.object({ en: z.string(), zh: z.string().exactOptional() })]);

/** A setting that a plugin has, as its manifest or `core.settings.registerDef` describes it. */
export interface PluginSetting {
  /** Without the prefix `plugin.<name>.`. */
  key: string;
  /** What a value may be; others are refused with the reason. */
  type: "string" | "int" | "float" | "bool" | "duration" | "secret" | "select" | "text" | "json";
  /** In force until something is stored; absent: the type's empty value. */
  default?: unknown;
  /** A few words for lists; absent: the last part of the key. */
  title?: LocalizedText;
  /** A sentence on what it changes. */
  help?: LocalizedText;
  /** Least value of a number. */
  min?: number;
  /** Greatest value of a number. */
  max?: number;
  /** What a `select` may be. */
  options?: string[];
  /** Changes only by the owner's hand, never by a tool or a plugin. */
  owner?: boolean;
}
/** Checks a setting's description; unknown fields are dropped. */
export const SettingSchema: z.ZodType<PluginSetting, PluginSetting> = z.object({
  key: z.string().regex(/^[a-z][a-z0-9_.-]{0,63}$/, "a key is a-z, 0-9, _ . -"),
  type: z.enum(["string", "int", "float", "bool", "duration", "secret", "select", "text", "json"]),
  default: z.unknown().optional(),
  title: Localized.exactOptional(),
  help: Localized.exactOptional(),
  min: z.number().exactOptional(),
  max: z.number().exactOptional(),
  options: z.array(z.string()).exactOptional(),
  owner: z.boolean().exactOptional(),
});
