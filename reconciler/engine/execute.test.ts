// Tests which changes a failure skips, and which entries remain after each result of a create or a replace.
import { describe, expect, it } from "vitest";
import { kindsByName } from "../../core/kind/kind.ts";
import { type ErrorCode, Failure } from "../../core/errors.ts";
import type { Lifecycle } from "../../lifecycle/lifecycle.ts";
import type { Result } from "../../lifecycle/results.ts";
import {
  appliedEntry,
  house,
  inventoryWith,
  type PlanInput,
  planFor,
  town,
  townKinds,
  desiredObject,
  liveFrom,
  fingerprints,
} from "../../test/support/plan-fixtures.ts";
import { executeChanges, tasksOf } from "./execute.ts";
import type { InventoryLock, JournalRecord } from "../inventory/store.ts";
import { openInventoryUpdater } from "./inventory-updater.ts";

const generatedSecret = { name: "code", doc: "What opens the door." };

/** The result of a call, by verb and the object's name (default: success). */
type CallResults = Readonly<
  Record<
    string,
    ErrorCode | { readonly created: ErrorCode } | { readonly begun: ErrorCode } | "uncertain-owner"
  >
>;

/**
 * Executes a plan whose calls have the results `ends`, with a journal that refuses the records of a phase. Returns the outcomes,
 * the calls, the journal and the entries.
 */
async function executePlan(
  planned: PlanInput,
  ends: CallResults = {},
  refused?: JournalRecord["phase"],
  secrets?: { readonly isKept?: boolean },
) {
  const calls: string[] = [];
  const records: JournalRecord[] = [];
  const inventory = inventoryWith(planned.entries ?? []);
  const kinds = kindsByName(
    secrets === undefined
      ? townKinds
      : townKinds.map((kind) => (kind === town ? { ...kind, generatedSecret } : kind)),
  );
  const stop = new AbortController();
  const verb = (name: string): Lifecycle["create"] => {
    return async (_, subjects, { onResult } = {}) =>
      subjects.map(({ spec }, index) => {
        const call = `${name} ${spec["name"] as string}`;
        calls.push(call);
        if (ends[call] === "aborted") stop.abort();
        const result = resultOf(ends[call]);
        onResult?.(index, result);
        return result;
      });
  };
  const lock: InventoryLock = {
    info: { id: "1", purpose: "test", holder: "test", acquiredAt: "", expiresAt: "" },
    inventory: inventoryWith([]),
    lost: new AbortController().signal,
    journal: async (more) => {
      if (more.some(({ phase }) => phase === refused)) throw new Failure("timeout", "no answer");
      records.push(...more);
    },
    claim: async () => ({ owners: new Map() }),
    write: async (one) => one,
    release: async () => undefined,
  };
  const { changes } = planFor(planned);
  const updater = await openInventoryUpdater({
    lock,
    inventory,
    changes: [],
    live: new Map(),
    run: { verb: "apply", author: { by: "ann" } },
    kinds,
    fingerprints,
    origin: "http://test",
    now: () => new Date(0),
  });
  records.splice(0);
  const outcomes = await executeChanges(changes, {
    lifecycle: {
      stopped: () => undefined,
      writeCalls: () => 0,
      create: verb("create"),
      update: verb("update"),
      delete: verb("delete"),
      failingCreates: async (_, subjects) =>
        new Map(
          subjects.flatMap(({ spec }, index) =>
            ends[`look up ${spec["name"] as string}`] === undefined
              ? []
              : [[index, new Failure("missing_reference", "it failed")] as const],
          ),
        ),
    },
    updater,
    sinks: { put: () => "fingerprint", remove: () => secrets?.isKept !== true },
    kinds,
    live: liveFrom(planned.liveObjects ?? []),
    signal: stop.signal,
  });
  const { entries } = await updater.close([]);
  const owned = Object.entries(entries).map(
    ([address, { key, pending }]) => `${address}=${key}${pending ? " pending" : ""}`,
  );
  return {
    calls,
    records,
    owned,
    results: outcomes.map((one) => `${one.result} ${one.address}`),
    remedies: outcomes.map(({ failure }) => failure?.remedy),
    failures: outcomes.map(({ failure }) => failure),
    partial: outcomes.flatMap((one) => (one.partial === true ? [one.address] : [])),
  };
}

