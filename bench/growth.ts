// `npm run check -- growth`: fails if the processor time of a step grows faster than its input. Each scene runs in a process of its
// own, as many at a time as there are processors; a title as argument runs that scene alone.
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import pLimit from "p-limit";
import { compileScene } from "./growth-compile.ts";
import { decisionScene } from "./growth-decisions.ts";
import { engineReadScene, engineWriteScene } from "./growth-engines.ts";
import { invalidInputScene } from "./growth-invalid.ts";
import { observeScene } from "./growth-observe.ts";
import { growthFactor, type GrowthScene, maxExponent, measureGrowth } from "./growth-rate.ts";
import { scimScene } from "./growth-scim.ts";
import { manifestScene, writeScene } from "./growth-stacks.ts";
import { formatMs, printTable } from "./report.ts";

/** The longest first, so that no process is left with it at the end. */
const scenes: readonly GrowthScene[] = [
  observeScene,
  manifestScene,
  writeScene,
  scimScene,
  decisionScene,
  compileScene,
  engineReadScene,
  engineWriteScene,
  invalidInputScene,
];

const [title] = process.argv.slice(2);
const isGrowing = await (title === undefined ? runAll() : runScene(title));
process.exitCode = isGrowing ? 1 : 0;

/** Runs every scene, and returns whether one fails. */
async function runAll(): Promise<boolean> {
  const limit = pLimit(availableParallelism());
  const failed = await limit.map(scenes, (scene) => runInProcess(scene.title));
  return failed.includes(true);
}

/** Runs a scene in another process and prints what that printed. Returns whether it fails. */
function runInProcess(scene: string): Promise<boolean> {
  const command = [...process.execArgv, fileURLToPath(import.meta.url), scene];
  return new Promise((resolve) => {
    execFile(process.execPath, command, (error, out, err) => {
      process.stdout.write(out);
      process.stderr.write(err);
      resolve(error !== null);
    });
  });
}

/** Measures a scene and prints it. Returns whether a step grows faster than its input. */
async function runScene(name: string): Promise<boolean> {
  const scene = scenes.find((one) => one.title === name);
  if (scene === undefined)
    throw new Error(`there is no scene "${name}": ${scenes.map((one) => one.title).join(", ")}`);
  const from = process.cpuUsage();
  const grown = await measureGrowth(scene);
  const { user } = process.cpuUsage(from);
  const sizes = `${scene.size} and ${scene.size * growthFactor} objects`;
  printTable(`${scene.title}: ${sizes}, ${formatMs(user / 1000)} of processor time`, [
    ["", "small", "large", "exponent"],
    ...grown.map(({ name: step, small, large, exponent }) => [
      step,
      formatMs(small),
      formatMs(large),
      `${exponent.toFixed(2)}${exponent <= maxExponent ? "" : " FAILED"}`,
    ]),
  ]);
  const excess = grown.filter(({ exponent }) => !(exponent <= maxExponent));
  if (excess.length === 0) return false;
  console.log(`\n${excess.length} steps grow faster than their input to the ${maxExponent}`);
  return true;
}
