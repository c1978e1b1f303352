// Tests queries in SQL: the lines of their answers, their access, and the statements that they become.
import { expect, describe, it } from "vitest";
import { type Json, useDataApi } from "./data-api-service.ts";

const { address, token, ask, tokenOf } = useDataApi();

/** Sends a statement, and returns the lines of its answer. */
async function query(
  text: unknown,
  more: object = {},
  credential = token(),
): Promise<readonly [status: number, lines: readonly Json[]]> {
  const response = await fetch(`${address()}/cubesql`, {
    method: "POST",
    headers: { authorization: credential, "content-type": "application/json" },
    body: JSON.stringify({ query: text, ...more }),
  });
  const lines = (await response.text()).split("\n").filter((line) => line !== "");
  const parsed = lines.map((line) => JSON.parse(line) as Json);
  const type = response.ok ? "application/x-ndjson" : "application/json; charset=utf-8";
  expect(response.headers.get("content-type")).toBe(type);
  return [response.status, parsed];
}

describe("cubesql", () => {
  const byStatus =
    "SELECT MEASURE(count) AS n, status, SUM(total) revenue FROM orders GROUP BY 2 ORDER BY revenue";

  it("streams the columns of the statement, then rows", async () => {
    const [status, lines] = await query(byStatus);
    expect(status).toBe(200);
    expect(lines).toEqual([
      {
        schema: [
          { name: "n", column_type: "Int64" },
          { name: "status", column_type: "String" },
          { name: "revenue", column_type: "Double" },
        ],
        lastRefreshTime: expect.stringMatching(/^\d{4}-.*Z$/),
      },
      {
        data: [
          ["1", "open", "20"],
          ["2", "paid", "40.5"],
        ],
      },
    ]);
  });

  it("returns equal rows of a statement without GROUP BY, and times in the zone", async () => {
    const [, lines] = await query("SELECT status FROM orders ORDER BY 1");
    expect(lines[1]).toEqual({ data: [["open"], ["paid"], ["paid"]] });
    const days =
      "SELECT date_trunc('day', created_at), created_at FROM orders WHERE created_at < '2026-01-02' ORDER BY 1";
    const [, [, utc]] = await query(days);
    expect(utc).toEqual({ data: [["2026-01-01T00:00:00.000", "2026-01-01T10:00:00.000"]] });
    const [, [, local]] = await query(days, { timezone: "Pacific/Kiritimati" });
    expect(local).toBeUndefined();
    const [, none] = await query("SELECT status FROM orders LIMIT 0");
    expect(none).toHaveLength(1);
  });

  it("streams long results in several lines", async () => {
    const pairs = "SELECT o.id FROM orders o WHERE status = 'paid'";
    // The primary key is hidden.
    expect((await query(pairs))[0]).toBe(400);
    const [status, lines] = await query("SELECT name FROM many ORDER BY 1");
    expect([status, lines.map(({ data }) => (data as unknown[] | undefined)?.length)]).toEqual([
      200,
      [undefined, 1000, 1000, 500],
    ]);
  });

  it("opens only the rows and members of the caller, as load does", async () => {
    const { token: other } = await tokenOf("AIBIViewer");
    expect(await query("SELECT SUM(total) FROM orders", {}, other)).toMatchObject([
      400,
      [{ error: expect.stringContaining("You requested hidden member: 'orders.total'") }],
    ]);
    // Without the attribute of the row filter.
    const [, lines] = await query("SELECT COUNT(*) FROM orders", {}, other);
    expect(lines[1]).toEqual({ data: [["0"]] });
    const [, [star]] = await query("SELECT * FROM orders", {}, other);
    expect(star).toMatchObject({
      schema: [{ name: "status" }, { name: "created_at" }],
    });
    // The key of the rows, which their values need, is hidden.
    expect(await query("SELECT status, total FROM orders")).toMatchObject([
      400,
      [{ error: expect.stringContaining("Ungrouped query requires primary keys") }],
    ]);
    expect((await query("SELECT COUNT(*) FROM orders", {}, "wrong"))[0]).toBe(401);
  });

  it("refuses a statement where it is wrong", async () => {
    const [status, lines] = await query("SELECT state FROM orders");
    expect([status, lines]).toEqual([
      400,
      [{ error: expect.stringContaining("'state' not found"), type: "UserError" }],
    ]);
    expect(await query(undefined)).toMatchObject([400, [{ error: "Query param is required" }]]);
    expect(await query(byStatus, { timezone: "Mars" })).toMatchObject([
      400,
      [{ error: expect.stringContaining("is not a time zone") }],
    ]);
    expect(await query("SELECT status FROM orders LIMIT 50001")).toMatchObject([
      500,
      [{ error: "Error: The query limit has been exceeded." }],
    ]);
  });
});

describe("sql", () => {
  const text = "SELECT COUNT(*) FROM orders WHERE status = 'paid'";

  it("returns the statement of a query in SQL, or its error", async () => {
    const [status, body] = await ask(`/sql?format=sql&query=${encodeURIComponent(text)}`);
    expect([status, body]).toEqual([
      200,
      {
        sql: {
          status: "ok",
          sql: [expect.stringContaining("count("), ["paid"]],
          query_type: "regular",
        },
      },
    ]);
    expect(await ask("/sql", { query: "SELECT 1", format: "sql" })).toEqual([
      200,
      {
        sql: {
          status: "error",
          error: expect.stringContaining("FROM a cube"),
          query_type: "regular",
        },
      },
    ]);
    expect(await ask("/sql", { query: text, format: "graphql" })).toMatchObject([
      400,
      { error: "format is rest or sql" },
    ]);
  });
});
