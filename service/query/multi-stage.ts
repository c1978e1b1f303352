// Multi-stage measures: groups the measures that they use first, and computes the measure over those groups.
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { calculatedTypes } from "../model/composite-measures.ts";
import type { CompiledMeasure, MeasureStage, SqlTemplate } from "../model/types.ts";
import {
  type Dependencies,
  dependenciesOf,
  mergeDependencies,
  type PlacedMember,
  referencesIn,
  templatesOf,
} from "./dependencies.ts";
import type { Dialect } from "./dialect.ts";
import type { GroupedSource, Grouping } from "./grouped-source.ts";
import {
  leafKey,
  leavesOf,
  measureOf,
  measureOverColumns,
  type MeasureRef,
  type RollingWindow,
  windowOf,
} from "./measures.ts";
import { dimensionSql, groupedSql, isSwitch, templateSql } from "./member-sql.ts";
import { cubeOf, type MemberRef, memberRef, type ModelIndex, nameOf } from "./model-index.ts";
import type { QueryContext } from "./query-context.ts";
import { windowConditions, windowsTable, windowStart } from "./window-sql.ts";
import {
  allOf,
  groupBy,
  joinSql,
  positionOf,
  raw,
  selectList,
  type Sql,
  sql,
} from "./sql-fragments.ts";

/** The function with which {@link multiStageQuery} reads groups. */
type GroupedSourceOf = (
  context: QueryContext,
  grouping: Grouping,
  leaves: readonly MeasureRef[],
) => GroupedSource;

/** The query for a multi-stage measure. */
interface StageQuery {
  readonly query: Sql;
  readonly cubes: readonly string[];
  /** Whether it has groups that the filters of the query leave out. */
  readonly isWider: boolean;
}

/** Writes the query for a multi-stage measure: the groups of the query as `d0`, `d1`, …, and its value as `m0`. */
export function multiStageQuery(
  { context: outer, grouping: outerGrouping }: { context: QueryContext; grouping: Grouping },
  ref: MemberRef,
  groupedSource: GroupedSourceOf,
): StageQuery {
  const measure = measureOf(outer.model, ref);
  const { stage } = measure;
  if (stage === undefined) throw new Failure("invalid", `${nameOf(ref)} has one stage`);
  outer.cost.countStage(nameOf(ref));
  const { rolling } = outerGrouping;
  const window = windowOf(measure);
  if (window !== undefined && rolling !== undefined) {
    const on = { context: outer, grouping: outerGrouping, ref, rolling, window };
    return runningStageQuery(on, groupedSource);
  }
  const { context, grouping, isWider } = changeGrouping(outer, outerGrouping, { ref, stage });
  // Times in intervals are coarser groups than the times themselves.
  const whole = grouping.members.filter((one) => one?.granularity === undefined);
  const added = stage.addGroupBy.filter(
    ({ cube, member }) => !whole.some((one) => one?.name === `${cube}.${member}`),
  );
  const choice = stage.switch;
  // A masked switch is another dimension.
  const isAdded = choice && positionOf(grouping.dimensions, dimensionSql(choice, context)) < 0;
  if (isAdded) added.push(choice);
  if (isAdded && calculatedTypes.has(measure.type)) requireOneValue(choice, context, ref);
  const used = usedBy(measure);
  const extended = addGroups(context, grouping, added);
  const inner: Grouping = {
    ...extended,
    dependencies: mergeDependencies([dependenciesOf(context.model, used), extended.dependencies]),
    root: outerGrouping.root,
    shown: [],
  };
  const isMeasure = (one: MemberRef) => cubeOf(context.model, one.cube).measures.has(one.member);
  const source = groupedSource(context, inner, leavesOf(context.model, used.filter(isMeasure)));
  const value = valueOver(
    { context, grouping: inner, ref, count: outerGrouping.dimensions.length },
    source,
  );
  const groups = outerGrouping.dimensions.map((_, index) => source.dimension(index));
  const list = selectList(groups, [value]);
  const grouped = isAggregate(measure) ? groupBy(groups.length) : [];
  return {
    query: sql`${source.prefix}SELECT ${list} FROM ${source.from}${grouped}`,
    cubes: source.cubes,
    isWider,
  };
}

