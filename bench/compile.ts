// Measures the processor time and the peak memory of compiling data models of 20, 200 and 2,000 cubes.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { formatMs, printTable } from "./report.ts";

const sizes = [20, 200, 2000] as const;
/** Maximum ratio of memory for ten times as many cubes, without the memory of an empty process. */
const maxMemoryFactor = 12;

/** The output of compile-child.ts. */
interface Measured {
  /** Processor time of one compilation after the first, in milliseconds. */
  readonly ms: number;
  /** Processor time of the first compilation of the process, in milliseconds. */
  readonly firstMs: number;
  /** The peak memory of the process, in MiB. */
  readonly peak: number;
}

/** Fails if memory grows faster than the number of cubes. */
export async function compileBench(): Promise<void> {
  const empty = measure(0);
  const measured = sizes.map((size) => ({ size, ...measure(size) }));
  printTable("Compilation of a data model", [
    ["cubes", "first", "again", "each cube", "memory", "each cube"],
    ...measured.map(({ size, firstMs, ms, peak }) => [
      String(size),
      formatMs(firstMs),
      formatMs(ms),
      formatMs(ms / size),
      `${(peak - empty.peak).toFixed(1)} MiB`,
      `${(((peak - empty.peak) * 1024) / size).toFixed(1)} KiB`,
    ]),
  ]);
  const [, some, many] = measured;
  if (some === undefined || many === undefined) return Promise.resolve();
  const [less, more] = [some.peak - empty.peak, many.peak - empty.peak];
  if (more > less * maxMemoryFactor)
    throw new Error(`memory is not linear: ${less} MiB, then ${more} MiB`);
  return Promise.resolve();
}

function measure(size: number): Measured {
  const child = join(import.meta.dirname, "compile-child.ts");
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--expose-gc", child, String(size)],
    { encoding: "utf8", timeout: 300_000 },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Measured;
}
