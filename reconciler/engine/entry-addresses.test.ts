// Which inventory entry belongs to a document, from addresses and keys alone.
import { describe, expect, it } from "vitest";
import {
  addressEntries,
  type DocumentIdentity,
  type EntryIdentity,
  ownEntries,
  type RenameEvidence,
} from "./entry-addresses.ts";

/** Documents by address: a key, or a key and `movedFrom`. */
type Documents = Readonly<Record<string, string | readonly [key: string, movedFrom: string]>>;

/** Entries by address: a key; the object of `-key` is gone. */
type Entries = Readonly<Record<string, string>>;

const documentsOf = (documents: Documents): readonly DocumentIdentity[] =>
  Object.entries(documents).map(([address, what]) => {
    const [key, movedFrom] = typeof what === "string" ? [what] : what;
    return { address, key: key === "" ? undefined : key, movedFrom };
  });
const entriesOf = (entries: Entries): readonly EntryIdentity[] =>
  Object.entries(entries).map(([address, key], at) => ({
    address,
    key: key.replace(/^-/u, ""),
    id: String(at),
    isLive: !key.startsWith("-"),
  }));

function addressed(documents: Documents, entries: Entries, more: Partial<RenameEvidence> = {}) {
  const evidence = { canBeRenamed: true, isAlike: () => false, ...more };
  const found = addressEntries(documentsOf(documents), entriesOf(entries), evidence);
  return {
    entryOf: Object.fromEntries(found.entryOf),
    displaced: Object.fromEntries(found.displaced),
    uncertain: found.uncertain,
  };
}

/** Evidence that these documents declare the content of these entries: `a=b`. */
const alike = (...pairs: readonly string[]): Partial<RenameEvidence> => ({
  isAlike: (document, entry) => pairs.includes(`${document}=${entry}`),
});

describe("a document", () => {
  it.each<[string, Documents, Entries, Record<string, string>]>([
    ["has the entry with its address and key", { a: "x" }, { a: "x", b: "x" }, { a: "a" }],
    ["has the entry of its key at another address", { b: "x" }, { a: "x" }, { b: "a" }],
    ["has the entry of its address under a new key", { a: "y" }, { a: "x" }, { a: "a" }],
    ["whose key is unknown has the entry of its address", { a: "" }, { a: "x" }, { a: "a" }],
    ["whose key is unknown has no other entry", { b: "" }, { a: "x" }, {}],
    ["has no entry if nothing matches", { b: "y" }, { a: "x" }, {}],
    [
      "has a live entry before one whose object is gone",
      { c: "x" },
      { a: "-x", b: "x" },
      { c: "b" },
    ],
    ["has an entry whose object is gone, if no other", { c: "x" }, { a: "-x" }, { c: "a" }],
    [
      "has its address before the key of a gone object",
      { c: "x" },
      { a: "-x", c: "y" },
      { c: "c" },
    ],
    ["has none of two entries with its key", { c: "x" }, { a: "x", b: "x" }, {}],
  ])("%s", (_, documents, entries, expected) => {
    expect(addressed(documents, entries).entryOf).toEqual(expected);
  });

  it("has one of two entries that record the same object", () => {
    const entries = [
      { address: "a", key: "x", id: "1", isLive: true },
      { address: "b", key: "x", id: "1", isLive: true },
    ];
    const evidence = { canBeRenamed: true, isAlike: () => false };
    const { entryOf } = addressEntries(documentsOf({ c: "x" }), entries, evidence);
    expect([...entryOf.keys()]).toEqual(["c"]);
  });
});

describe("documents that exchange or shift their names", () => {
  it("keep the objects of their keys", () => {
    expect(addressed({ a: "y", b: "x" }, { a: "x", b: "y" })).toEqual({
      entryOf: { a: "b", b: "a" },
      displaced: {},
      uncertain: [],
    });
  });

  it("leave the address at the end of the chain to an entry without a document", () => {
    expect(addressed({ a: "y", b: "z" }, { a: "x", b: "y", c: "z" })).toEqual({
      entryOf: { a: "b", b: "c" },
      displaced: { a: "c" },
      uncertain: [],
    });
  });

  it("displace no entry whose address no document has", () => {
    expect(addressed({ b: "x" }, { a: "x", c: "z" }).displaced).toEqual({});
  });
});

