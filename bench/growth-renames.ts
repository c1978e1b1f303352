// Measures how applying and undoing renames grows if all objects of a stack are renamed.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { address, keyOf, scopeOf } from "../core/kind/identity.ts";
import type { JsonObject } from "../core/json.ts";
import { type Kind, kindsByName } from "../core/kind/kind.ts";
import { makeUndoPlan } from "../reconciler/history/undo-plan.ts";
import type { ApplyResult, Entry, RunChange, RunRecord } from "../reconciler/model/index.ts";
import { history } from "../reconciler/verbs/history.ts";
import { undo } from "../reconciler/verbs/undo.ts";
import { adopt, apply } from "../reconciler/verbs/verbs.ts";
import { groupMembership } from "../resources/group-membership.ts";
import { kinds } from "../resources/index.ts";
import { userGroup } from "../resources/user-group.ts";
import { inventoryWith } from "../test/support/plan-fixtures.ts";
import type { GrowthScene } from "./growth-rate.ts";
import { type GrowthFixture, openFixture, seed } from "./growth-stacks.ts";
import { unwrapVerdict } from "./stack.ts";

const prefix = "group";

/** Renames groups without members and undoes it; plans the undo of renames of groups with one member each. */
export const renameScene: GrowthScene = {
  title: "Renames",
  size: 200,
  open: async (size) => {
    const fixture = await openFixture("file");
    await seed(fixture, size, prefix);
    await fixture.write(size, prefix);
    unwrapVerdict(await adopt(fixture.options));
    await writeRenamed(fixture, size);
    const options = { ...fixture.options, approve: async () => true };
    let run = "";
    return {
      steps: [
        {
          name: "apply of renames",
          run: async () => expectDone(unwrapVerdict(await apply(options)), size),
        },
        {
          name: "history of renames",
          run: async () => {
            const { runs } = unwrapVerdict(await history({ ...options, last: 1 }));
            run = runs[0]?.id ?? "";
          },
        },
        {
          name: "undo of renames",
          run: async () => expectDone(unwrapVerdict(await undo({ ...options, run })), size),
        },
        { name: "undo plan with members", run: async () => planUndo(size) },
      ],
      close: () => fixture.close(),
    };
  },
};

async function writeRenamed({ folder }: GrowthFixture, groups: number): Promise<void> {
  const documents = Array.from(
    { length: groups },
    (_, at) =>
      `apiVersion: svc/v1\nkind: ${userGroup.name}\nmetadata: { name: ${prefix}-${at} }\n` +
      `spec: { name: renamed-${at}, description: As declared. }\n`,
  );
  await writeFile(join(folder, "groups.yaml"), documents.join("---\n"));
}

function expectDone(
  { applied }: { readonly applied: ApplyResult | undefined },
  groups: number,
): void {
  const done = applied?.outcomes.filter(({ result }) => result === "done").length;
  if (done !== groups) throw new Error(`${done} of ${groups} renames were done`);
}

/** Plans the undo of the renames of groups, each with a member whose key names it. */
function planUndo(groups: number): void {
  const names = Array.from({ length: groups }, (_, at) => `${prefix}-${at}`);
  const entries = names.flatMap((name) => [
    entryOf(userGroup, name, { name: `${name}-renamed` }),
    entryOf(groupMembership, name, { group: `${name}-renamed`, user: "ann@example.com" }),
  ]);
  const changes = names.map((name): RunChange => {
    const at = { kind: userGroup.name, name, address: address(userGroup.name, name) };
    return { action: "update", ...at, key: name, id: name, before: { name }, result: "done" };
  });
  const begun = { by: "ann", startedAt: "2026-01-31T09:30:00Z", counts: {} };
  const run: RunRecord = { id: "run", verb: "apply", ...begun, changes };
  const inventory = { ...inventoryWith(entries), runs: [run] };
  const { desiredObjects } = makeUndoPlan({
    run,
    inventory,
    declaredMetadata: new Map(),
    kinds: kindsByName(kinds),
    place: { file: "run", line: 1, column: 1 },
  });
  if (desiredObjects.length !== groups) throw new Error(`${desiredObjects.length} are undone`);
}

function entryOf(kind: Kind, name: string, spec: JsonObject): readonly [string, Entry] {
  const entry: Entry = {
    kind: kind.name,
    name,
    key: keyOf(kind, spec),
    scope: scopeOf(kind, spec),
    id: name,
    lastApplied: spec,
    fingerprints: {},
    pending: false,
    appliedAt: "",
  };
  return [address(kind.name, name), entry];
}
