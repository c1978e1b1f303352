// Generated statements: the translated query has the rows of the same SQL over the tables themselves.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../test/support/arbitrary-values.ts";
import { assertProperty } from "../../test/support/assert-property.ts";
import { anyone, useQueryDatabase, validModel } from "../../test/support/query-database.ts";
import { onPostgres } from "../../test/support/test-database.ts";
import { columnName } from "../query/answer.ts";
import { duckdb } from "../query/duckdb-dialect.ts";
import { postgres } from "../query/postgres-dialect.ts";
import { largestLimit, normalizeQueries } from "../query/normalize.ts";
import { planQuery } from "../query/query-to-sql.ts";
import { sqlToQuery } from "./statement-to-query.ts";

const rows = [
  "(1, 1, 'x', 5, 1.5, TRUE, '2025-01-01 00:00:00')",
  "(2, 1, 'Y', -3, 0.25, FALSE, '2025-01-31 23:59:59.999999')",
  "(3, 2, 'a%b', 0, NULL, NULL, '2025-02-01 00:00:00')",
  "(4, 2, NULL, NULL, 2, TRUE, '2025-03-15 12:30:00.5')",
  "(5, 3, 'it''s', 9, 3.75, FALSE, NULL)",
  "(6, NULL, 'x_y', 5, 1.5, NULL, '2025-12-31 23:59:59')",
  "(7, 9, '', 123456789012345, 0.1, TRUE, '2026-01-01 00:00:00')",
  "(8, 1, 'X', 5, 1.5, TRUE, '2025-01-01 00:00:00')",
  "(9, 3, '10', 2, 7.5, FALSE, '2025-02-01 08:00:00')",
];
const database = useQueryDatabase([
  "CREATE TABLE things (id INTEGER, parent INTEGER, kind TEXT, amount BIGINT, price DOUBLE PRECISION, ok BOOLEAN, moment TIMESTAMP)",
  `INSERT INTO things VALUES ${rows.join(", ")}`,
  "CREATE TABLE parents (id INTEGER, city TEXT)",
  "INSERT INTO parents VALUES (1, 'Bonn'), (2, NULL), (3, 'Rome')",
]);

const model = validModel(
  JSON.stringify({
    cubes: [
      {
        name: "things",
        sql_table: "things",
        joins: [
          { name: "parents", relationship: "many_to_one", sql: "{CUBE}.parent = {parents.id}" },
        ],
        dimensions: [
          { name: "id", sql: "id", type: "number", primary_key: true },
          { name: "kind", sql: "kind", type: "string" },
          { name: "amount", sql: "amount", type: "number" },
          { name: "price", sql: "price", type: "number" },
          { name: "ok", sql: "ok", type: "boolean" },
          { name: "moment", sql: "moment", type: "time" },
        ],
        measures: [
          { name: "rows", type: "count" },
          { name: "total", type: "sum", sql: "amount" },
          { name: "mean", type: "avg", sql: "price" },
          { name: "least", type: "min", sql: "amount" },
          { name: "most", type: "max", sql: "price" },
          { name: "kinds", type: "count_distinct", sql: "kind" },
          { name: "latest", type: "time", sql: "MAX({moment})" },
        ],
        segments: [{ name: "big", sql: "{amount} > 3" }],
      },
      {
        name: "parents",
        sql_table: "parents",
        dimensions: [
          { name: "id", sql: "id", type: "number", primary_key: true, public: true },
          { name: "city", sql: "city", type: "string" },
        ],
      },
    ],
  }),
);

/** A part of a statement: for the data model, and for the tables. */
type Part = readonly [semantic: string, plain: string];
const same = (text: string): Part => [text, text];
const join = (parts: readonly Part[], between: string): Part => [
  parts.map(([semantic]) => semantic).join(between),
  parts.map(([, plain]) => plain).join(between),
];

const measures: readonly Part[] = [
  ["MEASURE(rows)", "count(*)"],
  ["COUNT(*)", "count(*)"],
  ["count(t.rows)", "count(*)"],
  ["SUM(total)", "sum(amount)"],
  ["measure(total)", "sum(amount)"],
  ["AVG(t.mean)", "avg(price)"],
  ["MIN(least)", "min(amount)"],
  ["MAX(Most)", "max(price)"],
  ["COUNT(DISTINCT kinds)", "count(DISTINCT kind)"],
];
const numbers = fc.constantFrom("0", "5", "-3", "1.5", "0.25", "123456789012345", "- 3", "2.");
const texts = fc.constantFrom("'x'", "'X'", "'Y'", "'it''s'", "''", "'a%b'", "'10'", "'zz'");
const times = fc
  .constantFrom(
    "2025-01-01",
    "2025-02-01",
    "2025-01-31 23:59:59",
    "2025-03-15 12:30:00.500",
    "2026-01-01",
  )
  .chain((text) =>
    fc.constantFrom(
      `'${text}'`,
      `TIMESTAMP '${text}'`,
      `'${text}'::timestamp`,
      `CAST('${text}' AS timestamp)`,
    ),
  );
