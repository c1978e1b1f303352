// The undo of a run, from the values before and after its changes and the entries of today.
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import {
  appliedEntry,
  house,
  inventoryWith,
  town,
  townKinds,
} from "../../test/support/plan-fixtures.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import { field } from "../../core/schema/traits.ts";
import type { DeclaredMetadata, Entry, RunChange, RunRecord } from "../model/index.ts";
import { recordedFields } from "../model/recorded-fields.ts";
import { makeUndoPlan } from "./undo-plan.ts";

type Values = Pick<RunChange, "before" | "after">;

/** A change of `Kind/name`, whose object has the name as its key and id. */
function changed(
  action: RunChange["action"],
  address: string,
  more: Partial<RunChange> = {},
): RunChange {
  const [kind = "", name = ""] = address.split("/");
  return { action, address, kind, name, key: name, id: name, result: "done", ...more };
}

interface Surroundings {
  readonly entries?: readonly (readonly [string, Entry])[];
  readonly later?: readonly RunChange[];
  readonly declared?: Readonly<Record<string, DeclaredMetadata>>;
  readonly kinds?: readonly Kind[];
}

/** Returns the undo of a run: restored fields, deletes, conflicts of deletes, and what is not undone. */
function undone(
  changes: readonly RunChange[],
  { entries = [], later = [], declared = {}, kinds = townKinds }: Surroundings = {},
) {
  const run: RunRecord = {
    id: "run",
    verb: "apply",
    by: "ann",
    startedAt: "",
    counts: {},
    changes,
  };
  const { objects, undoScope, changedAfterRun, notes } = makeUndoPlan({
    run,
    inventory: { ...inventoryWith(entries), runs: [run, { ...run, id: "later", changes: later }] },
    declared: new Map(Object.entries(declared)),
    kinds: kindsByName(kinds),
  });
  const restored = new Set(objects.map(({ address }) => address));
  return {
    objects,
    specs: Object.fromEntries(objects.map(({ address, spec }) => [address, spec])),
    deleted: [...undoScope].filter((address) => !restored.has(address)),
    changedAfterRun: [...changedAfterRun],
    notes: notes.map(({ address, summary }) => `${address}: ${summary}`),
  };
}

const townEntry = (name: string, spec = {}, document = name) =>
  appliedEntry(town, document, { spec: { name, ...spec }, id: document });
const houseEntry = (inTown: string, name = "tall") =>
  appliedEntry(house, name, { spec: { town: inTown, name }, id: name });

describe("a created object", () => {
  const [, made] = townEntry("ulm", { motto: "new", code: "s3cret" });
  const { fields: after, hidden } = recordedFields(made);
  const created = changed("create", "Town/ulm", { after, hidden: [...hidden] });

  it("is deleted as long as it is as the run left it", () => {
    const entries = [["Town/ulm", made]] as const;
    expect(undone([created], { entries })).toMatchObject({
      deleted: ["Town/ulm"],
      changedAfterRun: [],
      notes: [],
    });
  });

  it.each([
    ["a field", { motto: "newer", code: "s3cret" }],
    ["a field that it had not", { motto: "new", code: "s3cret", land: "x" }],
    ["a secret", { motto: "new", code: "another" }],
  ])("is a conflict if a later run changed %s", (_, spec) => {
    expect(undone([created], { entries: [townEntry("ulm", spec)] }).changedAfterRun).toEqual([
      "Town/ulm",
    ]);
  });

  it("is deleted too if its create failed without an answer, as long as its entry is pending", () => {
    const { id: _, ...failed } = { ...created, result: "failed" } as const;
    const pending = { ...made, id: undefined, pending: true };
    const deletedWith = (entry: Entry) =>
      undone([failed], { entries: [["Town/ulm", entry]] }).deleted;
    expect(deletedWith(pending)).toEqual(["Town/ulm"]);
    expect(deletedWith({ ...pending, pending: false })).toEqual([]);
    expect(deletedWith({ ...pending, key: "other" })).toEqual([]);
  });

  it("is found by its id, whatever its address is", () => {
    const [, entry] = townEntry("ulm", { motto: "new", code: "s3cret" });
    expect(undone([created], { entries: [["Town/moved", entry]] }).deleted).toEqual(["Town/moved"]);
    const other = { ...entry, id: "other" };
    expect(undone([created], { entries: [["Town/ulm", other]] })).toMatchObject({
      deleted: [],
      notes: ["Town/ulm: the stack does not own the object of the run any more"],
    });
  });

  it("without a recorded id is not taken for one that a later run created or adopted", () => {
    const { id: _, result: __, ...killed } = created;
    const entries = [townEntry("ulm", { motto: "new", code: "s3cret" })];
    for (const action of ["create", "adopt"] as const) {
      const { deleted, notes } = undone([killed], {
        entries,
        later: [changed(action, "Town/ulm")],
      });
      expect([deleted, notes]).toEqual([[], ["Town/ulm: a later run created or adopted it again"]]);
    }
  });

  it("has nothing to undo if it is gone, by a later run or because the run was killed before", () => {
    const { result: _, ...killed } = created;
    expect(undone([killed]).notes).toEqual([]);
    expect(undone([created], { later: [changed("delete", "Town/ulm")] }).notes).toEqual([]);
    expect(undone([created]).notes).toHaveLength(1);
  });

  it.each([[{ protect: true }], [{ onRemoval: "orphan" as const }]])(
    "is kept where its document says %o",
    (rules) => {
      const entries = [["Town/ulm", made]] as const;
      const declared = { "Town/ulm": { labels: {}, rules } };
      expect(undone([created], { entries, declared }).notes).toEqual([
        "Town/ulm: its document forbids its deletion",
      ]);
    },
  );
});

