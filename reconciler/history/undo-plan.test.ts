// Undo plans from the record of a run.
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
import { emptyUndoNote, makeUndoPlan } from "./undo-plan.ts";

const changed = (
  action: RunChange["action"],
  at: string,
  more: Partial<RunChange> = {},
): RunChange => {
  const [kind = "", name = ""] = at.split("/");
  return { action, address: at, kind, name, key: name, result: "done", ...more };
};

const runOf = (id: string, changes: readonly RunChange[]): RunRecord => {
  return { id, verb: "apply", by: "ann", startedAt: "2026-01-31T09:30:00Z", counts: {}, changes };
};

interface Surroundings {
  readonly entries?: readonly (readonly [string, Entry])[];
  readonly later?: readonly RunChange[];
  readonly declared?: Readonly<Record<string, DeclaredMetadata>>;
  readonly kinds?: readonly Kind[];
}

/** Returns the undo plan of a run: restored specs, all addresses, and changes that are not undone. */
function undone(
  changes: readonly RunChange[],
  { entries = [], later = [], declared = {}, kinds = townKinds }: Surroundings = {},
) {
  const run = runOf("run", changes);
  const runs = later.length === 0 ? [run] : [run, runOf("later", later)];
  const { desiredObjects, addresses, fields, changedSince, notes } = makeUndoPlan({
    run,
    inventory: { ...inventoryWith(entries), runs },
    declaredMetadata: new Map(Object.entries(declared)),
    kinds: kindsByName(kinds),
    place: { file: "stack.yaml", line: 1, column: 1 },
  });
  return {
    restored: Object.fromEntries(desiredObjects.map((one) => [one.address, one.spec])),
    desiredObjects,
    addresses: [...addresses],
    changedSince: [...changedSince],
    fields: Object.fromEntries(fields),
    notes: notes.map(({ address, summary }) => `${address}: ${summary}`),
  };
}

const ulm = (spec = {}, id = "1") =>
  appliedEntry(town, "ulm", { spec: { name: "ulm", ...spec }, id });

it("looks for the deletes of a run once, however many objects it did not change", () => {
  let reads = 0;
  const unchanged = Array.from({ length: 100 }, (_, index): RunChange => {
    const change = changed("none", `House/h${index}`);
    return Object.defineProperty(change, "action", {
      enumerable: true,
      get: () => (reads++, "none"),
    });
  });
  undone(unchanged, {
    entries: unchanged.map(({ name }) =>
      appliedEntry(house, name, { spec: { town: "ulm", name }, id: name }),
    ),
  });
  expect(reads).toBeLessThan(10 * unchanged.length);
});

describe("an object that was recorded with nested members that its kind has no more", () => {
  const rule = Type.Object({ name: Type.String() }, { additionalProperties: false });
  const barrier = { ...rule, properties: { ...rule.properties, keys: Type.Optional(rule) } };
  const rules = field(Type.Array(barrier), { doc: "Rules.", order: "set" });
  const spec = Type.Object({ ...town.spec.properties, rules: Type.Optional(rules) });
  const kinds = [{ ...town, spec }];
  const before = { name: "ulm", motto: "old", rules: [{ name: "a", only: ["1"] }] };

  it("is restored without those fields", () => {
    const { motto, rules: recorded } = before;
    const change = { before: { motto, rules: recorded }, after: { motto: "new", rules: [] } };
    const entries = [ulm({ motto: "new" })];
    const found = undone([changed("update", "Town/ulm", change)], { entries, kinds });
    expect(found.fields).toEqual({ "Town/ulm": ["motto"] });
    expect(found.notes).toEqual(["Town/ulm: rules: the earlier value cannot be restored"]);
  });

  it("is not created again", () => {
    const found = undone([changed("delete", "Town/ulm", { before })], { kinds });
    expect(found.restored).toEqual({});
    expect(found.notes).toEqual(["Town/ulm: rules: the earlier value cannot be restored"]);
    const deep = { ...before, rules: [{ name: "a", keys: { name: "b", age: 1 } }] };
    expect(undone([changed("delete", "Town/ulm", { before: deep })], { kinds }).restored).toEqual(
      {},
    );
    const known = { ...before, rules: [{ name: "a", keys: { name: "b" } }] };
    const { restored } = undone([changed("delete", "Town/ulm", { before: known })], { kinds });
    expect(restored).toEqual({ "Town/ulm": known });
  });
});

