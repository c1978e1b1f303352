// Plans a query: its members on the compiled model become one statement with bound values for a database. Pure.
import { Failure } from "../../core/errors.ts";
import { comparisonSql, filterCondition } from "./conditions.ts";
import { aliases, columnBase } from "./column-names.ts";
import { createQueryContext, type PlanInput } from "./create-query-context.ts";
import { dependenciesOf, keyMembers, mergeDependencies } from "./dependencies.ts";
import { withDefaultFilters } from "./default-filters.ts";
import { dataSourceOfCubes } from "./data-source-of.ts";
import { quote } from "./dialect.ts";
import {
  filteredConditions,
  filteredValue,
  type Grouping,
  type RollingTime,
} from "./grouped-source.ts";
import { groupedSource, repeatingSwitch, withAggregates } from "./grouping.ts";
import { buildJoinTree, cubesOf, type JoinEdge, type JoinTree } from "./join-tree.ts";
import {
  keysSql,
  leavesOf,
  measureOverColumns,
  type MeasureRef,
  rowValueSql,
  valueType,
} from "./measures.ts";
import {
  dimensionOf,
  dimensionSql,
  gridOf,
  groupedSql,
  isMultiStage,
  localTimeSql,
  shiftColumn,
} from "./member-sql.ts";
import { cubeOf, indexModel, nameOf, type QueryMember } from "./model-index.ts";
import { addGroups } from "./multi-stage.ts";
import { isOrderedBy, limitSql, orderedSql } from "./order-and-limit.ts";
import type { OuterFilters, QueryContext } from "./query-context.ts";
import type { FilteredQuery, NormalizedQuery } from "./query-schema.ts";
import { fromSql } from "./read-cube.ts";
import { type RefreshCheck, refreshCheck } from "./refresh.ts";
import {
  filteredMeasures,
  filterKind,
  localRange,
  namedMembers,
  pushedFilters,
  rangeCondition,
  requireVisibleHints,
  filterConditions,
  type RowSql,
  shownWhen,
  viewFilters,
  visibleDimension,
  visibleMember,
} from "./selection.ts";
import {
  type DimensionQuery,
  dimensionQuery,
  joinedByGroup,
  withoutStages,
} from "./stage-dimensions.ts";
import {
  changeFilters,
  includedConditions,
  isWider,
  requireSameGroups,
  unchanged,
} from "./stage-filters.ts";
import {
  allOf,
  joinSql,
  printSql,
  type Sql,
  sql,
  type Statement,
  whereSql,
} from "./sql-fragments.ts";
import { addTimeShifts } from "./time-shifts.ts";
import { usedMembers } from "./used-members.ts";
import { visibleMeasures } from "./visible-measures.ts";

/** A column of the result. */
export interface PlanColumn {
  readonly alias: string;
  /** The name of the member in the query. */
  readonly member: string;
  readonly granularity?: string;
  readonly kind: "dimension" | "timeDimension" | "measure";
  /** The type of its values: counts and sums are `number`. */
  readonly type: string;
}

/** A planned query. */
export interface QueryPlan {
  readonly statement: Statement;
  /** Counts the rows without limit and offset, as `total`; undefined unless the query asks for it. */
  readonly total: Statement | undefined;
  readonly columns: readonly PlanColumn[];
  /** The data source of all its cubes. */
  readonly dataSource: string;
  /** The check of each cube that it reads, which decides whether a result is computed again; undefined without one. */
  readonly refresh: readonly (RefreshCheck | undefined)[];
  /** The cubes, as often as each is read. */
  readonly reads: readonly string[];
  /** The cubes that the query joins. */
  readonly cubes: readonly string[];
  /** How it joins the cubes of its members, without those that multi-stage measures add. */
  readonly tree: JoinTree;
  /** How its row filters join other cubes beside these joins. */
  readonly filterJoins: readonly JoinEdge[];
}

/** A column with its SQL, over rows or over groups. */
interface OutputColumn {
  readonly column: PlanColumn;
  readonly sql: Sql;
}

