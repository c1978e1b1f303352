// Tests the planned removal of owned objects that are no longer declared.
import { describe, expect, it } from "vitest";
import { capability } from "../../core/kind/capability.ts";
import type { RecordedLifecycle } from "../../core/kind/lifecycle-rules.ts";
import { appliedEntry, fingerprints, house, town } from "../../test/support/plan-fixtures.ts";
import type { Change } from "../model/index.ts";
import { type RemovalContext, removals, type UndeclaredEntry } from "./removals.ts";

const context: RemovalContext = {
  prune: true,
  emptiesStack: false,
  capability: (kind) => capability(kind, () => true),
  layerOf: () => 0,
  fingerprints,
};

function leftover(
  more: Partial<UndeclaredEntry> & {
    readonly lifecycle?: RecordedLifecycle;
    readonly movedFrom?: string;
  } = {},
): UndeclaredEntry {
  const spec = { name: "ulm" };
  const [address, entry] = appliedEntry(town, "ulm", { spec, id: "1" });
  const { lifecycle, movedFrom, ...rest } = more;
  return {
    address,
    entry: { ...entry, ...(lifecycle && { lifecycle }), ...(movedFrom && { movedFrom }) },
    kind: town,
    observed: { id: "1", spec, status: {} },
    movedTo: undefined,
    isReleased: false,
    isChangedAfterRun: false,
    edits: [],
    ...rest,
  };
}

function actionOf(one: UndeclaredEntry, more: Partial<RemovalContext> = {}): readonly unknown[] {
  const [change] = removals([one], { ...context, ...more }).changes;
  return [change?.action, change?.abandoned === true];
}

const orphan: RecordedLifecycle = { onRemoval: "orphan" };

describe("an object that is no longer declared", () => {
  it.each<[string, UndeclaredEntry, Partial<RemovalContext>, string, boolean]>([
    ["is deleted if the stack prunes", leftover(), {}, "delete", false],
    ["is kept if it does not", leftover(), { prune: false }, "orphan", false],
    [
      "is kept in a stack that declares nothing",
      leftover(),
      { emptiesStack: true },
      "orphan",
      false,
    ],
    ["is forgotten if it is gone", leftover({ observed: undefined }), {}, "forget", false],
    [
      "is kept if it was handed over and its document has not followed",
      leftover({ movedFrom: "sales" }),
      {},
      "orphan",
      false,
    ],
    [
      "is kept if it was handed over, whatever its former document said",
      leftover({ movedFrom: "sales", lifecycle: orphan }),
      {},
      "orphan",
      false,
    ],
    [
      "is forgotten if another document has it",
      leftover({ movedTo: "Town/b" }),
      {},
      "forget",
      false,
    ],
    [
      "is kept if this version does not know its kind",
      leftover({ kind: undefined }),
      {},
      "orphan",
      false,
    ],
    ["is abandoned if its document said so", leftover({ lifecycle: orphan }), {}, "forget", true],
    [
      "is abandoned without pruning too",
      leftover({ lifecycle: orphan }),
      { prune: false },
      "forget",
      true,
    ],
    ["is abandoned if it is released", leftover({ isReleased: true }), {}, "forget", true],
    [
      "is forgotten if it is released and gone",
      leftover({ isReleased: true, observed: undefined }),
      {},
      "forget",
      false,
    ],
    [
      "is not abandoned if it is protected",
      leftover({ lifecycle: { ...orphan, protect: true } }),
      {},
      "delete",
      false,
    ],
    [
      "is not abandoned when the stack declares nothing",
      leftover({ lifecycle: orphan }),
      { emptiesStack: true },
      "orphan",
      false,
    ],
  ])("%s", (_, one, more, action, abandoned) => {
    expect(actionOf(one, more)).toEqual([action, abandoned]);
  });
});

describe("a delete", () => {
  const spec = { town: "ulm", name: "tall" };
  const [address, entry] = appliedEntry(house, "tall", { spec, id: "2" });
  const inside = leftover({ address, entry, kind: house, observed: { id: "2", spec, status: {} } });
  const summary = ({ address: at, cascadedBy, blockedBy }: Change): readonly unknown[] => [
    at,
    cascadedBy,
    blockedBy,
  ];

  it("cascades to what is inside", () => {
    expect(removals([leftover(), inside], context).changes.map(summary)).toEqual([
      ["Town/ulm", undefined, []],
      ["House/tall", "Town/ulm", []],
    ]);
  });

  it("that the server does not offer is blocked with an error, unless the delete of a parent cascades to the object", () => {
    const { changes, diagnostics } = removals([leftover(), inside], {
      ...context,
      capability: (kind) => capability(kind, () => false),
    });
    expect(changes.map(summary)).toEqual([
      ["Town/ulm", undefined, [{ code: "not-supported" }]],
      ["House/tall", "Town/ulm", []],
    ]);
    expect(diagnostics).toMatchObject([
      { code: "not-supported", severity: "error", address: "Town/ulm" },
    ]);
  });
});

it("an empty stack warns once, and not about each object", () => {
  const { diagnostics } = removals([leftover()], { ...context, emptiesStack: true });
  expect(diagnostics.map(({ code }) => code)).toEqual(["empty-input"]);
  const kept = removals([leftover()], { ...context, prune: false });
  expect(kept.diagnostics.map(({ code }) => code)).toEqual(["orphan"]);
});
