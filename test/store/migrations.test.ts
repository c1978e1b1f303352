// Tests which databases a server opens and backs up: its own, those it can migrate, and no others.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { backup } from "../../service/maintenance/backup.ts";
import { backupDatabaseAccount } from "../../service/maintenance/database-backup.ts";
import { knownMigrations } from "../../service/store/migrate.ts";
import { baselineName, formerSteps } from "../../service/store/migrations/baseline.ts";
import { gitPinsName } from "../../service/store/migrations/git-pins.ts";
import { defaultSchema } from "../../service/store/stores.ts";
import { runSql } from "../support/postgres-server.ts";
import {
  createLastingDatabase,
  onPostgres,
  openTestDatabase,
  type TestDatabase,
} from "../support/test-database.ts";

let place: TestDatabase;
let target: string;

beforeEach(async () => {
  place = await createLastingDatabase();
  // The databases of tests are copies of a migrated one.
  if (onPostgres) await runSql(place.data, `drop schema if exists ${defaultSchema} cascade`);
  target = join(mkdtempSync(join(tmpdir(), "svc-migrations-")), "backup");
});
afterEach(async () => {
  rmSync(join(target, ".."), { recursive: true });
  await place.drop();
});

/** Runs a statement outside of the store, and returns its rows. */
async function query(text: string): Promise<readonly object[]> {
  if (onPostgres) return runSql(place.data, `set search_path to ${defaultSchema}`, text);
  const db = new Sqlite(join(place.data, "account.db"));
  try {
    const statement = db.prepare(text);
    return statement.reader ? (statement.all() as object[]) : (statement.run(), []);
  } finally {
    db.close();
  }
}

const open = async (): Promise<void> => (await openTestDatabase(place)).close();
const recorded = () => query("select name from migrations order by name");
const record = (name: string) => query(`insert into migrations values ('${name}', '2026')`);
const backUp = () =>
  onPostgres
    ? backupDatabaseAccount({ database: place.data, schema: defaultSchema }, target)
    : backup(place.data, target);

describe("a database of a build before version 0.1.0", () => {
  it("is opened and backed up where it has all steps", async () => {
    await open();
    await query("insert into regions (name, is_public) values ('here', 1)");
    for (const name of formerSteps) await record(name);
    const before = await recorded();
    await open();
    expect(await recorded()).toEqual(before);
    expect(await query("select name from regions")).toEqual([{ name: "here" }]);
    expect(await backUp()).toMatchObject({ schema: knownMigrations().at(-1) });
  });

  it.each([
    ["a middle step", "0041-user-settings", [baselineName]],
    ["the last step", baselineName, []],
  ])(
    "is refused by name where %s is missing, before anything is written",
    async (_, missing, last) => {
      await open();
      await query("delete from migrations");
      for (const name of formerSteps) if (name !== missing) await record(name);
      for (const name of last) await record(name);
      const before = await recorded();
      const refusal = {
        code: "refused",
        message: expect.stringContaining(missing) as string,
        remedy: expect.stringContaining("Back it up") as string,
      };
      await expect(open()).rejects.toMatchObject(refusal);
      await expect(backUp()).rejects.toMatchObject(refusal);
      expect(existsSync(target)).toBe(false);
      expect(await recorded()).toEqual(before);
    },
  );
});

it("a database of an older version is migrated", async () => {
  await open();
  const before = await recorded();
  await query("alter table git_connections drop column pinned_commit");
  await query(`delete from migrations where name = '${gitPinsName}'`);
  await open();
  expect((await recorded()).length).toBe(before.length);
  expect(await query("select pinned_commit from git_connections")).toEqual([]);
});

it("a database of a newer version is neither opened nor backed up", async () => {
  await open();
  await record("9999-later");
  const refusal = {
    code: "corrupt",
    message: expect.stringContaining("newer version") as string,
  };
  await expect(open()).rejects.toMatchObject(refusal);
  await expect(backUp()).rejects.toMatchObject(refusal);
});

it("a migration that fails halfway changes nothing, and the next start repeats it", async () => {
  // The name of one of the last indexes is taken.
  const taken = "notification_deliveries_by_user_id";
  if (onPostgres) await runSql(place.data, `create schema ${defaultSchema}`);
  await query(`create table ${taken} (id integer)`);
  await expect(open()).rejects.toThrow(taken);
  expect(await recorded()).toEqual([]);
  await expect(query("select * from account")).rejects.toThrow("account");
  await query(`drop table ${taken}`);
  await open();
  expect(await query("select * from account")).toEqual([]);
});

it("two servers that start at once migrate it once", async () => {
  const starts = await Promise.allSettled([openTestDatabase(place), openTestDatabase(place)]);
  const stores = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  const failures = starts.flatMap((start) => (start.status === "rejected" ? [start.reason] : []));
  for (const store of stores) await store.close();
  // A data folder belongs to one server.
  expect(failures).toMatchObject(onPostgres ? [] : [{ code: "locked" }]);
  expect(await recorded()).toEqual(knownMigrations().map((name) => ({ name })));
});
