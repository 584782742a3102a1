import type { Plugin } from "../../../plugins/sdk/mod.ts";

interface Report {
  current_condition: { temp_C: string; temp_F: string; windspeedKmph: string; weatherDesc: { value: string }[] }[];
}

export default {
  async start(sdk) {
    await sdk.registerTool({
      name: "weather_now",
      description: "Says what the weather is like now in a place.",
      parameters: {
        type: "object",
        properties: { place: { type: "string", description: "A city, such as Bergen or 上海" } },
        required: ["place"],
      },
    }, async ({ place }, { signal }) => {
      const server = await sdk.settings.get("server");
      const unit = await sdk.settings.get("unit");
      const answer = await fetch(`${server}/${encodeURIComponent(String(place))}?format=j1`, { signal });
      if (!answer.ok) throw new Error(`The weather of ${place} is not known: the server answered ${answer.status}`);
      const now = (await answer.json() as Report).current_condition[0]!;
      const temperature = unit === "fahrenheit" ? `${now.temp_F} °F` : `${now.temp_C} °C`;
      return `${place}: ${now.weatherDesc[0]!.value}, ${temperature}, wind ${now.windspeedKmph} km/h`;
    });
  },
} satisfies Plugin;
