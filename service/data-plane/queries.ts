// The data API: load, meta, sql and dry-run of an environment.
import { type ErrorCode, Failure, isFailure } from "../../core/errors.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { jsonLossReason, lossText } from "../../core/text/exact-numbers.ts";
import { unstorableReason } from "../http/body.ts";
import { annotate, columnName, formatRows } from "../query/answer.ts";
import { type QueryCaller, withDrillMembers } from "../query/access.ts";
import { indexModel } from "../query/model-index.ts";
import { describeModel, describeViewGroups } from "../query/meta.ts";
import { cacheModeOf } from "../query/normalize.ts";
import { dataSourceOfQuery } from "../query/data-source-of.ts";
import { type PlanColumn, planQuery, type QueryPlan } from "../query/query-to-sql.ts";
import type { CacheMode, NormalizedQuery } from "../query/query-schema.ts";
import { memberFilters } from "../query/selection.ts";
import {
  addedMember,
  pivotQueryOf,
  readRequestedQueries,
  type RequestedQueries,
} from "../query/query-type.ts";
import { withStatementMembers } from "../sql-text/report-statements.ts";
import { unreadableRows } from "../engine/engine.ts";
import type { RefreshedQuery } from "../engine/refreshed-results.ts";
import type { CompiledModel } from "../model/types.ts";
import type { Statement } from "../query/sql-fragments.ts";
import type { Principal } from "../security/principal.ts";
import type { ViewLog } from "../areas/shared/view-log.ts";
import { countQuery, viewedContent } from "./viewed-content.ts";
import type { Db } from "../store/schema.ts";
import { readCaller } from "./caller.ts";
import type { EnvironmentAnswer, EnvironmentCall } from "./environment-call.ts";
import type { Asker, QueryBuild } from "./query-service.ts";
import type { QuerySource } from "./query-source.ts";
import type { QueryRollup } from "./query-rollups.ts";
import type { RollupMiss } from "../rollups/match-rollup.ts";
import { isDeveloper, requireDeveloper, type SqlReader } from "./shown-sql.ts";

/** The input of every query operation. */
export interface QueryCall {
  readonly db: Db;
  readonly principal: Principal;
  readonly deploymentId: number;
  readonly views: ViewLog;
  readonly build: QueryBuild;
  readonly caller: QueryCaller;
  readonly now: Date;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  readonly input: JsonObject;
}

/** Handles an operation: finds its build and its caller, and answers errors in the form of the data API. */
export function handleQuery(
  work: (call: QueryCall) => object | Promise<object>,
): (call: EnvironmentCall) => Promise<EnvironmentAnswer> {
  return async ({ queries, views, principal, deployment, branch, now, input, signal, ...on }) => {
    const deploymentId = deployment.id;
    const asker = { ...turnOf(principal ?? {}), signal };
    const address = { ...on, now, deploymentId, branchId: branch.id, asker };
    try {
      const known = requireCaller(principal);
      const own = await readCaller(on.db, known);
      const build = await queries.open({ ...address, caller: own });
      const reader = withStatementMembers(build.model, own);
      const caller = withDrillMembers(indexModel(build.model), reader);
      const about = { db: on.db, principal: known, deploymentId, views };
      const call = { ...about, build, caller, now: now(), signal, input };
      return { status: 200, body: await work(call) };
    } catch (error) {
      return errorAnswer(error, principal && { db: on.db, principal, deploymentId });
    }
  };
}

/** What decides whose turn a query takes. */
interface TurnSource {
  readonly session?: { readonly isExternal: boolean; readonly tenantId?: number | undefined };
  readonly credentialId?: string;
}

/** Returns whose turn a query of the caller takes. Tokens of users can serve many viewers. */
export function turnOf({ session, credentialId }: TurnSource): Pick<Asker, "tenant" | "session"> {
  const tenant = session?.isExternal === true ? String(session.tenantId ?? "") : "";
  return { tenant, session: session && credentialId };
}