/** Plans a query. Throws `invalid` for a query that the model cannot answer, and `forbidden` for a hidden member. */
export function planQuery(sent: NormalizedQuery, input: PlanInput): QueryPlan {
  const model = indexModel(input.model);
  const query = withDefaultFilters(model, sent);
  const named = namedMembers({ model, caller: input.caller }, query);
  requireVisibleHints({ model, caller: input.caller }, query);
  const used = usedMembers(
    model,
    named.map(({ member, usage }) => ({ ...member, usage })),
  );
  let open: QueryContext | undefined;
  const otherJoins = () => {
    if (open === undefined) shapeOf((open = createQueryContext({ ...input, used })), query);
    return open.joined;
  };
  const bare = { ...createQueryContext({ ...input, used }), named, otherJoins };
  const { context, shape, stages } = shapeOf(bare, query);
  const list = joinSql(
    shape.columns.map(({ column, sql: own }) => sql`${own} AS ${quote(column.alias)}`),
    ", ",
  );
  const body = sql`${shape.prefix}SELECT ${list} FROM ${shape.from}${whereSql(shape.conditions)}`;
  const cubes = [...new Set([shape, ...stages.values()].flatMap((one) => one.cubes))];
  const page = sql`${orderedSql(body, query, { context, columns: shape.columns })}${limitSql(query)}`;
  const reads = [...bare.reads];
  const read = [...new Set(reads)];
  return {
    statement: printSql(page, context.dialect),
    total: query.total
      ? printSql(sql`SELECT count(*) AS total FROM (${body}) AS counted`, context.dialect)
      : undefined,
    columns: shape.columns.map(({ column }) => column),
    dataSource: dataSourceOfCubes(context, read),
    refresh: read.map((name) => refreshCheck(cubeOf(context.model, name).cube, bare)),
    reads,
    cubes,
    tree: shape.tree,
    filterJoins: context.filterJoins,
  };
}

/** Plans the parts of a statement, and the queries of its multi-stage dimensions. */
function shapeOf(bare: QueryContext, query: NormalizedQuery) {
  const whole = { ...bare, ...outerFilters(bare, unchanged(query)) };
  const stages = new Map<string, DimensionQuery>();
  const context = { ...whole, subQuery: stageJoins(whole, query, stages) };
  const selected = selectMembers(context, query);
  const shape = query.ungrouped
    ? ungroupedQuery(context, query, selected)
    : groupedQuery(context, query, selected);
  return { context, shape, stages };
}

/**
 * Returns how dimensions over measures are joined: a row has the value of a multi-stage dimension in the group of the query
 * that it belongs to. Adds the query of each to `stages`.
 */
function stageJoins(
  context: QueryContext,
  query: NormalizedQuery,
  stages: Map<string, DimensionQuery>,
): QueryContext["subQuery"] {
  return (ref, outer) => {
    const { addGroupBy } = dimensionOf(context, ref);
    if (addGroupBy === undefined) return context.subQuery(ref, outer);
    const name = nameOf(ref);
    const others = unchanged(withoutStages(context, query));
    let stage = stages.get(name);
    if (stage === undefined) {
      context.cost.countStage(name);
      const own = { ...context, ...outerFilters(context, others) };
      const grouping = groupingOf(own, others, selectMembers(own, others.query));
      stage = dimensionQuery(ref, own, addGroups(own, grouping, addGroupBy));
      stages.set(name, stage);
    }
    const { dimensions } = selectMembers(outer, others.query);
    const groups = [
      ...dimensions.map(({ value }) => value.sql),
      ...addGroupBy.map((one) => groupedSql(one, outer)),
    ];
    return joinedByGroup(ref, stage, { context: outer, groups });
  };
}

/** The members of a query that become columns. */
interface Selected {
  readonly dimensions: readonly {
    readonly member: QueryMember;
    readonly granularity?: string;
    readonly column: PlanColumn;
    readonly value: RowSql;
  }[];
  readonly measures: readonly { readonly member: QueryMember; readonly column: PlanColumn }[];
}

