// Carrying out by example: what a failure holds up, what stays on record after each end of a create or a replace.
import { describe, expect, it } from "vitest";
import { type ErrorCode, Failure } from "../../core/errors.ts";
import type { Lifecycle } from "../../lifecycle/lifecycle.ts";
import type { Result } from "../../lifecycle/tally.ts";
import {
  entryOf,
  house,
  inventoryOf,
  type Planned,
  planFor,
  town,
  townKinds,
  wishFor,
  worldOf,
  fingerprints,
} from "../support/planning.ts";
import { carryOut } from "../../reconciler/applying/carry-out.ts";
import type { HeldLock, JournalRecord } from "../../reconciler/inventory/store.ts";
import { openLedger } from "../../reconciler/applying/ledger.ts";

/** How a call ends, by verb and the object's name; well, where nothing is said. */
type Ends = Readonly<Record<string, ErrorCode | { readonly made: ErrorCode }>>;

/** Carries a plan out with calls that end as `ends` says; tells results, calls and what is on record then. */
async function carried(planned: Planned, ends: Ends = {}) {
  const calls: string[] = [];
  const records: JournalRecord[] = [];
  const inventory = inventoryOf(planned.entries ?? []);
  const kinds = new Map(townKinds.map((kind) => [kind.name, kind]));
  const stop = new AbortController();
  const verb = (name: string): Lifecycle["create"] => {
    return async (_, subjects, { onResult } = {}) =>
      subjects.map(({ spec }, index) => {
        const call = `${name} ${spec["name"] as string}`;
        calls.push(call);
        if (ends[call] === "aborted") stop.abort();
        const result = endOf(ends[call]);
        onResult?.(index, result);
        return result;
      });
  };
  const lock: HeldLock = {
    info: { id: "1", purpose: "test", holder: "test", acquiredAt: "", expiresAt: "" },
    lost: new AbortController().signal,
    journal: async (more) => void records.push(...more),
    write: async (one) => one,
    release: async () => undefined,
  };
  const ledger = openLedger({
    lock,
    inventory,
    kinds,
    fingerprints,
    origin: "http://test",
    now: () => new Date(0),
  });
  const outcomes = await carryOut(planFor(planned).changes, {
    lifecycle: {
      stopped: () => undefined,
      create: verb("create"),
      update: verb("update"),
      delete: verb("delete"),
    },
    ledger,
    sinks: { put: () => "mark", remove: () => undefined },
    kinds,
    live: worldOf(planned.world ?? []),
    signal: stop.signal,
    tell: () => undefined,
  });
  const { entries } = await ledger.close();
  const owned = Object.entries(entries).map(
    ([address, { key, pending }]) => `${address}=${key}${pending ? " pending" : ""}`,
  );
  return { calls, records, owned, results: outcomes.map((one) => `${one.result} ${one.address}`) };
}

function endOf(end: Ends[string] | undefined): Result {
  if (end === undefined) return { ok: true };
  const [code, made] = typeof end === "string" ? [end, false] : [end.made, true];
  return { ok: false, failure: new Failure(code, "it failed"), made };
}

const inTown = (name: string, at: string) =>
  wishFor(house, name, { spec: { town: at, name }, needs: [`Town/${at}`] });
const wish = (name: string) => wishFor(town, name, { spec: { name } });

describe("a failure", () => {
  it("skips what needs it and not its neighbours", async () => {
    const wishes = [wish("a"), wish("b"), inTown("in-a", "a"), inTown("in-b", "b")];
    const { results, owned, calls } = await carried({ wishes }, { "create a": "invalid" });
    expect(results).toEqual([
      "failed Town/a",
      "done Town/b",
      "skipped House/in-a",
      "done House/in-b",
    ]);
    expect(owned).toEqual(["Town/b=b", "House/in-b=b/in-b"]);
    expect(calls).not.toContain("create in-a");
  });

  it("to delete skips what would have gone with it, which stays ours", async () => {
    const spec = { town: "b", name: "h" };
    const planned = {
      wishes: [wish("a")],
      world: [
        { kind: town, id: "1", spec: { name: "a" } },
        { kind: town, id: "2", spec: { name: "b" } },
        { kind: house, id: "3", spec },
      ],
      entries: [
        entryOf(town, "a", { spec: { name: "a" }, id: "1" }),
        entryOf(town, "b", { spec: { name: "b" }, id: "2" }),
        entryOf(house, "h", { spec, id: "3" }),
      ],
    };
    const failed = await carried(planned, { "delete b": "forbidden" });
    expect(failed.results).toEqual(["skipped House/h", "failed Town/b"]);
    expect(failed.owned).toHaveLength(3);
    const done = await carried(planned);
    expect(done.calls).toEqual(["delete b"]);
    expect(done.owned).toEqual(["Town/a=a"]);
  });
});

