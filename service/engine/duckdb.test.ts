// The limits of a database: no files, one statement, time and memory; and the tables of seed files.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, afterEach, expect, test } from "vitest";
import { type DuckDb, openDuckDb, type TableFile } from "./duckdb.ts";
import type { ResultRows } from "./engine.ts";
import { readsClock } from "../query/refresh.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-duckdb-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

function tableFile(name: string, content: string): TableFile {
  const [table = "", format] = name.split(".");
  const file = join(folder, name);
  writeFileSync(file, content);
  return { table, format: format === "csv" ? "csv" : "parquet", file };
}

const orders = "id,amount,placed\n1,2.5,2026-01-01 10:00:00\n2,,2026-01-02 10:00:00\n";

let database: DuckDb | undefined;
afterEach(async () => database?.close());

async function open(limits?: Parameters<typeof openDuckDb>[1]): Promise<DuckDb> {
  database = await openDuckDb([tableFile("orders.csv", orders)], limits);
  return database;
}

async function ask(
  on: DuckDb,
  text: string,
  values: readonly (string | number)[] = [],
  signal: AbortSignal = new AbortController().signal,
): Promise<ResultRows> {
  const rows: ResultRows[] = [];
  await on.run({ text, values }, signal, (part) => rows.push(JSON.parse(part) as ResultRows));
  return rows.flat();
}

test("a seed file is a table", async () => {
  const rows = await ask(await open(), "SELECT * FROM orders WHERE id <= $1 ORDER BY id", [5]);
  expect(rows).toEqual([
    ["1", "2.5", "2026-01-01 10:00:00"],
    ["2", null, "2026-01-02 10:00:00"],
  ]);
});

test.each([
  ["semicolons", "id;name\n1;a,b\n", [["1", "a,b"]]],
  ["quotes", 'id,name\n1,"a, ""b"""\n', [["1", 'a, "b"']]],
  ["numbers as names of columns", "2024,2025\n#1,2\n", [["#1", "2"]]],
  ["a quoted header", '"id;x;y",name\n1,a\n', [["1", "a"]]],
  ["a header of two lines", '"a;b;c\nd",name\n1,a\n', [["1", "a"]]],
  [
    "a mark of its encoding and lines that end as on Windows",
    "\uFEFFid,name\r\n1,a\r\n",
    [["1", "a"]],
  ],
  ["one column", 'name\n"a,b"\nc\n', [["a,b"], ["c"]]],
  ["leading zeros", "zip\n1234\n00501\n", [["1234"], ["00501"]]],
  ["a header alone", "id,name\n", []],
])("a CSV file with %s is read whole", async (_, content, rows) => {
  database = await openDuckDb([tableFile("parts.csv", content)]);
  expect(await ask(database, "SELECT * FROM parts")).toEqual(rows);
});

const lengths = "its rows have different numbers of columns: the header has 2";

test.each([
  ["a row that is longer", "id,name\n1,a\n2,b,c\n", `${lengths}, and this row 3 (Line: 3)`],
  ["a row that is shorter", 'id,name\n1,"a\nb,c"\n2\n', `${lengths}, and this row 1 (Line: 4)`],
  ["a quote that is not closed", 'id,name\n1,a\n2,"b\n', "a quote is not closed (Line: 3)"],
  [
    "text after a closing quote",
    'id,name\n1,"a ""b"""\n2,"é"b,c\n',
    'text follows the closing quote of a value; write "" for a quotation mark inside quotes (Line: 3, Column: 6)',
  ],
])(
  "a CSV file with %s is refused with its line, and no row is skipped",
  async (_, content, why) => {
    await expect(openDuckDb([tableFile("parts.csv", content)])).rejects.toThrow(
      `the seed file of the table parts cannot be read: ${why}`,
    );
  },
);

test("the types of the columns of a CSV file hold the values of its last row", async () => {
  const rows = Array.from({ length: 30_000 }, (_, id) => `${id},${id},${id}\n`).join("");
  database = await openDuckDb([tableFile("parts.csv", `id,zip,price\n${rows}x,007,1.5\n`)]);
  expect(await ask(database, "SELECT * FROM parts OFFSET 30000")).toEqual([["x", "007", "1.5"]]);
});

