// Tests what only inventory files have: their content, damaged files and journals, and the lock file. test/store/inventories.test.ts
// has what every store guarantees.
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { expectFailure } from "../../test/support/expect-failure.ts";
import { sampleEntry } from "../../test/support/inventory-samples.ts";
import { currentHolder } from "../operator/lock-process.ts";
import type { Inventory } from "../model/index.ts";
import { fileInventory } from "./file.ts";
import type { InventoryLock } from "./store.ts";

const origin = "https://one.example";
let folder: string;
let path: string;
const acquiredLocks: InventoryLock[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-inventory-"));
  path = join(folder, "shop.inventory.json");
});
afterEach(async () => {
  await Promise.all(acquiredLocks.splice(0).map((lock) => lock.release().catch(() => undefined)));
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

async function lockOf(store = fileInventory(path, "shop")): Promise<InventoryLock> {
  const lock = await store.lock("test");
  acquiredLocks.push(lock);
  return lock;
}

async function written(entries: Inventory["entries"], file = path): Promise<Inventory> {
  const store = fileInventory(file, "shop");
  const lock = await store.lock("write");
  const inventory = await lock.write({ ...(await store.read()), origin, entries });
  await lock.release();
  return inventory;
}

describe("an inventory file", () => {
  it("is created by the first write, and only its owner can read it", async () => {
    const inside = join(folder, "new/shop.inventory.json");
    await fileInventory(inside, "shop").read();
    expect(readdirSync(folder)).toEqual([]);
    await written({ "Thing/a": sampleEntry("a") }, inside);
    expect(statSync(inside).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "new")).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, "new"))).toEqual(["shop.inventory.json"]);
  });

  it("has an entry a line, in the order of the addresses", async () => {
    await written({ "Thing/b": sampleEntry("b"), "Thing/a": sampleEntry("a") });
    const lines = readFileSync(path, "utf8").split("\n");
    expect(lines.map((line) => line.slice(0, 9))).toEqual([
      '{"format"',
      '"Thing/a"',
      '"Thing/b"',
      "}}",
      "",
    ]);
  });

  it.each([
    ["damaged", (text: string) => text.slice(0, -20), /truncated/],
    ["empty", () => "", /truncated/],
  ])("that is %s is refused and kept", async (_, damage, message) => {
    await written({ "Thing/a": sampleEntry("a") });
    const damaged = damage(readFileSync(path, "utf8"));
    writeFileSync(path, damaged);
    const store = fileInventory(path, "shop");
    const failure = await expectFailure(store.read(), "corrupt");
    expect(failure.message).toMatch(message);
    expect(failure.message).toContain(path);
    expect(failure.remedy).toBeTruthy();
    await expectFailure(store.lock("apply"), "corrupt");
    expect(readFileSync(path, "utf8")).toBe(damaged);
    expect(readdirSync(folder)).toEqual(["shop.inventory.json"]);
  });

  it("names a folder that cannot be one", async () => {
    writeFileSync(join(folder, "file"), "");
    const store = fileInventory(join(folder, "file/shop.inventory.json"), "shop");
    const { message } = await expectFailure(store.lock("apply"), "unavailable");
    const place = join(folder, "file/shop.inventory.json");
    expect(message.startsWith(`the inventory ${place} cannot be used: `)).toBe(true);
    expect(message.endsWith(".")).toBe(false);
  });
});

describe("a journal", () => {
  it.each([
    ["half a line", '{"phase":"done","address":"Thing/'],
    ["a whole line without its end", '{"phase":"done","address":"Thing/a"}'],
    ["zeros", "\0\0\0\0"],
    ["half a line and an end", '{"phase":"do\n'],
  ])("is read without %s at its end, and can be written again", async (_, damaged) => {
    const lock = await lockOf();
    await lock.journal([{ phase: "pending", address: "Thing/a", entry: sampleEntry("a") }]);
    await lock.release();
    appendFileSync(`${path}.journal`, damaged);
    const store = fileInventory(path, "shop");
    expect(Object.keys((await store.read()).entries)).toEqual(["Thing/a"]);
    const next = await lockOf(store);
    await next.journal([{ phase: "pending", address: "Thing/b", entry: sampleEntry("b") }]);
    expect(Object.keys((await store.read()).entries)).toEqual(["Thing/a", "Thing/b"]);
  });

  it("that is damaged in the middle, or of another inventory, is refused", async () => {
    const lock = await lockOf();
    await lock.journal([{ phase: "pending", address: "Thing/a", entry: sampleEntry("a") }]);
    await lock.release();
    const whole = readFileSync(`${path}.journal`, "utf8");
    const store = fileInventory(path, "shop");
    writeFileSync(`${path}.journal`, `${whole.slice(0, -9)}\n${whole.split("\n")[1]}\n`);
    expect((await expectFailure(store.read(), "corrupt")).message).toContain("line 2");
    writeFileSync(`${path}.journal`, whole.replace('"serial":0', '"serial":7'));
    await expectFailure(store.read(), "corrupt");
    await expectFailure(store.lock("apply"), "corrupt");
  });

  it.each([3, 5])("of format %i is refused by name", async (format) => {
    const lock = await lockOf();
    await lock.journal([{ phase: "pending", address: "Thing/a", entry: sampleEntry("a") }]);
    await lock.release();
    const text = readFileSync(`${path}.journal`, "utf8");
    writeFileSync(`${path}.journal`, text.replace('"journal":4', `"journal":${format}`));
    const { message } = await expectFailure(fileInventory(path, "shop").read(), "corrupt");
    expect(message).toContain(`has format ${format}, and this version of svc reads format 4`);
  });

  it("of an older serial is ignored, and removed by the next lock", async () => {
    await written({});
    const lock = await lockOf();
    await lock.journal([{ phase: "pending", address: "Thing/a", entry: sampleEntry("a") }]);
    await lock.release();
    const journal = readFileSync(`${path}.journal`, "utf8");
    const next = await lockOf();
    await next.write({ ...(await fileInventory(path, "shop").read()), entries: {} });
    await next.release();
    writeFileSync(`${path}.journal`, journal);
    expect((await fileInventory(path, "shop").read()).entries).toEqual({});
    await (await lockOf()).release();
    expect(readdirSync(folder)).toEqual(["shop.inventory.json"]);
  });

  it("of a killed run becomes a part of the inventory with the next lock", async () => {
    const lock = await lockOf();
    await lock.journal([{ phase: "pending", address: "Thing/a", entry: sampleEntry("a") }]);
    await lock.release();
    const found = await fileInventory(path, "shop").read();
    await (await lockOf()).release();
    expect(readdirSync(folder)).toEqual(["shop.inventory.json"]);
    const inventory = await fileInventory(path, "shop").read();
    expect(inventory).toMatchObject({ serial: 1, salt: found.salt, entries: found.entries });
  });

  it("takes no record after one that failed, until the inventory is written", async () => {
    const lock = await lockOf();
    const records = [{ phase: "done", address: "Thing/a", entry: undefined }] as const;
    mkdirSync(`${path}.journal`);
    await expectFailure(lock.journal(records), "unavailable");
    rmSync(`${path}.journal`, { recursive: true });
    await expectFailure(lock.journal(records), "unavailable");
    await lock.write(await fileInventory(path, "shop").read());
    await lock.journal(records);
  });

  it("takes many calls concurrently, each on disk when it ends", async () => {
    const lock = await lockOf();
    const names = Array.from({ length: 200 }, (_, index) => `t${index}`);
    await Promise.all(
      names.map(async (name) => {
        await lock.journal([
          { phase: "pending", address: `Thing/${name}`, entry: sampleEntry(name) },
        ]);
        expect(readFileSync(`${path}.journal`, "utf8")).toContain(`"Thing/${name}"`);
      }),
    );
    expect(Object.keys((await fileInventory(path, "shop").read()).entries)).toHaveLength(200);
  });
});

