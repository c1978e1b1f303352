// MariaDB as a data source: accepted statements, refused statements, exact values, and limits.
import { createServer, type Socket } from "node:net";
import { once } from "node:events";
import { createConnection } from "mysql2";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  anyone,
  openMysql,
  plan,
  type TestDatabase,
  validModel,
} from "../../test/support/query-database.ts";
import type { DatabaseAddress, SourceOptions } from "./database-source.ts";
import { mysqlOptions, openMysqlSource, startReading } from "./mysql.ts";

let place: TestDatabase;
let source: DatabaseAddress;
beforeAll(async () => {
  place = await openMysql();
  if (place.source === undefined) throw new Error("it has an address");
  source = place.source.at;
  await place.execute(
    `CREATE TABLE numbers (big BIGINT UNSIGNED, exact DECIMAL(38, 10), half FLOAT, whole DOUBLE, flag BIT(1), small TINYINT(1));
    INSERT INTO numbers VALUES (18446744073709551615, 1234567890123456789012345678.0123456789, 1234567.5, 0.1, b'1', 0);
    CREATE TABLE moments (at DATETIME(6), stamp TIMESTAMP NULL, day DATE, clock TIME, year YEAR);
    INSERT INTO moments VALUES ('2026-01-31 10:00:00.500000', '2026-07-01 12:00:00', '2026-02-28', '12:30:00', 2026);
    CREATE TABLE texts (id INT, name VARCHAR(20) COLLATE utf8mb4_general_ci, INDEX by_name (name), raw VARBINARY(5), doc JSON);
    INSERT INTO texts VALUES (1, 'a', x'ff', '{"a":1}'), (2, 'A', NULL, NULL), (3, 'a ', NULL, NULL), (4, 'á', NULL, NULL), (5, '12abc', NULL, NULL)`,
  );
});
afterAll(() => place.close());

const never = new AbortController().signal;

function ask(
  text: string,
  {
    values = [],
    signal = never,
    on = {},
    at = {},
  }: {
    readonly values?: readonly (string | number)[];
    readonly signal?: AbortSignal;
    readonly on?: Partial<SourceOptions>;
    readonly at?: Partial<DatabaseAddress>;
  } = {},
): Promise<unknown> {
  const address = { ...source, ...at };
  const database = openMysqlSource(address, { privateHosts: [address.host], ...on });
  return database.run({ text, values }, signal).then(({ rows }) => rows);
}

test("numbers keep every digit, and times are in UTC", async () => {
  expect(await ask("SELECT * FROM numbers WHERE big > ?", { values: ["1"] })).toEqual([
    [
      "18446744073709551615",
      "1234567890123456789012345678.0123456789",
      "1234567.5",
      "0.1",
      "1",
      "0",
    ],
  ]);
  expect(await ask("SELECT *, @@time_zone FROM moments")).toEqual([
    ["2026-01-31 10:00:00.5", "2026-07-01 12:00:00", "2026-02-28", "12:30:00", "2026", "+00:00"],
  ]);
  expect(await ask("SELECT 1.0 / 3, doc FROM texts WHERE id = 1")).toEqual([
    ["0.3333333333333333333333333333333", '{"a":1}'],
  ]);
});

test("a result has any number of steps", async () => {
  const text = "SELECT seq FROM seq_1_to_2500";
  await expect(ask(text)).resolves.toEqual(
    Array.from({ length: 2500 }, (_, index) => [String(index + 1)]),
  );
});

test.each([
  ["DELETE FROM texts", "READ ONLY transaction"],
  ["DROP TABLE texts", "only SELECT is supported"],
  ["SET @a = 1", "only SELECT is supported"],
  ["SELECT 1 INTO OUTFILE '/tmp/svc-never'", "only SELECT is supported"],
  ["OPTIMIZE TABLE texts", "only SELECT is supported"],
  ["/*M! CHECK TABLE texts */", "only SELECT is supported"],
  ["SELECT 1; DELETE FROM texts", "SQL syntax"],
  ["DELETE FROM texts RETURNING id", "READ ONLY transaction"],
  ["SELECT * FROM missing", "doesn't exist"],
  ["SELECT 'it\\'s'", "SQL syntax"],
  ["SELECT id, count(*) FROM texts", "GROUP BY"],
  ["SELECT 1 / 0", "Division by 0"],
  ["SELECT id FROM texts WHERE name = 0", "Truncated incorrect"],
  ["SELECT CAST(name AS SIGNED) FROM texts", "Truncated incorrect"],
  ["SELECT CAST('2026-02-30' AS DATETIME)", "Incorrect datetime"],
  ["SELECT raw FROM texts WHERE id = 1", "binary values"],
])("%s is refused by name", async (text, message) => {
  await expect(ask(text)).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringContaining(message) as string,
  });
  expect(await ask("SELECT count(*) FROM texts")).toEqual([["5"]]);
});

