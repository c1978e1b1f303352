// PostgreSQL as a data source: accepted statements, refused statements, and limits.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  createTestDatabase,
  queryServer,
  type TestDatabase,
} from "../../test/support/test-database.ts";
import { sourceOf } from "../../test/support/query-database.ts";
import type { DatabaseAddress, SourceOptions } from "./database-source.ts";
import { openPostgresSource } from "./postgres.ts";

let place: TestDatabase;
let source: DatabaseAddress;
beforeAll(async () => {
  place = await createTestDatabase();
  source = sourceOf(place.data);
  const text = `CREATE TABLE orders AS SELECT 1 AS id, 2.50::numeric AS amount, true AS paid, timestamp '2026-01-01 10:00:00' AS placed`;
  await queryServer(text, place);
});
afterAll(() => place.drop());

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
  const options = { privateHosts: [source.host], ...on };
  const database = openPostgresSource({ ...source, ...at }, options);
  return database.run({ text, values }, signal).then(({ rows }) => rows);
}

test("rows are text and booleans, in UTC, from any number of steps", async () => {
  const text =
    "SELECT *, CAST(NULL AS text), current_setting('TimeZone'), current_setting('cursor_tuple_fraction') FROM orders WHERE id = $1";
  expect(await ask(text, { values: [1] })).toEqual([
    ["1", "2.50", true, "2026-01-01 10:00:00", null, "UTC", "1"],
  ]);
  const many = await ask("SELECT n FROM generate_series(1, 2500) AS t(n) ORDER BY n");
  expect(many).toEqual(Array.from({ length: 2500 }, (_, at) => [String(at + 1)]));
});

test.each([
  "DELETE FROM orders RETURNING id",
  "WITH gone AS (DELETE FROM orders RETURNING id) SELECT * FROM gone",
  "SELECT nextval('missing')",
  "SELECT * FROM orders FOR UPDATE",
  "SELECT 1; COMMIT; DELETE FROM orders",
  "SELECT * FROM missing",
])("%s is refused with the message of the database", async (text) => {
  await expect(ask(text)).rejects.toMatchObject({ code: "invalid", cause: expect.any(Error) });
  expect(await ask("SELECT count(*) FROM orders")).toEqual([["1"]]);
});

test("a statement ends at its limit of time, and when it is canceled", async () => {
  const slow = "SELECT pg_sleep(30)";
  const bounds = { queryMs: 200 };
  await expect(ask(slow, { on: { bounds } })).rejects.toMatchObject({ code: "timeout" });
  const controller = new AbortController();
  const canceled = ask(slow, { signal: controller.signal });
  setTimeout(() => controller.abort(), 100);
  await expect(canceled).rejects.toMatchObject({ code: "aborted" });
  await expect
    .poll(() =>
      ask(
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)' AND state = 'active'",
      ),
    )
    .toEqual([["0"]]);
});

test("a result has a limit of bytes", async () => {
  const wide = "SELECT repeat('x', 100000) FROM generate_series(1, 1000)";
  await expect(ask(wide)).rejects.toMatchObject({ code: "limit_reached" });
  // One step of this result is longer than any text.
  const huge = "SELECT repeat('x', 1000000) FROM generate_series(1, 600)";
  await expect(ask(huge)).rejects.toMatchObject({ code: "limit_reached" });
});

test("only allowed hosts are reached, and others with TLS", async () => {
  const on = { privateHosts: [] };
  await expect(ask("SELECT 1", { on })).rejects.toThrow(
    `${source.host} has a private address; ask the operator to start the server with --database-private-host ${source.host}`,
  );
  await expect(ask("SELECT 1", { on, at: { isEncrypted: false } })).rejects.toThrow(
    "is reached without TLS",
  );
  // A failure that passes, unlike the others.
  await expect(ask("SELECT 1", { at: { isEncrypted: true } })).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(/^the database .*:\d+ cannot be reached: .*TLS/u) as string,
  });
  await expect(ask("SELECT 1", { at: { password: "wrong" } })).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringContaining("password authentication failed") as string,
  });
});

describe("rows to store", () => {
  const stream = (
    owner: string,
    text: string,
    setTypes: (types: readonly string[]) => void = () => undefined,
  ) =>
    openPostgresSource(source, { privateHosts: [source.host] }).stream(
      {
        checks: [{ statement: { text: "SELECT 1 WHERE 1 = 0", values: [] }, message: "" }],
        statements: [{ text, values: [] }],
        owner,
        writer: { setTypes, add: async () => undefined },
      },
      never,
    );

  test("are read by one server at a time for each owner", async () => {
    const begun = Promise.withResolvers<readonly string[]>();
    const first = stream("a", "SELECT pg_sleep(2)", begun.resolve);
    await begun.promise;
    await expect(stream("a", "SELECT 1")).rejects.toMatchObject({ code: "locked" });
    await stream("b", "SELECT 1");
    await first;
    await stream("a", "SELECT 1");
  });

  test("have the names of their types, but not text that can be equal to other text", async () => {
    const types = vi.fn();
    const text = "SELECT id, amount, placed, 'a'::varchar, 'a'::name FROM orders";
    await stream("a", text, types);
    expect(types).toHaveBeenLastCalledWith(["int4", "numeric", "timestamp", "varchar", "name"]);
    await queryServer(
      "CREATE COLLATION loose (provider = icu, locale = 'und', deterministic = false)",
      place,
    );
    await stream("a", text, types);
    const loose = "text of a database with collations that are not deterministic";
    expect(types).toHaveBeenLastCalledWith(["int4", "numeric", "timestamp", loose, loose]);
  });
});

test("rows to store are not read where a check of their state has a row", async () => {
  const setTypes = vi.fn();
  const statement = { text: "SELECT 1", values: [] };
  const stream = openPostgresSource(source, { privateHosts: [source.host] }).stream(
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
