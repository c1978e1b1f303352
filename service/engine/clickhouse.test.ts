// ClickHouse as a data source: accepted statements, refused statements, exact values, and limits.
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { makeAuthority } from "../../test/support/certificates.ts";
import {
  anyone,
  openClickhouse,
  plan,
  type TestDatabase,
  validModel,
} from "../../test/support/query-database.ts";
import { openClickhouseSource } from "./clickhouse.ts";
import type { DatabaseAddress, SourceOptions } from "./database-source.ts";

let place: TestDatabase;
let source: DatabaseAddress;
beforeAll(async () => {
  place = await openClickhouse();
  if (place.source === undefined) throw new Error("it has an address");
  source = place.source.at;
  await place.execute(
    `CREATE TABLE numbers (big UInt64, exact Decimal(38, 10), half Float32, whole Float64, flag Bool, small Int8);
    INSERT INTO numbers VALUES (18446744073709551615, '1234567890123456789012345678.0123456789', 1234567.5, 0.1, true, 0);
    CREATE TABLE moments (at DateTime64(6), stamp DateTime('Europe/Berlin'), day Date);
    INSERT INTO moments VALUES ('2026-01-31 10:00:00.500000', '2026-07-01 12:00:00', '2026-02-28');
    CREATE TABLE texts (id Int32, name String, raw String);
    INSERT INTO texts VALUES (1, 'a', unhex('ff')), (2, 'A', NULL), (3, 'a ', NULL), (4, 'á', NULL), (5, '12abc', NULL)`,
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
    readonly values?: readonly (string | number | boolean | null)[];
    readonly signal?: AbortSignal;
    readonly on?: Partial<SourceOptions>;
    readonly at?: Partial<DatabaseAddress>;
  } = {},
): Promise<unknown> {
  const address = { ...source, ...at };
  const database = openClickhouseSource(address, { privateHosts: [address.host], ...on });
  return database.run({ text, values }, signal).then(({ rows }) => rows);
}

test("numbers keep every digit, and times are in UTC", async () => {
  expect(await ask("SELECT * FROM numbers WHERE big > {p1:Int64}", { values: [1] })).toEqual([
    [
      "18446744073709551615",
      "1234567890123456789012345678.0123456789",
      "1234567.5",
      "0.1",
      true,
      "0",
    ],
  ]);
  expect(await ask("SELECT *, timezone() FROM moments")).toEqual([
    ["2026-01-31 10:00:00.5", "2026-07-01 10:00:00", "2026-02-28", "UTC"],
  ]);
  expect(await ask("SELECT 1 / 0, -1 / 0, 0 / 0, 1e300")).toEqual([
    ["Infinity", "-Infinity", "NaN", "1e+300"],
  ]);
});

test.each(["a\\b", "tab\tline\nend\r", "'; DROP TABLE texts --", "\\N", "{p1:String}", "á€😀\0"])(
  "the text %j arrives and returns as it is",
  async (text) => {
    expect(await ask("SELECT {p1:String}", { values: [text] })).toEqual([[text]]);
  },
);

test("a result has any number of steps", async () => {
  await expect(ask("SELECT number FROM numbers(100000)")).resolves.toEqual(
    Array.from({ length: 100_000 }, (_, index) => [String(index)]),
  );
});

test.each([
  ["DELETE FROM texts WHERE TRUE", "readonly mode"],
  ["DROP TABLE texts", "readonly mode"],
  ["INSERT INTO texts VALUES (1, 'x', 'y')", "readonly mode"],
  ["SET readonly = 0", "readonly"],
  ["SELECT 1 SETTINGS readonly = 0", "readonly"],
  ["SELECT 1; DROP TABLE texts", "not allowed|readonly mode"],
  ["SELECT * FROM missing", "missing"],
  ["SELECT nothing FROM texts", "Unknown expression"],
  ["SELECT id, count(*) FROM texts", "GROUP BY"],
  ["SELECT FROM texts", "Syntax error: failed at position"],
  [
    "SELECT CAST(name || '' AS Int64) FROM (SELECT assumeNotNull(name) AS name FROM texts)",
    "an expression fails for a row: CANNOT_PARSE_TEXT",
  ],
  ["SELECT if(id = 1, 'a', 1) FROM texts", "no supertype"],
  ["SELECT raw FROM texts WHERE id = 1", "no text in UTF-8"],
])("%s is refused by name", async (text, message) => {
  const error: unknown = await ask(text).catch((one: unknown) => one);
  expect(error).toMatchObject({
    code: "invalid",
    message: expect.stringMatching(message) as string,
  });
  expect(String(error)).not.toMatch(/12abc|In scope|version/u);
  expect(await ask("SELECT count(*) FROM texts")).toEqual([["5"]]);
});

describe("sums", () => {
  const model = validModel(`
cubes:
  - name: wide
    sql: SELECT arrayJoin([9223372036854775807, 9223372036854775807]) AS big, CAST('99999999999999999999999999999999999999' AS Decimal(38, 0)) * 1 AS exact, toInt64(big) AS signed
    measures:
      - { name: unsigned, type: sum, sql: "toUInt64(big)" }
      - { name: total, type: sum, sql: signed }
      - { name: mean, type: avg, sql: signed }
      - { name: exact, type: sum, sql: exact }
      - { name: small, type: sum, sql: "CAST(0.1 AS Decimal(10, 1))" }
`);
  const sum = (name: string) => {
    const { statement } = plan(model, { measures: [`wide.${name}`] });
    return ask(statement.text, { values: statement.values });
  };

  test.each(["total", "mean", "exact"])("%s is refused if it wraps around", async (name) => {
    await expect(sum(name)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining("a sum has too many digits") as string,
    });
  });

  test("are exact otherwise", async () => {
    expect(await sum("unsigned")).toEqual([["18446744073709551614"]]);
    expect(await sum("small")).toEqual([["0.2"]]);
  });
});

