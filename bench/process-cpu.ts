// Reads the processor time of another process.
import { readdirSync, readFileSync } from "node:fs";

/** Returns the milliseconds of processor time of a process and of those that it started, from Linux's scheduler. */
export function processCpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const folder = `/proc/${pid}/task/${thread}`;
    const nanoseconds = Number(readFileSync(`${folder}/schedstat`, "utf8").split(" ")[0]);
    const children = readFileSync(`${folder}/children`, "utf8").split(" ").filter(Boolean);
    return (
      nanoseconds / 1e6 + children.reduce((sum, child) => sum + processCpuMs(Number(child)), 0)
    );
  });
  return threads.reduce((sum, ms) => sum + ms, 0);
}