describe("a lock", () => {
  it("keeps others out and reports its holder, its times and how to break it", async () => {
    const start = Date.parse("2026-01-31T09:30:00Z");
    const lock = await lockOf(fileInventory(path, "shop", { now: () => start }));
    const other = fileInventory(path, "shop", { now: () => start + limits.leaseMs - 1 });
    const failure = await expectFailure(other.lock("apply"), "locked");
    expect(failure.message).toBe(
      `${currentHolder()} holds the lock on ${path} (test) since 2026-01-31T09:30:00.000Z, until 2026-01-31T09:31:00.000Z unless it is renewed`,
    );
    expect(failure.remedy).toContain(`svc inventory unlock ${lock.info.id}`);
    await lock.release();
    await (await lockOf(other)).release();
  });

  it("is the same for all names of the file", async () => {
    mkdirSync(join(folder, "real"));
    symlinkSync(join(folder, "real"), join(folder, "linked"));
    await lockOf(fileInventory(join(folder, "real/shop.inventory.json"), "shop"));
    const other = fileInventory(join(folder, "linked/shop.inventory.json"), "shop");
    await expectFailure(other.lock("apply"), "locked");
  });

  it("is renewed while it is held, and reports its own loss", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const lock = await lockOf();
    for (let passed = 0; passed < 4 * limits.leaseMs; passed += limits.leaseRenewMs) {
      await vi.advanceTimersByTimeAsync(limits.leaseRenewMs);
      const other = fileInventory(path, "shop");
      await vi.waitFor(() =>
        expect(Date.parse(lock.info.expiresAt)).toBeGreaterThan(
          Date.now() + limits.leaseMs - limits.leaseRenewMs,
        ),
      );
      await expectFailure(other.lock("apply"), "locked");
    }
    await fileInventory(path, "shop").unlock(lock.info.id, { force: true });
    await vi.advanceTimersByTimeAsync(limits.leaseRenewMs);
    await vi.waitFor(() => expect(lock.lost.aborted).toBe(true));
  });

  it("that cannot be read is not taken", async () => {
    writeFileSync(`${path}.lock`, '{"id":"../../etc"}');
    const failure = await expectFailure(fileInventory(path, "shop").lock("apply"), "corrupt");
    expect(failure.message).toContain(`${path}.lock`);
  });

  it("is acquired by one of many that request it, also after its last holder ended", async () => {
    const past = new Date(0).toISOString();
    const expired = { id: "gone", purpose: "x", holder: "x", acquiredAt: past, expiresAt: past };
    writeFileSync(`${path}.lock`, JSON.stringify(expired));
    const attempts = Array.from({ length: 8 }, () => fileInventory(path, "shop").lock("apply"));
    const results = await Promise.allSettled(attempts);
    const got = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(got).toHaveLength(1);
    await got[0]?.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is taken although a crash left the guard of the lock file", async () => {
    mkdirSync(`${path}.lock.guard`);
    utimesSync(`${path}.lock.guard`, 0, 0);
    await (await lockOf()).release();
    expect(readdirSync(folder)).toEqual([]);
  });
});

it("the owner of an object is undefined without a folder", async () => {
  const store = fileInventory(join(folder, "none/shop.inventory.json"), "shop");
  const object = { kind: "Thing", key: "a" };
  expect((await store.ownersOf(origin, [object]))(object)).toBeUndefined();
});
