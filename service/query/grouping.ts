// Computes the aggregates of a query in subqueries: over the joined rows, once for each key, or over windows of time.
import { Failure } from "../../core/errors.ts";
import { type Dependencies, mergeDependencies, referencesIn } from "./dependencies.ts";
import {
  filteredConditions,
  filteredValue,
  type GroupedSource,
  type Grouping,
} from "./grouped-source.ts";
import { quote } from "./dialect.ts";
import { buildJoinTree, cubesOf, type JoinTree, multipliedFrom } from "./join-tree.ts";
import {
  aggregatedColumn,
  aggregateSql,
  keysSql,
  leafKey,
  measureOf,
  type MeasureRef,
  ownSource,
  placementOf,
  type Placement,
  windowOf,
} from "./measures.ts";
import { dimensionSql, groupedSql, isSwitch } from "./member-sql.ts";
import { cubeOf, type MemberRef, nameOf } from "./model-index.ts";
import { type GroupMeasure, groupMeasures, multiStageQuery } from "./multi-stage.ts";
import type { QueryContext } from "./query-context.ts";
import { fromSql, joinColumnsSql } from "./read-cube.ts";
import { windowConditions, windowsTable, windowStart } from "./window-sql.ts";
import {
  allOf,
  groupBy,
  joinSql,
  numbered,
  positionOf,
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
  /** Whether it has groups that the filters of the query leave out. */
  readonly isWider?: boolean;
}

/** Returns the groups of a query with all aggregates. */
export function groupedSource(
  context: QueryContext,
  grouping: Grouping,
  leaves: readonly MeasureRef[],
): GroupedSource {
  const { dependencies } = grouping;
  const tree = buildJoinTree(context.model, dependencies.chains, { preferred: grouping.root });
  requireShiftedJoins(context, tree);
  const isRepeated = repeatingSwitch(context, grouping) !== undefined;
  const on = {
    context,
    grouping: { ...grouping, root: tree.root },
    tree,
    isRepeated: (cube: string) => isRepeated || multipliedFrom(tree, cube).size > 0,
  };
  const stages = stageLeaves(on, leaves);
  const at = new Map<string, Sql>();
  for (const [index, stage] of stages.entries()) {
    for (const [position, leaf] of stage.leaves.entries()) {
      const column = raw(`q${index}.m${position}`);
      at.set(leafKey(leaf), exactColumn(leaf, column, context));
    }
  }
  const differ = leaves.some((leaf) => {
    const measure = measureOf(context.model, leaf);
    return windowOf(measure) !== undefined || measure.stage !== undefined;
  });
  const joined = differ ? unionStages(on, stages) : innerStages(on, stages);
  return {
    ...joined,
    tree,
    cubes: [...new Set([...cubesOf(tree), ...stages.flatMap(({ cubes = [] }) => cubes)])],
    column: (leaf) => at.get(leafKey(leaf)) ?? raw("NULL"),
    isShown: (position) =>
      // A group without rows of the cube hides nothing.
      raw(`q${stages.findIndex(({ isRows }) => isRows)}.s${position} IS NOT FALSE`),
  };
}

/** Writes the column of an aggregate, with an error if the database changed a sum to hold it. */
function exactColumn(leaf: MeasureRef, column: Sql, { model, dialect }: QueryContext): Sql {
  const isSum = ["sum", "avg", "running_total"].includes(measureOf(model, leaf).type);
  return isSum && dialect.requireExact ? dialect.requireExact(column) : column;
}

/** Throws `invalid` unless each calendar whose time is shifted in SQL is joined by its primary key. */
function requireShiftedJoins({ model, calendarShifts }: QueryContext, { edges }: JoinTree): void {
  for (const cube of calendarShifts.keys()) {
    const [key] = cubeOf(model, cube).keys;
    const edge = edges.find(({ join }) => join.cube === cube);
    const isByKey = referencesIn(edge?.join.sql ?? []).members.some(
      (one) => one.cube === cube && one.member === key?.name,
    );
    if (isByKey) continue;
    throw new Failure(
      "invalid",
      `a time shift of ${cube} is SQL, which the query can follow only if it joins ${cube} by {${cube}.${key?.name}}`,
    );
  }
}

