// Compiles a generated data model in a separate process: `node compile-child.ts CUBES`. Prints the measured time and memory
// as JSON.
import { compileModel } from "../service/model/compile.ts";
import { generatedModel } from "./generated-model.ts";

const rounds = 5;
const size = Number(process.argv[2]);
const files = generatedModel(size);

function compileOnce(): number {
  globalThis.gc?.();
  const before = process.cpuUsage();
  const { errors, model } = compileModel(files);
  const { user, system } = process.cpuUsage(before);
  if (errors.length > 0 || model?.cubes.length !== size)
    throw new Error(JSON.stringify(errors.slice(0, 3)));
  return (user + system) / 1000;
}

const firstMs = compileOnce();
const peak = process.resourceUsage().maxRSS / 1024;
const again = Array.from({ length: rounds }, compileOnce);
console.log(JSON.stringify({ firstMs, ms: Math.min(...again), peak }));