describe("security contexts", () => {
  const model = validModel(`
cubes:
  - name: texts
    sql: "SELECT * FROM texts WHERE {SECURITY_CONTEXT.name.filter('name')} AND {SECURITY_CONTEXT.id.filter('id')}"
    measures: [{ name: count, type: count }]
`);

  test.each([
    [{ name: "a" }, "1"],
    [{ name: 0 }, "0"],
    [{ name: "' OR 1 = 1 -- \\" }, "0"],
    [{ id: 3 }, "1"],
    [{ id: "3" }, "1"],
    [{ id: [1, 2, 9] }, "2"],
  ])("open rows with exactly %j", async (securityContext, count) => {
    const { statement } = plan(
      model,
      { measures: ["texts.count"] },
      { ...anyone, securityContext },
    );
    expect(await ask(statement.text, { values: statement.values })).toEqual([[count]]);
  });
});

test("a statement ends at its limit of time, and when it is canceled", async () => {
  const slow = "SELECT sleepEachRow(0.1) FROM numbers(100) SETTINGS max_block_size = 1";
  const bounds = { queryMs: 300 };
  await expect(ask(slow, { on: { bounds } })).rejects.toMatchObject({ code: "timeout" });
  await expect(ask(slow, { on: { bounds: { queryMs: 1000 } } })).rejects.toMatchObject({
    code: "timeout",
  });
  const controller = new AbortController();
  const canceled = ask(slow, { signal: controller.signal });
  setTimeout(() => controller.abort(), 200);
  await expect(canceled).rejects.toMatchObject({ code: "aborted" });
});

/** Asks a server that is none of ClickHouse. */
async function askServer(
  listener: RequestListener,
  work: (port: number) => Promise<void>,
): Promise<void> {
  const server = createHttpServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  await work((server.address() as { readonly port: number }).port);
  server.closeAllConnections();
  server.close();
}

test("a statement that is canceled closes its connection, with which the server ends it", async () => {
  const controller = new AbortController();
  const closed = vi.fn();
  await askServer(
    (request, response) => {
      expect(request.url).toContain("cancel_http_readonly_queries_on_client_close=1");
      response.on("close", closed);
      controller.abort();
    },
    async (port) => {
      const asked = ask("SELECT 1", { at: { port }, signal: controller.signal });
      await expect(asked).rejects.toMatchObject({ code: "aborted" });
      await expect.poll(() => closed.mock.calls.length).toBe(1);
    },
  );
});

/** Returns how ClickHouse 25.11 and later end rows of an answer that they began: an error between two lines with a tag. */
function endOfRows(text: string, code: number): string {
  const error = `Code: ${code}. DB::Exception: ${text}: while executing 'FUNCTION throwIf'. (ERROR_NAME) (version 26.7.1.1 (official build))`;
  return `\r\n__exception__\r\ndngjzjnxkvlwkeua\r\n${error}\n${error.length + 1} dngjzjnxkvlwkeua\r\n__exception__\r\n`;
}

