// `npm run check -- growth-reconciler growth-service`: fails if the processor time of a step grows faster than its input.
import { embedScene } from "./growth-embed.ts";
import { modelScene } from "./growth-models.ts";
import { growthFactor, type GrowthScene, maxExponent, measureGrowth } from "./growth-rate.ts";
import { observeScene } from "./growth-observe.ts";
import { scimScene } from "./growth-scim.ts";
import { manifestScene, writeScene } from "./growth-stacks.ts";
import { formatMs, printTable } from "./report.ts";

/** The scenes of each part. */
const parts: Readonly<Record<string, readonly GrowthScene[]>> = {
  reconciler: [manifestScene, observeScene, writeScene],
  service: [embedScene, scimScene, modelScene],
};

const [part = ""] = process.argv.slice(2);
const scenes = parts[part];
if (scenes === undefined) {
  console.error(`name one of the parts: ${Object.keys(parts).join(", ")}`);
  process.exit(64);
}

let failed = 0;
for (const scene of scenes) {
  const from = process.cpuUsage();
  const grown = await measureGrowth(scene);
  const excess = grown.filter(({ exponent }) => !(exponent <= maxExponent));
  failed += excess.length;
  const { user } = process.cpuUsage(from);
  const sizes = `${scene.size} and ${scene.size * (scene.factor ?? growthFactor)} objects`;
  printTable(`${scene.title}: ${sizes}, ${formatMs(user / 1000)} of processor time`, [
    ["", "small", "large", "exponent"],
    ...grown.map(({ name, small, large, exponent }) => [
      name,
      formatMs(small),
      formatMs(large),
      `${exponent.toFixed(2)}${exponent <= maxExponent ? "" : " FAILED"}`,
    ]),
  ]);
}
if (failed > 0) console.log(`\n${failed} steps grow faster than their input to the ${maxExponent}`);
process.exitCode = failed > 0 ? 1 : 0;