function resultOf(end: CallResults[string] | undefined): Result {
  if (end === undefined) return { ok: true };
  const failed = (code: ErrorCode) =>
    ({ ok: false, failure: new Failure(code, "it failed") }) as const;
  if (end === "uncertain-owner") {
    const failure = new Failure("conflict", "it exists now", { remedy: "Adopt it." });
    const isOwnerUncertain = true;
    return {
      ok: false,
      failure,
      isOwnerUncertain,
      created: false,
      partial: false,
      written: new Set(),
    };
  }
  if (typeof end === "string")
    return { ...failed(end), created: false, partial: false, written: new Set() };
  return "created" in end
    ? { ...failed(end.created), created: true, partial: true, written: new Set() }
    : { ...failed(end.begun), created: false, partial: true, written: new Set() };
}

const houseIn = (name: string, at: string) =>
  desiredObject(house, name, { spec: { town: at, name }, needs: [`Town/${at}`] });
const townNamed = (name: string) => desiredObject(town, name, { spec: { name } });

describe("a failure", () => {
  it("skips what needs it and not its neighbours", async () => {
    const desiredObjects = [
      townNamed("a"),
      townNamed("b"),
      houseIn("in-a", "a"),
      houseIn("in-b", "b"),
    ];
    const { results, owned, calls } = await executePlan(
      { desiredObjects },
      { "create a": "invalid" },
    );
    expect(results).toEqual([
      "failed Town/a",
      "done Town/b",
      "skipped House/in-a",
      "done House/in-b",
    ]);
    expect(owned).toEqual(["Town/b=b", "House/in-b=b/in-b"]);
    expect(calls).not.toContain("create in-a");
  });

  it("to delete skips the objects that it would have cascaded to, which the stack still owns", async () => {
    const spec = { town: "b", name: "h" };
    const planned = {
      desiredObjects: [townNamed("a")],
      liveObjects: [
        { kind: town, id: "1", spec: { name: "a" } },
        { kind: town, id: "2", spec: { name: "b" } },
        { kind: house, id: "3", spec },
      ],
      entries: [
        appliedEntry(town, "a", { spec: { name: "a" }, id: "1" }),
        appliedEntry(town, "b", { spec: { name: "b" }, id: "2" }),
        appliedEntry(house, "h", { spec, id: "3" }),
      ],
    };
    const failed = await executePlan(planned, { "delete b": "forbidden" });
    expect(failed.results).toEqual(["skipped House/h", "failed Town/b"]);
    expect(failed.owned).toHaveLength(3);
    const done = await executePlan(planned);
    expect(done.calls).toEqual(["delete b"]);
    expect(done.owned).toEqual(["Town/a=a"]);
  });
});