interface StageContext {
  readonly context: QueryContext;
  readonly grouping: Grouping;
  readonly tree: JoinTree;
  /** Returns whether a group can have a row of a cube several times. */
  readonly isRepeated: (cube: string) => boolean;
}

/** Returns a switch whose values repeat rows, because they do not separate groups. */
export function repeatingSwitch(
  context: QueryContext,
  { dimensions, dependencies }: Pick<Grouping, "dimensions" | "dependencies">,
): MemberRef | undefined {
  return dependencies.subQueries.find(
    (ref) => isSwitch(ref, context) && positionOf(dimensions, dimensionSql(ref, context)) < 0,
  );
}

/** Aggregates that one subquery computes. */
interface LeafGroup {
  readonly kind: Placement | "window";
  readonly placement: Placement;
  readonly leaves: readonly MeasureRef[];
}

function stageLeaves(on: StageContext, leaves: readonly MeasureRef[]): readonly Stage[] {
  const groups = new Map<string, LeafGroup>();
  const multiStage: Stage[] = [];
  const computed: ComputedLeaf[] = [];
  const groupMeasure = groupMeasures(on);
  // Each stage repeats the dimensions and the conditions.
  const charged = (stage: Stage): Stage => {
    on.context.cost.charge(stage.query);
    return stage;
  };
  const all = new Map(leaves.map((leaf) => [leafKey(leaf), leaf]));
  // The loop adds what others are computed from.
  for (const leaf of all.values()) {
    if (measureOf(on.context.model, leaf).stage) {
      const own = groupMeasure(leaf);
      if (own && isOverRows(on, own)) {
        computed.push({ leaf, write: own.write });
        for (const one of own.leaves) all.set(leafKey(one), one);
        continue;
      }
      multiStage.push(charged({ leaves: [leaf], ...multiStageQuery(on, leaf, groupedSource) }));
      continue;
    }
    const window = windowOf(measureOf(on.context.model, leaf));
    const isWindow = window !== undefined && on.grouping.rolling !== undefined;
    const placement = placementOf(on.context, leaf, on.isRepeated(leaf.cube));
    const kind = isWindow ? "window" : placement;
    const key =
      kind === "rows"
        ? kind
        : // Each can be masked in other rows.
          `${kind} ${placement} ${leaf.cube} ${leaf.shownAt} ${isWindow ? JSON.stringify(window) : ""}`;
    const group = groups.get(key) ?? { kind, placement, leaves: [] };
    groups.set(key, { ...group, leaves: [...group.leaves, leaf] });
  }
  const hasGroups = groups.size > 0 || multiStage.some(({ isWider }) => isWider !== true);
  const needsRows = !hasGroups || on.grouping.shown.length + computed.length > 0;
  if (needsRows && !groups.has("rows"))
    groups.set("rows", { kind: "rows", placement: "rows", leaves: [] });
  const stages = [...groups.values()].map(({ kind, placement, leaves: own }) => {
    if (kind === "rows") {
      const query = withComputed(on, { leaves: own, query: rowsStage(on, own) }, computed);
      return charged({
        leaves: [...own, ...computed.map(({ leaf }) => leaf)],
        query,
        isRows: true,
      });
    }
    const query = kind === "keys" ? keysStage(on, own) : windowStage(on, own, placement);
    return charged({ leaves: own, query });
  });
  return [...stages, ...multiStage];
}

/** A multi-stage measure that is computed from the groups of the joined rows. */
interface ComputedLeaf extends Pick<GroupMeasure, "write"> {
  readonly leaf: MeasureRef;
}

/** Returns whether a measure is computed from aggregates of the joined rows only. */
function isOverRows(
  { context, grouping, tree, isRepeated }: StageContext,
  { leaves, dependencies }: GroupMeasure,
): boolean {
  const { model } = context;
  const isOfRows = leaves.every((leaf) => {
    const isWindow =
      windowOf(measureOf(model, leaf)) !== undefined && grouping.rolling !== undefined;
    return !isWindow && placementOf(context, leaf, isRepeated(leaf.cube)) === "rows";
  });
  if (!isOfRows) return false;
  const all = mergeDependencies([grouping.dependencies, dependencies]);
  const needed = buildJoinTree(model, all.chains, { preferred: tree.root });
  return (
    needed.root === tree.root &&
    needed.edges.length === tree.edges.length &&
    all.subQueries.length === grouping.dependencies.subQueries.length
  );
}

