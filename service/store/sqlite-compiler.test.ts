// Tests that SQLite runs a prepared query without planning it again, by the processor time of a plain one in the same run.
import Sqlite from "better-sqlite3";
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector } from "kysely";
import { expect, it } from "vitest";
import { PreparingSqliteCompiler } from "./sqlite-compiler.ts";

interface Tables {
  readonly owners: { readonly id: number; readonly name: string };
  readonly keys: { readonly id: number; readonly owner_id: number; readonly name: string };
}

const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new PreparingSqliteCompiler(),
  },
});

const runs = 2000;

it("plans a query once, and finds the same rows", () => {
  const database = new Sqlite(":memory:");
  database.exec(`
    create table owners (id integer primary key, name text not null);
    create table keys (id integer primary key, owner_id integer not null, name text not null unique);
    insert into owners values (1, 'ada'), (2, 'bob');
    insert into keys values (3, 1, 'first'), (4, 2, 'second');
  `);
  const { sql, parameters } = builder
    .selectFrom("keys")
    .leftJoin("owners", "owners.id", "keys.owner_id")
    .select(["keys.id", "owners.name as owner"])
    .where("keys.name", "=", "second")
    .where("keys.id", ">", 1)
    .where("owners.name", "in", ["ada", "bob"])
    .orderBy("keys.id")
    .limit(5)
    .compile();
  const [ours, plain] = [sql, sql.replaceAll("likely(?)", "?")].map((one) => database.prepare(one));
  const cpuOf = (statement: Sqlite.Statement | undefined): number => {
    const before = process.cpuUsage();
    for (let run = 0; run < runs; run++) statement?.all(parameters);
    return process.cpuUsage(before).user;
  };
  expect(ours?.all(parameters)).toEqual([{ id: 4, owner: "bob" }]);
  expect(plain?.all(parameters)).toEqual([{ id: 4, owner: "bob" }]);
  const rounds = [1, 2, 3].map(() => ({ ours: cpuOf(ours), plain: cpuOf(plain) }));
  const least = (side: "ours" | "plain") => Math.min(...rounds.map((round) => round[side]));
  expect(least("ours")).toBeLessThan(least("plain") / 2);
});
