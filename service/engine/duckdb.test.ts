// The limits of a database: no files, one statement, time and memory; and the tables of seed files.
import { afterEach, expect, test } from "vitest";
import { openDuckDb, type SeedFile } from "./duckdb.ts";
import type { QueryDatabase } from "./engine.ts";

const orders: SeedFile = {
  table: "orders",
  format: "csv",
  content: Buffer.from("id,amount,placed\n1,2.5,2026-01-01 10:00:00\n2,,2026-01-02 10:00:00\n"),
};

let database: QueryDatabase | undefined;
afterEach(async () => database?.close());

async function open(limits?: Parameters<typeof openDuckDb>[1]): Promise<QueryDatabase> {
  database = await openDuckDb([orders], limits);
  return database;
}

const ask = (on: QueryDatabase, text: string, values: readonly (string | number)[] = []) =>
  on.run({ text, values });

test("a seed file is a table", async () => {
  const rows = await ask(await open(), "SELECT * FROM orders WHERE id <= $1 ORDER BY id", [5]);
  expect(rows).toEqual([
    ["1", 2.5, "2026-01-01 10:00:00"],
    ["2", null, "2026-01-02 10:00:00"],
  ]);
});

test("a seed file that is no table is an error that names it", async () => {
  const bad: SeedFile = { table: "events", format: "parquet", content: Buffer.from("none") };
  await expect(openDuckDb([bad])).rejects.toThrow(
    /^the seed file of the table events cannot be read/,
  );
});

test("nothing outside the database can be read, and no setting changed", async () => {
  const one = await open();
  for (const text of [
    "SELECT * FROM read_csv('/etc/hosts')",
    "SELECT * FROM read_text('/etc/hosts')",
    "COPY orders TO '/tmp/orders.csv'",
    "ATTACH '/tmp/other.db'",
    "INSTALL httpfs",
    "SET enable_external_access = true",
    "SET memory_limit = '8GB'",
    "SELECT 1; SELECT 2",
  ]) {
    await expect(ask(one, text), text).rejects.toMatchObject({ code: "invalid" });
  }
});

test("a query ends at its limit of time, and others go on", async () => {
  const one = await open({ queryMs: 200, queryMegabytes: 256 });
  const endless =
    "SELECT count(*) FROM range(1000000000) a, range(1000000) b WHERE a.range = b.range + 1";
  const slow = ask(one, endless);
  const quick = ask(one, "SELECT 1");
  await expect(slow).rejects.toMatchObject({ code: "timeout" });
  expect(await quick).toEqual([[1]]);
});

test("a query ends at its limit of memory", async () => {
  const one = await open({ queryMs: 20_000, queryMegabytes: 50 });
  const large = "SELECT list(range) FROM range(100000000)";
  await expect(ask(one, large)).rejects.toMatchObject({ code: "limit_reached" });
  expect(await ask(one, "SELECT 1")).toEqual([[1]]);
});

test("a result has a limit of bytes", async () => {
  const wide = "SELECT repeat('x', 100000) FROM range(1000)";
  await expect(ask(await open(), wide)).rejects.toMatchObject({ code: "limit_reached" });
});
