// Runs many changes in bounded memory with any inventory backend: created with a kill, changed, undone and adopted.
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { history } from "../../../reconciler/verbs/history.ts";
import { spawnChild } from "../../support/svc-program.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { documentText, makeStack, type TestStack } from "../../support/test-stack.ts";
import type { SoakResult } from "./apply-soak.ts";

/** Documents of one manifest file. */
const documentsPerFile = 1000;

/** The memory limit of a process: the memory at its start, and an amount for each object. */
const memoryLimitMiB = (changes: number): number => 350 + (16 * changes) / 1024;

/** The size of the run, and the location of its inventory. */
export interface LargeRunOptions {
  readonly changes: number;
  readonly inventory: "file" | "service" | "postgres";
  /** Address of the inventory database. */
  readonly databaseUrl?: string | undefined;
  readonly report: (line: string) => void;
}

interface PhaseResult {
  readonly changes: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

/** A large run in progress. */
export interface LargeRun extends LargeRunOptions {
  readonly service: TestService;
  readonly stack: TestStack;
  readonly wrong: string[];
}

/** Creates, changes, undoes and adopts this many objects; the first run is killed. */
export async function soakLargeRun(options: LargeRunOptions): Promise<SoakResult> {
  const { changes, inventory, report } = options;
  const service = await startService({ data: ":memory:", checkAnswers: false });
  const env = options.databaseUrl === undefined ? {} : { SVC_INVENTORY_URL: options.databaseUrl };
  const stackOptions = { url: service.url, key: service.adminKey, name: "large", inventory, env };
  const stack = await makeStack({ ...stackOptions, policy: { maxDeletes: 100_000 } });
  const run: LargeRun = { ...options, service, stack, wrong: [] };
  try {
    await writeGroups(run, "first");
    const killed = await killInTheMiddle(run);
    await phase(run, { name: "create the rest", verb: "apply" });
    await expectGroups(run, "first");
    await writeGroups(run, "second");
    await phase(run, { name: "change", verb: "apply", changes });
    await expectGroups(run, "second");
    const past = await history({ ...stack.options, last: 1 });
    const id = past.ok ? (past.runs[0]?.id ?? "") : "";
    await phase(run, { name: "undo", verb: "undo", changes, id });
    await expectGroups(run, "first");
    await writeGroups(run, "first");
    await phase(run, { name: "plan after the undo", verb: "plan", changes: 0 });
    await loseInventory(run);
    await phase(run, { name: "adopt", verb: "adopt", changes });
    await phase(run, { name: "plan after adopting", verb: "plan", changes: 0 });
    report(`${inventory}: ${changes} changes, ${run.wrong.length} faults`);
    return { killed, skipped: 0, wrong: run.wrong };
  } finally {
    await stack.dispose();
    await service.close();
  }
}

async function writeGroups({ changes, stack }: LargeRun, description: string): Promise<void> {
  for (let from = 0; from < changes; from += documentsPerFile) {
    const names = Array.from(
      { length: Math.min(documentsPerFile, changes - from) },
      (_, at) => `group-${from + at}`,
    );
    const documents = names.map((name) =>
      documentText({ kind: "UserGroup", name, spec: { name, description } }),
    );
    await writeFile(join(stack.folder, `groups-${from}.yaml`), documents.join("\n---\n"));
  }
}

/** Deletes the inventories at the service. */
async function deleteStates({ db }: TestService): Promise<void> {
  for (const table of ["state_journal", "state_versions", "states"] as const) {
    await db.deleteFrom(table).execute();
  }
}

/** Removes everything that the stack owns from its inventory. */
export async function loseInventory({
  stack,
  inventory,
  service,
}: Pick<LargeRun, "stack" | "inventory" | "service">): Promise<void> {
  if (inventory === "service") await deleteStates(service);
  else if (inventory === "file") {
    await rm(join(stack.folder, ".svc"), { recursive: true });
  } else {
    const { runSql } = await import("../../support/postgres-server.ts");
    const tables = "svc_inventory_journal, svc_inventories";
    await runSql(stack.options.env["SVC_INVENTORY_URL"] ?? "", `drop table ${tables}`);
  }
}

interface ChildOptions {
  readonly id?: string;
  /** Kills the process once this many changes are done. */
  readonly killAt?: number;
}

/** Runs a verb in its own process; undefined if it was killed. */
export async function runInChild(
  { stack, service }: Pick<LargeRun, "stack" | "service">,
  verb: string,
  { id = "", killAt }: ChildOptions = {},
): Promise<PhaseResult | undefined> {
  const { env, connection } = stack.options;
  const args = [verb, stack.folder, connection.url, id];
  const known = { PATH: process.env["PATH"], SVC_API_KEY: service.adminKey, ...env };
  const child = await spawnChild("large-run-child", args, known);
  const closed = once(child, "close");
  let result: PhaseResult | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const { done, ...rest } = JSON.parse(line) as PhaseResult & { readonly done?: number };
    if (done === undefined) result = rest;
    else if (killAt !== undefined && done >= killAt) child.kill("SIGKILL");
  }
  await closed;
  return child.signalCode === "SIGKILL" ? undefined : result;
}

async function killInTheMiddle(run: LargeRun): Promise<number> {
  const result = await runInChild(run, "apply", { killAt: Math.floor(run.changes / 2) });
  if (result === undefined) return 1;
  run.wrong.push("the first run ended before it was killed");
  return 0;
}

interface Phase {
  readonly name: string;
  readonly verb: string;
  /** The expected number of changes; unknown after a kill. */
  readonly changes?: number;
  /** The run to undo. */
  readonly id?: string;
}

async function phase(run: LargeRun, { name, verb, changes, id = "" }: Phase): Promise<void> {
  const from = performance.now();
  const result = await runInChild(run, verb, { id });
  const seconds = Math.round((performance.now() - from) / 1000);
  if (result === undefined) return void run.wrong.push(`${name}: failed`);
  const { changes: done, cpuSeconds, peakMiB } = result;
  run.report(`${name}: ${done} changes, ${seconds} s, ${cpuSeconds} s of CPU, ${peakMiB} MiB`);
  const limit = memoryLimitMiB(run.changes);
  if (peakMiB > limit) run.wrong.push(`${name}: took ${peakMiB} MiB of ${limit} MiB`);
  if (changes !== undefined && done !== changes) {
    run.wrong.push(`${name}: ${done} changes instead of ${changes}`);
  }
}

/** Expects that each group exists once, with this description. */
async function expectGroups({ service, changes, wrong }: LargeRun, text: string): Promise<void> {
  const groups = await service.db.selectFrom("user_groups").selectAll().execute();
  const own = groups.filter(({ name }) => name.startsWith("group-"));
  const names = new Set(own.map(({ name }) => name));
  if (own.length !== changes || names.size !== changes) {
    wrong.push(`${own.length} groups with ${names.size} names instead of ${changes}`);
  }
  const others = own.filter(({ description }) => description !== text).length;
  if (others > 0) wrong.push(`${others} groups are not as declared (${text})`);
}
