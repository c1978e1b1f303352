// Runs one verb over a large stack in a separate process and reports each tenth of the changes, the result and the peak
// memory.
import { join } from "node:path";
import { Secret } from "../../core/secret.ts";
import { noGrants } from "../../reconciler/operator/grants.ts";
import type { ApplyResult } from "../../reconciler/model/index.ts";
import { undo } from "../../reconciler/undo.ts";
import { adopt } from "../../reconciler/adopt.ts";
import { apply } from "../../reconciler/apply.ts";
import { plan } from "../../reconciler/plan.ts";
import type { VerbOptions, VerbResult } from "../../reconciler/verbs/session.ts";
import { kinds } from "../../resources/index.ts";

const [verb = "", folder = "", url = "", run = ""] = process.argv.slice(2);
const { SVC_API_KEY: key = "", ...env } = process.env;

const options: VerbOptions = {
  paths: [folder],
  cwd: folder,
  kinds,
  variables: {},
  grants: { ...noGrants, maxDeletes: 100_000 },
  env: { ...env, XDG_CONFIG_HOME: join(folder, ".config") },
  connection: { url, credential: new Secret(key) },
  progress: (event) => {
    if (event.event !== "change" || event.done % Math.ceil(event.total / 10) !== 0) return;
    report({ done: event.done });
  },
};

function report(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function resultOf<T>(verdict: VerbResult<T>): T {
  if (verdict.ok) return verdict;
  throw new Error(verdict.diagnostics.map(({ summary }) => summary).join("\n"));
}

function countDone(applied: ApplyResult | undefined): number {
  return applied?.outcomes.filter(({ result }) => result === "done").length ?? 0;
}

async function execute(): Promise<number> {
  if (verb === "plan") return resultOf(await plan(options)).plan.changes.length;
  if (verb === "adopt") return resultOf(await adopt(options)).adopted.length;
  const approve = async () => true;
  const applying = { ...options, allowDeletes: 100_000, approve };
  if (verb === "undo") return countDone(resultOf(await undo({ ...applying, run })).applied);
  return countDone(resultOf(await apply(applying)).applied);
}

const changes = await execute();
const { user, system } = process.cpuUsage();
const { maxRSS } = process.resourceUsage();
report({
  changes,
  cpuSeconds: Math.round((user + system) / 1e6),
  peakMiB: Math.round(maxRSS / 1024),
});
