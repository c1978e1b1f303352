// Tests the store: transactions, savepoints, prepared queries, and errors of the database.
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../../core/errors.ts";
import { preparedQuery } from "../../service/store/prepared-query.ts";
import type { Db } from "../../service/store/schema.ts";
import { contains } from "../../service/store/sql-conditions.ts";
import { startService } from "../support/test-service.ts";
import {
  createLastingDatabase,
  createTestDatabase,
  onPostgres,
  openTestDatabase,
  type TestDatabase,
} from "../support/test-database.ts";
import type { OpenStore } from "../../service/store/stores.ts";
import { inSavepoint, inTransaction } from "../../service/store/transaction.ts";

let store: OpenStore;
let place: TestDatabase;

beforeEach(async () => {
  place = await createTestDatabase();
  store = await openTestDatabase(place);
});
afterEach(async () => {
  await store.close();
  await place.drop();
});

const addRegion = (db: Db, name: string) =>
  db.insertInto("regions").values({ name, is_public: 1 }).execute();
const names = async (db: Db = store.db) =>
  (await db.selectFrom("regions").select("name").orderBy("id").execute()).map(({ name }) => name);

describe("the store", () => {
  it("is durable and holds foreign keys", async () => {
    const setting = store.dialect === "sqlite" ? "pragma synchronous" : "show synchronous_commit";
    const { rows } = await sql`${sql.raw(setting)}`.execute(store.db);
    expect([{ synchronous: 2 }, { synchronous_commit: "on" }]).toContainEqual(rows[0]);
    const orphan = store.db.insertInto("group_members").values({ group_id: 7, user_id: 7 });
    await expect(orphan.execute()).rejects.toThrow(/foreign key/i);
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
  it("is rolled back when its work throws", async () => {
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
    const begun = order.filter((_, at) => at % 2 === 0);
    expect(begun.map((text) => text.slice(2))).toEqual([0, 1, 2].map((n) => `begins with ${n}`));
    expect(order).toEqual(begun.flatMap((text) => [text, `${text.slice(0, 1)} ends`]));
  });

  it("reports a violated uniqueness rule as a conflict", async () => {
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

it.skipIf(onPostgres)("reports a damaged page of the file with a remedy", async () => {
  const { data, drop } = await createLastingDatabase();
  const path = "/api/v1/user-groups";
  const filled = await startService({ data });
  for (let from = 0; from < 2000; from += 100) {
    const groups = Array.from({ length: 100 }, (_, at) => ({
      name: `group-${from + at}`,
      description: "d".repeat(500),
    }));
    const { status } = await filled.send("POST", `${path}/bulk`, { body: { groups } });
    expect(status).toBe(200);
  }
  await filled.close();
  const file = join(data, "account.db");
  const page = openSync(file, "r+");
  const middle = Math.floor(statSync(file).size / 2 / 4096) * 4096;
  writeSync(page, Buffer.alloc(16 * 4096, 0xff), 0, 16 * 4096, middle);
  closeSync(page);
  const service = await startService({ data });
  const key = filled.adminKey;
  const answer = await service.send("GET", `${path}?first=1000`, { key });
  const { pageInfo } = answer.body as { pageInfo?: { endCursor?: string } };
  const next = encodeURIComponent(pageInfo?.endCursor ?? "");
  const answers = [answer, await service.send("GET", `${path}?first=1000&after=${next}`, { key })];
  const damaged = answers.find(({ status }) => status !== 200);
  expect(damaged).toMatchObject({ status: 500, body: { code: "internal" } });
  expect(damaged?.text).toContain("is damaged");
  expect(damaged?.text).toContain("restore a backup with `svc admin restore`");
  expect(damaged?.text).not.toMatch(/bug|internal error/iu);
  // Requests for other pages are answered.
  expect((await service.send("GET", "/api/v1/deployments", { key })).status).toBe(200);
  await service.close();
  await drop();
});

describe("a prepared query", () => {
  const byName = preparedQuery((db: Db, value: { name: string; atLeast: number }) =>
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
