// Recorded rows: each written row once, as it was before the transaction and is after it.
import { afterEach, beforeEach, expect, it } from "vitest";
import { sql } from "kysely";
import { limits } from "../../core/limits/limits.ts";
import { preparedQuery } from "./prepared-query.ts";
import { recordRows, type RecordedTransaction } from "./record-rows.ts";
import type { Db } from "./schema.ts";
import { openSqlite } from "./sqlite.ts";
import type { OpenStore } from "./stores.ts";
import { inSavepoint, inTransaction } from "./transaction.ts";

let store: OpenStore;
beforeEach(async () => {
  store = await openSqlite(":memory:");
});
afterEach(() => store.close());

const keys = { regions: ["id"], user_groups: ["id"], group_members: ["group_id", "user_id"] };

/** Returns what a transaction wrote, with the names before and after. */
async function written(work: (db: Db) => Promise<unknown>) {
  return inTransaction(store.db, async (tx) => {
    const recorded = recordRows(tx, keys);
    await work(recorded.db);
    const { rows, more } = await recorded.writtenRows();
    return { rows: rows.map(({ before, after }) => [before?.["name"], after?.["name"]]), more };
  });
}

const region = (name: string) => ({ name, is_public: 1 });
const insert = (db: Db, ...names: readonly string[]) =>
  db.insertInto("regions").values(names.map(region));

it("has inserted, changed and deleted rows, once each, and no others", async () => {
  await insert(store.db, "kept", "changed", "deleted", "restored").execute();
  const { rows, more } = await written(async (db) => {
    await insert(db, "new", "gone").execute();
    await db.updateTable("regions").set({ title: "x" }).where("name", "=", "changed").execute();
    await db.updateTable("regions").set({ name: "other" }).where("name", "=", "changed").execute();
    await db.deleteFrom("regions").where("name", "in", ["deleted", "gone", "restored"]).execute();
    await db
      .insertInto("regions")
      .values({ id: 4, ...region("restored") })
      .execute();
    await db.insertInto("embed_tenants").values({ name: "acme", created_at: "" }).execute();
  });
  expect([rows, more]).toEqual([
    [
      [undefined, "new"],
      [undefined, undefined],
      ["changed", "other"],
      ["deleted", undefined],
      ["restored", "restored"],
    ],
    0,
  ]);
});

it("answers writes as the database does", async () => {
  const insertPrepared = preparedQuery((db: Db, { name }: { readonly name: string }) =>
    db.insertInto("regions").values({ name, is_public: 1 }),
  );
  const { rows } = await written(async (db) => {
    expect(await insertPrepared(db, { name: "first" })).toEqual([]);
    expect(await insertPrepared(db, { name: "second" })).toEqual([]);
    const again = insert(db, "second", "third").onConflict((on) => on.column("name").doNothing());
    expect((await again.executeTakeFirst()).numInsertedOrUpdatedRows).toBe(1n);
    const fourth = insert(db, "fourth").returning("id").executeTakeFirst();
    expect(await fourth).toEqual({ id: expect.any(Number) });
    const changed = db.updateTable("regions").set({ title: "x" }).returning("name");
    expect(await changed.execute()).toHaveLength(4);
  });
  expect(rows.map(([, after]) => after)).toEqual(["first", "second", "third", "fourth"]);
});

it("has the row before an upsert, also by a generated column", async () => {
  const tenant = await store.db
    .insertInto("embed_tenants")
    .values({ name: "acme", created_at: "" })
    .returning("id")
    .executeTakeFirstOrThrow();
  const upsert = (db: Db, description: string) =>
    db
      .insertInto("user_groups")
      .values([
        { embed_tenant_id: tenant.id, name: "sellers", description, created_at: "" },
        { embed_tenant_id: tenant.id, name: description, description, created_at: "" },
      ])
      .onConflict((on) =>
        on
          .columns(["tenant_scope", "name"])
          .doUpdateSet((eb) => ({ description: eb.ref("excluded.description") })),
      )
      .execute();
  await upsert(store.db, "first");
  const { rows } = await written((db) => upsert(db, "second"));
  expect(rows).toEqual([
    ["sellers", "sellers"],
    [undefined, "second"],
  ]);
});

it("has rows of a part that was rolled back as they are", async () => {
  await insert(store.db, "kept").execute();
  const { rows } = await written(async (db) => {
    const failing = inSavepoint(db, async () => {
      await db.updateTable("regions").set({ name: "lost" }).execute();
      await insert(db, "never").execute();
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
  });
  expect(rows).toEqual([
    ["kept", "kept"],
    [undefined, undefined],
  ]);
});

it("counts the rows beyond the limit", async () => {
  const count = limits.auditRows + 5;
  await sql`pragma foreign_keys = off`.execute(store.db);
  await sql`insert into group_members (group_id, user_id) with recursive n (i) as
    (select 1 union all select i + 1 from n where i < ${count}) select 1, i from n`.execute(
    store.db,
  );
  const { rows, more } = await written((db) =>
    db.deleteFrom("group_members").where("group_id", "=", 1).execute(),
  );
  expect([rows.length, more]).toEqual([limits.auditRows, 5]);
});

it("reads only the written rows of a table with a key of two columns", async () => {
  const count = 20;
  await sql`pragma foreign_keys = off`.execute(store.db);
  await sql`insert into group_members (group_id, user_id) with recursive n (i) as
    (select 1 union all select i + 1 from n where i < ${count})
    select a.i, b.i from n a, n b`.execute(store.db);
  let read = 0;
  const readRows = await inTransaction(store.db, async (tx) => {
    const counted = tx.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        read += result.rows.length;
        return result;
      },
    });
    const recorded = recordRows(counted, keys);
    for (let id = 1; id <= count; id++) {
      const members = recorded.db.updateTable("group_members").set({ user_id: id });
      await members.where("group_id", "=", id).where("user_id", "=", id).execute();
    }
    read = 0;
    return (await recorded.writtenRows()).rows;
  });
  expect(readRows.map(({ after }) => [after?.["group_id"], after?.["user_id"]])).toEqual(
    Array.from({ length: count }, (_, index) => [index + 1, index + 1]),
  );
  expect(read).toBe(count);
});

it("refuses a write whose rows it cannot find", async () => {
  const join = (db: RecordedTransaction["db"]) =>
    db.updateTable("regions").from("deployments").set({ title: "x" }).execute();
  await expect(written(join)).rejects.toThrow("a write of regions with other tables");
});
