// One work over a large stack in a process of its own, which tells what it took. Run by a bench.
import { existsSync, readFileSync } from "node:fs";
import { adopt, plan } from "../reconciler/verbs.ts";
import { bareClient, readAll } from "./http.ts";
import { good, optionsFor } from "./stack.ts";

const [work = "", folder = "", url = "", apiKey = ""] = process.argv.slice(2);
const options = optionsFor(folder, { url, apiKey });

/** What can be done; each answers how many objects it saw. */
const works: Readonly<Record<string, () => Promise<number>>> = {
  nothing: async () => 0,
  bare: async () => {
    const client = bareClient({ url, apiKey });
    const items = await readAll(client, "/api/v1/user-groups");
    await client.close();
    return items.length;
  },
  adopt: async () => good(await adopt(options)).taken.length,
  plan: async () => {
    const { changes, unchanged } = good(await plan(options)).plan;
    return changes.length === 0 ? unchanged : 0;
  },
};

const begun = performance.now();
const seen = await works[work]?.();
const seconds = (performance.now() - begun) / 1000;
console.log(JSON.stringify({ seen, seconds, peak: peak() }));

/** The most that this process held, in MiB. What Linux calls the largest resident set begins with that of the parent. */
function peak(): number {
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
  const [, own] = /^VmHWM:\s*(\d+) kB$/mu.exec(status) ?? [];
  return Number(own ?? process.resourceUsage().maxRSS) / 1024;
}