/** Adds the multi-stage measures that are computed from the groups of the joined rows. */
function withComputed(
  { context, grouping: { dimensions, shown } }: StageContext,
  { leaves, query }: Pick<Stage, "leaves" | "query">,
  computed: readonly ComputedLeaf[],
): Sql {
  if (computed.length === 0) return query;
  const names = (letter: string, list: readonly unknown[]) =>
    list.map((_, index) => raw(`${letter}${index}`));
  const groups = names("d", dimensions);
  const aggregates = names("m", leaves);
  const columns = new Map(
    leaves.map((leaf, index) => [
      leafKey(leaf),
      exactColumn(leaf, aggregates[index] ?? [], context),
    ]),
  );
  const source = {
    dimension: (position: number) => groups[position] ?? [],
    column: (leaf: MeasureRef) => columns.get(leafKey(leaf)) ?? [],
  };
  const values = [...aggregates, ...computed.map(({ write }) => write(source))];
  const list = [selectList(groups, values), ...names("s", shown)];
  return sql`SELECT ${joinSql(list, ", ")} FROM (${query}) AS "rows"`;
}

function rowsStage(
  { context, grouping, tree, isRepeated }: StageContext,
  leaves: readonly MeasureRef[],
): Sql {
  const { dimensions, dependencies, shown } = grouping;
  const aggregates = leaves.map((leaf) =>
    aggregateSql(leaf, context, {
      isRepeated: isRepeated(leaf.cube),
      isOptional: leaf.cube !== tree.root,
      isShown: (position) => shown[position] ?? [],
    }),
  );
  // Without groups, an aggregate makes one row of all rows. A constant would be repeated for each row.
  if (dimensions.length === 0) aggregates.push(raw("count(*)"));
  const conditions = filteredConditions(grouping, grouping.conditions);
  const evaluated = [...dimensions, ...conditions];
  const from = fromSql(tree, context, { ...dependencies, evaluated });
  const isShown = shown.map(
    (one, index) => sql`, ${context.dialect.isAlways(one)} AS ${raw(`s${index}`)}`,
  );
  return sql`SELECT ${selectList(dimensions, aggregates)}${joinSql(isShown, "")} FROM ${from}${whereSql(conditions)}${groupBy(dimensions.length)}`;
}

function keysStage(on: StageContext, leaves: readonly MeasureRef[]): Sql {
  const { context, grouping, tree } = on;
  const { dimensions, dependencies } = grouping;
  const conditions = filteredConditions(grouping, grouping.conditions);
  const rowsOf = (grouped: readonly Sql[]) => {
    const evaluated = [...dimensions, ...conditions, ...grouped];
    return sql`${fromSql(tree, context, { ...dependencies, evaluated })}${whereSql(conditions)}`;
  };
  return onceForEachKey(on, leaves, { dimensions, rowsOf });
}

/** Joined rows in groups. */
interface GroupedRows {
  readonly dimensions: readonly Sql[];
  /** Writes the rows after FROM, for a query that groups them by further SQL. */
  readonly rowsOf: (grouped: readonly Sql[]) => Sql;
}