/** A multi-stage measure that is computed from the groups of the query as they are. */
export interface GroupMeasure {
  /** The aggregates of the groups that it is computed from. */
  readonly leaves: readonly MeasureRef[];
  readonly dependencies: Dependencies;
  /** Whether it has a window, which no other window can contain. */
  readonly isWindow: boolean;
  /** Whether it uses other multi-stage measures. */
  readonly isNested: boolean;
  readonly write: (source: Columns) => Sql;
}

/** The columns of groups. */
type Columns = Pick<GroupedSource, "dimension" | "column">;

/** Returns the function that returns a multi-stage measure over the groups of a query; undefined if it needs others. */
export function groupMeasures(on: {
  readonly context: QueryContext;
  readonly grouping: Grouping;
}): (ref: MeasureRef) => GroupMeasure | undefined {
  const { context, grouping } = on;
  const { model } = context;
  const seen = new Map<string, GroupMeasure | undefined>();
  const find = (ref: MeasureRef, depth: number): GroupMeasure | undefined => {
    const key = leafKey(ref);
    if (!seen.has(key)) seen.set(key, depth > limits.queryStages ? undefined : read(ref, depth));
    return seen.get(key);
  };
  const read = (ref: MeasureRef, depth: number): GroupMeasure | undefined => {
    const measure = measureOf(model, ref);
    if (!keepsGroups(measure)) return undefined;
    const used = usedBy(measure);
    const dependencies = [dependenciesOf(model, used)];
    const leaves: MeasureRef[] = [];
    const inner = new Map<string, GroupMeasure>();
    for (const leaf of leavesOf(model, used)) {
      if (!measureOf(model, leaf).stage) {
        leaves.push(leaf);
        continue;
      }
      const stage = find(leaf, depth + 1);
      // Its text stands once for each reference, so deeper ones would multiply.
      if (stage === undefined || stage.isNested) return undefined;
      inner.set(leafKey(leaf), stage);
      leaves.push(...stage.leaves);
      dependencies.push(stage.dependencies);
    }
    const isWindow = !calculatedTypes.has(measure.type);
    const hasWindow = [...inner.values()].some((one) => one.isWindow);
    if (isWindow && hasWindow) return undefined;
    return {
      leaves: [...new Map(leaves.map((leaf) => [leafKey(leaf), leaf])).values()],
      dependencies: mergeDependencies(dependencies),
      isWindow: isWindow || hasWindow,
      isNested: inner.size > 0,
      write: (source) => {
        context.cost.countStage(nameOf(ref));
        return valueOver(
          { context, grouping, ref, count: grouping.dimensions.length },
          {
            dimension: source.dimension,
            column: (leaf) => {
              const stage = inner.get(leafKey(leaf));
              return stage ? sql`(${stage.write(source)})` : source.column(leaf);
            },
          },
        );
      },
    };
  };
  return (ref) => find(ref, 0);
}

/** Returns whether a multi-stage measure has a value for each group of its measures. */
function keepsGroups(measure: CompiledMeasure): boolean {
  const { stage } = measure;
  if (stage === undefined || isAggregate(measure) || windowOf(measure)) return false;
  const others = stage.timeShift.length + stage.addGroupBy.length;
  return others === 0 && stage.filter === undefined && stage.switch === undefined;
}

function usedBy({ sql: own = [], stage }: CompiledMeasure) {
  const templates = [own, ...(stage?.orderBy.map(({ sql: order }) => order) ?? [])];
  return templates.flatMap((template) => referencesIn(template).members);
}

