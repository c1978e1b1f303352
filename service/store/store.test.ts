// The store: transactions, savepoints, prepared queries, and what the database's refusals mean.
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../../core/errors.ts";
import { prepared } from "./prepared.ts";
import type { Db } from "./schema.ts";
import { contains } from "./search.ts";
import type { OpenStore } from "./open.ts";
import { openSqlite } from "./sqlite.ts";
import { inSavepoint, inTransaction } from "./transaction.ts";

let store: OpenStore;

beforeEach(async () => {
  store = await openSqlite(":memory:");
});
afterEach(async () => store.close());

const addRegion = (db: Db, name: string) =>
  db.insertInto("regions").values({ name, is_public: 1 }).execute();
const names = async (db: Db = store.db) =>
  (await db.selectFrom("regions").select("name").orderBy("id").execute()).map(({ name }) => name);

describe("the store", () => {
  it("is durable and holds foreign keys", async () => {
    const pragma = async (name: string) =>
      (await sql`pragma ${sql.raw(name)}`.execute(store.db)).rows[0];
    expect(await pragma("synchronous")).toEqual({ synchronous: 2 });
    expect(await pragma("foreign_keys")).toEqual({ foreign_keys: 1 });
  });

  it("searches in any case and takes no character for a pattern", async () => {
    for (const name of ["Ärger", "100%", "a_b", "a\\b", "axb"]) await addRegion(store.db, name);
    const found = async (part: string) =>
      (
        await store.db.selectFrom("regions").select("name").where(contains("name", part)).execute()
      ).map(({ name }) => name);
    expect(await found("äRG")).toEqual(["Ärger"]);
    expect(await found("0%")).toEqual(["100%"]);
    expect(await found("a_")).toEqual(["a_b"]);
    expect(await found("\\")).toEqual(["a\\b"]);
  });
});

describe("a transaction", () => {
  it("is undone whole when its work throws", async () => {
    const work = inTransaction(store.db, async (tx) => {
      await addRegion(tx, "a");
      throw new Failure("invalid", "no");
    });
    await expect(work).rejects.toMatchObject({ code: "invalid" });
    expect(await names()).toEqual([]);
  });

  it("takes turns with others", async () => {
    const order: string[] = [];
    const write = (name: string) =>
      inTransaction(store.db, async (tx) => {
        order.push(`${name} begins with ${(await names(tx)).length}`);
        await addRegion(tx, name);
        order.push(`${name} ends`);
      });
    await Promise.all(["a", "b", "c"].map(write));
    expect(order).toEqual([
      "a begins with 0",
      "a ends",
      "b begins with 1",
      "b ends",
      "c begins with 2",
      "c ends",
    ]);
  });

  it("makes a broken uniqueness rule a conflict", async () => {
    await addRegion(store.db, "a");
    const work = inTransaction(store.db, (tx) => addRegion(tx, "a"));
    await expect(work).rejects.toMatchObject({ code: "conflict" });
  });

  it("can undo a part and keep the rest", async () => {
    await inTransaction(store.db, async (tx) => {
      await addRegion(tx, "a");
      const part = inSavepoint(tx, async () => {
        await addRegion(tx, "b");
        throw new Failure("invalid", "not b");
      });
      await expect(part).rejects.toMatchObject({ code: "invalid" });
      await inSavepoint(tx, async () => addRegion(tx, "c"));
    });
    expect(await names()).toEqual(["a", "c"]);
  });
});

describe("a prepared query", () => {
  const byName = prepared((db: Db, value: { name: string; atLeast: number }) =>
    db
      .selectFrom("regions")
      .select("name")
      .where("name", "=", value.name)
      .where("id", ">=", value.atLeast),
  );

  it("is filled with new values each time, inside and outside of transactions", async () => {
    for (const name of ["a", "b"]) await addRegion(store.db, name);
    expect(await byName(store.db, { name: "a", atLeast: 1 })).toEqual([{ name: "a" }]);
    expect(await byName(store.db, { name: "b", atLeast: 1 })).toEqual([{ name: "b" }]);
    expect(await byName(store.db, { name: "b", atLeast: 3 })).toEqual([]);
    await inTransaction(store.db, async (tx) => {
      await addRegion(tx, "c");
      expect(await byName(tx, { name: "c", atLeast: 1 })).toEqual([{ name: "c" }]);
    });
  });
});
