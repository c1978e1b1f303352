// Tests that SQLite runs a prepared query without planning it again, by comparing processor times with a plain query in
// the same run, and that `likely(?)` means `?` for rows, types and indexes.
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

/** Runs a query on a separate database. Numbers are bound as REAL, as better-sqlite3 does. */
function outcome(query: string, parameters: readonly unknown[]) {
  const database = new Sqlite(":memory:");
  database.exec(`
    create table kept (id integer primary key, name text unique, size integer, share numeric, plain blob, json text);
    create index kept_folded on kept (lower(name));
    create index kept_by_json on kept (json_extract(json, '$.of'));
    create index kept_by_size on kept (size, name);
    with recursive up (id) as (values (1) union all select id + 1 from up where id < 40)
    insert into kept select id, id || '', id, id / 2.0, x'05', json_object('of', id) from up;
  `);
  const plan = database.prepare(`explain query plan ${query}`).all(parameters);
  const steps = (plan as { detail: string }[]).map(({ detail }) => detail);
  try {
    return { steps, rows: database.prepare(query).all(parameters) };
  } catch (error) {
    return { steps, error: String(error) };
  } finally {
    database.close();
  }
}

it.each([
  // A number never equals a text, unless the column converts one of them; this depends on the column's affinity, as for
  // `?`.
  ["select id from kept where name = ?", [5], []],
  ["select id from kept where name = ?", ["5"], [{ id: 5 }]],
  ["select id from kept where size = ?", ["5"], [{ id: 5 }]],
  ["select id from kept where share = ?", ["2.5"], [{ id: 5 }]],
  ["select id from kept where id = ?", ["5"], [{ id: 5 }]],
  ["select id from kept where lower(name) = ?", ["5"], [{ id: 5 }]],
  ["select id from kept where json_extract(json, '$.of') = ?", [5], [{ id: 5 }]],
  ["select id from kept where json_extract(json, ?) = ?", ["$.of", 5], [{ id: 5 }]],
  ["select id from kept where name in (?, ?)", ["5", 6], [{ id: 5 }]],
  ["select id from kept where size in (?, ?)", ["5", 6], [{ id: 5 }, { id: 6 }]],
  ["select id from kept where name in (select value from json_each(?))", ['["5"]'], [{ id: 5 }]],
  [
    "select id from kept where (size, name) > (?, ?) order by size, name limit ?",
    [38, "38", 1],
    [{ id: 39 }],
  ],
  ["select id from kept where name = ?", [null], []],
  ["select id from kept where name is ?", [null], []],
  [
    "select id from kept where name like ? order by id limit ? offset ?",
    ["3_", 2, 1],
    [{ id: 31 }, { id: 32 }],
  ],
  ["select id from kept where lower(name) like ? escape '\\'", ["%39%"], [{ id: 39 }]],
  [
    "select ? = '5' as same, typeof(?) as number, typeof(?) as absent",
    [5, 5, null],
    [{ same: 0, number: "real", absent: "null" }],
  ],
  [
    "select case when name = ? then ? else ? end as found from kept where id = 5",
    ["5", "yes", "no"],
    [{ found: "yes" }],
  ],
  [
    "with given (name) as (values (?), (?)) select id from kept join given using (name)",
    [5, "6"],
    [{ id: 6 }],
  ],
  [
    "insert into kept (name, size, share) values (?, ?, ?) returning typeof(name) as name, typeof(size) as size, typeof(share) as share",
    [77, "7", "8"],
    [{ name: "text", size: "integer", share: "integer" }],
  ],
  [
    "insert into kept (name) values (?) on conflict (name) do update set size = ? returning id, typeof(size) as size",
    ["5", "99"],
    [{ id: 5, size: "integer" }],
  ],
  [
    "update kept set name = ?, plain = ? where id = ? returning typeof(name) as name, typeof(plain) as plain",
    [77, "a", "7"],
    [{ name: "text", plain: "text" }],
  ],
])("%s with %j", (query, parameters, rows) => {
  const ours = outcome(query.replaceAll("?", "likely(?)"), parameters);
  expect(ours).toEqual(outcome(query, parameters));
  expect(ours).toMatchObject({ rows });
});

it("breaks the same unique indexes, also for a text that becomes a number", () => {
  for (const placeholder of ["?", "likely(?)"]) {
    for (const [column, value] of [
      ["name", "5"],
      ["id", "5"],
    ]) {
      const insert = `insert into kept (${column}) values (${placeholder}) returning id`;
      expect(outcome(insert, [value])).toMatchObject({
        error: `SqliteError: UNIQUE constraint failed: kept.${column}`,
      });
    }
  }
});