describe("a create", () => {
  const wishes = [wish("a")];

  it("is on record as begun before it is sent", async () => {
    const { records } = await carried({ wishes });
    expect(records.map(({ phase }) => phase)).toEqual(["pending", "done"]);
  });

  it.each([
    ["invalid", []],
    ["conflict", []],
    ["aborted", []],
    ["timeout", ["Town/a=a pending"]],
    ["unknown_outcome", ["Town/a=a pending"]],
    ["unexpected_answer", ["Town/a=a pending"]],
  ] as const)("that ends with %s leaves what is known of it", async (code, left) => {
    expect((await carried({ wishes }, { "create a": code })).owned).toEqual(left);
  });

  it("that made the object is on record although what follows it was refused", async () => {
    const { owned, results } = await carried({ wishes }, { "create a": { made: "invalid" } });
    expect(owned).toEqual(["Town/a=a pending"]);
    expect(results).toEqual(["failed Town/a"]);
  });
});

describe("a replace", () => {
  const spec = { name: "a", land: "here" };
  const planned = {
    wishes: [wishFor(town, "a", { spec: { ...spec, land: "there" } })],
    world: [{ kind: town, id: "1", spec }],
    entries: [entryOf(town, "a", { spec, id: "1" })],
  };

  it("keeps the old object on record until it is deleted", async () => {
    const { records, owned, calls } = await carried(planned, { "delete a": "forbidden" });
    expect(calls).toEqual(["delete a"]);
    expect(records).toEqual([]);
    expect(owned).toEqual(["Town/a=a"]);
  });

  it("that deleted and could not create has nothing left on record, and has failed", async () => {
    const { owned, results } = await carried(planned, { "create a": "invalid" });
    expect(owned).toEqual([]);
    expect(results).toEqual(["failed Town/a"]);
    const stopped = await carried(planned, { "create a": "aborted" });
    expect(stopped.results).toEqual(["failed Town/a"]);
  });

  it("that may have created is on record as begun", async () => {
    const { owned } = await carried(planned, { "create a": "timeout" });
    expect(owned).toEqual(["Town/a=a pending"]);
  });
});

describe("a document that was renamed", () => {
  const planned = (called: string) => ({
    wishes: [wishFor(town, "new", { spec: { name: "ulm", motto: called } })],
    world: [{ kind: town, id: "1", spec: { name: "ulm", motto: "onward" } }],
    entries: [entryOf(town, "old", { spec: { name: "ulm", motto: "onward" }, id: "1" })],
  });

  it("moves the record without a call", async () => {
    const { calls, owned } = await carried(planned("onward"));
    expect(calls).toEqual([]);
    expect(owned).toEqual(["Town/new=ulm"]);
  });

  it("keeps the old record where its change fails, so that the object stays ours", async () => {
    const { owned, results } = await carried(planned("upward"), { "update ulm": "forbidden" });
    expect(owned).toEqual(["Town/old=ulm"]);
    expect(results).toEqual(["failed Town/new", "skipped Town/old"]);
  });
});

describe("a run that is stopped", () => {
  it("skips what it has not begun", async () => {
    const wishes = [wish("a"), inTown("h", "a")];
    const { results, calls } = await carried({ wishes }, { "create a": "aborted" });
    expect(results).toEqual(["skipped Town/a", "skipped House/h"]);
    expect(calls).toEqual(["create a"]);
  });
});