describe("a created object", () => {
  it("is reported if the stack does not own it any more, and no later run deleted it", () => {
    const created = changed("create", "Town/ulm", { id: "1" });
    expect(undone([created])).toMatchObject({
      addresses: [],
      notes: ["Town/ulm: the stack does not own it any more"],
    });
    const moved = changed("update", "Town/ulm", { id: "1", before: { motto: "old" } });
    const entries = [appliedEntry(town, "new", { spec: { name: "ulm" }, id: "1" })];
    expect(undone([created], { entries }).notes).toEqual(["Town/ulm: its address is Town/new now"]);
    expect(undone([moved], { entries }).notes).toEqual(["Town/ulm: its address is Town/new now"]);
    const { result: _, ...unfinished } = created;
    expect(undone([unfinished]).notes).toEqual([]);
  });

  it("is deleted, unless it is gone already", () => {
    const created = changed("create", "Town/ulm", { id: "1" });
    expect(undone([created], { entries: [ulm()] })).toMatchObject({
      restored: {},
      addresses: ["Town/ulm"],
      notes: [],
    });
    const later = [changed("delete", "Town/ulm")];
    expect(undone([created], { later })).toMatchObject({ addresses: [], notes: [] });
  });

  it("is kept where its address has another object, by id or because a later run replaced it", () => {
    const taken = ["Town/ulm: another object has its address now"];
    const created = changed("create", "Town/ulm", { id: "1" });
    expect(undone([created], { entries: [ulm({}, "2")] })).toMatchObject({
      addresses: [],
      notes: taken,
    });
    const unknown = { entries: [ulm()], later: [changed("replace", "Town/ulm")] };
    expect(undone([changed("create", "Town/ulm")], unknown).notes).toEqual([
      "Town/ulm: a later run created it again, as a new object",
    ]);
    // A run that was killed before it deleted the object.
    const { result: _, ...killed } = changed("delete", "Town/ulm");
    expect(undone([changed("create", "Town/ulm")], { ...unknown, later: [killed] }).notes).toEqual(
      [],
    );
    const failed = { ...unknown, later: [changed("replace", "Town/ulm", { result: "failed" })] };
    expect(undone([changed("create", "Town/ulm")], failed).notes).toEqual([]);
  });

  it("is kept where its document protects it or forbids its deletion", () => {
    const created = changed("create", "Town/ulm", { id: "1" });
    const notes = (rules: DeclaredMetadata["rules"]) =>
      undone([created], { entries: [ulm()], declared: { "Town/ulm": { labels: {}, rules } } })
        .notes;
    expect(notes({ protect: true })).toEqual(["Town/ulm: its document protects it"]);
    expect(notes({ onRemoval: "orphan" })).toEqual(["Town/ulm: its document forbids its deletion"]);
  });
});

describe("a created object that a later run changed", () => {
  const created = changed("create", "Town/ulm", { id: "1" });
  const again = changed("update", "Town/ulm", { before: { motto: "run" } });
  const since = (later: readonly RunChange[], motto = "later") => [
    ...undone([created], { entries: [ulm({ motto })], later }).changedSince,
  ];

  it("is changed since, unless it has the values of the run again", () => {
    expect(since([again])).toEqual(["Town/ulm"]);
    expect(since([{ ...again, before: {}, hidden: ["secret"] }])).toEqual(["Town/ulm"]);
    expect(since([again, { ...again, before: { motto: "later" } }], "run")).toEqual([]);
    expect(since([{ ...again, result: "failed" }])).toEqual([]);
    expect(since([])).toEqual([]);
  });
});

describe("an updated object", () => {
  const updated = changed("update", "Town/ulm", { id: "1", before: { motto: "onward" } });

  it("gets the values from before, and keeps its other fields", () => {
    const entries = [ulm({ motto: "back", land: "north" })];
    const plan = undone([updated], { entries });
    expect(plan).toMatchObject({
      restored: { "Town/ulm": { name: "ulm", motto: "onward" } },
      fields: { "Town/ulm": ["motto"] },
      notes: [],
    });
    expect(plan.desiredObjects[0]?.rules?.manage).toEqual(["observe", "update"]);
  });

  it("has the values that the run left as its baseline where a later run changed them", () => {
    const entries = [ulm({ motto: "later", land: "north" })];
    const baseline = (later: readonly RunChange[], more: Surroundings = {}) =>
      undone([updated], { entries, later, ...more }).desiredObjects[0]?.baseline;
    const again = changed("update", "Town/ulm", { before: { motto: "run" } });
    expect(baseline([again, { ...again, before: { motto: "run 2" } }])).toEqual({ motto: "run" });
    expect(baseline([{ ...again, before: { land: "south" } }])).toEqual({});
    expect(baseline([{ ...again, result: "failed" }])).toEqual({});
    expect(baseline([{ ...again, address: "Town/bonn" }])).toEqual({});
    expect(baseline([again], { entries: [ulm({ motto: "onward" })] })).toEqual({});
  });

  it("gets its name back, and its children are found under it", () => {
    const renamed = changed("update", "Town/ulm", { id: "1", before: { name: "old" } });
    const inside = changed("create", "House/tall", { key: "ulm/tall", id: "3" });
    const entries = [
      ulm(),
      appliedEntry(house, "tall", { spec: { town: "ulm", name: "tall" }, id: "3" }),
    ];
    expect(undone([renamed, inside], { entries })).toMatchObject({
      restored: { "Town/ulm": { name: "old" } },
      addresses: ["Town/ulm", "House/tall"],
      notes: [],
    });
  });

  it("names the fields that cannot be restored, and restores the others", () => {
    const partly = { ...updated, hidden: ["code"] };
    expect(undone([partly], { entries: [ulm()] })).toMatchObject({
      restored: { "Town/ulm": { motto: "onward" } },
      notes: ["Town/ulm: code: the earlier value cannot be restored"],
    });
    const secret = changed("update", "Town/ulm", { id: "1", hidden: ["code"] });
    expect(undone([secret], { entries: [ulm()] })).toMatchObject({ restored: {}, addresses: [] });
  });

  it("is not changed where the stack does not own it, or its document allows no updates", () => {
    expect(undone([updated]).notes).toEqual(["Town/ulm: the stack does not own it any more"]);
    const rules = { manage: ["observe" as const] };
    const declared = { "Town/ulm": { labels: {}, rules } };
    expect(undone([updated], { entries: [ulm()], declared }).notes).toEqual([
      "Town/ulm: its document does not allow updates",
    ]);
  });
});