describe("movedFrom", () => {
  it("counts before keys, and passes on along a chain", () => {
    const documents: Documents = { a: ["p", "b"], b: ["q", "c"], n: ["r", "a"] };
    const { entryOf } = addressed(documents, { a: "x", b: "y", c: "z" });
    expect(entryOf).toEqual({ n: "a", a: "b", b: "c" });
  });

  it("counts no more once an earlier run recorded the new address", () => {
    const { entryOf } = addressed({ n: ["x", "a"], a: "y" }, { n: "x", a: "y" });
    expect(entryOf).toEqual({ n: "n", a: "a" });
    expect(addressed({ n: ["new", "a"] }, { n: "x", a: "y" }).entryOf).toEqual({ n: "n" });
  });

  it("does not take the entry of a document with that address and key, nor one that is unknown", () => {
    expect(addressed({ n: ["z", "a"], a: "x" }, { a: "x" }).entryOf).toEqual({ a: "a" });
    expect(addressed({ n: ["z", "lost"] }, { a: "x" }).entryOf).toEqual({});
  });

  it("counts before a live entry with the key of the document", () => {
    const documents: Documents = { n: ["x", "a"], other: "z" };
    expect(addressed(documents, { a: "y", c: "x" }).entryOf).toEqual({ n: "a" });
  });

  it("gives an entry away for good, also next to documents whose keys are exchanged", () => {
    const found = addressed({ b: "new", c: "y", n: ["z2", "c"] }, { b: "y", c: "z" });
    expect(found.entryOf).toEqual({ n: "c", b: "b" });
  });

  it("gives an entry to the first of two documents that name it", () => {
    expect(addressed({ n: ["p", "a"], m: ["q", "a"] }, { a: "x" }).entryOf).toEqual({ n: "a" });
  });
});

describe("a document with a new key, whose former key another document has", () => {
  // `a` declared `x`; now `a` declares `new`, and `b` declares `x`.
  const documents: Documents = { a: "new", b: "x" };
  const [kept, moved] = [{ a: "a" }, { b: "a" }];

  it.each<[string, Partial<RenameEvidence>, Record<string, string>, boolean]>([
    [
      "keeps its object, which is renamed, if only its content equals that of the entry",
      alike("a=a"),
      kept,
      false,
    ],
    ["was renamed if only the other one has the content", alike("b=a"), moved, false],
    ["keeps its object with a note if both have the content", alike("a=a", "b=a"), kept, true],
    ["keeps its object with a note if neither has the content", alike(), kept, true],
    ["was renamed where objects cannot be", { canBeRenamed: false, ...alike("a=a") }, moved, false],
  ])("%s", (_, evidence, entryOf, isUncertain) => {
    const uncertain = isUncertain ? [{ address: "b", owner: "a", isNew: true }] : [];
    expect(addressed(documents, { a: "x" }, evidence)).toEqual({
      entryOf,
      displaced: {},
      uncertain,
    });
  });

  it("gets the entry that the other one leaves, if the documents were renamed", () => {
    const found = addressed({ a: "new", b: "x" }, { a: "x", b: "y" }, alike("b=a", "a=b"));
    expect(found).toEqual({ entryOf: { a: "b", b: "a" }, displaced: {}, uncertain: [] });
  });

  it("is not reported as new if every one of them has an entry", () => {
    const found = addressed({ a: "new", b: "x" }, { a: "x", b: "y" });
    expect(found).toEqual({
      entryOf: { a: "a", b: "b" },
      displaced: {},
      uncertain: [{ address: "b", owner: "a", isNew: false }],
    });
  });

  it("settles a chain of such documents as one", () => {
    const chain: Documents = { a: "new", b: "x", c: "y" };
    const entries: Entries = { a: "x", b: "y" };
    expect(addressed(chain, entries, alike("b=a", "c=b")).entryOf).toEqual({ b: "a", c: "b" });
    // Every document in the chain must have the content of the entry at its address.
    const some = addressed(chain, entries, alike("b=a", "c=b", "a=a"));
    expect(some).toEqual({ entryOf: { b: "a", c: "b" }, displaced: {}, uncertain: [] });
    // The content of one document in the chain differs from its entry.
    const partly = addressed(chain, entries, alike("b=a"));
    expect(partly.entryOf).toEqual({ a: "a", b: "b" });
    expect(partly.uncertain).toEqual([{ address: "b", owner: "a", isNew: false }]);
  });

  it("changes nothing about documents that have their address and key", () => {
    const found = addressed({ a: "x", b: "new", c: "y" }, { a: "x", b: "y" }, alike("c=b"));
    expect(found.entryOf).toEqual({ a: "a", c: "b" });
  });
});

it("entries by address alone ignore every key", () => {
  const { entryOf } = ownEntries(documentsOf({ a: "y", c: "x" }), entriesOf({ a: "x", b: "y" }));
  expect(Object.fromEntries(entryOf)).toEqual({ a: "a" });
});