test("a value that changes is refused, however many notes come first, and whatever the server keeps", async () => {
  await place.execute(
    `CREATE TABLE notes (id INT, number VARCHAR(20));
    INSERT INTO notes SELECT seq, '1 ' FROM seq_1_to_100;
    INSERT INTO notes VALUES (101, 'abc')`,
  );
  const refused = { code: "invalid", message: expect.stringContaining("'abc'") as string };
  await expect(ask("SELECT COUNT(*) FROM notes WHERE number = 0")).rejects.toMatchObject(refused);
  await place.execute("SET GLOBAL max_error_count = 0");
  try {
    await expect(ask("SELECT SUM(CAST(number AS SIGNED)) FROM notes")).rejects.toMatchObject(
      refused,
    );
  } finally {
    await place.execute("SET GLOBAL max_error_count = DEFAULT");
  }
  expect(await ask("SELECT SUM(CAST(number AS SIGNED)) FROM notes WHERE id < 101")).toEqual([
    ["100"],
  ]);
});

describe("sums and averages", () => {
  const model = validModel(
    JSON.stringify({
      cubes: [
        {
          name: "sums",
          sql_table: "sums",
          dimensions: [
            { name: "id", sql: "id", type: "number", primary_key: true },
            { name: "kind", sql: "kind", type: "string" },
          ],
          measures: [
            { name: "count", type: "count" },
            ...["large", "wide", "fine", "whole"].flatMap((name) => [
              { name, sql: name, type: "sum" },
              { name: `${name}_mean`, sql: name, type: "avg" },
            ]),
            { name: "half", sql: "{large} / 2", type: "number" },
            { name: "share", sql: "{large} / {all}", type: "number", multi_stage: true },
            { name: "all", sql: "{large}", type: "sum", multi_stage: true, group_by: [] },
          ],
        },
      ],
    }),
  );
  beforeAll(() =>
    place.execute(
      `CREATE TABLE sums (id INT, kind VARCHAR(9), large DECIMAL(65,0), wide DECIMAL(38,0), fine DECIMAL(65,30), whole DOUBLE);
      INSERT INTO sums VALUES (1, 'much', REPEAT('9', 65), REPEAT('9', 38), CONCAT(REPEAT('9', 35), '.5'), 1e308),
        (2, 'much', REPEAT('9', 65), REPEAT('9', 38), CONCAT(REPEAT('9', 35), '.5'), 1e308),
        (3, 'less', REPEAT('9', 64), REPEAT('9', 30), CONCAT(REPEAT('9', 34), '.5'), 1e307)`,
    ),
  );
  const value = async (name: string, kind: string, dimensions: readonly string[]) => {
    const filters = [{ member: "sums.kind", operator: "equals", values: [kind] }];
    const query = { measures: [`sums.${name}`], dimensions, filters };
    return (await place.run(plan(model, query).statement))[0]?.at(-1);
  };

  test.each([
    ["large", "9".repeat(64)],
    ["wide", "9".repeat(30)],
    ["fine", `${"9".repeat(34)}.5`],
    ["whole", "1e+307"],
    ["wide_mean", "9".repeat(30)],
    ["whole_mean", "1e+307"],
  ])("%s that a group can hold are exact, and others refused", async (name, expected) => {
    for (const dimensions of [[], ["sums.kind"]]) {
      const exact = String(await value(name, "less", dimensions));
      expect(exact.includes(".") ? exact.replace(/\.?0+$/, "") : exact).toBe(expected);
      if (name === "wide") continue;
      await expect(value(name, "much", dimensions)).rejects.toThrow(/too many digits|out of range/);
    }
  });

  test.each(["large_mean", "fine_mean", "half", "share"])(
    "no %s is computed from wrong ones",
    async (name) => {
      for (const dimensions of [[], ["sums.kind"]])
        await expect(value(name, "much", dimensions)).rejects.toThrow(
          /too many digits|out of range/,
        );
    },
  );
});