/** Returns why a query failed, for others than developers: a database names values, hosts and users. */
export function shownReason({ code, message, cause }: Failure): string {
  if (cause === undefined || code === "timeout" || code === "limit_reached") return message;
  const problem = code === "unavailable" ? "cannot be reached now" : "refused the query";
  return `the data source ${problem}; developers find the reason in the logs of the deployment`;
}

function requireCaller(principal: Principal | null): Principal {
  if (principal) return principal;
  throw new Failure("unauthenticated", "Authorization header isn't set");
}

/** The statuses of failures of queries. */
const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid: 400,
  forbidden: 400,
  timeout: 400,
  limit_reached: 500,
  unavailable: 503,
};

/** Errors of queries and of databases have one member, `error`. Other errors have the form of the API. */
async function errorAnswer(error: unknown, reader: SqlReader | null): Promise<EnvironmentAnswer> {
  if (!(error instanceof Failure)) throw error;
  const { message, cause, code, details } = error;
  if (cause === undefined && (code === "invalid" || code === "forbidden"))
    return { status: 400, body: { error: message, type: "UserError" } };
  const status = statuses[code];
  if (status === undefined || (code === "unavailable" && cause === undefined)) throw error;
  const shown = reader && (await isDeveloper(reader)) ? message : shownReason(error);
  const { members } = details ?? {};
  const named = Array.isArray(members) ? ` (${members.join(", ")})` : "";
  return { status, body: { error: `Error: ${shown}` }, reason: `Error: ${message}${named}` };
}

/** Returns the queries of a request. In a URL they are JSON text. */
function readQueries({ input, now }: QueryCall): RequestedQueries {
  const { query: sent } = input;
  if (sent === undefined || sent === null) throw new Failure("invalid", "Query param is required");
  return readRequestedQueries(typeof sent === "string" ? parseQuery(sent) : sent, now);
}

/** Throws `invalid` for several results that the client cannot read: only `load` has two forms of answers. */
function requireMulti({ input }: QueryCall, { queryType }: RequestedQueries): void {
  if (queryType === "regularQuery" || input.queryType === "multi") return;
  throw new Failure(
    "invalid",
    `'${queryType}' query type is not supported by the client.Please update the client.`,
  );
}

/** Parses the text of a query. Throws `invalid` for text that is not JSON, and for values that cannot be stored. */
export function parseQuery(text: string): JsonValue {
  const refuse = (reason: string) =>
    new Failure("invalid", `Unable to decode query param as JSON, error: ${reason}`);
  let query: JsonValue;
  try {
    query = JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw refuse(cause instanceof Error ? cause.message : "");
  }
  // The text is one value of the body, so its content was not checked with the body.
  const problem = unstorableReason(query);
  if (problem !== undefined) throw refuse(`it ${problem}`);
  const loss = jsonLossReason(text);
  if (loss !== undefined) throw refuse(lossText(loss));
  return query;
}

/** A planned query with the data source that it runs on. */
interface PlannedQuery {
  readonly query: NormalizedQuery;
  readonly plan: QueryPlan;
  readonly source: QuerySource;
  /** The statement of its rows, and the statement of its total if the query asks for it. */
  readonly statements: readonly [RefreshedQuery, ...RefreshedQuery[]];
  /** The database that the cubes read. */
  readonly dbType: string;
  /** The rollup that replaces their tables, and the query over them. */
  readonly rollup?: QueryRollup & { readonly overTables: PlannedQuery };
  /** Returns why no rollup replaces them. */
  readonly unusedRollups?: () => readonly RollupMiss[];
  /** Returns the same query, which reads no column of a hidden row; undefined if this one does not either. */
  readonly hidingFirst: () => PlannedQuery | undefined;
}

/** The context in which a query is planned and run. */
type PlannedCall = Pick<QueryCall, "build" | "caller" | "now" | "input">;