test.each<[string, RequestListener, string]>([
  ["ends early", (_, response) => response.end("a\nString\nb"), "unavailable"],
  [
    "breaks off",
    (_, response) => response.write("a\nString\nb\n", () => response.destroy()),
    "unavailable",
  ],
  [
    "has an error after rows of one column",
    (_, response) => void response.end(`a\nString\nb\n${endOfRows("1", 395)}`),
    "invalid",
  ],
  [
    "has an error after rows, and breaks off",
    (_, response) =>
      response.write(`a\nString\nb\n${endOfRows("1", 395)}`, () => response.destroy()),
    "invalid|unavailable",
  ],
  [
    "takes too long after rows",
    (_, response) => void response.end(`a\nString\nb\n${endOfRows("1", 159)}`),
    "timeout",
  ],
  [
    "has a row of fewer values",
    (_, response) => void response.end("a\tb\nString\tString\nx\n"),
    "unavailable",
  ],
  ["is a page", (_, response) => response.writeHead(502).end("<html>"), "unavailable"],
  [
    "redirects",
    (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    "unavailable",
  ],
  [
    "never ends",
    (_, response) => {
      const part = "x".repeat(1_000_000);
      const send = () => void response.write(part, (error) => (error ? undefined : send()));
      response.write("a\nString\n");
      send();
    },
    "limit_reached",
  ],
])("an answer that %s is a failure", async (_, listener, code) => {
  await askServer(listener, async (port) => {
    await expect(ask("SELECT 1", { at: { port } })).rejects.toMatchObject({
      code: expect.stringMatching(code) as string,
    });
  });
});

test("an error of types names them, and one of a row only its kind", async () => {
  const problem = "Illegal types UInt64 and String of arguments of function plus";
  await askServer(
    (request, response) => {
      request.resume();
      const code = request.url?.includes("database=types") ? 43 : 72;
      response
        .writeHead(500)
        .end(`Code: ${code}. DB::Exception: ${problem}: while executing 'FUNCTION plus'. (A_NAME)`);
    },
    async (port) => {
      await expect(ask("SELECT 1", { at: { port, database: "types" } })).rejects.toMatchObject({
        message: problem,
      });
      await expect(ask("SELECT 1", { at: { port } })).rejects.toMatchObject({
        message: "an expression fails for a row: A_NAME",
      });
    },
  );
});

test("a server that hangs ends at the limit of time", async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  const bounds = { queryMs: 300 };
  await expect(ask("SELECT 1", { at: { port }, on: { bounds } })).rejects.toMatchObject({
    code: "timeout",
  });
  for (const socket of sockets) socket.destroy();
  server.close();
});

test("a result has a limit of bytes", async () => {
  const many = "SELECT repeat('x', 100000) FROM numbers(900)";
  await expect(ask(many)).rejects.toMatchObject({ code: "limit_reached" });
});

test("only allowed hosts are reached, and others with TLS; no error has the password", async () => {
  const on = { privateHosts: [] };
  await expect(ask("SELECT 1", { on })).rejects.toThrow(
    `${source.host} has a private address; ask the operator to start the server with --database-private-host ${source.host}`,
  );
  await expect(ask("SELECT 1", { on, at: { isEncrypted: false } })).rejects.toThrow(
    "is reached without TLS",
  );
  const unreachable = (at: Partial<DatabaseAddress>, problem: string) =>
    expect(ask("SELECT 1", { at })).rejects.toMatchObject({
      code: "unavailable",
      message: `the database ${source.host}:${at.port ?? source.port} cannot be reached: ${problem}; check the variables of its host, port and TLS`,
    });
  await unreachable({ isEncrypted: true }, "it does not use TLS");
  await unreachable({ port: 1 }, "the connection was refused");
  const password = "wrong-secret";
  const error: unknown = await ask("SELECT 1", { at: { password } }).catch((one: unknown) => one);
  expect(error).toMatchObject({
    code: "invalid",
    message: `${source.user}: Authentication failed: password is incorrect, or there is no user with such name; check the variables of its user and password`,
  });
  expect(String(error)).not.toContain(password);
  await expect(ask("SELECT 1", { at: { database: "none" } })).rejects.toMatchObject({
    code: "invalid",
    message: "Database none does not exist; check the variables of its database",
  });
});

