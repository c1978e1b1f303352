// Tests that no record, request or message grows with a run or an object, in every inventory store.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JournalRecord } from "../../../reconciler/inventory/store.ts";
import { cutTexts } from "../../../reconciler/inventory/text-pieces.ts";
import type { Entry, RunRecord } from "../../../reconciler/model/index.ts";
import { sampleEntry } from "../../support/inventory-samples.ts";
import {
  fileInventories,
  postgresInventories,
  serviceInventories,
  type TestInventories,
} from "../../support/inventory-stores.ts";
import { onPostgres } from "../../support/test-database.ts";

const backends = onPostgres
  ? { "a database": postgresInventories, "the service": serviceInventories }
  : { "a folder": fileInventories, "the service": serviceInventories };

/** Text that JSON escapes, with characters of one to four bytes. */
const awkward = (bytes: number): string => 'é"\\\n😀x'.repeat(Math.ceil(bytes / 11));

function entryOf(name: string, bytes: number): Entry {
  return { ...sampleEntry(name), lastApplied: { name, text: awkward(bytes) } };
}

function entriesOf(count: number, bytes: number): Record<string, Entry> {
  const names = Array.from({ length: count }, (_, at) => `t${at}`);
  return Object.fromEntries(names.map((name) => [`Thing/${name}`, entryOf(name, bytes)]));
}

function runOf(entries: Record<string, Entry>): RunRecord {
  const changes = Object.entries(entries).map(([address, { name, key, lastApplied }]) => {
    return { action: "update", address, kind: "Thing", name, key, before: lastApplied } as const;
  });
  const startedAt = "2026-01-31T09:30:00.000Z";
  return { id: "r1", verb: "apply", by: "jo", startedAt, counts: {}, changes };
}

function recordsOf(run: RunRecord): readonly JournalRecord[] {
  const { changes = [], ...rest } = run;
  const parts = changes.map((change) => ({ phase: "run-change", run: run.id, change }) as const);
  return [{ phase: "run", run: { ...rest, changes: [] } }, ...parts];
}

describe.each(Object.entries(backends))("a large inventory in %s", (_name, make) => {
  let place: TestInventories;
  beforeAll(async () => {
    place = await make();
  });
  afterAll(() => place.dispose());
  beforeEach(() => place.clear());

  it.each([
    // More than an append of the journal, and more than one stored part.
    ["1,700 objects", 1700, 100],
    ["30 objects of 10 kB", 30, 10_000],
    ["3 objects of 900 kB", 3, 900_000],
  ])("keeps the journal and the content of %s", async (_size, count, bytes) => {
    const entries = entriesOf(count, bytes);
    const run = runOf(entries);
    const store = await place.open("shop");
    const lock = await store.lock("test");
    await lock.journal(recordsOf(run));
    const pending = Object.entries(entries).map(([address, entry]) => {
      return { phase: "pending", address, entry } as const;
    });
    await lock.journal(pending);
    const other = await place.open("shop");
    const replayed = await other.read();
    expect(Object.keys(replayed.entries)).toHaveLength(count);
    expect(replayed.runs).toEqual([run]);
    const inventory = { ...replayed, entries, origin: "https://one.example" };
    const written = await lock.write(inventory);
    expect(await other.read()).toEqual(written);
    // Each write replaces the last, and another stack finds the owners.
    const again = await lock.write({ ...written, runs: [] });
    expect(await other.read()).toEqual(again);
    await lock.release();
    const neighbor = await place.open("bakery");
    const { kind, key } = entries["Thing/t0"] ?? sampleEntry("t0");
    const ownerOf = await neighbor.ownersOf("https://one.example", [{ kind, key }]);
    expect(ownerOf({ kind, key })).toBe("shop");
    await Promise.all([store, other, neighbor].map((one) => one.close()));
  });
});

it("texts are cut into bounded pieces, never within a character", () => {
  const texts = [10, 900_000, 65_536, 1].map(awkward);
  for (const most of [12, 1000, 131_070]) {
    const pieces = [...cutTexts(texts, most)];
    expect(pieces.join("")).toBe(texts.join(""));
    for (const piece of pieces) {
      expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(most);
      expect(piece.isWellFormed()).toBe(true);
    }
  }
});
