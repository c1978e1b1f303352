// `npm run check -- growth-reconciler`: plans, reports and applies of many user groups, and objects of many parents.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "../client/client.ts";
import type { Failure } from "../core/errors.ts";
import { createCachedReader } from "../lifecycle/reader.ts";
import { fieldNames, observeAll } from "../reconciler/engine/observe.ts";
import { readPlan, savePlan } from "../reconciler/engine/plan-file.ts";
import { assertSamePlan } from "../reconciler/engine/stale-plan.ts";
import { loadStack } from "../reconciler/manifest/load.ts";
import type { DesiredState, Outcome, Plan } from "../reconciler/model/index.ts";
import { formatNames } from "../reconciler/report/format-names.ts";
import { renderReport, reportJson, reportText } from "../reconciler/report/render.ts";
import type { Report } from "../reconciler/report/report.ts";
import { history } from "../reconciler/verbs/history.ts";
import { undo } from "../reconciler/undo.ts";
import { type VerbOptions, openSession } from "../reconciler/verbs/session.ts";
import { adopt } from "../reconciler/adopt.ts";
import { apply } from "../reconciler/apply.ts";
import { drift } from "../reconciler/drift.ts";
import { plan } from "../reconciler/plan.ts";
import { kinds } from "../resources/index.ts";
import { userGroup } from "../resources/user-group.ts";
import { readAll } from "./bare-client.ts";
import { batchesOf, type GrowthFixture, openFixture } from "./growth-fixture.ts";
import { checkGrowth, type GrowthScene, type GrowthStep } from "./growth-rate.ts";
import { documentOf, unwrapVerdict, writeTenants } from "./stack.ts";

const journalBatch = 10;

/** Replaces the documents: as many groups as given, whose names begin with `prefix`. */
function writeGroups(
  { folder }: GrowthFixture,
  groups: number,
  prefix: string,
  description = "As declared.",
): Promise<void> {
  const documents = Array.from({ length: groups }, (_, index) => {
    const name = `${prefix}-${index}`;
    return documentOf(userGroup, name, { name, description });
  });
  return writeFile(join(folder, "groups.yaml"), documents.join("---\n"));
}

async function seedGroups({ server }: GrowthFixture, groups: number): Promise<void> {
  const created_at = new Date().toISOString();
  const groupAt = (index: number) => {
    return { name: `group-${index}`, description: "As declared.", created_at };
  };
  for (const rows of batchesOf(groups, groupAt))
    await server.db.insertInto("user_groups").values(rows).execute();
}

/** Reads manifests, plans, shows plans, adopts, and writes the inventory. */
const manifestScene: GrowthScene = {
  title: "Manifests and plans",
  size: 1500,
  open: async (size) => {
    const fixture = await openFixture("file");
    await seedGroups(fixture, size);
    await writeGroups(fixture, size, "other");
    return { steps: manifestSteps(fixture, size), close: fixture.close };
  },
};

function manifestSteps(fixture: GrowthFixture, size: number): readonly GrowthStep[] {
  const { options } = fixture;
  let desired: DesiredState | undefined;
  let planned: Plan | undefined;
  const planOf = async (): Promise<Plan> => (planned = unwrapVerdict(await plan(options)).plan);
  const expectChanges = (count: number): void => {
    if (planned?.changes.length !== count) throw new Error(`${planned?.changes.length} changes`);
  };
  return [
    { name: "load", run: async () => ({ desired } = await loadStack(options)) },
    { name: "observe", run: async () => observeDesired(fixture, desired) },
    { name: "plan of creates", run: planOf },
    { name: "saved plan", run: async () => saveAndRead(fixture, planned) },
    { name: "reports of creates", run: async () => renderAll(planned) },
    {
      name: "adopt",
      run: async () => {
        await writeGroups(fixture, size, "group");
        const { adopted } = unwrapVerdict(await adopt(options));
        if (adopted.length !== size) throw new Error(`${adopted.length} adopted`);
      },
    },
    { name: "inventory write", run: () => writeInventory(options) },
    {
      name: "plan without changes",
      run: async () => {
        await planOf();
        expectChanges(0);
      },
    },
    { name: "lists of the service", run: () => readList(fixture, "/api/v1/user-groups", size) },
    {
      name: "plan of updates",
      run: async () => {
        await writeGroups(fixture, size, "group", "Edited.");
        await planOf();
        expectChanges(size);
      },
    },
    { name: "reports of updates", run: async () => renderAll(planned) },
    ...driftSteps(fixture, () => planned),
  ];
}

/** Changes all objects on the server, so that they differ from their documents and from the plan made before. */
function driftSteps(
  { options, server }: GrowthFixture,
  before: () => Plan | undefined,
): readonly GrowthStep[] {
  let drifted: Plan | undefined;
  return [
    {
      name: "drift",
      run: async () => {
        await server.db.updateTable("user_groups").set({ description: "Drifted." }).execute();
        drifted = unwrapVerdict(await drift(options)).plan;
      },
    },
    {
      name: "refusal of a stale plan",
      // One is too short to measure.
      run: async () => {
        for (let round = 0; round < 5; round++) refuseStale(before(), drifted);
      },
    },
    { name: "reports of drift", run: async () => renderAll(drifted, "drift") },
    { name: "reports of an apply", run: async () => renderApplied(drifted) },
  ];
}

function refuseStale(saved: Plan | undefined, current: Plan | undefined): void {
  if (saved === undefined || current === undefined) throw new Error("there is no plan");
  try {
    assertSamePlan(saved, current);
  } catch (error) {
    const { details } = error as Failure;
    const { moved } = details as { moved: readonly unknown[] };
    if (moved.length === current.changes.length) return;
  }
  throw new Error("not every change was refused");
}

