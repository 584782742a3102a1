import { describeMedia, findDigest, knownMedia, partFor } from "../media.ts";
import type { Kernel } from "../kernel.ts";
import type { Turn } from "../turn_state.ts";
import { mediaMarker } from "../prompt.ts";
import { builtin, data, text, type Tool } from "./tool.ts";

/** The media tools, when the turn brings media or the conversation refers to some. */
export function mediaTools(kernel: Kernel, turn: Turn): Tool[] {
  if (!kernel.settings.media_enabled || knownMedia(kernel, turn).length === 0) return [];
  return [
    builtin(
      "media_view",
      "Look at (or listen to) a stored picture or sound again, by the digest in its [mime digest] mark. 查看媒体。",
      { properties: { digest: text }, required: ["digest"] },
      async (args, { signal }) => {
        const digest = findDigest(kernel, turn, String(args.digest));
        const { blob } = await kernel.memory.call("media.get", { digest }, { signal });
        if (!blob) throw new Error(`There is no media with the digest ${digest}`);
        const mark = mediaMarker(blob);
        const part = partFor(kernel, blob);
        if (part) return { ...data("media_view", { media: mark }, mark), blocks: [part] };
        const why = blob.data ? "the model in use cannot see or hear it" : "only its description is left";
        return data("media_view", { media: mark, note: why }, mark);
      },
    ),
    builtin(
      "media_describe",
      "Describe a stored picture or sound so that it can be found later: give the description, or leave it out to have " +
        "the configured fallback source make one. 为媒体写描述。",
      { properties: { digest: text, description: text }, required: ["digest"] },
      async (args, { signal }) => {
        const digest = findDigest(kernel, turn, String(args.digest));
        const { blob } = await kernel.memory.call("media.get", { digest }, { signal });
        if (!blob) throw new Error(`There is no media with the digest ${digest}`);
        const given = typeof args.description === "string" ? args.description.trim() : "";
        const description = given || await describeMedia(kernel, blob, signal);
        if (!description) {
          throw new Error("No source is configured that could describe it: give a description yourself");
        }
        await kernel.memory.call("media.describe", { digest, description }, { signal });
        return data("media_describe", { media: mediaMarker({ ...blob, description }) }, "described");
      },
    ),
  ];
}
