// Computes the aggregates of a query in subqueries: over the joined rows, once for each key, or over windows of time.
import { Failure } from "../../core/errors.ts";
import { type Dependencies, mergeDependencies } from "./dependencies.ts";
import {
  filteredConditions,
  type GroupedSource,
  type Grouping,
  type RollingTime,
} from "./grouped-source.ts";
import { quote, timeLiteral } from "./dialect.ts";
import { buildJoinTree, cubesOf, type JoinTree, multipliedFrom } from "./join-tree.ts";
import { printTime } from "./local-time.ts";
import {
  aggregateSql,
  keysSql,
  leafKey,
  measureOf,
  type MeasureRef,
  ownSource,
  placementOf,
  type RollingWindow,
  windowOf,
} from "./measures.ts";
import { cubeOf, type MemberRef } from "./model-index.ts";
import { multiStageQuery } from "./multi-stage.ts";
import type { QueryContext } from "./query-context.ts";
import { fromSql, nestedFromSql } from "./read-cube.ts";
import { windowRows } from "./rolling.ts";
import {
  allOf,
  groupBy,
  joinSql,
  numbered,
  raw,
  selectList,
  type Sql,
  sql,
  whereSql,
} from "./sql-fragments.ts";

interface Stage {
  readonly leaves: readonly MeasureRef[];
  readonly query: Sql;
  /** Whether it reads the joined rows of the query. */
  readonly isRows?: true;
  /** The cubes that a multi-stage measure reads. */
  readonly cubes?: readonly string[];
}

/** Returns the groups of a query with all aggregates. */
export function groupedSource(
  context: QueryContext,
  grouping: Grouping,
  leaves: readonly MeasureRef[],
): GroupedSource {
  const { dependencies } = grouping;
  const tree = buildJoinTree(context.model, dependencies.chains, { preferred: grouping.root });
  const on = { context, grouping: { ...grouping, root: tree.root }, tree };
  const stages = stageLeaves(on, leaves);
  const at = new Map<string, Sql>();
  for (const [index, stage] of stages.entries()) {
    for (const [position, leaf] of stage.leaves.entries()) {
      at.set(leafKey(leaf), raw(`q${index}.m${position}`));
    }
  }
  const differ = leaves.some((leaf) => {
    const measure = measureOf(context.model, leaf);
    return windowOf(measure) !== undefined || measure.stage !== undefined;
  });
  const joined = differ ? unionStages(stages, grouping) : innerStages(stages, grouping);
  return {
    ...joined,
    cubes: [...new Set([...cubesOf(tree), ...stages.flatMap(({ cubes = [] }) => cubes)])],
    column: (leaf) => at.get(leafKey(leaf)) ?? raw("NULL"),
    isShown: (position) =>
      // A group without rows of the cube hides nothing.
      raw(`q${stages.findIndex(({ isRows }) => isRows)}.s${position} IS NOT FALSE`),
  };
}

interface StageContext {
  readonly context: QueryContext;
  readonly grouping: Grouping;
  readonly tree: JoinTree;
}

function stageLeaves(on: StageContext, leaves: readonly MeasureRef[]): readonly Stage[] {
  const groups = new Map<string, MeasureRef[]>();
  const multiStage: Stage[] = [];
  // Each stage repeats the dimensions and the conditions.
  const charged = (stage: Stage): Stage => {
    on.context.cost.charge(stage.query);
    return stage;
  };
  for (const leaf of leaves) {
    if (measureOf(on.context.model, leaf).stage) {
      multiStage.push(charged({ leaves: [leaf], ...multiStageQuery(on, leaf, groupedSource) }));
      continue;
    }
    const window = windowOf(measureOf(on.context.model, leaf));
    const isWindow = window !== undefined && on.grouping.rolling !== undefined;
    const placement = placementOf(on.context, on.tree, leaf);
    const key = isWindow
      ? `window ${leaf.cube} ${JSON.stringify(window)}`
      : placement === "keys"
        ? `keys ${leaf.cube}`
        : "rows";
    const known = groups.get(key);
    if (known) known.push(leaf);
    else groups.set(key, [leaf]);
  }
  const needsRows = groups.size + multiStage.length === 0 || on.grouping.shown.length > 0;
  if (needsRows && !groups.has("rows")) groups.set("rows", []);
  const stages = [...groups].map(([key, members]) => {
    if (key === "rows") {
      return charged({ leaves: members, query: rowsStage(on, members), isRows: true });
    }
    const query = key.startsWith("keys") ? keysStage(on, members) : windowStage(on, members);
    return charged({ leaves: members, query });
  });
  return [...stages, ...multiStage];
}

