// Reads the processor time of another process.
import { readdirSync, readFileSync } from "node:fs";

/** Returns the microseconds of processor time of all threads of a process so far, from Linux's scheduler. */
export function cpuMicroseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000;
}