function selectMembers(context: QueryContext, query: NormalizedQuery): Selected {
  const alias = aliases();
  const times = query.timeDimensions.filter(({ granularity }) => granularity !== undefined);
  const dimension = (name: string, granularity?: string) => {
    const member = visibleMember(context, name, ["dimension"]);
    const named = columnBase(member);
    const column: PlanColumn = {
      alias: alias(granularity === undefined ? named : `${named}_${granularity}`),
      member: name,
      kind: granularity === undefined ? "dimension" : "timeDimension",
      type: dimensionOf(context, member).type,
      ...(granularity !== undefined && { granularity }),
    };
    const interval = granularity === undefined ? undefined : { granularity };
    const { sql: own, dependencies } = visibleDimension(context, member, interval);
    const value = { sql: groupedSql(member, context, own), dependencies };
    return { member, column, value, ...interval };
  };
  return {
    dimensions: [
      ...query.dimensions.map((name) => dimension(name)),
      ...times.map((time) => dimension(time.dimension, time.granularity)),
    ],
    measures: query.measures.map((name) => {
      const member = visibleMember(context, name, ["measure"]);
      const type = valueType(context.model, member);
      const kind = "measure" as const;
      return { member, column: { alias: alias(columnBase(member)), member: name, kind, type } };
    }),
  };
}

/** The parts of a statement. */
interface QueryShape {
  readonly prefix: Sql;
  readonly from: Sql;
  readonly conditions: readonly Sql[];
  readonly columns: readonly OutputColumn[];
  /** The cubes that are read, the root of the joins first. */
  readonly cubes: readonly string[];
  readonly tree: JoinTree;
}

function groupedQuery(
  context: QueryContext,
  query: NormalizedQuery,
  { dimensions, measures }: Selected,
): QueryShape {
  const filters = query.filters.filter((filter) => filterKind(context, filter) === "measure");
  const filtered = filters.flatMap((filter) => filteredMeasures(context, filter));
  const needed = [...measures.map(({ member }) => member), ...filtered];
  const visible = visibleMeasures(context, needed);
  const aggregates = dependenciesOf(context.model, visible.computed);
  const own = needed.map(({ path }) => path);
  const rows = groupingOf(context, unchanged(query), { dimensions, measures });
  const grouping = withAggregates(
    { ...rows, shown: visible.shown.map((one) => one.sql) },
    mergeDependencies([
      { ...aggregates, chains: [...own, ...aggregates.chains] },
      ...visible.shown.map((one) => one.dependencies),
    ]),
  );
  const source = groupedSource(context, grouping, leavesOf(context.model, visible.computed));
  const write = (one: MeasureRef) => measureOverColumns(one, context, source.column);
  const measureSql = (member: QueryMember) => visible.write(member, write, source.isShown);
  return {
    prefix: source.prefix,
    from: source.from,
    cubes: source.cubes,
    tree: source.tree,
    columns: [
      ...dimensions.map(({ column }, index) => ({ column, sql: source.dimension(index) })),
      ...measures.map(({ column, member }) => ({ column, sql: measureSql(member) })),
    ],
    conditions: filters.flatMap((filter) => {
      const condition = filterCondition(filter, ({ member: name, operator, values }) => {
        const member = visibleMember(context, name, ["measure"]);
        const type = valueType(context.model, member);
        const expression = sql`(${measureSql(member)})`;
        return comparisonSql({ expression, type, operator, values }, context);
      });
      return condition ? [condition] : [];
    }),
  };
}

function groupingOf(
  context: QueryContext,
  filtered: FilteredQuery,
  { dimensions }: Selected,
): Grouping {
  const { query } = filtered;
  const included = includedConditions(context, filtered);
  const ranges = rangeConditions(context, query);
  const rows = [...filterConditions(context, query), ...included, ...datedRows(context)];
  const views = viewFilters(context);
  const dependencies = mergeDependencies([
    { chains: query.joinHints ?? [], subQueries: [] },
    ...dimensions.map(({ value }) => value.dependencies),
    ...ranges.map(({ condition }) => condition.dependencies),
    ...[...rows, ...views].map((one) => one.dependencies),
  ]);
  const stages = dependencies.subQueries.filter((one) => isMultiStage(one, context));
  requireSameGroups(context, filtered, [
    ...dimensions.flatMap(({ value }) => value.dependencies.subQueries),
    ...stages,
  ]);
  const followed = rollingTime(context, filtered, dimensions);
  const [stage] = stages;
  const refusal = `is a running measure, and ${stage && nameOf(stage)} a multi-stage dimension; query them apart`;
  // Its groups are not those of windows.
  const rolling = followed && stage ? { value: { refusal }, time: undefined } : followed;
  const others = ranges.filter(({ time }) => time !== rolling?.time);
  return {
    dimensions: dimensions.map(({ value }) => value.sql),
    conditions: [...ranges.map(({ condition }) => condition.sql), ...rows.map((one) => one.sql)],
    conditionsWithoutRange: [
      ...others.map(({ condition }) => condition.sql),
      ...rows.map((one) => one.sql),
    ],
    rowFilters: views.map((one) => one.sql),
    filteredBy: views.flatMap(({ members }) => members),
    shown: [],
    dependencies,
    rolling: rolling?.value,
    members: dimensions.map(({ member, granularity }) => ({
      name: nameOf(member),
      ...(granularity !== undefined && { granularity }),
    })),
    changed: ({ timeShift, filter }) => {
      const changed = filter ? changeFilters(context, filtered, filter) : filtered;
      const moved = { ...context, ...addTimeShifts(context, query, timeShift) };
      const own = { ...moved, ...outerFilters(moved, changed) };
      return {
        context: own,
        grouping: groupingOf(own, changed, selectMembers(own, changed.query)),
        isWider: isWider(changed, filtered),
      };
    },
  };
}

