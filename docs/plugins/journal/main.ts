import type { Plugin } from "../../../plugins/sdk/mod.ts";

const TEXT = 1;

export default {
  async start(sdk) {
    await sdk.registerOutput({
      name: "journal",
      caps: TEXT,
      description: "The user's diary: what is sent here is written down with the time. Nobody answers.",
    }, async ({ payload }) => {
      const [date, time] = new Date().toISOString().slice(0, 16).split("T");
      // The plugin's own folder needs no permission; another one would stand in permissions.write.
      const path = `${sdk.dataDir}/${date}.md`;
      const isNew = await Deno.stat(path).then(() => false, () => true);
      const heading = isNew ? `${await sdk.settings.get("heading")}${date}\n\n` : "";
      await Deno.writeTextFile(path, `${heading}- ${time} ${payload.replaceAll("\n", "\n  ")}\n`, { append: true });
      return { status: "sent", id: `${date}.md` };
    });
  },
} satisfies Plugin;
