// Tests run records: their content, the values that they omit, and how many are kept.
import { describe, expect, it } from "vitest";
import { nameText } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import {
  appliedEntry,
  inventoryWith,
  liveFrom,
  town,
  townKinds,
} from "../../test/support/plan-fixtures.ts";
import { sampleChange, sampleField } from "../../test/support/sample-plans.ts";
import type { Change, Outcome, RunRecord } from "../model/index.ts";
import { beginRun, endRun, trimRuns } from "./run-record.ts";

const at = new Date("2026-06-01T12:00:00Z");

function begun(
  changes: readonly Change[],
  { live = [], applied = {} }: { live?: readonly JsonObject[]; applied?: JsonObject } = {},
): RunRecord {
  const entries = Object.entries(applied).map(([name, spec]) =>
    appliedEntry(town, name, { spec: spec as JsonObject, id: name }),
  );
  return beginRun({
    verb: "apply",
    author: { by: "jo", message: "m".repeat(limits.messageCharacters + 1) },
    changes,
    live: liveFrom(live.map((spec) => ({ kind: town, id: nameText(town, spec), spec }))),
    inventory: inventoryWith(entries),
    kinds: new Map(townKinds.map((kind) => [kind.name, kind])),
    at,
  });
}

function changed(action: Change["action"], name: string, fields: readonly string[] = []): Change {
  return sampleChange(action, `Town/${name}`, {
    id: name,
    fields: fields.map((field) => sampleField({ path: `/${field}` })),
    desired: { name, motto: "new", code: "new-code" },
  });
}

describe("the record of a run that begins", () => {
  it("has the fields that an update changes, as they were", () => {
    const { changes } = begun([changed("update", "ulm", ["motto"])], {
      live: [{ name: "ulm", motto: "old", land: "x" }],
      applied: { ulm: { name: "ulm", motto: "old" } },
    });
    expect(changes).toMatchObject([{ address: "Town/ulm", before: { motto: "old" } }]);
  });

  it("has the last-applied value where the live one had drifted from it", () => {
    const { changes } = begun([changed("update", "ulm", ["motto"])], {
      live: [{ name: "ulm", motto: "drifted" }],
      applied: { ulm: { name: "ulm", motto: "applied" } },
    });
    expect(changes).toMatchObject([
      { before: { motto: "drifted" }, lastApplied: { motto: "applied" } },
    ]);
  });

  it("has the whole readable object before a delete, and names what it hides", () => {
    const spec = { name: "ulm", motto: "old", code: "s3cret" };
    const { changes } = begun([changed("delete", "ulm")], { live: [spec], applied: { ulm: spec } });
    expect(changes).toMatchObject([{ before: { name: "ulm", motto: "old" }, hidden: ["code"] }]);
  });

  it("contains no secret", () => {
    const spec = { name: "ulm", code: "s3cret" };
    const record = begun([changed("update", "ulm", ["code"])], {
      live: [spec],
      applied: { ulm: spec },
    });
    expect(record.changes).toMatchObject([{ hidden: ["code"] }]);
    expect(JSON.stringify(record)).not.toMatch(/s3cret|new-code/u);
  });

  it("counts what is written, and leaves out what is only kept", () => {
    const record = begun([changed("create", "a"), changed("create", "b"), changed("orphan", "c")]);
    expect(record.counts).toEqual({ create: 2 });
    expect(record.changes?.map(({ address }) => address)).toEqual(["Town/a", "Town/b"]);
  });

  it("cuts a long message at its limit", () => {
    expect(begun([]).message).toHaveLength(limits.messageCharacters);
  });
});

it("ends with the result and the ID of each change, and counts what was done", () => {
  const outcome = (address: string, result: Outcome["result"], more: Partial<Outcome> = {}) =>
    ({ address, action: "create", result, ...more }) as Outcome;
  const run = begun([changed("create", "a"), changed("create", "b"), changed("create", "c")]);
  const ended = endRun(
    run,
    [outcome("Town/a", "done"), outcome("Town/b", "failed", { partial: true })],
    { at, idOf: (address) => (address === "Town/a" ? "7" : undefined) },
  );
  expect(ended).toMatchObject({ counts: { create: 1 }, incomplete: 1 });
  expect(ended.changes?.map(({ result, id }) => [result, id])).toEqual([
    ["done", "7"],
    ["partial", "b"],
    [undefined, "c"],
  ]);
});

describe("the kept runs", () => {
  const numbered = (number: number, characters = 0): RunRecord => ({
    ...begun([{ ...changed("create", "a"), name: "x".repeat(characters) }]),
    id: `run-${number}`,
  });

  it("are the newest ones, up to the limit", () => {
    const many = Array.from({ length: limits.runsKept + 5 }, (_, number) => numbered(number));
    const kept = trimRuns(many, numbered(999));
    expect(kept).toHaveLength(limits.runsKept);
    expect(kept.at(-1)?.id).toBe("run-999");
  });

  it("replace the record of the same run", () => {
    expect(trimRuns([numbered(1), numbered(2)], numbered(2)).map(({ id }) => id)).toEqual([
      "run-1",
      "run-2",
    ]);
  });

  it("lose the changes of old runs over the limit, and never those of the newest", () => {
    const large = limits.runChangesCharacters;
    const kept = trimRuns([numbered(1, 10), numbered(2, large)], numbered(3, large));
    expect(kept.map(({ changes }) => changes !== undefined)).toEqual([false, false, true]);
    const small = trimRuns([numbered(1, 10)], numbered(2, 10));
    expect(small.map(({ changes }) => changes !== undefined)).toEqual([true, true]);
  });
});