/** Writes that rows have a time in each calendar whose time is shifted: others are not of an earlier or later one. */
function datedRows(context: QueryContext): readonly RowSql[] {
  return [...context.calendarShifts.keys()].map((cube) => ({
    sql: allOf(keysSql(cube, context).map((key) => sql`${key} IS NOT NULL`)),
    dependencies: dependenciesOf(context.model, keyMembers(context.model, cube)),
  }));
}

function rangeConditions(context: QueryContext, query: NormalizedQuery) {
  return query.timeDimensions.flatMap((time) => {
    const condition = rangeCondition(context, time);
    return condition ? [{ condition, time }] : [];
  });
}

/** Returns the filters of a query that subqueries and FILTER_PARAMS repeat. */
function outerFilters(context: QueryContext, filtered: FilteredQuery): OuterFilters {
  const { query } = filtered;
  return {
    pushedFilters: pushedFilters(context, filtered),
    hasViewFilters: () => viewFilters(context).length > 0,
    propagatedFilters: () => {
      if (context.calendarShifts.size > 0)
        throw new Failure("invalid", "a subquery cannot have filters of a time that SQL shifts");
      const ranges = rangeConditions(context, query).map(({ condition }) => condition);
      const all = [
        ...ranges,
        ...filterConditions(context, query),
        ...includedConditions(context, filtered),
      ];
      // A subquery cannot read another one of its rows.
      const rows = all.filter(({ dependencies }) => dependencies.subQueries.length === 0);
      const views = rows.length === 0 ? [] : viewFilters(context);
      return {
        conditions: rows.map((one) => one.sql),
        rowFilters: views.map((one) => one.sql),
        dependencies: mergeDependencies([...rows, ...views].map((one) => one.dependencies)),
      };
    },
  };
}

/** Returns the time that running measures follow; undefined if the query has none, and they are plain aggregates. */
function rollingTime(
  context: QueryContext,
  { query, included }: FilteredQuery,
  dimensions: Selected["dimensions"],
):
  | {
      readonly value: RollingTime | { readonly refusal: string };
      readonly time: NormalizedQuery["timeDimensions"][number] | undefined;
    }
  | undefined {
  const refuse = (refusal: string) => ({ value: { refusal }, time: undefined });
  if (
    included.some(({ members }) => members.some((one) => dimensionOf(context, one).type === "time"))
  )
    return refuse("is a running measure, and a filter of the measure that uses it is about time");
  const times = query.timeDimensions.filter(({ granularity }) => granularity !== undefined);
  const ranged = query.timeDimensions.filter(({ dateRange }) => dateRange !== undefined);
  if (times.length > 1) return refuse("is a running measure, which needs one time dimension");
  const time = times[0] ?? (ranged.length === 1 ? ranged[0] : undefined);
  if (time === undefined) return undefined;
  const { dimension: name, granularity, dateRange } = time;
  const member = visibleMember(context, name, ["dimension"]);
  if (dateRange === undefined) {
    return refuse(`is a running measure, which needs a dateRange of ${name}`);
  }
  if (shownWhen(context, member) !== "always") {
    return refuse(`is a running measure, and ${name} is masked for the caller`);
  }
  const { granularities, truncatedTo } = dimensionOf(context, member);
  if (truncatedTo !== undefined) return refuse(`is a running measure, which needs exact times`);
  if (granularities.some((own) => own.name === granularity && own.sql !== undefined))
    return refuse(`is a running measure, and the granularity ${granularity} of ${name} is SQL`);
  const grid = (own: string) => gridOf(member, own, context);
  const position = dimensions.findIndex((one) => one.granularity !== undefined);
  const value: RollingTime = {
    local: localTimeSql(shiftColumn(dimensionSql(member, context), member, context), context),
    range: localRange(dateRange),
    granularity: granularity === undefined ? undefined : grid(granularity),
    gridOf: grid,
    position: position < 0 ? undefined : position,
  };
  return { value, time };
}