describe("text", () => {
  const model = validModel(`
cubes:
  - name: texts
    sql: "SELECT * FROM texts WHERE {SECURITY_CONTEXT.name.filter('name')}"
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: name, sql: name, type: string }
    measures:
      - { name: count, type: count }
      - { name: names, type: count_distinct, sql: name }
`);
  const rows = async (query: Parameters<typeof plan>[1], name?: string | number) =>
    ask(
      ...statementOf(
        plan(model, query, { ...anyone, securityContext: name === undefined ? {} : { name } }),
      ),
    );
  const statementOf = ({ statement }: ReturnType<typeof plan>) =>
    [statement.text, { values: statement.values as readonly string[] }] as const;

  test("is grouped, compared, counted and ordered by its bytes, whatever the collation of its column", async () => {
    const order = { "texts.name": "asc" };
    expect(await rows({ dimensions: ["texts.name"], measures: ["texts.count"], order })).toEqual(
      ["12abc", "A", "a", "a ", "á"].map((name) => [name, "1"]),
    );
    expect(await rows({ measures: ["texts.names"] })).toEqual([["5"]]);
    const filters = [{ member: "texts.name", operator: "equals", values: ["a"] }];
    expect(await rows({ measures: ["texts.count"], filters })).toEqual([["1"]]);
    const like = [{ member: "texts.name", operator: "startsWith", values: ["A"] }];
    expect(await rows({ measures: ["texts.count"], filters: like })).toEqual([["3"]]);
  });

  test("is found by an index", async () => {
    const filters = [{ member: "texts.name", operator: "equals", values: ["a"] }];
    const { statement } = plan(model, { measures: ["texts.count"], filters });
    const { database, host, password, port, user } = source;
    const on = createConnection({ ...mysqlOptions, database, host, password, port, user });
    await startReading(on, 10_000);
    const [steps] = await on.promise().query(`EXPLAIN ${statement.text}`, [...statement.values]);
    on.destroy();
    expect(JSON.stringify(steps)).toContain('"by_name"');
  });

  test.each([
    ["a", "1"],
    [0, "0"],
    [12, "0"],
    ["' OR 1 = 1 -- \\", "0"],
  ])("of a security context opens rows with exactly %j", async (name, count) => {
    expect(await rows({ measures: ["texts.count"] }, name)).toEqual([[count]]);
  });
});

describe("zones", () => {
  const model = validModel(`
cubes:
  - name: moments
    sql: SELECT CAST('2026-03-29 00:59:59.9' AS DATETIME(6)) AS at UNION ALL SELECT CAST('2026-03-29 01:00:00' AS DATETIME(6))
    dimensions: [{ name: at, sql: at, type: time }]
    measures: [{ name: count, type: count }]
  - name: old
    sql: SELECT CAST('1950-01-01' AS DATETIME(6)) AS at
    dimensions: [{ name: at, sql: at, type: time }]
    measures: [{ name: count, type: count }]
`);
  const rows = (cube: string, timezone: string) => {
    const timeDimensions = [{ dimension: `${cube}.at`, granularity: "hour" }];
    const { statement } = plan(model, { measures: [`${cube}.count`], timeDimensions, timezone });
    return ask(statement.text, { values: statement.values as readonly string[] });
  };

  test("convert times", async () => {
    expect(await rows("moments", "Europe/Berlin")).toEqual([
      ["2026-03-29 01:00:00", "1"],
      ["2026-03-29 03:00:00", "1"],
    ]);
  });

  test.each([
    [
      "moments",
      "Asia/Tokyo",
      "the server has no time zone Asia/Tokyo: load it with mariadb-tzinfo-to-sql, for 2026-03-29 00:59:59.900000",
    ],
    [
      "old",
      "Europe/Berlin",
      "the server has Europe/Berlin from 1970 to 2037, not at 1950-01-01 00:00:00.000000",
    ],
  ])("of %s in %s are refused if the server cannot convert them", async (cube, zone, message) => {
    await expect(rows(cube, zone)).rejects.toMatchObject({ code: "invalid", message });
  });
});

test("a statement ends at its limit of time, and when it is canceled", async () => {
  const slow = "SELECT SLEEP(30)";
  const bounds = { queryMs: 300 };
  await expect(ask(slow, { on: { bounds } })).rejects.toMatchObject({ code: "timeout" });
  const controller = new AbortController();
  const canceled = ask(slow, { signal: controller.signal });
  setTimeout(() => controller.abort(), 200);
  await expect(canceled).rejects.toMatchObject({ code: "aborted" });
  await expect
    .poll(() =>
      ask("SELECT count(*) FROM information_schema.processlist WHERE info = 'SELECT SLEEP(30)'"),
    )
    .toEqual([["0"]]);
});