function rowsStage({ context, grouping, tree }: StageContext, leaves: readonly MeasureRef[]): Sql {
  const { dimensions, dependencies, shown } = grouping;
  const aggregates = leaves.map((leaf) =>
    aggregateSql(leaf, context, {
      isRepeated: multipliedFrom(tree, leaf.cube).size > 0,
      isOptional: leaf.cube !== tree.root,
      isShown: (position) => shown[position] ?? [],
    }),
  );
  // Without groups, an aggregate makes one row of all rows. A constant would be repeated for each row.
  if (dimensions.length === 0) aggregates.push(raw("count(*)"));
  const from = fromSql(tree, context, dependencies.subQueries);
  const isShown = shown.map((one, index) => sql`, bool_and(${one}) AS ${raw(`s${index}`)}`);
  const conditions = filteredConditions(grouping, grouping.conditions);
  return sql`SELECT ${selectList(dimensions, aggregates)}${joinSql(isShown, "")} FROM ${from}${whereSql(conditions)}${groupBy(dimensions.length)}`;
}

/** The rows of a cube joined to groups: each row once, and also groups without rows. */
const eachOnce = { isRepeated: false, isOptional: true };

/** Reads each row of a cube once for each group that it belongs to. */
function keysStage({ context, grouping, tree }: StageContext, leaves: readonly MeasureRef[]): Sql {
  const { dimensions, dependencies, shown } = grouping;
  const cube = leaves[0]?.cube ?? "";
  const keys = keysSql(cube, context);
  if (keys.length === 0) {
    throw new Failure(
      "invalid",
      `joins repeat the rows of ${cube}, so it needs a dimension with primary_key: true`,
    );
  }
  const own = ownSource(context, leaves);
  const isShownKey = shown.map((one) => sql`bool_and(${one})`);
  const columns = [...numbered("d", dimensions), ...numbered("k", keys)];
  const list = joinSql([...columns, ...numbered("s", isShownKey)], ", ");
  const from = fromSql(tree, context, dependencies.subQueries);
  const conditions = filteredConditions(grouping, grouping.conditions);
  const distinct = sql`SELECT ${list} FROM ${from}${whereSql(conditions)}${groupBy(columns.length)}`;
  const alias = quote("group keys");
  const groups = dimensions.map((_, index) => sql`${alias}.d${raw(String(index))}`);
  const matches = keys.map((key, index) => sql`${key} = ${alias}.k${raw(String(index))}`);
  const isShown = (position: number) => sql`${alias}.s${raw(String(position))}`;
  const aggregates = leaves.map((leaf) => aggregateSql(leaf, context, { ...eachOnce, isShown }));
  const rows = nestedFromSql(own.tree, { ...context, isFiltered: true }, own.subQueries);
  return sql`SELECT ${selectList(groups, aggregates)} FROM (${distinct}) AS ${alias} LEFT JOIN ${rows} ON ${allOf(matches)}${groupBy(dimensions.length)}`;
}

function windowStage(
  { context, grouping, tree }: StageContext,
  leaves: readonly MeasureRef[],
): Sql {
  const { rolling, dependencies } = grouping;
  const [first] = leaves;
  if (rolling === undefined || first === undefined) return [];
  const name = `${first.cube}.${first.member}`;
  if ("refusal" in rolling) throw new Failure("invalid", `${name} ${rolling.refusal}`);
  const window = windowOf(measureOf(context.model, first)) ?? {};
  for (const leaf of leaves) requireWindow(leaf, context, tree);
  const alias = quote("windows");
  const dimensions = grouping.dimensions.map((one, index) =>
    index === rolling.position ? sql`${alias}."start"` : one,
  );
  const own = [...windowConditions(rolling.local, window), ...grouping.conditionsWithoutRange];
  const conditions = filteredConditions(grouping, own);
  // Every interval appears if rows are only grouped by time; otherwise only intervals with rows.
  const isAlone = dimensions.length === (rolling.position === undefined ? 0 : 1);
  const join = raw(isAlone ? "LEFT JOIN" : "INNER JOIN");
  const noRange = { ...context, isFiltered: true, pushedFilters: () => [] };
  const rows = { ...eachOnce, isPresent: sql`${rolling.local} IS NOT NULL` };
  const aggregates = leaves.map((leaf) => aggregateSql(leaf, noRange, rows));
  const from = nestedFromSql(tree, noRange, dependencies.subQueries);
  return sql`SELECT ${selectList(dimensions, aggregates)} FROM ${windowsTable(rolling, window)} ${join} ${from} ON ${allOf(conditions)}${groupBy(dimensions.length)}`;
}

