// Runs one verb over a large stack in a separate process for a bench, and prints its peak memory.
import { existsSync, readFileSync } from "node:fs";
import { adopt } from "../reconciler/adopt.ts";
import { plan } from "../reconciler/plan.ts";
import { bareClient, readAll } from "./bare-client.ts";
import { unwrapVerdict, verbOptionsFor } from "./stack.ts";

const [work = "", folder = "", url = "", apiKey = ""] = process.argv.slice(2);
const options = verbOptionsFor(folder, { url, apiKey });

/** The operations to measure. Each returns the number of objects that it read. */
const workloads: Readonly<Record<string, () => Promise<number>>> = {
  nothing: async () => 0,
  bare: async () => {
    const client = bareClient({ url, apiKey });
    const items = await readAll(client, "/api/v1/user-groups");
    await client.close();
    return items.length;
  },
  adopt: async () => unwrapVerdict(await adopt(options)).adopted.length,
  plan: async () => {
    const { changes, unchanged } = unwrapVerdict(await plan(options)).plan;
    return changes.length === 0 ? unchanged : 0;
  },
};

const startedAt = performance.now();
const seen = await workloads[work]?.();
const seconds = (performance.now() - startedAt) / 1000;
console.log(JSON.stringify({ seen, seconds, peak: peakMiB() }));

/** Peak memory of this process, in MiB. Linux's maximum resident set size starts at the parent's value. */
function peakMiB(): number {
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
  const [, own] = /^VmHWM:\s*(\d+) kB$/mu.exec(status) ?? [];
  return Number(own ?? process.resourceUsage().maxRSS) / 1024;
}
