// `npm run bench [-- NAME...]`: runs the named benches, or all, one after the other, and prints a table for each.
import { applyBench } from "./apply.ts";
import { listsBench } from "./lists.ts";
import { memoryBench } from "./memory.ts";
import { planBench } from "./plan.ts";
import { pulumiBench } from "./pulumi.ts";
import { recipientsBench } from "./recipients.ts";
import { refreshBench } from "./refresh.ts";
import { sessionsBench } from "./sessions.ts";
import { startBench } from "./start.ts";
import { terraformBench } from "./terraform.ts";

const benches: Readonly<Record<string, () => Promise<void>>> = {
  plan: planBench,
  apply: applyBench,
  memory: memoryBench,
  refresh: refreshBench,
  pulumi: pulumiBench,
  recipients: recipientsBench,
  sessions: sessionsBench,
  start: startBench,
  terraform: terraformBench,
  lists: listsBench,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  const known = Object.keys(benches).join(", ");
  console.error(`no such bench: ${unknown.join(", ")}; there are ${known}`);
  process.exit(64);
}
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length === 0 || wanted.includes(name)) await bench();
}