function ungroupedQuery(
  context: QueryContext,
  query: NormalizedQuery,
  { dimensions, measures }: Selected,
): QueryShape {
  if (query.filters.some((filter) => filterKind(context, filter) === "measure")) {
    throw new Failure("invalid", "Ungrouped query doesn't allow measure filters");
  }
  const members = measures.map(({ member }) => member);
  const visible = visibleMeasures(context, members);
  const grouping = withAggregates(
    groupingOf(context, unchanged(query), { dimensions, measures }),
    mergeDependencies([
      dependenciesOf(context.model, [...members, ...visible.computed]),
      ...visible.shown.map((one) => one.dependencies),
    ]),
  );
  const tree = buildJoinTree(context.model, grouping.dependencies.chains);
  // Without keys, a row's value of a measure would be known, which no group of keys shows.
  if (!query.allowsEqualRows || measures.length > 0) requireKeys(context, tree, dimensions);
  requireRowValues(context, grouping);
  const conditions = filteredConditions(grouping, grouping.conditions);
  // A database can sort by a column before it applies the filters.
  const guarded = ({ column, sql: own }: OutputColumn) => ({
    column,
    sql: isOrderedBy(query, column) ? filteredValue(grouping, own) : own,
  });
  const columns = [
    ...dimensions.map(({ column, value: own }) => guarded({ column, sql: own.sql })),
    ...measures.map(({ column, member }) =>
      guarded({
        column,
        sql: visible.write(
          member,
          (one) => rowValueSql(one, context),
          (position) => visible.shown[position]?.sql ?? [],
        ),
      }),
    ),
  ];
  const evaluated = [...conditions, ...columns.map((one) => one.sql)];
  return {
    prefix: [],
    from: fromSql(tree, context, { ...grouping.dependencies, evaluated }),
    cubes: cubesOf(tree),
    tree,
    conditions,
    columns,
  };
}

/** Throws `invalid` for a cube without a key, because only keys distinguish ungrouped rows. */
function requireKeys(
  { model }: QueryContext,
  tree: JoinTree,
  dimensions: Selected["dimensions"],
): void {
  const selected = new Set(dimensions.map(({ member }) => nameOf(member)));
  const missing = cubesOf(tree).flatMap((cube) =>
    cubeOf(model, cube)
      .keys.map(({ name }) => `${cube}.${name}`)
      .filter((name) => !selected.has(name)),
  );
  if (missing.length === 0) return;
  const names = missing.map((name) => `'${name}'`).join(", ");
  throw new Failure(
    "invalid",
    `Ungrouped query requires primary keys to be present in dimensions: ${names}`,
  );
}

/**
 * Throws `invalid` for a multi-stage dimension, which has no value in a row, and for a switch that repeats the rows of an
 * ungrouped query and is not in its dimensions.
 */
function requireRowValues(context: QueryContext, grouping: Grouping): void {
  const stage = grouping.dependencies.subQueries.find((one) => isMultiStage(one, context));
  if (stage !== undefined) {
    const message = `${nameOf(stage)} is a multi-stage dimension, which an ungrouped query cannot compute`;
    throw new Failure("invalid", message);
  }
  const missing = repeatingSwitch(context, grouping);
  if (missing === undefined) return;
  const message = `Ungrouped query requires '${nameOf(missing)}' to be present in dimensions, of which each row has all values`;
  throw new Failure("invalid", message);
}
