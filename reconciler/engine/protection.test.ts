// Deletes of protected objects are blocked, whether direct or by a cascade.
import { describe, expect, it } from "vitest";
import type { RecordedLifecycle } from "../../core/kind/lifecycle-rules.ts";
import type { Change } from "../model/index.ts";
import {
  appliedEntry,
  house,
  inventoryWith,
  liveFrom,
  town,
  townKinds,
} from "../../test/support/plan-fixtures.ts";
import { sampleChange } from "../../test/support/sample-plans.ts";
import { withProtection } from "./protection.ts";

const protect: RecordedLifecycle = { protect: true };
const inUlm = { town: "ulm", name: "tall" };

/** A change of `House/tall` in the town `ulm`. */
const ofHouse = (action: Change["action"], more: Partial<Change> = {}): Change =>
  sampleChange(action, "House/tall", { key: "ulm/tall", scope: { town: "ulm" }, ...more });
const deletesUlm = sampleChange("delete", "Town/ulm");

interface Surroundings {
  /** Addresses that the inventory protects. */
  readonly recorded?: readonly string[];
  readonly live?: Parameters<typeof liveFrom>[0];
}

/** Returns the reports by address, after a check that exactly those changes are blocked. */
function errors(
  changes: readonly Change[],
  { recorded = [], live = [] }: Surroundings = {},
): Readonly<Record<string, string>> {
  const entries = [
    appliedEntry(town, "ulm", { spec: { name: "ulm" } }),
    appliedEntry(house, "tall", { spec: inUlm }),
  ].map(([at, entry]) =>
    recorded.includes(at)
      ? ([at, { ...entry, lifecycle: protect }] as const)
      : ([at, entry] as const),
  );
  const found = withProtection(changes, {
    inventory: inventoryWith(entries),
    kinds: new Map(townKinds.map((kind) => [kind.name, kind])),
    live: liveFrom(live),
    desired: { stack: { displayPath: "stacks/shop" } },
  });
  const blocked = found.changes.filter(({ blockedBy }) => blockedBy.length > 0);
  expect(new Set(blocked.map(({ address }) => address))).toEqual(
    new Set(found.diagnostics.map(({ address }) => address)),
  );
  return Object.fromEntries(found.diagnostics.map(({ address, summary }) => [address, summary]));
}

describe("a protected object", () => {
  it.each([
    ["delete", { "Town/ulm": "Town/ulm is protected, and would be deleted" }],
    ["replace", { "Town/ulm": "Town/ulm is protected, and would be replaced" }],
    ["update", {}],
    ["forget", {}],
    ["none", {}],
  ] as const)("with the action %s", (action, expected) => {
    expect(errors([sampleChange(action, "Town/ulm", { lifecycle: protect })])).toEqual(expected);
    expect(errors([sampleChange(action, "Town/ulm")], { recorded: ["Town/ulm"] })).toEqual(
      expected,
    );
  });

  it("can be deleted after `svc protect --off`, and replaced only after a change of its document too", () => {
    const remedyOf = (
      action: Change["action"],
      undo?: { readonly undoScope: ReadonlySet<string> },
    ) =>
      withProtection([sampleChange(action, "Town/ulm", { lifecycle: protect })], {
        inventory: inventoryWith([]),
        kinds: new Map(),
        live: new Map(),
        desired: { stack: { displayPath: "stacks/shop" }, ...undo },
      }).diagnostics[0]?.remedy;
    expect(remedyOf("delete")).toMatch(/^Declare it again, or run `svc protect .*--off/u);
    expect(remedyOf("delete", { undoScope: new Set<string>() })).toMatch(
      /^Remove lifecycle.protect from its document, .* and run `svc protect .*--off/u,
    );
    expect(remedyOf("replace")).toMatch(/remove lifecycle.protect .* run `svc protect .*--off/u);
  });

  it("is one whose document protects it; what is recorded counts only without that", () => {
    const unprotected = sampleChange("delete", "Town/ulm", { lifecycle: {} });
    expect(errors([unprotected], { recorded: ["Town/ulm"] })).toEqual({});
    const other = sampleChange("delete", "Town/bonn");
    expect(errors([deletesUlm, other])).toEqual({});
  });

  it("is not the object that another document has at the address of a moved entry", () => {
    const moved = sampleChange("delete", "Town/ulm", { movedTo: "Town/new" });
    expect(errors([moved], { recorded: ["Town/ulm"] })).toEqual({});
  });
});

describe("a parent of a protected object", () => {
  const inside = ofHouse("update", { lifecycle: protect });
  const cascades = { "Town/ulm": "deleting Town/ulm also deletes House/tall, which is protected" };

  it("is not deleted, nor replaced", () => {
    expect(errors([deletesUlm, inside])).toEqual(cascades);
    const replaces = sampleChange("replace", "Town/ulm");
    expect(errors([replaces, inside])["Town/ulm"]).toMatch(/^replacing Town\/ulm also deletes/u);
    expect(errors([sampleChange("update", "Town/ulm"), inside])).toEqual({});
  });

  it("is found where the object is on the server, not where it is declared", () => {
    const moving = { ...inside, id: "2", key: "bonn/tall", scope: { town: "bonn" } };
    const live = [{ kind: house, id: "2", spec: inUlm }];
    expect(errors([deletesUlm, moving], { live })).toEqual(cascades);
    expect(errors([deletesUlm, moving])).toEqual({});
    const from = { key: "ulm/tall", scope: { town: "ulm" } };
    expect(errors([deletesUlm, { ...moving, from }])).toEqual(cascades);
  });

  it("is found under the name that it has today", () => {
    const renamed = sampleChange("replace", "Town/new", {
      key: "new",
      from: { key: "ulm", scope: {} },
    });
    expect(Object.keys(errors([renamed, inside]))).toEqual(["Town/new"]);
  });

  it("does not matter to an object that is only created", () => {
    expect(errors([deletesUlm, ofHouse("create", { lifecycle: protect })])).toEqual({});
  });

  it("is not deleted either if the object is abandoned, which must stay", () => {
    const abandoned = ofHouse("forget", { abandoned: true });
    expect(errors([deletesUlm, abandoned])["Town/ulm"]).toContain("which must stay");
  });

  it("is reported once, and for its own protection first", () => {
    const [tall, wide] = [inside, { ...inside, address: "House/wide", key: "ulm/wide" }];
    expect(errors([deletesUlm, tall, wide])).toEqual(cascades);
    const own = { "Town/ulm": "Town/ulm is protected, and would be deleted" };
    const guarded = { ...deletesUlm, lifecycle: protect };
    expect(errors([guarded, tall])).toEqual(own);
    expect(errors([tall, guarded])).toEqual(own);
  });
});
