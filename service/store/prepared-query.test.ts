// Prepared and kept queries: they read again after every write, and never keep what a transaction has not committed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startServer, type RunningServer } from "../server/server.ts";
import { keptQuery, preparedListQuery, preparedQuery } from "./prepared-query.ts";
import type { Db } from "./schema.ts";
import { openSqlite } from "./sqlite.ts";

let folder: string;
let server: RunningServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-kept-"));
  server = await startServer({ data: folder, jobs: false });
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const accountName = (): ((db: Db) => Promise<readonly { name: string }[]>) => {
  const read = keptQuery((db: Db, _: object) => db.selectFrom("account").select("name"));
  return (db) => read(db, {});
};
const rename = (db: Db, name: string) => db.updateTable("account").set({ name }).execute();

describe("a kept query", () => {
  it("returns the same rows until the next write, and the new ones after it", async () => {
    const read = accountName();
    const { db } = server;
    const rows = await read(db);
    expect(await read(db)).toBe(rows);
    await rename(db, "second");
    expect(await read(db)).toEqual([{ name: "second" }]);
    await db.transaction().execute((tx) => rename(tx, "third"));
    expect(await read(db)).toEqual([{ name: "third" }]);
  });

  it("reads the writes of its own transaction, and keeps none that is rolled back", async () => {
    const read = accountName();
    const { db } = server;
    const before = await read(db);
    const failed = db.transaction().execute(async (tx) => {
      await rename(tx, "never");
      expect(await read(tx)).toEqual([{ name: "never" }]);
      expect(await read(db)).toEqual(before);
      throw new Error("rolled back");
    });
    await expect(failed).rejects.toThrow("rolled back");
    expect(await read(db)).toEqual(before);
  });

  it("keeps the rows of different values apart", async () => {
    const read = keptQuery((db: Db, value: { name: string }) =>
      db.selectFrom("regions").select("name").where("name", "=", value.name),
    );
    const names = ["aws-us-east-1", "nowhere", "aws-us-east-1"];
    const found = await Promise.all(names.map((name) => read(server.db, { name })));
    expect(found.map((rows) => rows.length)).toEqual([1, 0, 1]);
  });
});

describe("a prepared query", () => {
  it("writes, also outside of a transaction", async () => {
    const write = preparedQuery((db: Db, { name }: { name: string }) =>
      db.updateTable("account").set({ name }).returning("name"),
    );
    expect(await write(server.db, { name: "renamed" })).toEqual([{ name: "renamed" }]);
    expect(await server.db.transaction().execute((tx) => write(tx, { name: "again" }))).toEqual([
      { name: "again" },
    ]);
    expect(await accountName()(server.db)).toEqual([{ name: "again" }]);
  });

  it("takes lists of any length", async () => {
    const read = preparedListQuery((db: Db, names: readonly string[]) =>
      db.selectFrom("regions").select("name").where("name", "in", names).orderBy("name"),
    );
    const all = await server.db.selectFrom("regions").select("name").orderBy("name").execute();
    const names = all.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(1);
    for (const count of [1, names.length, 1]) {
      const some = names.slice(0, count);
      expect((await read(server.db, some)).map(({ name }) => name)).toEqual(some);
    }
  });

  it("is timed as the other statements are", async () => {
    const kinds: string[] = [];
    const data = mkdtempSync(join(tmpdir(), "svc-timed-"));
    const store = await openSqlite(data, { onStatement: (kind) => kinds.push(kind) });
    try {
      kinds.length = 0;
      await accountName()(store.db);
      expect(kinds).toEqual(["select"]);
    } finally {
      await store.close();
      rmSync(data, { recursive: true, force: true });
    }
  });
});