/** Writes the value of a multi-stage measure over the groups of a grouping, of which the first `count` are the query's. */
function valueOver(
  {
    context,
    grouping: { dimensions, members },
    ref,
    count,
  }: {
    readonly context: QueryContext;
    readonly grouping: Grouping;
    readonly ref: MemberRef;
    readonly count: number;
  },
  source: Columns,
): Sql {
  const measure = measureOf(context.model, ref);
  const { stage } = measure;
  // Its only dimension is the switch.
  const choice = stage?.switch;
  const write = (template: SqlTemplate = []) =>
    template.flatMap((part) =>
      choice && typeof part === "object" && "memberKind" in part && part.memberKind === "dimension"
        ? source.dimension(positionOf(dimensions, dimensionSql(choice, context)))
        : templateSql([part], context, (one) => measureOverColumns(one, context, source.column)),
    );
  const read = membersReadBy(context.model, usedBy(measure));
  const groups = dimensions.slice(0, count);
  const partition = groups.flatMap((_, index) => {
    const name = members[index]?.name;
    const group = source.dimension(index);
    if (isKept(stage, name)) return [group];
    // Groups of another value of a switch have the same rows, unless the measure chooses by it.
    const repeating = switchesOf(name, context).filter((one) => !read.has(nameOf(one)));
    if (repeating.some((one) => nameOf(one) === name)) return [group];
    for (const one of repeating)
      if (positionOf(groups, dimensionSql(one, context)) < 0) requireOneValue(one, context, ref);
    return [];
  });
  return stageValue(measure, context.dialect, {
    value: measure.type === "rank" ? [] : write(measure.sql),
    partition,
    order: (stage?.orderBy ?? []).map(({ sql: order, descending }) =>
      context.dialect.nullsLast(write(order), descending ? "DESC" : "ASC"),
    ),
  });
}

/** Returns groups that further dimensions separate, also for the rows of another time or with other filters. */
export function addGroups(
  context: QueryContext,
  { changed, ...grouping }: Grouping,
  added: readonly PlacedMember[],
): Grouping {
  return {
    ...grouping,
    dimensions: [...grouping.dimensions, ...added.map((one) => groupedSql(one, context))],
    members: [...grouping.members, ...added.map((one) => ({ name: nameOf(one) }))],
    dependencies: mergeDependencies([dependenciesOf(context.model, added), grouping.dependencies]),
    changed:
      changed &&
      ((change) => {
        const other = changed(change);
        return { ...other, grouping: addGroups(other.context, other.grouping, added) };
      }),
  };
}

/** Throws `invalid` unless the query has one value of a switch: a measure that is no aggregate has a value for each. */
function requireOneValue(choice: MemberRef, context: QueryContext, ref: MemberRef): void {
  const name = nameOf(choice);
  if (context.pushedFilters(name).some(({ isOneValue }) => isOneValue)) return;
  throw new Failure(
    "invalid",
    `${nameOf(ref)} has a value for each ${name}; add ${name} to the dimensions of the query, or filter it by one value`,
  );
}

/** What a multi-stage measure with a rolling window is computed from. */
interface RunningStage {
  readonly context: QueryContext;
  readonly grouping: Grouping;
  readonly ref: MemberRef;
  readonly rolling: NonNullable<Grouping["rolling"]>;
  readonly window: RollingWindow;
}

/** Writes the query for a multi-stage measure with a rolling window: an aggregate of the groups whose time is in it. */
function runningStageQuery(
  { context: outer, grouping, ref, rolling, window }: RunningStage,
  groupedSource: GroupedSourceOf,
): StageQuery {
  const refuse = (reason: string) => new Failure("invalid", `${nameOf(ref)} ${reason}`);
  if ("refusal" in rolling) throw refuse(rolling.refusal);
  const { position } = rolling;
  if (position === undefined)
    throw refuse("is a running multi-stage measure, which needs a granularity of its time");
  const context = { ...outer, pushedFilters: () => [] };
  const measure = measureOf(context.model, ref);
  const used = referencesIn(measure.sql ?? []).members;
  const source = groupedSource(
    context,
    {
      ...grouping,
      conditions: grouping.conditionsWithoutRange,
      rolling: { refusal: "is a running measure, which no other running one can use" },
      changed: undefined,
      shown: [],
      dependencies: mergeDependencies([dependenciesOf(context.model, used), grouping.dependencies]),
    },
    leavesOf(context.model, used),
  );
  const value = templateSql(measure.sql ?? [], context, (one) =>
    measureOverColumns(one, context, source.column),
  );
  const inner = grouping.dimensions.map((_, index) => source.dimension(index));
  const groups = sql`${source.prefix}SELECT ${selectList(inner, [value])} FROM ${source.from}`;
  const dimensions = inner.map((_, index) =>
    index === position ? windowStart : raw(`stage.d${index}`),
  );
  const conditions = windowConditions(raw(`stage.d${position}`), window, context.dialect);
  // As for other windows, every interval appears if rows are only grouped by time.
  const join = raw(dimensions.length === 1 ? "LEFT JOIN" : "INNER JOIN");
  const list = selectList(dimensions, [
    context.dialect.aggregate(measure.type, raw("stage.m0"), []),
  ]);
  return {
    query: sql`SELECT ${list} FROM ${windowsTable(rolling, window, context.dialect)} ${join} (${groups}) AS stage ON ${allOf(conditions)}${groupBy(dimensions.length)}`,
    cubes: source.cubes,
    isWider: false,
  };
}

