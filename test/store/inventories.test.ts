// Tests what every inventory store guarantees: writes are complete or absent, leases lock by ID, and one of several writers
// wins.
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Client } from "pg";
import { limits } from "../../core/limits/limits.ts";
import { expectFailure } from "../support/expect-failure.ts";
import type { InventoryLock, InventoryStore } from "../../reconciler/inventory/store.ts";
import type { Entry } from "../../reconciler/model/index.ts";
import { spawnChild, svcProgram } from "../support/svc-program.ts";
import { sampleEntry } from "../support/inventory-samples.ts";
import {
  fileInventories,
  postgresInventories,
  serviceInventories,
  type TestInventories,
} from "../support/inventory-stores.ts";
import { onPostgres } from "../support/test-database.ts";

// The first file that needs the programs bundles them, which takes longer than a test may.
beforeAll(() => svcProgram());

const origin = "https://one.example";
const backends = onPostgres
  ? { "a database": postgresInventories, "the service": serviceInventories }
  : { "a folder": fileInventories, "the service": serviceInventories };

describe.each(Object.entries(backends))("inventories in %s", (where, make) => {
  let place: TestInventories;
  let store: InventoryStore;
  const opened: InventoryStore[] = [];
  const held: InventoryLock[] = [];

  const open = async (stack = "shop"): Promise<InventoryStore> => {
    const one = await place.open(stack);
    opened.push(one);
    return one;
  };
  const lockOf = async (of = store): Promise<InventoryLock> => {
    const lock = await of.lock("test", origin);
    held.push(lock);
    return lock;
  };
  const written = async (entries: Record<string, Entry>, of = store) => {
    const lock = await of.lock("write");
    const inventory = await lock.write({ ...(await of.read()), origin, entries });
    await lock.release();
    return inventory;
  };
  const pending = (name: string) =>
    ({ phase: "pending", address: `Thing/${name}`, entry: sampleEntry(name) }) as const;

  beforeAll(async () => {
    place = await make();
  });
  afterAll(() => place.dispose());
  beforeEach(async () => {
    await place.clear();
    store = await open();
  });
  afterEach(async () => {
    await Promise.all(held.splice(0).map((lock) => lock.release().catch(() => undefined)));
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });

  it("are empty at first, the same at every read, and return what was written", async () => {
    const first = await store.read();
    expect(first).toMatchObject({ stack: "shop", lineage: "", serial: 0, entries: {} });
    expect(await store.read()).toEqual(first);
    const entries = { "Thing/b": sampleEntry("b", "2"), "Thing/a": sampleEntry("a") };
    const one = await written(entries);
    expect(one).toMatchObject({ serial: 1, salt: first.salt });
    expect(await (await open()).read()).toEqual(one);
    const two = await written({ "Thing/a": sampleEntry("a") });
    expect(two).toMatchObject({ serial: 2, lineage: one.lineage, salt: one.salt });
  });

  it("apply their journal until they are written, also before the first write", async () => {
    const lock = await lockOf();
    await lock.journal([pending("a")]);
    const other = await open();
    const [mine, theirs] = [await store.read(), await other.read()];
    expect(theirs.entries["Thing/a"]?.pending).toBe(true);
    expect(theirs).toMatchObject({ salt: mine.salt, origin });
    await lock.journal([
      { phase: "done", address: "Thing/a", entry: sampleEntry("a", "2") },
      pending("b"),
    ]);
    await lock.journal([{ phase: "done", address: "Thing/b", entry: undefined }]);
    const played = await other.read();
    expect(played.entries).toEqual({ "Thing/a": sampleEntry("a", "2") });
    const next = await lock.write(played);
    await lock.journal([pending("c")]);
    expect(Object.keys((await other.read()).entries)).toEqual(["Thing/a", "Thing/c"]);
    await lock.write(next);
    expect(Object.keys((await other.read()).entries)).toEqual(["Thing/a"]);
  });

  it("take many records in one call and in many", async () => {
    const lock = await lockOf();
    const names = Array.from({ length: 1500 }, (_, index) => `t${index}`);
    await lock.journal(names.map(pending));
    await Promise.all(
      names
        .slice(0, 40)
        .map((name) =>
          lock.journal([{ phase: "done", address: `Thing/${name}`, entry: undefined }]),
        ),
    );
    expect(Object.keys((await (await open()).read()).entries)).toHaveLength(1460);
  });

  it.each([
    ["another kind of text", () => '{"version":4,"serial":1}', /not an inventory/],
    [
      "of a newer format",
      (text: string) => text.replace('"format":11', '"format":99'),
      /format 99/,
    ],
    ["another stack's", (text: string) => text.replace('"shop"', '"bakery"'), /"bakery"/],
    ["damaged", (text: string) => text.replace('"pending":false', '"pending":0'), /pending/],
  ])("that are %s are refused and kept", async (_damage, damage, message) => {
    const inventory = await written({ "Thing/a": sampleEntry("a") });
    await place.replaceText("shop", damage(JSON.stringify({ format: 11, ...inventory })));
    const acts = [() => store.read(), () => store.lock("apply"), () => store.read()];
    for (const act of acts)
      expect((await expectFailure(act(), "corrupt")).message).toMatch(message);
  });

  it.runIf(where === "a database")("end a write before its client gives up on it", async () => {
    await (await lockOf()).release();
    const patient: { statementMs: number } = limits;
    const { statementMs } = patient;
    const other = new Client({
      connectionString: place.address.in === "postgres" ? place.address.url : "",
    });
    await other.connect();
    try {
      patient.statementMs = 300;
      const lock = await lockOf(await open());
      await other.query("begin");
      await other.query("select 1 from svc_inventories where stack = 'shop' for update");
      const failure = await expectFailure(lock.journal([pending("a")]), "unavailable");
      expect(failure.message).toContain("statement timeout");
      await other.query("commit");
      expect((await store.read()).entries).toEqual({});
    } finally {
      patient.statementMs = statementMs;
      await other.end();
    }
  });

  it("are not written from an older reading", async () => {
    const before = await written({});
    await written({ "Thing/a": sampleEntry("a") });
    const lock = await lockOf();
    await expectFailure(lock.write(before), "stale");
  });

  it("have a lock that keeps others out, reports its holder, and is broken by its id only", async () => {
    const lock = await lockOf();
    const other = await open();
    const refused = await expectFailure(other.lock("apply"), "locked");
    const seen = await expectFailure(other.requireFree(), "locked");
    expect(seen.message).toBe(refused.message);
    expect(refused.message).toContain("(test)");
    expect(refused.remedy).toContain(`svc inventory unlock ${lock.info.id}`);
    const wrong = await expectFailure(other.unlock("another"), "refused");
    expect(wrong.message).toContain(lock.info.id);
    const alive = await expectFailure(other.unlock(lock.info.id), "locked");
    expect(alive.message).toBe(refused.message);
    expect(alive.remedy).toContain(`svc inventory unlock ${lock.info.id} --yes`);
    await other.unlock(lock.info.id, { force: true });
    await expectFailure(other.unlock(lock.info.id, { force: true }), "not_found");
    await other.requireFree();
    const next = await lockOf(other);
    await expectFailure(lock.journal([pending("a")]), "locked");
    expect(lock.lost.aborted).toBe(true);
    await expectFailure(lock.write(await store.read()), "locked");
    await lock.release();
    expect((await next.write(await other.read())).serial).toBe(1);
  });

  it("have a lease: the next holder continues from the journal, and who lost it writes nothing more", async () => {
    const lock = await lockOf();
    await lock.journal([pending("a")]);
    await place.expireLeases();
    const other = await open();
    const next = await lockOf(other);
    const inventory = await other.read();
    expect(inventory.entries["Thing/a"]?.pending).toBe(true);
    await expectFailure(lock.journal([pending("b")]), "locked");
    await next.journal([pending("c")]);
    expect(Object.keys((await other.read()).entries)).toEqual(["Thing/a", "Thing/c"]);
  });

  it("outlive a lease that is over while no other run has taken the lock", async () => {
    const lock = await lockOf();
    await place.expireLeases();
    await lock.journal([pending("a")]);
    expect((await lock.write(await store.read())).serial).toBe(1);
  });

  it("return the owner of an object that another stack owns or has begun to create", async () => {
    const bakery = await open("bakery");
    await written({ "Thing/a": sampleEntry("a") }, bakery);
    await written({ "Thing/mine": sampleEntry("mine") });
    const cafe = await lockOf(await open("cafe"));
    await cafe.journal([pending("begun")]);
    const fresh = await open();
    const owner = async (at: string, kind: string, key: string) =>
      (await fresh.ownersOf(at, [{ kind, key }]))({ kind, key });
    expect(await owner(origin, "Thing", "a")).toBe("bakery");
    // The inventories at a service belong to its objects, regardless of the address.
    const elsewhere = where === "the service" ? "bakery" : undefined;
    expect(await owner("https://two.example", "Thing", "a")).toBe(elsewhere);
    expect(await owner(origin, "Thing", "begun")).toBe("cafe");
    expect(await owner(origin, "Thing", "mine")).toBeUndefined();
    expect(await owner(origin, "Other", "a")).toBeUndefined();
    await place.replaceText("bakery", '{"format":99}');
    await expectFailure(owner(origin, "Thing", "a"), "corrupt");
  });

  it.each([20, 21, 500])("return the owners of %i objects beside large stacks", async (count) => {
    const entriesOf = (stack: string) => {
      const names = Array.from({ length: 500 }, (_, index) => `${stack}${index}`);
      return Object.fromEntries(names.map((name) => [`Thing/${name}`, sampleEntry(name)]));
    };
    const stacks = ["bakery", "cafe", "deli"];
    for (const stack of stacks) await written(entriesOf(stack), await open(stack));
    await written({ "Thing/mine": sampleEntry("mine") });
    const objects = Array.from({ length: count - 1 }, (_, index) => {
      return { kind: "Thing", key: `new${index}` };
    });
    const last = { kind: "Thing", key: sampleEntry("cafe499").key };
    const ownerOf = await (await open()).ownersOf(origin, [...objects, last]);
    expect(ownerOf(last)).toBe("cafe");
    expect(objects.filter((object) => ownerOf(object) !== undefined)).toEqual([]);
  });

  it("are never locked by two processes concurrently", async () => {
    const wins = 4;
    const outputs = await Promise.all([1, 2, 3].map(() => run("contend", wins)));
    const spans = outputs
      .flatMap((text) => text.trim().split("\n"))
      .map((line) => line.split(" ").map(BigInt))
      .toSorted(([one = 0n], [other = 0n]) => (one < other ? -1 : 1));
    expect(spans).toHaveLength(3 * wins);
    spans.slice(1).forEach(([from = 0n], index) => {
      expect(from > (spans[index]?.[1] ?? 0n)).toBe(true);
    });
    expect((await store.read()).serial).toBe(3 * wins);
  }, 60_000);

  it("are acquired from a process that was killed, with what it had begun", async () => {
    expect(await run("hold")).toBe("held\n");
    await place.expireLeases();
    const lock = await lockOf();
    const inventory = await store.read();
    expect(inventory.entries["Thing/a"]?.pending).toBe(true);
    expect((await lock.write(inventory)).serial).toBe(2);
  }, 60_000);

  /** Returns the output of a process. A process that acquires a lock is killed immediately. */
  async function run(mode: "contend" | "hold", wins = 0): Promise<string> {
    const args = [mode, JSON.stringify(place.address), `${wins}`];
    const child = await spawnChild("inventory-lock-child", args);
    let output = "";
    child.stdout.on("data", (data: Buffer) => {
      output += data.toString();
      if (mode === "hold" && output.endsWith("\n")) child.kill("SIGKILL");
    });
    await once(child, "close");
    return output;
  }
});