const signs = fc.constantFrom("=", "<>", "!=", "<", "<=", ">", ">=");
const not = fc.constantFrom("", " NOT");

const compared = (columns: fc.Arbitrary<string>, values: fc.Arbitrary<string>) =>
  fc.oneof(
    fc.tuple(columns, signs, values).map((parts) => same(parts.join(" "))),
    fc.tuple(values, signs, columns).map((parts) => same(parts.join(" "))),
    fc
      .tuple(columns, not, fc.array(values, { minLength: 1, maxLength: 3 }))
      .map(([column, no, list]) => same(`${column}${no} IN (${list.join(", ")})`)),
    fc
      .tuple(columns, not, values, values)
      .map(([column, no, low, high]) => same(`${column}${no} BETWEEN ${low} AND ${high}`)),
    fc.tuple(columns, not).map(([column, no]) => same(`${column} IS${no} NULL`)),
  );
const patterns = fc.constantFrom("%x%", "x%", "%Y", "%\\%%", "x\\_%", "%", "%%", "'' ''%", "10");
const like = fc
  .tuple(not, patterns)
  .map(([no, pattern]): Part => [
    `kind${no} ILIKE '${pattern}'`,
    `kind${no} ILIKE '${pattern}' ESCAPE '\\'`,
  ]);
const exact = fc
  .tuple(not, fc.constantFrom("x", "10", "1%", "%\\%%", "a\\%b", "%\\_%"))
  .map(([no, pattern]): Part => [
    `kind${no} LIKE '${pattern}'`,
    `kind${no} LIKE '${pattern}' ESCAPE '\\'`,
  ]);
const condition: fc.Arbitrary<Part> = fc.oneof(
  compared(fc.constantFrom("amount", "price", "t.amount"), numbers),
  compared(fc.constantFrom("kind", "t.kind"), texts),
  compared(fc.constant("moment"), times),
  like,
  exact,
  fc
    .constantFrom(
      "ok",
      "ok = TRUE",
      "ok <> TRUE",
      "ok IS TRUE",
      "ok IS NOT TRUE",
      "ok IS FALSE",
      "ok IS NOT FALSE",
      "FALSE = ok",
    )
    .map(same),
);
const having = fc
  .tuple(
    fc.constantFrom(...measures),
    not,
    fc.constantFrom("= 5", "<> 5", "> 1", "<= 1.5", "IS NULL"),
  )
  .map(([[semantic, plain], no, rest]): Part => {
    const prefix = no.trim() && `${no.trim()} `;
    return [`${prefix}${semantic} ${rest}`, `${prefix}${plain} ${rest}`];
  });

/** Combines conditions, with parentheses in some places only, so that precedence counts. */
const combined = (leaf: fc.Arbitrary<Part>): fc.Arbitrary<Part> =>
  fc.letrec<{ tree: Part }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      fc
        .tuple(tie("tree"), fc.constantFrom(" AND ", " OR "), tie("tree"))
        .map(([left, op, right]) => join([left, right], op)),
      tie("tree").map(([semantic, plain]): Part => [`(${semantic})`, `(${plain})`]),
      tie("tree").map(([semantic, plain]): Part => [`NOT (${semantic})`, `NOT (${plain})`]),
      leaf.map(([semantic, plain]): Part => [`NOT ${semantic}`, `NOT ${plain}`]),
    ),
  })).tree;

const dimensions: readonly Part[] = [
  ...["kind", "t.amount", "price", "OK", "moment", "p.city"].map(same),
  ...["month", "YEAR", "week", "hour"].map((unit) => same(`date_trunc('${unit}', moment)`)),
];
const dimension = fc.constantFrom(...dimensions);
const clause = (name: string, part: Part | undefined): Part =>
  part ? [` ${name} ${part[0]}`, ` ${name} ${part[1]}`] : same("");

interface Case {
  readonly dimensions: readonly Part[];
  readonly measures: readonly Part[];
  readonly where: Part | undefined;
  readonly segment: string | undefined;
  readonly having: Part | undefined;
  readonly form: "grouped" | "positions" | "aliases" | "distinct" | "plain";
  readonly order: readonly boolean[];
  readonly page: string | undefined;
}