async function observeDesired(
  { options }: GrowthFixture,
  desired: DesiredState | undefined,
): Promise<void> {
  const client = createClient(options.connection);
  try {
    const requests = (desired?.objects ?? []).map(({ kind, scope, spec, key }) => {
      return { kind, scope, key, fields: fieldNames(spec) };
    });
    await observeAll(requests, { reader: createCachedReader(client.reader), signal: undefined });
  } finally {
    await client.close();
  }
}

function saveAndRead({ folder }: GrowthFixture, planned: Plan | undefined): void {
  if (planned === undefined) throw new Error("there is no plan");
  const file = join(folder, "saved.json");
  savePlan(file, planned, ["."]);
  if (readPlan(file).changes.length !== planned.changes.length) throw new Error("it differs");
}

/** Renders a plan in every format. */
function renderAll(planned: Plan | undefined, type: "plan" | "drift" = "plan"): void {
  if (planned === undefined) throw new Error("there is no plan");
  render({ type, plan: planned, kinds, manifestDiagnostics: [], places: new Map() });
}

/** Renders the result of an apply after which every object differs from what was written. */
function renderApplied(planned: Plan | undefined): void {
  if (planned === undefined) throw new Error("there is no plan");
  const outcomes = planned.changes.map(({ address, action }): Outcome => {
    return { address, action, result: "done", failure: undefined };
  });
  const none = { stopped: undefined, unverified: undefined, calls: 0, writeCalls: 0 };
  const applied = { plan: planned, outcomes, residual: planned.changes, ...none };
  render({ type: "apply", applied, kinds, manifestDiagnostics: [], places: new Map() });
}

function render(report: Report): void {
  reportText(report, { color: false, width: 100, full: true });
  JSON.stringify(reportJson(report));
  for (const form of formatNames) renderReport(form, report);
}

/** Records every entry in the journal, a few at a time, and writes the inventory. */
async function writeInventory(options: VerbOptions): Promise<void> {
  await using session = unwrapVerdict(await openSession(options)).session;
  const { store } = session;
  const lock = await store.lock("growth");
  try {
    const inventory = await store.read();
    const entries = Object.entries(inventory.entries);
    for (let from = 0; from < entries.length; from += journalBatch) {
      const batch = entries.slice(from, from + journalBatch);
      await lock.journal(batch.map(([address, entry]) => ({ phase: "done", address, entry })));
    }
    await lock.write(inventory);
  } finally {
    await lock.release();
  }
}

/** Reads a list in pages of a tenth of the small size. */
async function readList({ client }: GrowthFixture, path: string, count: number): Promise<void> {
  const { length } = await readAll(client, path, 150);
  if (length !== count) throw new Error(`${length} items were listed`);
}

/** Applies, undoes and prunes with the inventory at the service. */
const writeScene: GrowthScene = {
  title: "Writes",
  size: 120,
  open: async (size) => {
    const fixture = await openFixture("service");
    await writeGroups(fixture, size, "group");
    return { steps: applySteps(fixture, size), close: fixture.close };
  },
};

function applySteps(fixture: GrowthFixture, size: number): readonly GrowthStep[] {
  const options = { ...fixture.options, allowDeletes: size, approve: async () => true };
  const applyAll = async (): Promise<void> => {
    const { applied } = unwrapVerdict(await apply(options));
    const done = applied?.outcomes.filter(({ result }) => result === "done").length;
    if (done !== size) throw new Error(`${done} changes were applied`);
  };
  let run = "";
  return [
    { name: "apply of creates", run: applyAll },
    {
      name: "apply of updates",
      run: async () => {
        await writeGroups(fixture, size, "group", "Edited.");
        await applyAll();
      },
    },
    {
      name: "history",
      run: async () => {
        const { runs } = unwrapVerdict(await history({ ...options, last: 1 }));
        run = runs[0]?.id ?? "";
      },
    },
    {
      name: "undo",
      run: async () => {
        const { applied } = unwrapVerdict(await undo({ ...options, run }));
        if (applied?.outcomes.length !== size) throw new Error("it was not undone");
      },
    },
    {
      name: "apply of deletes",
      run: async () => {
        await writeGroups(fixture, 1, "kept");
        const { applied } = unwrapVerdict(await apply(options));
        if (applied?.outcomes.length !== size + 1) throw new Error("it was not pruned");
      },
    },
  ];
}

/** Creates embed tenants with a group and a user each, and reads them again parent by parent. */
const parentScene: GrowthScene = {
  title: "Objects of many parents",
  size: 60,
  open: async (size) => {
    const fixture = await openFixture();
    const tenants = Array.from({ length: size }, (_, index) => `tenant-${index}`);
    await writeTenants(join(fixture.folder, "tenants.yaml"), tenants, {
      groups: size,
      users: size,
    });
    const options = { ...fixture.options, approve: async () => true };
    const steps: readonly GrowthStep[] = [
      {
        name: "apply of creates",
        run: async () => {
          const { applied } = unwrapVerdict(await apply(options));
          if (applied?.residual.length !== 0) throw new Error("the objects differ");
        },
      },
      {
        name: "plan without changes",
        run: async () => {
          const { unchanged } = unwrapVerdict(await plan(options)).plan;
          if (unchanged !== size * 3) throw new Error(`${unchanged} objects are unchanged`);
        },
      },
    ];
    return { steps, close: fixture.close };
  },
};

await checkGrowth([manifestScene, writeScene, parentScene]);
