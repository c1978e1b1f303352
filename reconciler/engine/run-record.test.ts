// Tests run records: their content, the values that they omit, and how many are kept.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { nameText } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import {
  appliedEntry,
  house,
  inventoryWith,
  liveFrom,
  town,
  townKinds,
} from "../../test/support/plan-fixtures.ts";
import { sampleChange, sampleField } from "../../test/support/sample-plans.ts";
import type { Change, Outcome, RunRecord } from "../model/index.ts";
import { trimRuns } from "../inventory/journal.ts";
import { beginRun, endRun } from "./run-record.ts";

const time = new Date("2026-06-01T12:00:00Z");

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
    live: liveFrom([
      { kind: house, id: "tall", spec: { town: "ulm", name: "tall" } },
      ...live.map((spec) => ({ kind: town, id: nameText(town, spec), spec })),
    ]),
    inventory: inventoryWith(entries),
    kinds: new Map(townKinds.map((kind) => [kind.name, kind])),
    fingerprint: (value) => createHash("sha256").update(JSON.stringify(value)).digest("hex"),
    time,
  });
}

function changed(action: Change["action"], name: string, fields: readonly string[] = []): Change {
  return sampleChange(action, `Town/${name}`, {
    id: name,
    fields: fields.map((field) => sampleField({ path: `/${field}` })),
    desired: { name, motto: "new", code: "new-code" },
  });
}

/** A change of the house `tall` in `ulm`, which is live. */
function inUlm(action: Change["action"], more: Partial<Change> = {}): Change {
  const spec = { town: "ulm", name: "tall" };
  return sampleChange(action, "House/tall", {
    id: "tall",
    key: "ulm/tall",
    desired: spec,
    ...more,
  });
}

describe("the record of a run that begins", () => {
  it("has the fields that an update changes, as they were and as it leaves them", () => {
    const { changes } = begun([changed("update", "ulm", ["motto"])], {
      live: [{ name: "ulm", motto: "drifted", land: "x" }],
      applied: { ulm: { name: "ulm", motto: "applied" } },
    });
    expect(changes).toMatchObject([
      { address: "Town/ulm", before: { motto: "drifted" }, after: { motto: "new" } },
    ]);
  });

  it("has the whole object after a create, and before a delete", () => {
    const spec = { name: "bonn", motto: "old" };
    const { changes } = begun([changed("create", "ulm"), changed("delete", "bonn")], {
      live: [spec],
      applied: { bonn: spec },
    });
    const code = [null, { code: expect.any(String) }];
    expect(changes).toMatchObject([
      { after: { name: "ulm", motto: "new", code }, hidden: ["code"] },
      { before: spec },
    ]);
    expect(changes?.[0]).not.toHaveProperty("before");
    expect(changes?.[1]).not.toHaveProperty("after");
  });

  it("has secrets as fingerprints", () => {
    const spec = { name: "ulm", motto: "old", code: "s3cret" };
    const record = begun([changed("update", "ulm", ["code"]), changed("delete", "bonn")], {
      live: [spec, { ...spec, name: "bonn" }],
      applied: { ulm: spec, bonn: { ...spec, name: "bonn" } },
    });
    const code = [null, { code: expect.any(String) }];
    expect(record.changes).toMatchObject([
      { before: { code }, after: { code }, hidden: ["code"] },
      { before: { name: "bonn", code }, hidden: ["code"] },
    ]);
    expect(record.changes?.[0]?.before).not.toEqual(record.changes?.[0]?.after);
    expect(JSON.stringify(record)).not.toMatch(/s3cret|new-code/u);
  });

  it("has the addresses of the objects that its values before refer to", () => {
    const { changes } = begun([inUlm("delete"), inUlm("update", { released: ["town"] })], {
      applied: { ulm: { name: "ulm" } },
    });
    expect(changes).toMatchObject([{ references: { "Town/ulm": "Town/ulm" } }, {}]);
    expect(changes?.[1]).not.toHaveProperty("references");
  });

  it("has the reference that ends with the object that the run deletes", () => {
    const released = inUlm("none", { desired: { name: "tall" }, released: ["town"] });
    const { changes } = begun([released, changed("delete", "ulm")], {
      live: [{ name: "ulm" }],
      applied: { ulm: { name: "ulm" } },
    });
    expect(changes?.[0]).toMatchObject({ before: { town: "ulm" }, after: { town: null } });
    expect(begun([released]).changes?.[0]).not.toHaveProperty("before");
  });

  it("leaves out the values that exceed its limit", () => {
    const motto = "x".repeat(limits.runValuesCharacters);
    const { changes } = begun(
      [changed("create", "a"), changed("delete", "b"), changed("create", "c")],
      {
        live: [{ name: "b", motto }],
      },
    );
    expect(changes?.map(({ unrecorded }) => unrecorded)).toEqual([undefined, true, undefined]);
    expect(changes?.[1]).not.toHaveProperty("before");
    expect(changes?.[2]).toHaveProperty("after");
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
    { time, idOf: (address) => (address === "Town/a" ? "7" : undefined) },
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
