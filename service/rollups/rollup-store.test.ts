// The files of rollups: their limits, and what a restart finds.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, relative } from "node:path";
import { afterEach, expect, test } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { openRollupStore } from "./rollup-store.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-rollup-store-"));
  folders.push(folder);
  return folder;
}

const hash = (letter: string) => letter.repeat(64);
const version = (key: string, builtAt = 1) => ({ key: hash(key), state: hash("0"), builtAt });
const bytes = (count: number) => async (file: string) => writeFileSync(file, "x".repeat(count));

test("the least recently used files go above the limit, and those that no query uses", async () => {
  const folder = createFolder();
  let now = Date.now();
  const store = openRollupStore({ folder, maxBytes: 100, now: () => now });
  await store.add(version("a"), bytes(40));
  await store.add(version("b"), bytes(40));
  expect(store.find(hash("a"))).toMatchObject({ builtAt: 1 });
  await store.add(version("c"), bytes(40));
  expect(store.find(hash("b"))).toBeUndefined();
  await store.add(version("a", 2), bytes(50));
  expect(store.find(hash("a"))).toMatchObject({ builtAt: 2 });
  expect(readdirSync(folder)).toHaveLength(2);
  now += limits.rollupUnusedMs - 1;
  expect(store.find(hash("a"))).toBeDefined();
  now += 2;
  await store.add(version("d"), bytes(10));
  expect(store.find(hash("c"))).toBeUndefined();
  expect(store.find(hash("a"))).toBeDefined();
  store.close();
});

test("a file that is too large, or not written whole, is not kept", async () => {
  const folder = createFolder();
  const store = openRollupStore({ folder, maxBytes: 100, now: Date.now });
  await expect(store.add(version("a"), bytes(101))).rejects.toMatchObject({
    code: "limit_reached",
  });
  const broken = store.add(version("a"), async (file) => {
    for (const end of [".wal", ".raw", ".raw.wal"]) writeFileSync(`${file}${end}`, "x");
    await bytes(10)(file);
    throw new Error("disk full");
  });
  await expect(broken).rejects.toThrow("disk full");
  expect(readdirSync(folder)).toEqual([]);
  store.close();
});

test("a restart finds complete files, the newest of each rollup, and removes all others", async () => {
  const folder = createFolder();
  const first = openRollupStore({ folder, maxBytes: 100, now: Date.now });
  await first.add(version("a", 1), bytes(10));
  first.close();
  const names = [1, 2].map((at) => `${hash("a")}-${hash("0")}-${at}.duckdb`);
  for (const name of [String(names[1]), `${names[1]}.wal`, "half.tmp"])
    writeFileSync(join(folder, name), "x");
  const second = openRollupStore({ folder, maxBytes: 100, now: Date.now });
  expect(second.find(hash("a"))).toMatchObject({ builtAt: 2, state: hash("0") });
  expect(readdirSync(folder)).toEqual([names[1]]);
  second.remove(hash("a"));
  expect(second.find(hash("a"))).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
  second.close();
});

test("a folder of its own exists as long as the store", async () => {
  const store = openRollupStore({ folder: undefined, maxBytes: 100, now: Date.now });
  await store.add(version("a"), bytes(10));
  const file = String(store.find(hash("a"))?.file);
  expect(existsSync(file)).toBe(true);
  store.close();
  expect(existsSync(file)).toBe(false);
});

test("a folder that is relative is named in full, for the process of the engine", async () => {
  const folder = relative(process.cwd(), createFolder());
  const store = openRollupStore({ folder, maxBytes: 100, now: () => Date.now() });
  let written = "";
  await store.add(version("a"), async (file) => {
    written = file;
    await bytes(10)(file);
  });
  expect(isAbsolute(written)).toBe(true);
  expect(store.find(hash("a"))).toMatchObject({ builtAt: 1 });
});