test("a connection that is lost is a failure that passes", async () => {
  const running = ask("SELECT SLEEP(25)");
  running.catch(() => undefined);
  const text = "FROM information_schema.processlist WHERE info = 'SELECT SLEEP(25)'";
  await expect.poll(() => ask(`SELECT count(*) ${text}`)).toEqual([["1"]]);
  const [[id]] = (await ask(`SELECT id ${text}`)) as [[string]];
  await place.execute(`KILL CONNECTION ${id}`);
  await expect(running).rejects.toMatchObject({ code: "unavailable" });
});

test("a server that hangs ends at the limit of time", async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  const bounds = { queryMs: 300 };
  await expect(
    ask("SELECT 1", { at: { host: "127.0.0.1", port }, on: { bounds } }),
  ).rejects.toMatchObject({ code: "timeout" });
  for (const socket of sockets) socket.destroy();
  server.close();
});

test("a server that sends without end before the login has a limit of bytes", async () => {
  const packet = Buffer.alloc(2 ** 24 + 3);
  packet.fill(0xff, 0, 3);
  let sent = 0;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    const send = () =>
      void socket.write(packet, (error) => {
        if (error) return;
        sent += 1;
        send();
      });
    send();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  // On a slow machine, the limit of time comes first.
  await expect(ask("SELECT 1", { at: { host: "127.0.0.1", port } })).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:limit_reached|unavailable)$/u) as string,
  });
  expect(sent).toBeLessThan(6);
  server.close();
});

test("a result has a limit of bytes", async () => {
  const many = (bytes: number) =>
    `WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT REPEAT('x', ${bytes}) FROM n`;
  await expect(ask(many(100_000))).rejects.toMatchObject({ code: "limit_reached" });
  await expect(ask(many(1_000_000))).rejects.toMatchObject({ code: "limit_reached" });
});

test("only allowed hosts are reached, and others with TLS; no error has the password", async () => {
  const on = { privateHosts: [] };
  await expect(ask("SELECT 1", { on })).rejects.toThrow(
    `${source.host} has a private address; ask the operator to start the server with --database-private-host ${source.host}`,
  );
  await expect(ask("SELECT 1", { on, at: { isEncrypted: false } })).rejects.toThrow(
    "is reached without TLS",
  );
  await expect(ask("SELECT 1", { at: { isEncrypted: true } })).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(/^the database .*:\d+ cannot be reached: .*TLS/u) as string,
  });
  const password = "wrong-secret";
  const error: unknown = await ask("SELECT 1", { at: { password } }).catch((one: unknown) => one);
  expect(error).toMatchObject({
    code: "invalid",
    message: `Access denied for user '${source.user}' (using password: YES)`,
  });
  expect(String(error)).not.toContain(password);
});

test("rows to store are read by one server at a time for each owner, with the names of their types", async () => {
  const types = vi.fn();
  const stream = (owner: string, text: string, setTypes: (names: readonly string[]) => void) =>
    openMysqlSource(source, { privateHosts: [source.host] }).stream(
      {
        checks: [{ statement: { text: "SELECT 1 WHERE 1 = 0", values: [] }, message: "" }],
        statements: [{ text, values: [] }],
        owner,
        writer: { setTypes, add: async () => undefined },
      },
      never,
    );
  const first = stream("a", "SELECT SLEEP(2)", () => undefined);
  await expect
    .poll(() =>
      ask("SELECT count(*) FROM information_schema.processlist WHERE info = 'SELECT SLEEP(2)'"),
    )
    .toEqual([["1"]]);
  await expect(stream("a", "SELECT 1", types)).rejects.toMatchObject({ code: "locked" });
  const text = "SELECT big, exact, whole, name, at, day FROM numbers, texts, moments";
  await stream("b", text, types);
  expect(types).toHaveBeenLastCalledWith(["int", "numeric", "float8", "text", "timestamp", "date"]);
  await first;
  await stream("a", "SELECT 1", types);
});

test("rows to store are not read where a check of their state has a row", async () => {
  const setTypes = vi.fn();
  const statement = { text: "SELECT 1", values: [] };
  const stream = openMysqlSource(source, { privateHosts: [source.host] }).stream(
    {
      checks: [{ statement, message: "a key repeats" }],
      statements: [statement],
      owner: "a",
      writer: { setTypes, add: async () => undefined },
    },
    never,
  );
  await expect(stream).rejects.toMatchObject({ code: "invalid", message: "a key repeats" });
  expect(setTypes).not.toHaveBeenCalled();
});
