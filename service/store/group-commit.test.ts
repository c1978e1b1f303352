// Group commit: members roll back alone, no result is visible before it is durable, and all fail if the commit fails.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../../core/errors.ts";
import { GroupCommit } from "./group-commit.ts";
import type { OpenStore } from "./stores.ts";
import type { Db } from "./schema.ts";
import { openSqlite } from "./sqlite.ts";
import { Statements } from "./statements.ts";
import { inTransaction, toStoreFailure } from "./transaction.ts";

describe.each(["a file", "memory"])("concurrent transactions in %s", (where) => {
  let folder: string;
  let store: OpenStore;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "svc-group-commit-"));
    store = await openSqlite(where === "memory" ? ":memory:" : folder);
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const names = async () =>
    (await store.db.selectFrom("regions").select("name").orderBy("id").execute()).map(
      ({ name }) => name,
    );
  const add = (name: string, then: (tx: Db) => Promise<unknown> = async () => undefined) =>
    inTransaction(store.db, async (tx) => {
      await tx.insertInto("regions").values({ name, is_public: 1 }).execute();
      await then(tx);
    });
  const refuse = async () => {
    throw new Failure("invalid", "no");
  };

  it("roll back one by one", async () => {
    const ended = await Promise.allSettled([add("a"), add("b", refuse), add("c")]);
    expect(ended.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await names()).toEqual(["a", "c"]);
  });

  it("leave nothing behind if all roll back", async () => {
    await Promise.allSettled([add("a", refuse), add("b", refuse)]);
    expect(await names()).toEqual([]);
    await add("c");
    expect(await names()).toEqual(["c"]);
  });

  it("all fail if their commit fails, and the next ones succeed", async () => {
    const breakCommit = async (tx: Db) => {
      await sql`pragma defer_foreign_keys = on`.execute(tx);
      await sql`insert into group_members (group_id, user_id) values (77, 77)`.execute(tx);
    };
    const ended = await Promise.allSettled([add("a"), add("b", breakCommit), add("c")]);
    expect(ended.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(await names()).toEqual([]);
    await add("d");
    expect(await names()).toEqual(["d"]);
  });

  it("are not rejected because of a write that was rolled back", async () => {
    const breakCommit = async (tx: Db) => {
      await sql`pragma defer_foreign_keys = on`.execute(tx);
      await sql`insert into group_members (group_id, user_id) values (77, 77)`.execute(tx);
    };
    const ended = await Promise.allSettled([add("a", breakCommit), add("a")]);
    const reasons = ended.map((end) => (end.status === "rejected" ? end.reason : undefined));
    expect(reasons[1]).toBe(reasons[0]);
    expect(await names()).toEqual([]);
  });

  it("see each other, and stay invisible to readers until they are durable", async () => {
    let succeeded = false;
    const seen: number[] = [];
    const both = Promise.all([
      add("a"),
      add("b", async (tx) => {
        seen.push((await tx.selectFrom("regions").select("id").execute()).length);
      }),
    ]).then(() => (succeeded = true));
    const before = await names();
    expect(succeeded || where === "memory" || before.length === 0).toBe(true);
    await both;
    expect(seen).toEqual([2]);
    expect(await names()).toEqual(["a", "b"]);
  });
});

describe("a file that another process writes", () => {
  it("delays writes until it is free, and never delays reads", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-busy-"));
    const store = await openSqlite(folder);
    const other = new Sqlite(join(folder, "account.db"));
    other.exec("begin immediate");
    const write = inTransaction(store.db, (tx) =>
      tx.insertInto("regions").values({ name: "late", is_public: 1 }).execute(),
    );
    const regions = store.db.selectFrom("regions").select("name");
    expect(await regions.execute()).toEqual([]);
    other.exec("rollback");
    await write;
    expect(await regions.execute()).toEqual([{ name: "late" }]);
    other.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
});

describe("a commit that the disk rejects", () => {
  it.each([
    ["SQLITE_IOERR_FSYNC", { code: "unknown_outcome", retryAfter: undefined }],
    ["SQLITE_FULL", { code: "unavailable", retryAfter: 1 }],
  ])("with %s is reported so that no client writes twice", async (code, expected) => {
    class Failing extends Statements {
      override run(text: string): void {
        if (text === "commit") throw new Sqlite.SqliteError("refused", code);
        super.run(text);
      }
    }
    const database = new Sqlite(":memory:");
    const turns = new GroupCommit(new Failing(database));
    await turns.begin();
    const ended = turns.commit().catch((error: unknown) => Promise.reject(toStoreFailure(error)));
    await expect(ended).rejects.toMatchObject(expected);
    expect(database.inTransaction).toBe(false);
    database.close();
  });
});

describe("a connection that can neither commit nor roll back", () => {
  it("accepts no more transactions and does not crash the process", async () => {
    class BrokenStatements extends Statements {
      override run(text: string): void {
        if (text === "commit" || text === "rollback") throw new Error("the disk is gone");
        super.run(text);
      }
    }
    const database = new Sqlite(":memory:");
    const turns = new GroupCommit(new BrokenStatements(database));
    await turns.begin();
    await expect(turns.commit()).rejects.toThrow("the disk is gone");
    await expect(turns.begin()).rejects.toMatchObject({ code: "unavailable" });
    database.close();
  });
});
