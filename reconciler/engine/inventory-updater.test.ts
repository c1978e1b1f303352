// Tests the records of a run before and after its calls, and how it continues when a record or a claim fails.
import { beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../../core/errors.ts";
import { kindsByName } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import {
  appliedEntry,
  fingerprints,
  house,
  inventoryWith,
  liveFrom,
  town,
  townKinds,
} from "../../test/support/plan-fixtures.ts";
import { sampleChange, sampleField } from "../../test/support/sample-plans.ts";
import type { Claim, InventoryLock, JournalRecord } from "../inventory/store.ts";
import type { Change, Entry, Inventory } from "../model/index.ts";
import { type InventoryUpdaterOptions, openInventoryUpdater } from "./inventory-updater.ts";

const startedAt = "2026-01-31T09:30:00.000Z";
/** Each append to the journal, as phases and addresses. */
let appends: (readonly string[])[];
let claims: Claim[];
let writes: Inventory[];
/** The appends that fail, by their number from 1. */
let failing: ReadonlySet<number>;
/** The current owners of claimed objects, by address. */
let owners: ReadonlyMap<string, string>;

beforeEach(() => {
  [appends, claims, writes, failing, owners] = [[], [], [], new Set(), new Map()];
});

const lock: InventoryLock = {
  info: { id: "1", purpose: "test", holder: "test", acquiredAt: "", expiresAt: "" },
  inventory: inventoryWith([]),
  lost: new AbortController().signal,
  journal: async (records) => {
    appends.push(records.map(textOf));
    await Promise.resolve();
    if (failing.has(appends.length)) throw new Failure("timeout", "the journal does not answer");
  },
  claim: async (inventory, claim) => {
    claims.push(claim);
    return owners.size > 0 ? { owners } : { written: await lock.write(inventory) };
  },
  write: async (inventory) => {
    writes.push(inventory);
    return { ...inventory, serial: inventory.serial + 1 };
  },
  release: async () => undefined,
};

function textOf(record: JournalRecord): string {
  if (record.phase === "run") return `run ${record.run.id}`;
  if (record.phase === "run-change") return `run-change ${record.change.address}`;
  return `${record.phase} ${record.address}${record.entry === undefined ? " removed" : ""}`;
}

/** Begins a run. */
function begin(
  entries: Parameters<typeof inventoryWith>[0] = [],
  more: Partial<InventoryUpdaterOptions> = {},
) {
  return openInventoryUpdater({
    lock,
    inventory: inventoryWith(entries),
    changes: [],
    live: new Map(),
    run: { verb: "apply", author: { by: "ann" } },
    kinds: kindsByName(townKinds),
    origin: "http://test",
    fingerprints,
    now: () => new Date(startedAt),
    ...more,
  });
}

/** Returns the updater of a run whose begin is recorded. */
async function updaterOf(...run: Parameters<typeof begin>) {
  const fails = failing;
  failing = new Set();
  const updater = await begin(...run);
  [appends, failing] = [[], fails];
  return updater;
}

const ulm = (more: Partial<Entry> = {}) => {
  const [at, entry] = appliedEntry(town, "ulm", { spec: { name: "ulm", motto: "a" }, id: "1" });
  return [at, { ...entry, ...more }] as const;
};
const changeOf = (name: string, more: Partial<Change> = {}) =>
  sampleChange("update", `Town/${name}`, { desired: { name }, ...more });

describe("a create", () => {
  const secretTo = { file: "ulm.key" };
  const create = changeOf("ulm", { action: "create", secretTo });

  it("is pending in the journal before the call, and done with its ID after it", async () => {
    const updater = await updaterOf();
    await updater.beginCreates([create]);
    expect(appends).toEqual([["pending Town/ulm"]]);
    expect(updater.entry("Town/ulm")).toMatchObject({ pending: true, id: undefined, secretTo });
    updater.done(create, "7");
    await updater.flush();
    expect(updater.entry("Town/ulm")).toMatchObject({ pending: false, id: "7" });
    expect(appends[1]).toEqual(["done Town/ulm"]);
  });

  it("keeps the fingerprint of the secret that this run stored", async () => {
    const updater = await updaterOf();
    await updater.beginCreates([create]);
    updater.secretStored("Town/ulm", "v1:stored");
    updater.done(create, "7");
    const stored = { file: "ulm.key", fingerprint: "v1:stored" };
    expect(updater.entry("Town/ulm")?.secretTo).toEqual(stored);
    updater.secretStored("Town/bonn", "v1:other");
    expect(updater.entry("Town/bonn")).toBeUndefined();
  });

  it("records a stored secret at once: without its record, the next run would replace the object", async () => {
    const updater = await updaterOf();
    await updater.beginCreates([create]);
    updater.secretStored("Town/ulm", "v1:stored");
    await Promise.resolve();
    expect(appends).toEqual([["pending Town/ulm"], ["done Town/ulm"]]);
  });

  it("takes the file of the plan over that of the entry, and none of a document without one", async () => {
    const known = { file: "old.key", fingerprint: "v1:old" };
    const moved = { file: "new.key", fingerprint: "v1:old" };
    const updater = await updaterOf([ulm({ secretTo: known })]);
    updater.done(changeOf("ulm", { secretTo: moved }), "1");
    expect(updater.entry("Town/ulm")?.secretTo).toEqual(moved);
    updater.done(changeOf("ulm"), "1");
    expect(updater.entry("Town/ulm")?.secretTo).toBeUndefined();
  });

  it("that was not sent leaves what was recorded before", async () => {
    const [at, before] = ulm();
    const updater = await updaterOf([[at, before]]);
    await updater.beginCreates([create, changeOf("bonn", { action: "create" })]);
    updater.restore(at);
    updater.restore("Town/bonn");
    expect([updater.entry(at), updater.entry("Town/bonn")]).toEqual([before, undefined]);
    const { entries } = await updater.close([]);
    expect(entries).toEqual({ [at]: before });
  });

  it("must not be sent if its record failed: nothing is pending, and no record follows", async () => {
    failing = new Set([1]);
    const updater = await updaterOf([ulm()]);
    await expect(updater.beginCreates([create])).rejects.toThrow("does not answer");
    expect(updater.entry("Town/ulm")?.pending).toBe(false);
    expect(updater.unrecorded.reason).toMatchObject({ code: "timeout" });
    updater.done(changeOf("bonn"), "2");
    await expect(updater.flush()).rejects.toThrow("does not answer");
    expect(appends).toHaveLength(1);
    const { entries } = await updater.close([]);
    expect(Object.keys(entries)).toEqual(["Town/ulm", "Town/bonn"]);
  });

  it("of a change without a desired object records nothing", async () => {
    await (await updaterOf()).beginCreates([sampleChange("delete", "Town/ulm")]);
    await (await updaterOf()).beginCreates([]);
    expect(appends).toEqual([]);
  });
});

describe("an update", () => {
  it("that failed partly records the written fields only", async () => {
    const updater = await updaterOf([ulm()]);
    const change = changeOf("ulm", { id: "1", desired: { name: "ulm", motto: "b", land: "c" } });
    updater.partlyDone(change, new Set(["motto"]));
    expect(updater.entry("Town/ulm")?.lastApplied).toEqual({ name: "ulm", motto: "b" });
    updater.partlyDone(changeOf("bonn"), new Set(["name"]));
    expect(updater.entry("Town/bonn")).toBeUndefined();
  });

  it("leaves the record of fields whose live values the run keeps", async () => {
    const keptFields = new Map([["Town/ulm", new Set(["motto"])]]);
    const updater = await updaterOf([ulm()], { keptFields });
    updater.done(changeOf("ulm", { desired: { name: "ulm", motto: "b", land: "c" } }), "1");
    expect(updater.entry("Town/ulm")?.lastApplied).toEqual({ name: "ulm", motto: "a", land: "c" });
  });

  it("of a name records the new key of all that is inside", async () => {
    const inside = appliedEntry(house, "one", { spec: { town: "ulm", name: "one" }, id: "2" });
    const other = appliedEntry(house, "two", { spec: { town: "bonn", name: "two" }, id: "3" });
    const updater = await updaterOf([ulm(), inside, other]);
    updater.done(changeOf("ulm", { desired: { name: "ulm-new" } }), "1");
    await updater.flush();
    expect(appends).toEqual([["done Town/ulm", "done House/one"]]);
    expect([updater.entry("House/one")?.key, updater.entry("House/two")?.key]).toEqual([
      "ulm-new/one",
      "bonn/two",
    ]);
  });

  it("drops values that an earlier change empties, before that is made", async () => {
    const updater = await updaterOf([ulm()]);
    const emptied = { path: "/motto", reason: "reference-replaced" } as const;
    await updater.invalidate([
      changeOf("ulm", { fields: [sampleField(emptied), sampleField({ path: "/name" })] }),
      changeOf("new", { fields: [sampleField(emptied)] }),
    ]);
    expect(updater.entry("Town/ulm")?.lastApplied).toEqual({ name: "ulm" });
    expect(appends).toEqual([["done Town/ulm"]]);
  });
});

describe("an adoption", () => {
  const live = liveFrom([
    { kind: town, id: "1", spec: { name: "ulm", motto: "live" } },
    { kind: town, id: "2", spec: { name: "bonn" } },
  ]);
  const adopt = (name: string) =>
    changeOf(name, { action: "adopt", desired: { name, motto: "declared" } });

  const adopting = (names: readonly string[], entries: Parameters<typeof updaterOf>[0] = []) =>
    begin(entries, { changes: names.map(adopt), live });

  it("records objects with the live values of declared fields", async () => {
    const updater = await adopting(["ulm", "bonn"]);
    expect(updater.entry("Town/ulm")?.lastApplied).toEqual({ name: "ulm", motto: "live" });
    expect(updater.entry("Town/bonn")).toMatchObject({ id: "2", lastApplied: { name: "bonn" } });
    expect(claims.map(({ entries }) => Object.keys(entries))).toEqual([["Town/ulm", "Town/bonn"]]);
  });

  it("is written in one step with its run, so that no claim outlives a run that did not begin", async () => {
    await adopting(["ulm"]);
    expect([
      appends,
      writes.map(({ entries, runs }) => [Object.keys(entries), runs?.length]),
    ]).toEqual([[], [[["Town/ulm"], 1]]]);
  });

  it("claims nothing if there is nothing to adopt, or the object is gone", async () => {
    await adopting([]);
    await adopting(["gone"]);
    expect(claims).toEqual([]);
  });

  it("records nothing if another stack was faster for one of the objects", async () => {
    owners = new Map([["Town/bonn", "other"]]);
    await expect(adopting(["ulm", "bonn"])).rejects.toMatchObject({
      code: "stale",
      message: "other stacks own objects that the plan adopts: Town/bonn (stack other)",
    });
    expect([appends, writes]).toEqual([[], []]);
  });

  it("is written in one step with the entries that move, or refused with them", async () => {
    const changes = [
      changeOf("new", { id: "1", formerAddress: "Town/ulm", desired: { name: "ulm" } }),
      adopt("bonn"),
    ];
    owners = new Map([["Town/bonn", "other"]]);
    const options = { changes, live };
    await expect(begin([ulm()], options)).rejects.toMatchObject({ code: "stale" });
    expect([appends, writes]).toEqual([[], []]);
    owners = new Map();
    const updater = await begin([ulm()], options);
    expect(appends).toEqual([]);
    expect(writes.map(({ entries, runs }) => [Object.keys(entries), runs?.length])).toEqual([
      [["Town/new", "Town/bonn"], 1],
    ]);
    const { serial, entries } = await updater.close([]);
    expect([serial, Object.keys(entries)]).toEqual([3, ["Town/new", "Town/bonn"]]);
  });

  it("names the first of many owners", async () => {
    owners = new Map(Array.from({ length: limits.placesNamed + 3 }, (_, n) => [`Town/t${n}`, "o"]));
    await expect(adopting(["ulm"])).rejects.toThrow(/\(stack o\) and 3 more$/u);
  });

  it("is dropped if nothing was written, but not once the change is done", async () => {
    const updater = await adopting(["ulm", "bonn"]);
    updater.done(adopt("bonn"), "2");
    for (const name of ["ulm", "bonn", "never"]) updater.unclaim(`Town/${name}`);
    expect(Object.keys((await updater.close([])).entries)).toEqual(["Town/bonn"]);
  });
});

describe("the journal", () => {
  it("gets results once many wait, and those that arrive during a write in one append, in their order", async () => {
    const updater = await updaterOf();
    const { journalDelayRecords: many } = limits;
    for (let n = 1; n < many; n++) updater.done(changeOf("a"), "1");
    await Promise.resolve();
    expect(appends).toEqual([]);
    updater.done(changeOf("a"), "1");
    await Promise.resolve();
    for (let n = 0; n < 1000; n++) updater.done(changeOf(`t${n}`), String(n));
    updater.remove("Town/a");
    await updater.flush();
    expect(appends.map(({ length }) => length)).toEqual([many, 1001]);
    expect(appends[1]?.at(-1)).toBe("done Town/a removed");
    expect(updater.entry("Town/a")).toBeUndefined();
  });

  it("gets a run as one record for each change, in bounded appends", async () => {
    const names = Array.from({ length: limits.journalBatchRecords + 1 }, (_, n) => `t${n}`);
    const changes = names.map((name) => changeOf(name, { action: "create" }));
    await begin([], { changes });
    const [first, ...rest] = appends.flat();
    expect(first).toMatch(/^run /u);
    expect(rest).toEqual(names.map((name) => `run-change Town/${name}`));
    expect(appends.every(({ length }) => length <= limits.journalBatchRecords)).toBe(true);
  });
});

describe("the written inventory", () => {
  it("has the origin of the run, its entries, and the ended run once", async () => {
    const inventory: Inventory = { ...inventoryWith([ulm()]), origin: undefined };
    const { origin, runs } = await (await updaterOf([], { inventory })).close([]);
    expect(origin).toBe("http://test");
    expect(runs).toMatchObject([{ by: "ann", startedAt, endedAt: startedAt }]);
  });

  it("keeps addresses that are names of JavaScript's objects", async () => {
    const updater = await updaterOf();
    const change = sampleChange("create", "__proto__", { kind: "Town", desired: { name: "ulm" } });
    updater.done(change, "1");
    const { entries } = await updater.close([]);
    expect(Object.keys(entries)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(entries)).toBe(Object.prototype);
  });
});