describe("a create", () => {
  const desiredObjects = [townNamed("a")];

  it("is journaled as pending before it is sent", async () => {
    const { records } = await executePlan({ desiredObjects });
    expect(records.map(({ phase }) => phase)).toEqual(["pending", "done"]);
  });

  it.each([
    ["invalid", []],
    ["conflict", []],
    ["aborted", []],
    ["timeout", ["Town/a=a pending"]],
    ["unknown_outcome", ["Town/a=a pending"]],
    ["unexpected_answer", ["Town/a=a pending"]],
  ] as const)("that ends with %s leaves the entry that it may need", async (code, left) => {
    expect((await executePlan({ desiredObjects }, { "create a": code })).owned).toEqual(left);
  });

  it("leaves no entry if its owner is uncertain, also not that of an earlier attempt", async () => {
    const earlier = appliedEntry(town, "a", { spec: { name: "a" }, pending: true });
    for (const entries of [[], [earlier]]) {
      const planned = { desiredObjects, entries };
      const { owned, results } = await executePlan(planned, { "create a": "uncertain-owner" });
      expect([owned, results]).toEqual([[], ["failed Town/a"]]);
    }
  });

  it("that created the object leaves a pending entry if the following update is refused", async () => {
    const { owned, results } = await executePlan(
      { desiredObjects },
      { "create a": { created: "invalid" } },
    );
    expect(owned).toEqual(["Town/a=a pending"]);
    expect(results).toEqual(["failed Town/a"]);
  });

  it("that created the object and was then stopped is not reported as skipped", async () => {
    const { owned, results, partial } = await executePlan(
      { desiredObjects },
      { "create a": { created: "aborted" } },
    );
    expect([owned, results, partial]).toEqual([
      ["Town/a=a pending"],
      ["failed Town/a"],
      ["Town/a"],
    ]);
  });
});

describe("an update of several calls", () => {
  const planned = {
    desiredObjects: [desiredObject(town, "a", { spec: { name: "a", motto: "new" } })],
    liveObjects: [{ kind: town, id: "1", spec: { name: "a", motto: "old" } }],
    entries: [appliedEntry(town, "a", { spec: { name: "a", motto: "old" }, id: "1" })],
  };

  it.each(["invalid", "aborted"] as const)(
    "is partly written if one succeeded and the next ends with %s",
    async (code) => {
      const { results, partial } = await executePlan(planned, { "update a": { begun: code } });
      expect([results, partial]).toEqual([["failed Town/a"], ["Town/a"]]);
    },
  );

  it("is not partly written if no call succeeded", async () => {
    expect((await executePlan(planned, { "update a": "invalid" })).partial).toEqual([]);
  });
});

describe("a replace", () => {
  const spec = { name: "a", land: "here" };
  const planned = {
    desiredObjects: [desiredObject(town, "a", { spec: { ...spec, land: "there" } })],
    liveObjects: [{ kind: town, id: "1", spec }],
    entries: [appliedEntry(town, "a", { spec, id: "1" })],
  };

  it("whose delete was done has failed if its create cannot be recorded", async () => {
    const { calls, owned, results } = await executePlan(planned, {}, "pending");
    expect(calls).toEqual(["delete a"]);
    expect(owned).toEqual([]);
    expect(results).toEqual(["failed Town/a"]);
  });

  it("keeps the entry of the old object until it is deleted", async () => {
    const { records, owned, calls } = await executePlan(planned, { "delete a": "forbidden" });
    expect(calls).toEqual(["delete a"]);
    expect(records).toEqual([]);
    expect(owned).toEqual(["Town/a=a"]);
  });

  it("that deleted and could not create leaves no entry, and has failed", async () => {
    const { owned, results } = await executePlan(planned, { "create a": "invalid" });
    expect(owned).toEqual([]);
    expect(results).toEqual(["failed Town/a"]);
    const stopped = await executePlan(planned, { "create a": "aborted" });
    expect(stopped.results).toEqual(["failed Town/a"]);
  });

  it("does not delete an object that cannot be created again, and replaces the others", async () => {
    const names = ["a", "b"];
    const both = {
      desiredObjects: names.map((name) =>
        desiredObject(town, name, { spec: { name, land: "there" } }),
      ),
      liveObjects: names.map((name) => ({ kind: town, id: name, spec: { name, land: "here" } })),
      entries: names.map((name) =>
        appliedEntry(town, name, { spec: { name, land: "here" }, id: name }),
      ),
    };
    const { calls, owned, results } = await executePlan(both, { "look up a": "missing_reference" });
    expect(results).toEqual(["failed Town/a", "done Town/b"]);
    expect(calls).toEqual(["delete b", "create b"]);
    expect(owned).toEqual(["Town/a=a", "Town/b=b"]);
  });

  it.each([
    ["invalid", undefined, "The next apply creates it."],
    ["timeout", undefined, "The next apply completes it."],
    ["timeout", {}, "The next apply replaces it, because its secret was not stored."],
    ["conflict", undefined, undefined],
    [
      "invalid",
      { isKept: true },
      "The next apply creates it. door.key may still hold the secret of the deleted object.",
    ],
    ["conflict", { isKept: true }, "door.key may still hold the secret of the deleted object."],
  ] as const)(
    "that ends with %s (secret: %j) says what comes next",
    async (code, secrets, next) => {
      const secretTo = { file: "door.key", fingerprint: "fingerprint" };
      const entries = planned.entries.map(
        ([address, entry]) => [address, { ...entry, secretTo }] as const,
      );
      const replaced = secrets === undefined ? planned : { ...planned, entries };
      const { remedies } = await executePlan(replaced, { "create a": code }, undefined, secrets);
      expect(remedies).toEqual([next]);
    },
  );

  it("whose new object may belong to another client leaves no entry, and says so", async () => {
    const ended = await executePlan(planned, { "create a": "uncertain-owner" });
    expect([ended.owned, ended.partial]).toEqual([[], ["Town/a"]]);
    expect(ended.failures).toEqual([
      {
        code: "conflict",
        message:
          "the former object was deleted, and the new one has no certain owner: it exists now",
        remedy: "Adopt it.",
      },
    ]);
  });

  it("that may have created leaves a pending entry", async () => {
    const { owned } = await executePlan(planned, { "create a": "timeout" });
    expect(owned).toEqual(["Town/a=a pending"]);
  });
});