/** Models with columns that fail for hidden rows. */
const failingModels = new WeakSet<CompiledModel>();

/** Plans a query for its data source. */
export function plan(
  call: PlannedCall,
  query: NormalizedQuery,
  hidesFirst = failingModels.has(call.build.model),
): PlannedQuery {
  const { build, caller, now, input } = call;
  const clock = { now, timezone: query.timezone };
  const { model } = build;
  // All cubes of a query have one data source.
  const source = build.source(dataSourceOfQuery(query, { model, caller }));
  const own = planQuery(query, { model, caller, dialect: source.dialect, clock, hidesFirst });
  const mode = cacheModeOf(input.cache, query);
  const statements = refreshedStatements(own, { source, mode });
  const hidingFirst = () => {
    const other = plan(call, query, true);
    return other.plan.statement.text === own.statement.text ? undefined : other;
  };
  return { query, source, plan: own, statements, dbType: source.dialect.name, hidingFirst };
}

function refreshedStatements(
  { statement, total, refresh }: QueryPlan,
  { source, mode }: { readonly source: QuerySource; readonly mode: CacheMode },
): PlannedQuery["statements"] {
  const refreshed = (text: Statement): RefreshedQuery => ({
    statement: text,
    checks: refresh.map((check) => check ?? source.defaultCheck(text)),
    mode,
  });
  return [refreshed(statement), ...(total ? [refreshed(total)] : [])];
}

/** Plans a query over the rows of a rollup if there are some that answer it. */
export async function planFast(call: PlannedCall, query: NormalizedQuery): Promise<PlannedQuery> {
  const overTables = plan(call, query);
  const { build, caller, now, input } = call;
  const clock = { now, timezone: query.timezone };
  const { dialect } = overTables.source;
  const on = {
    query,
    plan: overTables.plan,
    input: { model: build.model, caller, clock, dialect },
  };
  const rollup = await build.rollup(on);
  if (rollup === undefined) return { ...overTables, unusedRollups: () => build.unusedRollups(on) };
  const { plan: overRows, source } = rollup;
  // The rows of a file never change.
  const statements = refreshedStatements(
    { ...overRows, refresh: [] },
    { source, mode: cacheModeOf(input.cache, query) },
  );
  return { ...overTables, plan: overRows, source, statements, rollup: { ...rollup, overTables } };
}

/** Plans a query and runs its statements, over the rows of a rollup if there are some that answer it. */
export async function runFast(call: PlannedCall, query: NormalizedQuery): Promise<RanQuery> {
  return runPlanned(call, await planFast(call, query));
}

/** A query that ran, or waits. */
export interface RanQuery {
  readonly planned: PlannedQuery;
  readonly results: readonly Awaited<ReturnType<QuerySource["run"]>>[];
}

/**
 * Runs the statements of a query: on its tables if the rows of a rollup cannot be read, and without a column of a hidden
 * row if one could be the reason why the query fails.
 */
async function runPlanned(call: PlannedCall, planned: PlannedQuery): Promise<RanQuery> {
  const { source, statements, rollup, hidingFirst } = planned;
  try {
    return { planned, results: await Promise.all(statements.map((one) => source.run(one))) };
  } catch (error) {
    if (!isFailure(error) || error.code === "aborted") throw error;
    if (rollup) {
      if (isUnreadable(error)) rollup.discard(error.message);
      return runPlanned(call, rollup.overTables);
    }
    const { code, message, cause } = error;
    if (code === "timeout")
      throw new Failure(code, message, { cause, details: { members: membersOf(planned.query) } });
    const other = code === "invalid" ? hidingFirst() : undefined;
    if (other === undefined) throw error;
    const ran = await runPlanned(call, other);
    if (!ran.results.includes("waiting")) hideFirst(call.build, planned.query);
    return ran;
  }
}

