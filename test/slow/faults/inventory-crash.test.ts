// Tests that an inventory survives kill -9 at every file system call, and that two processes never hold its lock.
import { once } from "node:events";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { spawnChild, svcProgram } from "../../support/svc-program.ts";
import { sampleEntry } from "../../support/inventory-samples.ts";
import { limits } from "../../../core/limits/limits.ts";
import { fileInventory } from "../../../reconciler/inventory/file.ts";

// The first file that needs the programs bundles them, which takes longer than a test may.
beforeAll(() => svcProgram());

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-inventory-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the child. Returns its output once it has exited or was killed while it was frozen. */
async function runChild(mode: string, path: string, argument: number): Promise<readonly string[]> {
  const running = await spawnChild("inventory-file-child", [mode, path, String(argument)]);
  let output = "";
  running.stdout.on("data", (data: Buffer) => {
    output += data.toString();
    if (output.endsWith("frozen\n")) running.kill("SIGKILL");
  });
  const [code, signal] = (await once(running, "close")) as [number | null, string | null];
  if (code !== 0 && signal !== "SIGKILL") throw new Error(`the child ended with ${code}`);
  return output.trim().split("\n");
}

/** Leaves an inventory whose object is in the journal only, as after an earlier kill. */
async function prepare(path: string): Promise<void> {
  const store = fileInventory(path, "shop");
  const held = await store.lock("prepare");
  await held.write(await store.read());
  await held.journal([{ phase: "done", address: "Thing/old", entry: sampleEntry("old", "1") }]);
  await held.release();
}

/**
 * The states that may be read after the child has reported `last`: its last durable state, or the state after the
 * operation in progress.
 */
const progressStates = [
  { after: undefined, entries: { old: "1" } },
  { after: "a began", entries: { old: "1", a: "pending" } },
  { after: "a ended", entries: { old: "1", a: "id-a" } },
  { after: "a written", entries: { old: "1", a: "id-a" } },
  { after: "b began", entries: { old: "1", a: "id-a", b: "pending" } },
  { after: "b ended", entries: { a: "id-a", b: "id-b" } },
  { after: "b written", entries: { a: "id-a", b: "id-b" } },
  { after: "finished", entries: { a: "id-a", b: "id-b" } },
] as const;

type EntryStates = Readonly<Record<string, string>>;

function allowedStates(reported: readonly string[], hadOld: boolean): readonly EntryStates[] {
  const last = progressStates.findLastIndex(
    ({ after }) => after === undefined || reported.includes(after),
  );
  const now = progressStates.slice(last, last + 2).map(({ entries }): EntryStates => entries);
  // A crash may keep only the first of two records of one call: b has begun, and old is not deleted yet.
  const seen: EntryStates[] = now.flatMap((entries) => {
    const { old: _, ...without } = { ...entries };
    return entries["b"] === "pending" ? [entries, without] : [entries];
  });
  if (hadOld) return seen;
  return seen.map((entries) => {
    const { old: _, ...without } = { ...entries };
    return without;
  });
}

async function entriesAt(path: string): Promise<EntryStates> {
  const { entries } = await fileInventory(path, "shop").read();
  return Object.fromEntries(
    Object.values(entries).map(({ name, id, pending }) => [name, pending ? "pending" : (id ?? "")]),
  );
}

describe("an inventory whose writer is killed", () => {
  it("contains what was certainly done, after every step", async () => {
    const ends = new Set<string>();
    let steps = 0;
    const killAt = async (step: number): Promise<void> => {
      const path = join(folder, `${step}`, "shop.inventory.json");
      // Alternates between steps of a first run and of a later one; because both use the same code path.
      const hadOld = step % 2 === 0;
      if (hadOld) await prepare(path);
      const reported = await runChild("freeze", path, step);
      const end = reported.at(-1) ?? "";
      ends.add(end);
      if (end === "frozen") steps += 1;
      expect(
        allowedStates(reported, hadOld),
        `step ${step}, said ${reported.join(", ")}`,
      ).toContainEqual(await entriesAt(path));
      await expectNextRun(path);
    };
    for (let step = 1; !ends.has("finished"); step += 2) {
      await Promise.all([killAt(step), killAt(step + 1)]);
    }
    expect(steps).toBeGreaterThan(30);
  }, 180_000);
});

/** Expects that the next run, once the lease has expired, takes the lock, loses nothing and leaves no files behind. */
async function expectNextRun(path: string): Promise<void> {
  const before = await entriesAt(path);
  // A process that is killed while it changes the lock file leaves its guard file, which the next run removes once it
  // is old.
  const guard = `${path}.lock.guard`;
  if (existsSync(guard)) utimesSync(guard, 0, 0);
  const later = (): number => Date.now() + 2 * limits.leaseMs;
  const store = fileInventory(path, "shop", { now: later });
  const held = await store.lock("next");
  expect(await entriesAt(path)).toEqual(before);
  const inventory = await store.read();
  await held.journal([{ phase: "done", address: "Thing/next", entry: sampleEntry("next", "2") }]);
  expect(await entriesAt(path)).toEqual({ ...before, next: "2" });
  await held.write({ ...inventory, origin: "https://one.example" });
  await held.release();
  expect(await entriesAt(path)).toEqual(before);
  const left = readdirSync(join(path, ".."));
  expect(left.filter((name) => !name.endsWith(".tmp"))).toEqual(["shop.inventory.json"]);
}

describe("a lock that processes contend for", () => {
  it("is never held by two, although half of the locks are left behind by crashes", async () => {
    const path = join(folder, "shop.inventory.json");
    const log = `${path}.log`;
    writeFileSync(log, "");
    const until = Date.now() + 120_000;
    const running = [1, 2, 3, 4].map(() => runChild("contend", path, until));
    const wins = 200;
    while (readFileSync(log, "utf8").split("\n").length <= wins && Date.now() < until) {
      await new Promise((done) => setTimeout(done, 50));
    }
    writeFileSync(`${path}.stop`, "");
    await Promise.all(running);
    const held = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(" "))
      .map(([from = "", to = "", pid = ""]) => ({ from: BigInt(from), to: BigInt(to), pid }))
      .toSorted((a, b) => (a.from < b.from ? -1 : 1));
    expect(held.length).toBeGreaterThanOrEqual(wins);
    expect(new Set(held.map(({ pid }) => pid)).size).toBe(4);
    held.slice(1).forEach(({ from }, index) => {
      expect(from > (held[index]?.to ?? 0n), `win ${index + 1} began after the one before`).toBe(
        true,
      );
    });
    // Every winner wrote once, and none overwrote another one.
    expect((await fileInventory(path, "shop").read()).serial).toBe(held.length);
  }, 180_000);
});