test("a column of decimals holds each value of a CSV file exactly", async () => {
  const content = [
    "cents,mixed,large,signed,word,power,tiny,double,long",
    "0.1,1,12345678901234567890,-0.5,1.5,1e3,0.00000000000000000000000000000000000001,0.30000000000000004,0.123456789012345678",
    "0.2,2.25,9007199254740993,1.0,x,2.5,0,0.1,0",
    "0.3,,1,7.125,2,3.5,9,33.333333333333336,1",
  ].join("\n");
  database = await openDuckDb([tableFile("parts.csv", content)]);
  expect(await ask(database, "SELECT sum(cents), sum(mixed), sum(signed) FROM parts")).toEqual([
    ["0.6", "3.25", "7.625"],
  ]);
  const names = ["cents", "mixed", "large", "signed", "word", "power", "tiny", "double", "long"];
  const types = await ask(
    database,
    `SELECT ${names.map((name) => `typeof(${name})`).join()} FROM parts LIMIT 1`,
  );
  expect(types.flat()).toEqual([
    "DECIMAL(38,1)",
    "DECIMAL(38,2)",
    "DECIMAL(38,0)",
    "DECIMAL(38,3)",
    "VARCHAR",
    "DOUBLE",
    "DOUBLE",
    "DOUBLE",
    "DECIMAL(38,18)",
  ]);
});

test("a CSV file in another encoding is refused without advice on options", async () => {
  const file = join(folder, "parts.csv");
  writeFileSync(file, Buffer.from("id,name\n1,caf\u{e9}\n", "latin1"));
  await expect(openDuckDb([{ table: "parts", format: "csv", file }])).rejects.toThrow(
    /^the seed file of the table parts cannot be read: [^*]*not utf-8 encoded\.$/u,
  );
});

test("a CSV file with a wrong row far below is refused with its line", async () => {
  const rows = Array.from({ length: 30_000 }, (_, id) => `${id},n`).join("\n");
  await expect(openDuckDb([tableFile("parts.csv", `id,name\n${rows}\n1,a,b\n`)])).rejects.toThrow(
    /^the seed file of the table parts cannot be read: [^*]*Line: 30002; Original Line: 1,a,b;[^*]*$/u,
  );
});