/** Has later queries of a model hide rows first, so that their time does not show whether a hidden row fails. */
function hideFirst(build: QueryBuild, query: NormalizedQuery): void {
  if (failingModels.has(build.model)) return;
  failingModels.add(build.model);
  build.report(
    `the SQL of ${membersOf(query).join(", ")} fails for a row that a row filter hides: until the next build, queries apply the row filters of the data model first, and can be slower`,
  );
}

/** Returns the names of the members of a query, without values. */
function membersOf({
  measures,
  dimensions,
  timeDimensions,
  segments,
  filters,
}: NormalizedQuery): readonly string[] {
  const times = timeDimensions.map(({ dimension }) => dimension);
  const filtered = filters.flatMap(memberFilters).map(({ member }) => member);
  return [...new Set([...measures, ...dimensions, ...times, ...segments, ...filtered])];
}

/** Returns whether a failure is of the rows, not of the query or of too little memory. */
const isUnreadable = ({ code, message }: Failure) =>
  code === "invalid" &&
  (message === unreadableRows || /^(?:IO|Serialization) Error/i.test(message));

/** Returns the data of a request, or `Continue wait`. */
export const load = handleQuery(async (call) => {
  const viewed = viewedContent(call);
  const requested = readQueries(call);
  requireMulti(call, requested);
  const { queryType } = requested;
  // All are planned before one runs, because an error of planning leaves no query running.
  const planned = await Promise.all(requested.queries.map((query) => planFast(call, query)));
  const ran = await Promise.all(planned.map((one) => runPlanned(call, one)));
  const results = await Promise.all(ran.map((one) => resultOf(call, one, queryType)));
  const ready = results.filter((result) => result !== "waiting");
  if (ready.length < results.length) return { error: "Continue wait" };
  countQuery(call, viewed);
  // Polls of one request compute its results once.
  for (const { planned: one } of ran) finish(one);
  if (call.input.queryType !== "multi") return ready[0] ?? {};
  return {
    queryType,
    results: ready,
    pivotQuery: pivotQueryOf(requested),
    slowQuery: ready.some(({ slowQuery }) => slowQuery),
  };
});

/** Ends an answered query, so that the next one may compute its results again. */
export function finish({ source, statements }: PlannedQuery): void {
  for (const one of statements) source.finish(one);
}

/** The rows of one query. */
export interface LoadedRows {
  readonly columns: readonly PlanColumn[];
  /** Values in the order of the columns. */
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
  readonly annotation: JsonObject;
}

/** Loads the rows of a query, and waits for them. Throws `timeout` once the signal aborts. */
export async function loadRows(
  call: PlannedCall,
  query: NormalizedQuery,
  signal: AbortSignal,
): Promise<LoadedRows> {
  while (!signal.aborted) {
    const {
      planned,
      results: [found = "waiting"],
    } = await runFast(call, query);
    if (found === "waiting") continue;
    finish(planned);
    const { columns } = planned.plan;
    const data = await formatRows(found.value.rows, columns, { format: "compact" });
    const { dataset } = data as JsonObject as { readonly dataset: LoadedRows["rows"] };
    // Time dimensions are repeated after the columns, under their names without a granularity.
    const rows = dataset.map((row) => row.slice(0, columns.length));
    return {
      columns,
      rows,
      annotation: annotate(call.build.model, query, { columns, caller: call.caller }),
    };
  }
  throw new Failure("timeout", "the query takes too long");
}

/** The result of one query. */
interface LoadResult {
  readonly query: NormalizedQuery;
  readonly data: JsonValue;
  readonly annotation: JsonObject;
  readonly lastRefreshTime: string;
  readonly dataSource: string;
  readonly dbType: string;
  readonly external: boolean;
  readonly slowQuery: boolean;
  readonly total?: number;
  /** By table. */
  readonly usedPreAggregations?: JsonObject;
}

