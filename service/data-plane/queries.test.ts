// What others than developers read of a query that failed.
import { expect, test } from "vitest";
import { Failure, failureFrom } from "../../core/errors.ts";
import { anyone, validModel } from "../../test/support/query-database.ts";
import { tooLargeFailure, tooLongFailure } from "../engine/engine.ts";
import { normalizeQueries } from "../query/normalize.ts";
import { duckdb } from "../query/duckdb-dialect.ts";
import { postgres } from "../query/postgres-dialect.ts";
import { handleQuery, runFast, shownReason } from "./queries.ts";

test("viewers can tell a query that took too long or is too large from one that failed, without its details", () => {
  const cause = new Error("svc@db.internal");
  const late = tooLongFailure(60_000, cause);
  expect(shownReason(late)).toBe(late.message);
  expect(shownReason(tooLargeFailure())).toContain("bytes");
  for (const [code, problem] of [
    ["invalid", "refused the query"],
    ["unavailable", "cannot be reached now"],
  ] as const) {
    const reason = shownReason(new Failure(code, "no user svc@db.internal", { cause }));
    expect(reason).toBe(
      `the data source ${problem}; developers find the reason in the logs of the deployment`,
    );
  }
});

test("the logs name the members of a query that took too long, without values", async () => {
  const late = tooLongFailure(60_000, new Error("late"));
  const source = {
    dialect: duckdb,
    defaultCheck: () => ({ period: "" }),
    run: () => Promise.reject(late),
  };
  const model = validModel(`
cubes:
  - name: orders
    sql_table: orders
    dimensions:
      - { name: status, sql: status, type: string }
      - { name: at, sql: at, type: time }
    measures: [{ name: count, type: count }]
`);
  const now = new Date("2026-03-18T10:30:00Z");
  const [query] = normalizeQueries(
    {
      measures: ["orders.count"],
      timeDimensions: [{ dimension: "orders.at", dateRange: "last month" }],
      filters: [{ or: [{ member: "orders.status", operator: "equals", values: ["secret"] }] }],
    },
    now,
  );
  const build = { model, source: () => source, rollup: async () => undefined };
  const call = { build, caller: anyone, now, input: {} };
  const failure = await failureFrom(() => runFast(call as never, query as never));
  const user = { is_external: 0 };
  const statement = new Proxy(
    {},
    { get: (_, name) => (name === "executeTakeFirstOrThrow" ? async () => user : () => statement) },
  );
  const answer = await handleQuery(() => ({}))({
    queries: { open: () => Promise.reject(failure) },
    db: statement,
    principal: { userId: 1, environment: { environmentId: 1, securityContext: {} } },
    deployment: { id: 1 },
    branch: { id: 1 },
  } as never);
  expect(answer).toEqual({
    status: 400,
    body: { error: `Error: ${late.message}` },
    reason: `Error: ${late.message} (orders.count, orders.at, orders.status)`,
  });
});

test("a hidden row that fails is logged once, when the query is answered without it", async () => {
  const failed = new Failure("invalid", "division by zero", { cause: new Error("database") });
  const results: unknown[] = [failed, "waiting", failed, { value: { rows: [] } }, "waiting"];
  const statements: string[] = [];
  const source = {
    dialect: postgres,
    defaultCheck: () => ({ period: "" }),
    run: async ({ statement }: { readonly statement: { readonly text: string } }) => {
      statements.push(statement.text);
      const next = results.shift();
      if (next instanceof Failure) throw next;
      return next;
    },
  };
  const model = validModel(`
cubes:
  - name: orders
    sql_table: orders
    dimensions:
      - { name: tenant, sql: tenant, type: number }
      - { name: ratio, sql: ratio, type: number }
    measures: [{ name: count, type: count }]
    access_policy:
      - { group: "*", row_level: { filters: [{ member: tenant, operator: equals, values: [1] }] } }
`);
  const now = new Date("2026-03-18T10:30:00Z");
  const filters = [{ member: "orders.ratio", operator: "gt", values: ["123"] }];
  const [query] = normalizeQueries({ measures: ["orders.count"], filters }, now);
  const lines: string[] = [];
  const build = {
    model,
    source: () => source,
    rollup: async () => undefined,
    report: (line: string) => void lines.push(line),
  };
  const run = () => runFast({ build, caller: anyone, now, input: {} } as never, query as never);
  await run();
  expect(lines).toEqual([]);
  await run();
  expect(lines).toEqual([expect.stringMatching(/^the SQL of orders.count, orders.ratio fails/)]);
  expect(lines[0]).not.toContain("123");
  await run();
  expect(lines).toHaveLength(1);
  const [fast, fenced] = statements;
  expect(statements).toEqual([fast, fenced, fast, fenced, fenced]);
});
