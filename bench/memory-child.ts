// Runs one verb over a large stack in a process of its own, and prints the memory that it used. A bench starts it.
import { existsSync, readFileSync } from "node:fs";
import { adopt, plan } from "../reconciler/verbs/verbs.ts";
import { boundHeapGrowth, collectOnlyWhenNeeded } from "../cli/shared/v8-flags.ts";
import { bareClient, readAll } from "./bare-client.ts";
import { unwrapVerdict, verbOptionsFor } from "./stack.ts";

const [work = "", folder = "", url = "", apiKey = ""] = process.argv.slice(2);
const options = verbOptionsFor(folder, { url, apiKey });

/** What can be done; each answers how many objects it saw. */
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

// As the commands do.
boundHeapGrowth();
collectOnlyWhenNeeded();
const startedAt = performance.now();
const seen = await workloads[work]?.();
const seconds = (performance.now() - startedAt) / 1000;
console.log(JSON.stringify({ seen, seconds, peak: peakMiB() }));

/** The most that this process held, in MiB. What Linux calls the largest resident set begins with that of the parent. */
function peakMiB(): number {
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
  const [, own] = /^VmHWM:\s*(\d+) kB$/mu.exec(status) ?? [];
  return Number(own ?? process.resourceUsage().maxRSS) / 1024;
}