function requireWindow(leaf: MemberRef, context: QueryContext, tree: JoinTree): void {
  const name = `${leaf.cube}.${leaf.member}`;
  const [several] = multipliedFrom(tree, leaf.cube);
  if (several !== undefined) {
    throw new Failure(
      "invalid",
      `the running measure ${name} would count rows several times, because a row of ${leaf.cube} can have several of ${several}; query it without ${several}`,
    );
  }
  const { type, sql: own } = measureOf(context.model, leaf);
  if (type === "count" && own === undefined && cubeOf(context.model, leaf.cube).keys.length === 0) {
    throw new Failure(
      "invalid",
      `the running measure ${name} counts rows, so ${leaf.cube} needs a dimension with primary_key: true`,
    );
  }
}

function windowConditions(local: Sql, { trailing, leading, type }: RollingWindow): readonly Sql[] {
  const isFixed = type === undefined || type === "fixed";
  const alias = quote("windows");
  const conditions: Sql[] = [sql`${local} IS NOT NULL`];
  if (!isFixed || trailing !== "unbounded") conditions.push(sql`${local} >= ${alias}."lower"`);
  if (!isFixed || leading !== "unbounded") conditions.push(sql`${local} < ${alias}."upper"`);
  return conditions;
}

function windowsTable({ range, granularity }: RollingTime, window: RollingWindow): Sql {
  const time = (value: number | null) =>
    value === null ? raw("CAST(NULL AS TIMESTAMP)") : timeLiteral(printTime(value));
  const rows = windowRows(range, granularity, window).map(
    ({ start, lower, upper }) => sql`(${time(start)}, ${time(lower)}, ${time(upper)})`,
  );
  return sql`(VALUES ${joinSql(rows, ", ")}) AS ${quote("windows")} ("start", "lower", "upper")`;
}

type Joined = Pick<GroupedSource, "prefix" | "from" | "dimension">;

/** Joins stages that have the same groups. */
function innerStages(stages: readonly Stage[], { dimensions }: Grouping): Joined {
  const parts = stages.map(({ query }, index) => {
    const table = sql`(${query}) AS q${raw(String(index))}`;
    if (index === 0) return table;
    return sql` INNER JOIN ${table} ON ${sameGroup("q0", index, dimensions.length)}`;
  });
  return {
    prefix: [],
    from: joinSql(parts, ""),
    dimension: (position) => raw(`q0.d${position}`),
  };
}

function sameGroup(left: string, index: number, count: number): Sql {
  const conditions = Array.from({ length: count }, (_, position) =>
    raw(`${left}.d${position} IS NOT DISTINCT FROM q${index}.d${position}`),
  );
  return allOf(conditions);
}

/**
 * Joins stages that differ in their groups: a window or an earlier time can have rows even if the interval has none.
 */
function unionStages(stages: readonly Stage[], grouping: Grouping): Joined {
  const count = grouping.dimensions.length;
  if (count === 0 || stages.length === 1) return innerStages(stages, grouping);
  const tables = stages.map(({ query }, index) => sql`q${raw(String(index))} AS (${query})`);
  const names = Array.from({ length: count }, (_, position) => `d${position}`).join(", ");
  const groups = stages.map((_, index) => `SELECT ${names} FROM q${index}`).join(" UNION ");
  const joins = stages.map(
    (_, index) => sql` LEFT JOIN q${raw(String(index))} ON ${sameGroup("groups", index, count)}`,
  );
  return {
    prefix: sql`WITH ${joinSql(tables, ", ")} `,
    from: sql`(${raw(groups)}) AS groups${joinSql(joins, "")}`,
    dimension: (position) => raw(`groups.d${position}`),
  };
}

/** Returns the dependencies of a grouping and of its aggregates. The dependencies of the aggregates come first. */
export function withAggregates(grouping: Grouping, aggregates: Dependencies): Grouping {
  return { ...grouping, dependencies: mergeDependencies([aggregates, grouping.dependencies]) };
}