async function resultOf(
  { build, caller }: QueryCall,
  { planned, results: [rows = "waiting", count] }: RanQuery,
  queryType: RequestedQueries["queryType"],
): Promise<LoadResult | "waiting"> {
  if (rows === "waiting" || count === "waiting") return "waiting";
  const { query, dbType, rollup } = planned;
  const { columns, dataSource } = planned.plan;
  return {
    query,
    data: await formatRows(rows.value.rows, columns, {
      format: query.responseFormat,
      added: addedMember(queryType, query),
    }),
    annotation: annotate(build.model, query, { columns, caller }),
    lastRefreshTime: rows.value.at,
    dataSource,
    dbType,
    external: false,
    slowQuery: rows.isStale || count?.isStale === true,
    ...(count && { total: Number(count.value.rows[0]?.[0] ?? 0) }),
    ...(rollup && { usedPreAggregations: describeRollup(rollup) }),
  };
}

/** Describes the rollup that answered a query, by its table. */
export function describeRollup({ id, builtAt }: QueryRollup): Readonly<Record<string, JsonObject>> {
  return {
    [`pre_aggregations.${id.replace(".", "_")}`]: {
      preAggregationId: id,
      lastUpdatedAt: builtAt.getTime(),
      type: "rollup",
    },
  };
}

/** Describes the rollup that answers a query, or why none does, for an answer with its SQL. */
export function describeUse({
  rollup,
  unusedRollups,
}: PlannedQuery): Readonly<Record<string, JsonValue>> {
  if (rollup) return { usedPreAggregations: describeRollup(rollup) };
  const unused = unusedRollups?.() ?? [];
  if (unused.length === 0) return {};
  return {
    unusedPreAggregations: unused.map(({ id, reason }) => ({ preAggregationId: id, reason })),
  };
}

/** Returns the direction of each member that orders a query. */
function directionsOf({ order }: NormalizedQuery): JsonObject {
  return Object.fromEntries(order.map(({ id, desc }) => [id, desc ? "desc" : "asc"]));
}

/** Returns the SQL of a request. */
export async function statementsOf(call: QueryCall): Promise<object> {
  const { queryType, queries } = readQueries(call);
  const planned = await Promise.all(queries.map((query) => planFast(call, query)));
  const statements = planned.map((one) => {
    const { query, plan: own, rollup } = one;
    const { statement, columns, dataSource } = own;
    const used = rollup ? describeRollup(rollup) : {};
    return {
      sql: {
        sql: [statement.text, statement.values],
        order: directionsOf(query),
        aliasNameToMember: Object.fromEntries(
          columns.map((column) => [column.alias, columnName(column)]),
        ),
        preAggregations: Object.entries(used).map(([tableName, about]) => ({
          tableName,
          ...about,
        })),
        external: false,
        dataSource,
      },
      dataSource,
      ...describeUse(one),
    };
  });
  return queryType === "regularQuery" ? (statements[0] ?? {}) : statements;
}

/** Returns how the service interprets a request, without running it. */
export const dryRun = handleQuery((call) => {
  const requested = readQueries(call);
  const { queryType, queries } = requested;
  for (const query of queries) plan(call, query);
  return {
    queryType,
    normalizedQueries: queries,
    queryOrder: queries.map(directionsOf),
    transformedQueries: [],
    pivotQuery: pivotQueryOf(requested),
  };
});

/** Returns the cubes, views and groups of views that the caller may query; their declarations only to developers. */
export const meta = handleQuery(async (call) => {
  const { build, caller, input } = call;
  // The parameter enables it with any value.
  const isExtended = input.extended !== undefined;
  if (isExtended) await requireDeveloper(call);
  const onlyViews = input.onlyViews === "true";
  const cubes = describeModel(build.model, caller, { onlyViews, isExtended });
  const shown = new Set(cubes.map(({ name }) => name));
  return { cubes, viewGroups: describeViewGroups(build.model.viewGroups, shown) };
});