describe("an updated object", () => {
  const motto: Values = { before: { motto: "old" }, after: { motto: "new" } };
  const updated = changed("update", "Town/ulm", motto);

  it("gets the values from before, compared with those that the run left", () => {
    const { objects } = undone([updated], { entries: [townEntry("ulm", { land: "x" })] });
    expect(objects).toMatchObject([
      {
        spec: { name: "ulm", motto: "old" },
        onlyFields: ["motto"],
        baseline: { motto: "new" },
        rules: { manage: ["observe", "update"] },
      },
    ]);
  });

  it("keeps a secret, which is reported unless it is as before", () => {
    const [, before] = townEntry("ulm", { code: "one" });
    const [, after] = townEntry("ulm", { code: "two" });
    const secret = changed("update", "Town/ulm", {
      before: { motto: "old", code: recordedFields(before).fields["code"] },
      after: { motto: "new", code: recordedFields(after).fields["code"] },
      hidden: ["code"],
    });
    const withEntry = (entry: Entry) => undone([secret], { entries: [["Town/ulm", entry]] });
    expect(withEntry(after)).toMatchObject({
      specs: { "Town/ulm": { motto: "old" } },
      notes: ["Town/ulm: code: the earlier value cannot be restored"],
    });
    expect(withEntry(before).notes).toEqual([]);
  });

  it("gets its name back, and what is in it is found under that", () => {
    const renamed = changed("update", "Town/ulm", {
      before: { name: "old" },
      after: { name: "ulm" },
    });
    const inside = changed("update", "House/tall", {
      key: "ulm/tall",
      before: { twin: "bonn" },
      after: { twin: null },
    });
    const entries = [townEntry("ulm"), houseEntry("ulm")];
    const { specs, objects } = undone([inside, renamed], { entries });
    expect(specs).toEqual({
      "Town/ulm": { name: "old" },
      "House/tall": { town: "old", name: "tall", twin: "bonn" },
    });
    expect(objects[0]?.dependsOn).toEqual(["Town/ulm"]);
  });

  it("exchanges names with another", () => {
    const renames = (after: string, before: string) =>
      changed("update", `Town/${after}`, { before: { name: before }, after: { name: after } });
    const entries = [townEntry("a"), townEntry("b"), houseEntry("a")];
    const inside = changed("update", "House/tall", {
      before: { twin: "x" },
      after: { twin: null },
    });
    expect(undone([renames("a", "b"), renames("b", "a"), inside], { entries }).specs).toMatchObject(
      {
        "Town/a": { name: "b" },
        "Town/b": { name: "a" },
        "House/tall": { town: "b" },
      },
    );
  });

  it("is not changed where its document allows no updates", () => {
    const declared = { "Town/ulm": { labels: {}, rules: { manage: ["observe" as const] } } };
    expect(undone([updated], { entries: [townEntry("ulm")], declared })).toMatchObject({
      specs: {},
      notes: ["Town/ulm: its document does not allow svc to update it"],
    });
  });
});

