// The data API for queries in SQL: their rows as lines of JSON, and the statements that compute them.
import { Readable } from "node:stream";
import { Failure, isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { columnName, formatRows } from "../query/answer.ts";
import { largestLimit, requireZone } from "../query/normalize.ts";
import type { NormalizedQuery } from "../query/query-schema.ts";
import { readRequestedQueries } from "../query/query-type.ts";
import {
  requireComplete,
  requireJoined,
  type SqlQuery,
  sqlToQuery,
} from "../sql-text/statement-to-query.ts";
import type { DatedResult } from "./query-source.ts";
import {
  describeRollup,
  describeUse,
  finish,
  handleQuery,
  plan,
  planFast,
  type QueryCall,
  type RanQuery,
  runFast,
  statementsOf,
} from "./queries.ts";
import { requireShownSql } from "./shown-sql.ts";
import { countQuery, viewedContent } from "./viewed-content.ts";

/** Translates the statement of a request. */
function readSqlText(call: QueryCall): SqlQuery & { readonly asked: NormalizedQuery } {
  const { query: text, timezone = "UTC" } = call.input;
  if (typeof text !== "string") throw new Failure("invalid", "Query param is required");
  if (typeof timezone !== "string") throw new Failure("invalid", "timezone is an IANA name");
  const { caller, now, build } = call;
  const context = { model: build.model, caller, timezone: requireZone(timezone) };
  const translated = sqlToQuery(text, { ...context, rowsMax: largestLimit });
  const [query] = readRequestedQueries(translated.query, now).queries;
  if (query === undefined) throw new Failure("invalid", "the statement has no query");
  const asked: NormalizedQuery = { ...query, allowsEqualRows: true };
  if (translated.joins.length > 0) requireJoined(translated, plan(call, asked).plan.tree);
  return { ...translated, asked };
}

/** Returns the columns and the rows of a statement as lines, or `Continue wait` to a client that polls. */
export const loadSql = handleQuery(async (call) => {
  const viewed = viewedContent(call);
  const translated = readSqlText(call);
  const { asked } = translated;
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(limits.queryWaitMs)]);
  let ran = await runFast(call, asked);
  let [result = "waiting"] = ran.results;
  while (result === "waiting") {
    if (call.input["throwContinueWait"] === true) return { error: "Continue wait" };
    if (signal.aborted) throw new Failure("timeout", "the query takes too long");
    ran = await runFast(call, asked);
    [result = "waiting"] = ran.results;
  }
  finish(ran.planned);
  countQuery(call, viewed);
  const { value } = result;
  requireComplete(translated, value.rows.length, largestLimit);
  return Readable.from(linesOf(translated.columns, value, ran.planned));
});

async function* linesOf(
  columns: SqlQuery["columns"],
  { rows, at }: DatedResult,
  { plan: own, rollup }: RanQuery["planned"],
): AsyncGenerator<string> {
  const schema = columns.map(({ name, type }) => ({ name, column_type: type }));
  const used = rollup && { usedPreAggregations: describeRollup(rollup) };
  yield `${JSON.stringify({ schema, lastRefreshTime: at, ...used })}\n`;
  const names = own.columns.map(columnName);
  const places = columns.map(({ key }) => names.indexOf(key));
  const form = { format: "compact" } as const;
  for (let start = 0; start < rows.length; start += rowsPerLine) {
    const page = rows.slice(start, start + rowsPerLine);
    const formatted = await formatRows(page, own.columns, form);
    const { dataset } = formatted as unknown as {
      readonly dataset: readonly (readonly unknown[])[];
    };
    const data = dataset.map((row) => places.map((place) => row[place]));
    yield `${JSON.stringify({ data })}\n`;
  }
}

const rowsPerLine = 1000;

/** Returns the SQL of a query in JSON or, with `format=sql`, of a statement. */
export const sql = handleQuery(async (call) => {
  await requireShownSql(call);
  const { format = "rest" } = call.input;
  if (format === "sql") return statementOfSqlText(call);
  if (format === "rest") return statementsOf(call);
  throw new Failure("invalid", "format is rest or sql");
});

/** Returns the statement that computes the rows of a statement, or why there is none. */
async function statementOfSqlText(call: QueryCall): Promise<object> {
  const form = { query_type: "regular" } as const;
  try {
    const planned = await planFast(call, readSqlText(call).asked);
    const { statement } = planned.plan;
    const sent = [statement.text, statement.values];
    return { sql: { status: "ok", sql: sent, ...form }, ...describeUse(planned) };
  } catch (error) {
    if (!isFailure(error, "invalid")) throw error;
    return { sql: { status: "error", error: error.message, ...form } };
  }
}