test("a server with TLS is reached if its certificate is for its host, and of a known authority", async () => {
  const authority = await makeAuthority();
  const server = createHttpsServer(await authority.issue(["127.0.0.1"]), (_, response) =>
    response.end("a\nUInt8\n1\n"),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  const encrypted = { port, isEncrypted: true };
  const at = { ...encrypted, authorities: authority.cert };
  expect(await ask("SELECT 1", { at })).toEqual([["1"]]);
  await expect(ask("SELECT 1", { at: encrypted })).rejects.toThrow(
    "its TLS certificate is signed by an unknown authority",
  );
  await expect(ask("SELECT 1", { at: { ...at, host: "localhost" } })).rejects.toThrow(
    "its TLS certificate is for another host",
  );
  // It answers no plain HTTP.
  await expect(ask("SELECT 1", { at: { port } })).rejects.toMatchObject({ code: "unavailable" });
  server.closeAllConnections();
  server.close();
});

test("the limits of a user's profile return no part of the rows", async () => {
  expect(
    await ask(
      "SELECT name FROM system.settings WHERE name LIKE '%\\_overflow\\_mode%' AND type LIKE 'OverflowMode%' AND NOT changed",
    ),
  ).toEqual([]);
  await expect(
    ask("SELECT number FROM numbers(10) SETTINGS max_rows_to_read = 2"),
  ).rejects.toMatchObject({ code: "invalid" });
});

test("too little memory is told from too little time", async () => {
  await expect(
    ask("SELECT groupArray(number) FROM numbers(100000000) SETTINGS max_memory_usage = 10000000"),
  ).rejects.toMatchObject({
    code: "limit_reached",
    message: expect.stringContaining("needs more memory than the database allows") as string,
  });
});

test("rows to store are read by one server at a time for each owner, with the names of their types", async () => {
  const types = vi.fn();
  const stream = (owner: string, text: string, setTypes: (names: readonly string[]) => void) =>
    openClickhouseSource(source, { privateHosts: [source.host] }).stream(
      {
        checks: [{ statement: { text: "SELECT 1 WHERE 1 = 0", values: [] }, message: "" }],
        statements: [{ text, values: [] }],
        owner,
        writer: { setTypes, add: async () => undefined },
      },
      never,
    );
  const first = stream("a", "SELECT sleep(2)", () => undefined);
  await new Promise((resolve) => void setTimeout(resolve, 500));
  await expect(stream("a", "SELECT 1", types)).rejects.toMatchObject({ code: "locked" });
  await stream("b", "SELECT big, exact, whole, name, at, day FROM numbers, texts, moments", types);
  expect(types).toHaveBeenLastCalledWith([
    "numeric",
    "numeric",
    "float8",
    "text",
    "timestamp",
    "date",
  ]);
  await first;
  await stream("a", "SELECT 1", types);
});

test.each([
  ["[1, NULL]", "[1,NULL]"],
  ["map('a', [1.5])", "{'a':[1.5]}"],
  ["CAST('a' AS LowCardinality(Nullable(String)))", "a"],
  ["CAST('new' AS Nullable(Enum8('new' = 1)))", "new"],
  ["toInt256('-12345678901234567890123456789012345678901234567890')", undefined],
  ["toDecimal256('12345678901234567890123456789012345678901234567890.5', 5)", undefined],
  [
    "CAST(toDateTime('2026-01-31 10:00:00') AS SimpleAggregateFunction(max, DateTime))",
    "2026-01-31 10:00:00",
  ],
  ["toBFloat16(1.5)", "1.5"],
  ["NULL", null],
])("the value %s is exact", async (text, value = /'(.*)'/u.exec(text)?.[1]) => {
  expect(await ask(`SELECT ${text}`)).toEqual([[value]]);
});

test("a state of an aggregate is refused by name", async () => {
  await expect(ask("SELECT countState()")).rejects.toThrow(
    "the values of the type AggregateFunction(count) are no text; finalize them, as finalizeAggregation does",
  );
});

test("rows to store are not read where a check of their state has a row", async () => {
  const setTypes = vi.fn();
  const statement = { text: "SELECT 1", values: [] };
  const stream = openClickhouseSource(source, { privateHosts: [source.host] }).stream(
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