const option = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const someCase: fc.Arbitrary<Case> = fc.record({
  dimensions: fc.uniqueArray(dimension, { maxLength: 3 }),
  measures: fc.uniqueArray(fc.constantFrom(...measures), { maxLength: 3 }),
  where: option(combined(condition)),
  segment: option(fc.constantFrom("big", "big IS TRUE", "big = TRUE")),
  having: fc.option(combined(having), { nil: undefined, freq: 3 }),
  form: fc.constantFrom("grouped", "positions", "aliases", "distinct", "plain"),
  order: fc.array(fc.boolean(), { maxLength: 6, minLength: 6 }),
  page: option(fc.constantFrom("LIMIT 3", "LIMIT 2 OFFSET 1", "LIMIT 0")),
});

/** Writes a case as a statement; undefined for one that SQL does not have. */
function statement(on: Case): Part | undefined {
  const isAggregate = on.form !== "distinct" && on.form !== "plain";
  const isJoined = on.dimensions.some(([text]) => text === "p.city");
  const selected = [...on.dimensions, ...(isAggregate ? on.measures : [])];
  const counts = [...on.measures, on.having].some(
    (part) => part?.[0].includes("COUNT(*)") === true,
  );
  // A cube in FROM whose members the query does not use is refused.
  const isUnused = selected.length === 1 && on.where === undefined && on.segment === undefined;
  if (selected.length === 0 || (isJoined && (counts || isUnused))) return undefined;
  const list = join(
    selected.map(([semantic, plain], index): Part => [
      `${semantic} AS c${index}`,
      `${plain} AS c${index}`,
    ]),
    ", ",
  );
  const from: Part = isJoined
    ? [
        "things t LEFT JOIN parents p ON t.__cubeJoinField = p.__cubeJoinField",
        "things t LEFT JOIN parents p ON t.parent = p.id",
      ]
    : same("things AS t");
  const segment: Part | undefined =
    on.segment === undefined ? undefined : [on.segment, "amount > 3"];
  const where: Part | undefined = on.where
    ? segment
      ? [`(${on.where[0]}) AND ${segment[0]}`, `(${on.where[1]}) AND ${segment[1]}`]
      : on.where
    : segment;
  const keys: readonly Part[] =
    on.form === "positions"
      ? on.dimensions.map((_, index) => same(String(index + 1)))
      : on.form === "aliases"
        ? on.dimensions.map((_, index) => same(`c${index}`))
        : on.dimensions;
  const group = isAggregate && keys.length > 0 ? clause("GROUP BY", join(keys, ", ")) : same("");
  const order = clause(
    "ORDER BY",
    join(
      selected.map((_, index): Part => {
        const direction = on.order[index] === true ? "DESC" : "ASC";
        const key = `${on.order[index + 1] === true ? index + 1 : `c${index}`} ${direction}`;
        return [key, `${key} NULLS LAST`];
      }),
      ", ",
    ),
  );
  const parts = [
    same(on.form === "distinct" ? "SELECT DISTINCT " : "SELECT "),
    list,
    clause("FROM", from),
    clause("WHERE", where),
    group,
    isAggregate && keys.length > 0 ? clause("HAVING", on.having) : same(""),
    order,
    same(on.page === undefined ? "" : ` ${on.page}`),
  ];
  return join(parts, "");
}

/** Returns the rows of the translated query, in the order of the statement's columns. */
async function translated(text: string): Promise<readonly unknown[]> {
  const context = { model, caller: anyone, timezone: "UTC", rowsMax: largestLimit };
  const { query, columns } = sqlToQuery(text, context);
  const now = new Date("2026-03-18T10:30:00Z");
  const [normalized] = normalizeQueries(query, now);
  if (normalized === undefined) throw new Error("no query");
  const clock = { now, timezone: "UTC" };
  const dialect = onPostgres ? postgres : duckdb;
  const plan = planQuery(
    { ...normalized, allowsEqualRows: true },
    { model, caller: anyone, dialect, clock },
  );
  const names = plan.columns.map(columnName);
  const found = await database().run(plan.statement);
  return found.map((row) => columns.map(({ key }) => comparable(row[names.indexOf(key)])));
}

const comparable = (value: unknown) =>
  typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;

describe("generated statements", () => {
  test("have the rows that SQL has over the tables", { timeout: 600_000 }, async () => {
    let answered = 0;
    await assertProperty(
      fc.asyncProperty(someCase, async (on) => {
        const [semantic, plain] = statement(on) ?? [];
        if (semantic === undefined || plain === undefined) return;
        answered++;
        const expected = await database().run({ text: plain, values: [] });
        expect({ semantic, rows: await translated(semantic) }).toEqual({
          semantic,
          rows: expected.map((row) => row.map(comparable)),
        });
      }),
      propertyRuns(1),
    );
    expect(answered).toBeGreaterThan(0);
  });
});