function changeGrouping(
  context: QueryContext,
  grouping: Grouping,
  { ref, stage }: { readonly ref: MemberRef; readonly stage: MeasureStage },
): ReturnType<NonNullable<Grouping["changed"]>> {
  if (stage.timeShift.length === 0 && !stage.filter) return { context, grouping, isWider: false };
  if (grouping.changed !== undefined) return grouping.changed(stage);
  const key = stage.filter ? "filter" : "time_shift";
  throw new Failure(
    "invalid",
    `${nameOf(ref)} has a ${key}, which changes nothing in a subquery or a window`,
  );
}

function isKept(stage: MeasureStage | undefined, name: string | undefined): boolean {
  if (stage === undefined || name === undefined) return true;
  const { groupBy: only, reduceBy } = stage;
  return (only === undefined || only.includes(name)) && !reduceBy.includes(name);
}

/** Returns the switches that a dimension reads, itself among them. */
function switchesOf(name: string | undefined, context: QueryContext): readonly MemberRef[] {
  if (name === undefined) return [];
  const ref = memberRef(name);
  const { subQueries } = dependenciesOf(context.model, [{ ...ref, path: [ref.cube] }]);
  return subQueries.filter((one) => isSwitch(one, context));
}

/** Returns the names of members and of all that they read, in their stages too. */
function membersReadBy(model: ModelIndex, members: readonly MemberRef[]): ReadonlySet<string> {
  const names = new Set<string>();
  const open = [...members];
  // The loop adds members.
  for (const one of open) {
    const name = nameOf(one);
    if (names.has(name)) continue;
    names.add(name);
    const measure = cubeOf(model, one.cube).measures.get(one.member);
    for (const template of measure ? templatesOf(measure) : [])
      open.push(...referencesIn(template).members);
  }
  return names;
}

/** Returns whether the value is an aggregate of finer groups, instead of a window over them or the value of each. */
function isAggregate({ type, stage }: CompiledMeasure): boolean {
  if (type === "number_agg") return true;
  if (type === "rank" || calculatedTypes.has(type)) return false;
  return stage?.groupBy === undefined && stage?.reduceBy.length === 0;
}

/** Writes the value over the inner groups: a rank, a window over them, an aggregate of them, or the value of each. */
function stageValue(
  measure: CompiledMeasure,
  dialect: Dialect,
  {
    value,
    partition,
    order,
  }: { readonly value: Sql; readonly partition: readonly Sql[]; readonly order: readonly Sql[] },
): Sql {
  const { type } = measure;
  const by = partition.length === 0 ? [] : sql`PARTITION BY ${joinSql(partition, ", ")}`;
  if (type === "rank") return sql`rank() OVER (${by} ORDER BY ${joinSql(order, ", ")})`;
  // The SQL of the others is the value, or already an aggregate.
  if (calculatedTypes.has(type) || type === "number_agg") return value;
  return dialect.aggregate(type, value, isAggregate(measure) ? [] : sql` OVER (${by})`);
}