/** Reads each row of a cube once for each group of joined rows that it belongs to. */
function onceForEachKey(
  on: StageContext,
  leaves: readonly MeasureRef[],
  { dimensions, rowsOf }: GroupedRows,
): Sql {
  const { context, grouping } = on;
  const cube = leaves[0]?.cube ?? "";
  const keys = keysSql(cube, context);
  if (keys.length === 0) {
    throw new Failure(
      "invalid",
      `joins repeat the rows of ${cube}, so it needs a dimension with primary_key: true`,
    );
  }
  const own = ownSource(context, leaves);
  if (grouping.rowFilters.length + grouping.shown.length > 0)
    return onceForEachValue(on, leaves, { dimensions, rowsOf });
  const columns = [...numbered("d", dimensions), ...numbered("k", keys)];
  const distinct = sql`SELECT ${joinSql(columns, ", ")} FROM ${rowsOf(keys)}${groupBy(columns.length)}`;
  const alias = quote("group keys");
  const groups = dimensions.map((_, index) => sql`${alias}.d${raw(String(index))}`);
  const matches = keys.map((key, index) => sql`${key} = ${alias}.k${raw(String(index))}`);
  const once = { isRepeated: false, isOptional: true };
  const aggregates = leaves.map((leaf) => aggregateSql(leaf, context, once));
  const rows = fromSql(own.tree, context, { ...own, evaluated: matches });
  return sql`SELECT ${selectList(groups, aggregates)} FROM ${rows} RIGHT JOIN (${distinct}) AS ${alias} ON ${allOf(matches)}${groupBy(dimensions.length)}`;
}

/**
 * Groups the joined rows by the values of aggregates, too, instead of reading the cube again by its key: another row can have
 * the same key, which the row filter of a view hides, or in which a measure is masked.
 */
function onceForEachValue(
  { context, grouping, tree }: StageContext,
  leaves: readonly MeasureRef[],
  { dimensions, rowsOf }: GroupedRows,
): Sql {
  const cube = leaves[0]?.cube ?? "";
  const once = {
    isRepeated: false,
    isOptional: true,
    isShown: (position: number) => grouping.shown[position] ?? [],
  };
  const columns = leaves.map((leaf) => aggregatedColumn(leaf, context, once));
  const values = columns.map(({ value }) => filteredValue(grouping, value));
  const keys = [...keysSql(cube, context), ...rowColumns(cube, { context, grouping, tree })];
  const list = [...numbered("d", dimensions), ...numbered("k", keys), ...numbered("v", values)];
  const distinct = sql`SELECT ${joinSql(list, ", ")} FROM ${rowsOf([...keys, ...values])}${groupBy(list.length)}`;
  const alias = quote("group values");
  const groups = dimensions.map((_, index) => sql`${alias}.d${raw(String(index))}`);
  const aggregates = columns.map(({ aggregate }, index) =>
    aggregate(sql`${alias}.v${raw(String(index))}`),
  );
  return sql`SELECT ${selectList(groups, aggregates)} FROM (${distinct}) AS ${alias}${groupBy(dimensions.length)}`;
}

/** Writes what joins and row filters of views read of a cube: rows that have the same key can differ in it. */
function rowColumns(
  cube: string,
  { context, grouping, tree }: Pick<StageContext, "context" | "grouping" | "tree">,
): readonly Sql[] {
  const compared = grouping.filteredBy.filter(
    (one) => one.cube === cube && cubeOf(context.model, cube).dimensions.has(one.member),
  );
  return [
    ...joinColumnsSql(cube, [...tree.edges, ...context.filterJoins], context),
    ...compared.map((one) => sql`(${groupedSql(one, context)})`),
  ];
}

/**
 * Reads the rows of each window. Where joins repeat the rows of the cube, it reads each row once for each group of its
 * window.
 */