describe("a deleted object", () => {
  const deleted = changed("delete", "Town/ulm", { before: { name: "ulm", motto: "onward" } });

  it("is created again, after what it refers to", () => {
    const inside = changed("delete", "House/tall", {
      key: "ulm/tall",
      before: { town: "ulm", name: "tall" },
    });
    const { restored, desiredObjects, fields } = undone([inside, deleted]);
    expect(restored).toEqual({
      "House/tall": { town: "ulm", name: "tall" },
      "Town/ulm": { name: "ulm", motto: "onward" },
    });
    expect(desiredObjects.map(({ dependsOn }) => dependsOn)).toEqual([["Town/ulm"], []]);
    expect(fields).toEqual({});
  });

  it("is not created again where its state, a secret or its address is missing", () => {
    const notes = (more: Partial<RunChange>, entries: Surroundings["entries"] = []) =>
      undone([{ ...deleted, ...more }], { entries }).notes;
    const { before: _, ...unknown } = deleted;
    expect(undone([unknown]).notes).toEqual(["Town/ulm: its earlier state is unknown"]);
    expect(notes({ hidden: ["code"] })).toEqual([
      "Town/ulm: it was deleted and cannot be created again without code",
    ]);
    expect(notes({ key: "bonn" })).toEqual(["Town/ulm: its earlier state is not fully known"]);
    expect(notes({}, [ulm({ motto: "other" })])).toEqual([
      "Town/ulm: another object has its address now",
    ]);
  });

  it("is still restored after an undo that was interrupted when it had created the object", () => {
    const entries = [ulm({ motto: "onward" })];
    expect(undone([deleted], { entries })).toMatchObject({ addresses: ["Town/ulm"], notes: [] });
  });
});

it("what was replaced, forgotten, of an unknown kind or not done is not undone", () => {
  const plan = undone([
    changed("replace", "Town/ulm"),
    changed("forget", "Town/bonn"),
    changed("update", "River/rhine", { before: {} }),
    changed("delete", "Town/jena", { result: "failed", before: { name: "jena" } }),
    changed("delete", "Town/trier", { result: "skipped", before: { name: "trier" } }),
  ]);
  expect(plan).toMatchObject({ restored: {}, addresses: [] });
  expect(plan.notes).toEqual([
    "Town/ulm: it was replaced; the old object cannot be restored",
    "Town/bonn: it was forgotten; run `svc adopt` to manage it again",
    "River/rhine: there is no resource type River any more",
  ]);
});

describe("an undo that reverts nothing", () => {
  const [ulmChange, romeChange] = ["Town/ulm", "Town/rome"].map((at) => changed("update", at));
  const lost = (address: string) =>
    ({ code: "cannot-undo", severity: "warning", address, summary: "" }) as const;

  it.each([
    ["that nothing is left", [], "run run: the objects are already as they were before it"],
    [
      "which changes cannot be undone",
      [lost("Town/ulm")],
      "run run: nothing can be reverted: the changes of Town/ulm cannot be undone; the other objects are already as they were before it",
    ],
    [
      "that no change can be undone",
      [lost("Town/ulm"), lost("Town/rome")],
      "run run: nothing can be reverted: the changes of Town/ulm, Town/rome cannot be undone",
    ],
  ])("says %s", (_, notes, summary) => {
    const run = runOf(
      "run",
      [ulmChange, romeChange].flatMap((change) => change ?? []),
    );
    expect(emptyUndoNote(run, notes).summary).toBe(summary);
  });
});