describe("a deleted object", () => {
  const deleted = changed("delete", "Town/ulm", { before: { name: "ulm", motto: "old" } });
  const inside = changed("delete", "House/tall", {
    key: "ulm/tall",
    before: { town: "ulm", name: "tall" },
    references: { "Town/ulm": "Town/ulm" },
  });

  it("is created again, before what refers to it", () => {
    const { specs, objects } = undone([inside, deleted]);
    expect(specs).toEqual({
      "House/tall": { town: "ulm", name: "tall" },
      "Town/ulm": { name: "ulm", motto: "old" },
    });
    expect(objects.map(({ dependsOn }) => dependsOn)).toEqual([["Town/ulm"], []]);
  });

  it("is not created again without its secret", () => {
    const secret = { before: { name: "ulm", code: null }, hidden: ["code"] };
    expect(undone([{ ...deleted, ...secret }, inside])).toMatchObject({
      specs: {},
      notes: [
        "Town/ulm: it was deleted and cannot be created again without code",
        "House/tall: it needs Town/ulm as it was before the run",
      ],
    });
  });

  it("is compared with what an undo before has created", () => {
    const back = undone([deleted], { entries: [townEntry("ulm", { motto: "old" })] });
    expect(back).toMatchObject({ specs: { "Town/ulm": { motto: "old" } }, notes: [] });
    const other = undone([deleted], { entries: [townEntry("ulm", { motto: "other" })] });
    expect(other.notes).toEqual(["Town/ulm: another object has its address now"]);
  });

  it("is not created again under a name, or in a parent, that is another object's now", () => {
    expect(undone([deleted], { entries: [townEntry("ulm", {}, "new")] }).notes).toEqual([
      "Town/ulm: Town/new has its name now",
    ]);
    expect(undone([inside], { entries: [townEntry("ulm", {}, "new")] }).notes).toEqual([
      "House/tall: it needs Town/ulm as it was before the run",
    ]);
    // The run created the object that has the name.
    const made = changed("create", "Town/new", { key: "ulm", after: { name: "ulm" } });
    expect(undone([deleted, made], { entries: [townEntry("ulm", {}, "new")] })).toMatchObject({
      specs: { "Town/ulm": { name: "ulm" } },
      deleted: ["Town/new"],
    });
  });
});

it("a value with nested members that its kind no longer has is not restored", () => {
  const rule = Type.Object({ name: Type.String() }, { additionalProperties: false });
  const rules = field(Type.Array(rule), { doc: "Rules.", order: "set" });
  const spec = Type.Object({ ...town.spec.properties, rules: Type.Optional(rules) });
  const kinds = [{ ...town, spec }];
  const before = { motto: "old", rules: [{ name: "a", only: ["1"] }] };
  const after = { motto: "new", rules: [] };
  const update = undone([changed("update", "Town/ulm", { before, after })], {
    entries: [townEntry("ulm", after)],
    kinds,
  });
  expect(update.objects).toMatchObject([{ onlyFields: ["motto"] }]);
  expect(update.notes).toEqual(["Town/ulm: rules: the earlier value cannot be restored"]);
  const whole = { before: { name: "ulm", ...before } };
  expect(undone([changed("delete", "Town/ulm", whole)], { kinds }).specs).toEqual({});
});

it("what was replaced, forgotten, not recorded or of an unknown kind is reported, and what was not done is left out", () => {
  const plan = undone([
    changed("replace", "Town/ulm"),
    changed("forget", "Town/bonn"),
    changed("update", "Town/kiel", { unrecorded: true }),
    changed("update", "River/rhine", { before: {} }),
    changed("none", "Town/mainz"),
    changed("delete", "Town/jena", { result: "failed", before: { name: "jena" } }),
    changed("delete", "Town/trier", { result: "skipped", before: { name: "trier" } }),
  ]);
  expect(plan).toMatchObject({ specs: {}, deleted: [] });
  expect(plan.notes).toEqual([
    "Town/ulm: it was replaced; the old object cannot be restored",
    "Town/bonn: it was forgotten; run `svc adopt` to manage it again",
    "Town/kiel: its values are not recorded: they are too large",
    "River/rhine: there is no resource type River any more",
  ]);
});