function windowStage(on: StageContext, leaves: readonly MeasureRef[], placement: Placement): Sql {
  const { context, grouping, tree } = on;
  const { rolling, dependencies } = grouping;
  const [first] = leaves;
  if (rolling === undefined || first === undefined) return [];
  const name = nameOf(first);
  if ("refusal" in rolling) throw new Failure("invalid", `${name} ${rolling.refusal}`);
  const window = windowOf(measureOf(context.model, first)) ?? {};
  for (const leaf of leaves) requireKey(leaf, context);
  const dimensions = grouping.dimensions.map((one, index) =>
    index === rolling.position ? windowStart : one,
  );
  const own = [
    ...windowConditions(rolling.local, window, context.dialect),
    ...grouping.conditionsWithoutRange,
  ];
  const conditions = filteredConditions(grouping, own);
  // Every interval appears if rows are only grouped by time; otherwise only intervals with rows.
  const isAlone = dimensions.length === (rolling.position === undefined ? 0 : 1);
  const join = raw(isAlone ? "RIGHT JOIN" : "INNER JOIN");
  const noRange = { ...context, pushedFilters: () => [] };
  const rowsOf = (grouped: readonly Sql[]) => {
    const evaluated = [...dimensions, ...conditions, ...grouped];
    const from = fromSql(tree, noRange, { ...dependencies, evaluated });
    return sql`${from} ${join} ${windowsTable(rolling, window, context.dialect)} ON ${allOf(conditions)}`;
  };
  if (placement === "keys") {
    return onceForEachKey({ ...on, context: noRange }, leaves, { dimensions, rowsOf });
  }
  const present = {
    isRepeated: on.isRepeated(first.cube),
    isOptional: true,
    isPresent: sql`${rolling.local} IS NOT NULL`,
  };
  const aggregates = leaves.map((leaf) => aggregateSql(leaf, noRange, present));
  return sql`SELECT ${selectList(dimensions, aggregates)} FROM ${rowsOf([])}${groupBy(dimensions.length)}`;
}

/** Throws `invalid` for a running measure that counts rows and cannot tell a missing one. */
function requireKey(leaf: MemberRef, context: QueryContext): void {
  const { type, sql: own } = measureOf(context.model, leaf);
  if (type === "count" && own === undefined && cubeOf(context.model, leaf.cube).keys.length === 0) {
    const name = nameOf(leaf);
    throw new Failure(
      "invalid",
      `the running measure ${name} counts rows, so ${leaf.cube} needs a dimension with primary_key: true`,
    );
  }
}

type Joined = Pick<GroupedSource, "prefix" | "from" | "dimension">;

/** Joins stages that have the same groups. */
function innerStages(
  { context, grouping: { dimensions } }: StageContext,
  stages: readonly Stage[],
): Joined {
  const parts = stages.map(({ query }, index) => {
    const table = sql`(${query}) AS q${raw(String(index))}`;
    if (index === 0) return table;
    return sql` INNER JOIN ${table} ON ${sameGroup(context, ["q0", `q${index}`], dimensions.length)}`;
  });
  return {
    prefix: [],
    from: joinSql(parts, ""),
    dimension: (position) => raw(`q0.d${position}`),
  };
}

function sameGroup(
  { dialect }: QueryContext,
  [left, right]: readonly [string, string],
  count: number,
): Sql {
  const conditions = Array.from({ length: count }, (_, position) =>
    dialect.isSame(raw(`${left}.d${position}`), raw(`${right}.d${position}`)),
  );
  return allOf(conditions);
}

/**
 * Joins stages that differ in their groups: a window or an earlier time can have rows even if the interval has none. Measures
 * with fewer filters add none. Without dimensions, there is one group, also if a stage has no rows.
 */
function unionStages(on: StageContext, stages: readonly Stage[]): Joined {
  const count = on.grouping.dimensions.length;
  if (count > 0 && stages.length === 1) return innerStages(on, stages);
  const tables = stages.map(({ query }, index) => sql`q${raw(String(index))} AS (${query})`);
  const names = Array.from({ length: count }, (_, position) => `d${position}`).join(", ");
  const selects = stages.flatMap(({ isWider }, index) =>
    isWider === true ? [] : [`SELECT ${names} FROM q${index}`],
  );
  const groups = count === 0 ? "SELECT 1" : selects.join(" UNION ");
  const joins = stages.map(
    (_, index) =>
      sql` LEFT JOIN q${raw(String(index))} ON ${sameGroup(on.context, [`"groups"`, `q${index}`], count)}`,
  );
  return {
    prefix: sql`WITH ${joinSql(tables, ", ")} `,
    from: sql`(${raw(groups)}) AS "groups"${joinSql(joins, "")}`,
    dimension: (position) => raw(`"groups".d${position}`),
  };
}

/** Returns the dependencies of a grouping and of its aggregates. The dependencies of the aggregates come first. */
export function withAggregates(grouping: Grouping, aggregates: Dependencies): Grouping {
  return { ...grouping, dependencies: mergeDependencies([aggregates, grouping.dependencies]) };
}