test("a Parquet file is a table with the types that it has", async () => {
  const file = join(folder, "visits.parquet");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const rows = "(1, 1234567890123456789, TIMESTAMP '2026-01-31 23:59:59.999999'), (2, NULL, NULL)";
  await connection.run(
    `COPY (SELECT * FROM (VALUES ${rows}) AS t(id, tenant, seen)) TO '${file}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
  database = await openDuckDb([{ table: "visits", format: "parquet", file }]);
  // The file is read once.
  rmSync(file);
  expect(await ask(database, "SELECT id, tenant, seen FROM visits ORDER BY seen")).toEqual([
    [1, "1234567890123456789", "2026-01-31 23:59:59.999999"],
    [2, null, null],
  ]);
});

test("a seed file that is no table is an error that names it", async () => {
  const bad = tableFile("events.parquet", "none");
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

test.each([
  "SELECT 1 AS id FROM enable_logging(level='debug', storage='file', storage_config=struct_pack(path := '/tmp/x'))",
  "SELECT * FROM main.Enable_Logging()",
  'SELECT * FROM system.main."ENABLE_LOGGING"()',
  "WITH a AS (SELECT * FROM enable_logging()) SELECT 1",
  "WITH a AS MATERIALIZED (FROM disable_logging()) SELECT * FROM a",
  "SELECT (SELECT count(*) FROM enable_logging())",
  "SELECT * FROM orders WHERE id IN (FROM enable_profiling())",
  "SELECT * FROM orders JOIN (VALUES (1)) t(x) ON true, LATERAL enable_logging() e",
  "SELECT 1 UNION ALL SELECT 1 FROM/**/checkpoint()",
  "SELECT 1 ORDER BY (SELECT 1 FROM enable_logging())",
  "FROM query('SELECT 1')",
  "FROM query_table('orders')",
  "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
  "FROM duckdb_settings()",
  "FROM pragma_version()",
  "PRAGMA version",
  "CALL enable_logging()",
  "SHOW TABLES",
  "FROM (DESCRIBE orders)",
  "EXPLAIN ANALYZE SELECT 1",
  "DELETE FROM orders",
  "DROP TABLE orders",
  "CREATE MACRO f() AS TABLE SELECT 1",
  "SELECT write_log('x')",
  "SELECT 'x'.WRITE_LOG()",
  "SELECT main.setseed(0.5)",
])("a statement with effects is refused: %s", async (text) => {
  const one = await open();
  await expect(ask(one, text)).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringMatching(/^the SQL of the data model .*, which queries do not support$/),
  });
  expect(await ask(one, "SELECT count(*) FROM orders")).toEqual([["2"]]);
});

test("functions that read their arguments are tables", async () => {
  const text =
    "WITH a AS (SELECT unnest([1, 2]) AS x) SELECT count(*) FROM a, range(3), generate_series(1, 2), unnest([$1])";
  expect(await ask(await open(), text, [1])).toEqual([["12"]]);
});

test("a query ends at its time limit, and others continue", async () => {
  const one = await open({ queryMs: 200, queryMegabytes: 256 });
  const endless =
    "SELECT count(*) FROM range(1000000000) a, range(1000000) b WHERE a.range = b.range + 1";
  const slow = ask(one, endless);
  const quick = ask(one, "SELECT 1");
  await expect(slow).rejects.toMatchObject({ code: "timeout" });
  expect(await quick).toEqual([[1]]);
});

test.each([0, 1, 50])("a query ends when it is canceled after %d ms", async (ms) => {
  const one = await open();
  const text = "SELECT count(*) FROM range(1000000000) a, range(1000000) b";
  const controller = new AbortController();
  const slow = ask(one, text, [], controller.signal);
  if (ms === 0) controller.abort();
  else setTimeout(() => controller.abort(), ms);
  await expect(slow).rejects.toMatchObject({ code: "aborted" });
});

test("conditions on several optional joins find their columns", async () => {
  const files = [
    tableFile("buyers.csv", "id,kind,since\n1,x,\n2,x,\n"),
    tableFile("sales.csv", "id,buyer,amount\n1,1,\n2,1,\n"),
    tableFile("lines.csv", "id,sale,kind\n1,1,x\n2,1,x\n"),
  ];
  database = await openDuckDb(files);
  const label = "(CASE WHEN s.amount < '0' THEN b.kind END)";
  const joins = "FROM sales AS s LEFT JOIN buyers AS b ON s.buyer = b.id";
  // An optimizer step of DuckDB loses the columns of such conditions.
  const text = `SELECT ${label}, count(*) ${joins} LEFT JOIN lines AS l ON s.id = l.sale
    WHERE b.since >= $1 AND ${label} IS NOT NULL AND l.kind = 'x' GROUP BY 1`;
  expect(await ask(database, text, ["2026-01-01"])).toEqual([]);
});

test("a query ends at its limit of memory", async () => {
  const one = await open({ queryMs: 20_000, queryMegabytes: 50 });
  const large = "SELECT list(range) FROM range(100000000)";
  await expect(ask(one, large)).rejects.toMatchObject({ code: "limit_reached" });
  expect(await ask(one, "SELECT 1")).toEqual([[1]]);
});

test("a result of many chunks has all rows in order", async () => {
  const rows = await ask(await open(), "SELECT CAST(range AS INTEGER) FROM range(10000)");
  expect(rows).toEqual(Array.from({ length: 10_000 }, (_, at) => [at]));
  expect(await ask(await open(), "SELECT 1 FROM range(0)")).toEqual([]);
});

test("a result has a limit of bytes, also one of 10,000,000 rows, and the next query has its memory", async () => {
  const one = await open();
  for (const text of ["SELECT repeat('x', 100000) FROM range(1000)", "FROM range(10000000)"]) {
    await expect(ask(one, text)).rejects.toMatchObject({ code: "limit_reached" });
  }
  expect(await ask(one, "SELECT 1")).toEqual([[1]]);
});

test("SQL that calls a function of DuckDB without a constant result changes by itself", async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const result = await connection.runAndReadAll(
    "SELECT DISTINCT function_name FROM duckdb_functions() WHERE stability <> 'CONSISTENT' OR macro_definition LIKE '%current_timestamp%'",
  );
  const rows = result.getRows().map(([name]) => String(name));
  connection.closeSync();
  // They change with the database only.
  const constant = ["current_database", "current_schema", "current_schemas", "in_search_path"];
  const missed = rows.filter((name) => !readsClock(`${name}(x)`));
  expect(rows).toContain("random");
  expect(missed.toSorted()).toEqual(constant);
});