describe("a document that was renamed", () => {
  const planned = (called: string) => ({
    desiredObjects: [desiredObject(town, "new", { spec: { name: "ulm", motto: called } })],
    liveObjects: [{ kind: town, id: "1", spec: { name: "ulm", motto: "onward" } }],
    entries: [appliedEntry(town, "old", { spec: { name: "ulm", motto: "onward" }, id: "1" })],
  });

  it("moves the entry without a call", async () => {
    const { calls, owned } = await executePlan(planned("onward"));
    expect(calls).toEqual([]);
    expect(owned).toEqual(["Town/new=ulm"]);
  });

  it("keeps the old entry if its change fails, so that the stack still owns the object", async () => {
    const { owned, results } = await executePlan(planned("upward"), { "update ulm": "forbidden" });
    expect(owned).toEqual(["Town/old=ulm"]);
    expect(results).toEqual(["failed Town/new", "skipped Town/old"]);
  });
});

describe("a run that is stopped", () => {
  it("skips what it has not begun", async () => {
    const desiredObjects = [townNamed("a"), houseIn("h", "a")];
    const { results, calls } = await executePlan({ desiredObjects }, { "create a": "aborted" });
    expect(results).toEqual(["skipped Town/a", "skipped House/h"]);
    expect(calls).toEqual(["create a"]);
  });
});

describe("the tasks of a plan", () => {
  it("delete the observed objects, so that an estimate batches them as the execution does", () => {
    const spec = { town: "b", name: "h" };
    const planned = {
      desiredObjects: [townNamed("b")],
      liveObjects: [
        { kind: town, id: "2", spec: { name: "b" } },
        { kind: house, id: "3", spec },
      ],
      entries: [
        appliedEntry(town, "b", { spec: { name: "b" }, id: "2" }),
        appliedEntry(house, "h", { spec, id: "3" }),
      ],
    };
    const tasks = tasksOf(planFor(planned).changes, townKinds, liveFrom(planned.liveObjects));
    expect(tasks.map(({ verb, writes }) => [verb, writes.map((write) => write.spec)])).toEqual([
      ["delete", [spec]],
    ]);
  });
});
