// Translates the SQL of reports into the queries of their charts. They have the rows, limits and errors of other queries,
// and the time zone of whoever views them.
import { queryMembers } from "../../core/data-model/query-members.ts";
import { Failure } from "../../core/errors.ts";
import { canonical, type JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { memoizePerObject } from "../../core/memoize.ts";
import type { CompiledModel } from "../model/types.ts";
import type { QueryCaller } from "../query/access.ts";
import { duckdb } from "../query/duckdb-dialect.ts";
import { largestLimit } from "../query/normalize.ts";
import { planQuery } from "../query/query-to-sql.ts";
import { readRequestedQueries } from "../query/query-type.ts";
import { requireJoined, sqlToQuery } from "./statement-to-query.ts";

/** The model that a statement names, and whoever reads its result. */
interface StatementContext {
  readonly model: CompiledModel;
  readonly caller: QueryCaller;
}

/**
 * Returns a statement as a query of the data API: without LIMIT, it has that of its chart, and without ORDER BY the usual
 * order. Throws `invalid` for what such a query cannot answer, and `forbidden` for members that access
 * policies hide from the caller. Whoever views the report may use its members.
 */
export function statementQuery(text: string, on: StatementContext): JsonObject {
  const { model } = on;
  const caller = { ...on.caller, members: undefined };
  const timezone = "UTC";
  const context = { model, caller, timezone, rowsMax: largestLimit };
  const translated = sqlToQuery(text, context);
  if (translated.joins.length > 0) {
    const now = new Date(0);
    for (const query of readRequestedQueries(translated.query, now).queries) {
      const planned = planQuery(query, {
        model,
        caller,
        dialect: duckdb,
        clock: { now, timezone },
      });
      requireJoined(translated, planned.tree);
    }
  }
  const { timezone: _, limit, order, ...query } = translated.query;
  return {
    ...query,
    ...(translated.isLimited && { limit }),
    ...(Array.isArray(order) && order.length > 0 && { order }),
  };
}

/** Returns the caller with the members of the reports in SQL that it may view. A report that it cannot query adds none. */
export function withStatementMembers(model: CompiledModel, caller: QueryCaller): QueryCaller {
  const { members, statements = [], ...known } = caller;
  if (members === undefined || statements.length === 0) return caller;
  const kept = keptMembers(model);
  const key = canonical({ ...known, statements });
  const found = kept.get(key) ?? membersOf(statements, { model, caller });
  if (kept.size >= limits.keptQueries) kept.clear();
  kept.set(key, found);
  return { ...caller, members: new Set([...members, ...found]) };
}

/** By caller: each query of a session asks for them. */
const keptMembers = memoizePerObject(
  (_: CompiledModel): Map<string, readonly string[]> => new Map(),
);

function membersOf(statements: readonly string[], context: StatementContext): readonly string[] {
  return statements.flatMap((text) => {
    try {
      return queryMembers(statementQuery(text, context)).map(({ member }) => member);
    } catch (error) {
      if (error instanceof Failure) return [];
      throw error;
    }
  });
}
