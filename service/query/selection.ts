// The members of a query: their visibility for the caller, and the SQL of dimensions and conditions.
import { Failure } from "../../core/errors.ts";
import type { AccessPolicy, Mask } from "../model/types.ts";
import { appendTo } from "../../core/append-to.ts";
import { hiddenFailure, isVisible, requireVisible } from "./access.ts";
import {
  comparedValues,
  comparisonSql,
  filterCondition,
  numberLiteral,
  rangeSql,
  rangeValues,
} from "./conditions.ts";
import {
  type Dependencies,
  dependenciesOf,
  mergeDependencies,
  type PlacedMember,
  templateDependencies,
} from "./dependencies.ts";
import type { LocalRange } from "./date-range.ts";
import { cast, type ValueType } from "./dialect.ts";
import {
  bucketSql,
  dimensionOf,
  dimensionSql,
  isMultiStage,
  rangedTimeSql,
  segmentSql,
  shiftColumn,
  templateSql,
  timeSql,
} from "./member-sql.ts";
import { measureOf } from "./measures.ts";
import {
  cubeOf,
  memberKinds,
  type MemberRef,
  memberRef,
  nameOf,
  type QueryMember,
  resolveMember,
  resolveShown,
} from "./model-index.ts";
import type { PushedFilter, QueryContext } from "./query-context.ts";
import type {
  FilteredQuery,
  MemberFilter,
  NormalizedQuery,
  QueryFilter,
  QueryTimeDimension,
} from "./query-schema.ts";
import { isShownSql, joinedViewFilters } from "./read-cube.ts";
import { anyPolicy, type JoinedFilters, shownBy, usedRows } from "./row-policies.ts";
import { allOf, bind, raw, type Sql, sql } from "./sql-fragments.ts";
import type { MemberUsage, NamedMember } from "./used-members.ts";

/** SQL over the joined rows, with the joins that it needs. */
export interface RowSql {
  readonly sql: Sql;
  readonly dependencies: Dependencies;
}

/** Resolves a member of a query. Throws `invalid` if there is none, `forbidden` if the caller may not use it. */
export function visibleMember(
  context: Pick<QueryContext, "model" | "caller">,
  name: string,
  kinds: Parameters<typeof resolveMember>[2],
): QueryMember {
  const isShown = (one: QueryMember) => isVisible(one, context.caller);
  const member = resolveShown(context.model, name, { kinds, isShown });
  requireVisible(member, context.caller);
  if (member.refusal !== undefined)
    throw new Failure("invalid", `a query cannot use ${name}: ${member.refusal}`);
  return member;
}

/** Returns the members that a query names. Throws `invalid` or `forbidden` for one that the caller cannot use. */
export function namedMembers(
  context: Pick<QueryContext, "model" | "caller">,
  { dimensions, measures, timeDimensions, segments, filters, order }: NormalizedQuery,
): readonly NamedMember[] {
  const find = (
    name: string,
    kinds: Parameters<typeof resolveMember>[2],
    usage: MemberUsage = "value",
  ): readonly NamedMember[] => {
    const member = visibleMember(context, name, kinds);
    const read = (member.reads ?? []).map((own) =>
      resolveMember(context.model, `${member.subject.name}.${own}`, memberKinds),
    );
    // What a member of a view computes with has no mask in it.
    return [
      { member, usage },
      ...read.map((one) => ({ member: one, usage: "condition" as const })),
    ];
  };
  return [
    ...dimensions.flatMap((name) => find(name, ["dimension"])),
    ...timeDimensions.flatMap(({ dimension }) => find(dimension, ["dimension"])),
    ...measures.flatMap((name) => find(name, ["measure"])),
    ...filters.flatMap(memberFilters).flatMap(({ member, operator }) =>
      // The filters of a measure use values that its mask would hide.
      find(member, ["dimension", "measure"], operator === "measureFilter" ? "condition" : "value"),
    ),
    ...segments.flatMap((name) => find(name, ["segment"], "condition")),
    ...order.flatMap(({ id }) => find(id.split(".", 2).join("."), ["dimension", "measure"])),
  ];
}

/** Throws `forbidden` for a join to a cube of which the caller may use no member: the join would select rows by it. */
export function requireVisibleHints(
  { model, caller }: Pick<QueryContext, "model" | "caller">,
  { joinHints = [] }: NormalizedQuery,
): void {
  for (const name of joinHints.flat()) {
    const { dimensions, measures } = cubeOf(model, name);
    const isSeen = [...dimensions.keys(), ...measures.keys()].some((member) =>
      isVisible(resolveMember(model, `${name}.${member}`, ["dimension", "measure"]), caller),
    );
    if (!isSeen)
      throw new Failure("forbidden", `You requested a join to the hidden cube '${name}'`);
  }
}

/** Throws `invalid` for an order by a granularity that its dimension does not have. */
export function requireOrderMember(context: QueryContext, id: string): void {
  const [, , ...granularity] = id.split(".");
  if (granularity.length === 0) return;
  const member = visibleMember(context, id, ["dimension"]);
  bucketSql(member, { granularity: granularity.join(".") }, context);
}

/** Writes the mask of a value that an access policy hides: null if the model does not declare one. */
export function maskSql(mask: Mask | undefined, type: string, context: QueryContext): Sql {
  if (mask && "sql" in mask) return templateSql(mask.sql, context);
  const value = mask?.literal ?? null;
  const types: Readonly<Record<string, ValueType>> = {
    number: "double",
    boolean: "boolean",
    time: "time",
  };
  return cast(bind(value), types[type] ?? "text", context.dialect);
}

/** When a query shows the value of a member: always, never, or in the rows where a condition holds. */
export type ShownWhen = "always" | "never" | RowSql;

/** Returns when a query shows the value of a member instead of its mask. Masks of a cube hold in its views, too. */
export function shownWhen(context: QueryContext, member: QueryMember): ShownWhen {
  const { model, caller } = context;
  const { cube } = cubeOf(model, member.cube);
  const ofCube = shownBy(cube, member.member, caller);
  const found: (ShownWhen | undefined)[] = [
    typeof ofCube === "string"
      ? ofCube
      : { sql: isShownSql(member), dependencies: { chains: [member.path], subQueries: [] } },
  ];
  if (cube !== member.subject) {
    const ofView = shownBy(member.subject, member.ownName, caller);
    found.push(typeof ofView === "string" ? ofView : viewCondition(context, ofView));
  }
  if (found.includes("never")) return "never";
  const conditions = found.filter((one) => typeof one === "object");
  if (conditions.length === 0) return "always";
  return {
    sql: allOf(conditions.map((one) => one.sql)),
    dependencies: mergeDependencies(conditions.map(({ dependencies }) => dependencies)),
  };
}

/** Writes the condition that a policy of a view admits a row. */
function viewCondition(
  context: QueryContext,
  policies: readonly AccessPolicy[],
): RowSql | undefined {
  const rows = anyPolicy(policies, { context, place: placeInView(context) });
  return rows && { sql: sql`COALESCE(${rows.condition}, FALSE)`, dependencies: rows.dependencies };
}

const placeInView = (context: QueryContext) => (member: string) =>
  resolveMember(context.model, member, ["dimension", "measure"]);

/** Writes a value where a condition holds, and its mask elsewhere. */
export function maskedSql(
  isShown: Sql,
  { value, mask, type }: { readonly value: Sql; readonly mask: Mask | undefined; type: string },
  context: QueryContext,
): Sql {
  const literal = mask && "literal" in mask ? mask.literal : undefined;
  // Both sides of CASE need one type, and a double would round large integers.
  const isNumber = type === "number" && typeof literal === "number";
  const other =
    mask === undefined || literal === null
      ? raw("NULL")
      : isNumber
        ? numberLiteral(String(literal), context.dialect)
        : maskSql(mask, type, context);
  const isText = !["number", "boolean", "time"].includes(type);
  const own = isText ? cast(value, "text", context.dialect) : value;
  return sql`CASE WHEN ${isShown} THEN ${own} ELSE ${other} END`;
}

/** The use of a time: its intervals of a granularity, or its comparison with a range. */
type TimeUse = { readonly granularity: string } | { readonly range: LocalRange };

/** Writes a dimension of a query, masked where the caller may not see its values. */
export function visibleDimension(
  context: QueryContext,
  member: QueryMember,
  use?: TimeUse,
): RowSql {
  const { mask, type } = dimensionOf(context, member);
  const { model } = context;
  const shown = dimensionShownWhen(context, member);
  const masked =
    mask && "sql" in mask
      ? templateDependencies(model, mask.sql, member.path)
      : { chains: [member.path], subQueries: [] };
  if (shown === "never") return { sql: maskSql(mask, type, context), dependencies: masked };
  const column = shiftColumn(columnSql(context, member, use), member, context);
  const value =
    use && "granularity" in use ? bucketSql(member, { ...use, column }, context) : column;
  const own = dependenciesOf(model, [member]);
  if (shown === "always") return { sql: value, dependencies: own };
  return {
    sql: maskedSql(shown.sql, { value, mask, type }, context),
    dependencies: mergeDependencies([own, shown.dependencies, masked]),
  };
}

/** Returns when a dimension is shown. One that reads all rows of a group is masked in all rows if it is in any. */
function dimensionShownWhen(context: QueryContext, member: QueryMember): ShownWhen {
  const shown = shownWhen(context, member);
  return typeof shown === "object" && isMultiStage(member, context) ? "never" : shown;
}

function columnSql(context: QueryContext, member: QueryMember, use?: TimeUse): Sql {
  if (use === undefined) return dimensionSql(member, context);
  return "range" in use
    ? rangedTimeSql(member, use.range, context)
    : timeSql(member, use.granularity, context);
}

/** Writes the date range of a time dimension; undefined without one. */
export function rangeCondition(
  context: QueryContext,
  { dimension, dateRange }: QueryTimeDimension,
): RowSql | undefined {
  if (dateRange === undefined) return undefined;
  const member = visibleMember(context, dimension, ["dimension"]);
  if (dimensionOf(context, member).type !== "time") {
    throw new Failure("invalid", `${dimension} is not a time dimension and has no date range`);
  }
  const range = localRange(dateRange);
  const column = visibleDimension(context, member, { range });
  return {
    sql: rangeSql(sql`(${column.sql})`, range, context),
    dependencies: column.dependencies,
  };
}

/** Reads the bounds of a normalized range. */
export function localRange([from, to]: readonly [string, string]): LocalRange {
  return [Date.parse(`${from}Z`), Date.parse(`${to}Z`)];
}

/** Writes the filters on dimensions, and the segments. */
export function filterConditions(context: QueryContext, query: NormalizedQuery): readonly RowSql[] {
  const filters = query.filters.filter((filter) => filterKind(context, filter) === "dimension");
  return [
    ...filters.flatMap((filter) => dimensionCondition(context, filter) ?? []),
    ...query.segments.map((name) => {
      const segment = visibleMember(context, name, ["segment"]);
      return {
        sql: segmentSql(segment, context),
        dependencies: dependenciesOf(context.model, [segment]),
      };
    }),
  ];
}

/** Returns whether a filter is about rows or about aggregates. Throws `invalid` if it mixes both. */
export function filterKind(context: QueryContext, filter: QueryFilter): "dimension" | "measure" {
  const kinds = new Set(
    memberFilters(filter).map(({ member, operator }) => {
      const { kind } = visibleMember(context, member, ["dimension", "measure"]);
      // A measureFilter applies the filters of the measure to rows.
      return kind === "measure" && operator !== "measureFilter" ? "measure" : "dimension";
    }),
  );
  if (kinds.size > 1) {
    throw new Failure(
      "invalid",
      `You cannot use dimension and measure in same condition: ${JSON.stringify(filter)}`,
    );
  }
  return kinds.has("measure") ? "measure" : "dimension";
}

/** Returns the measures of a filter on aggregates. */
export function filteredMeasures(
  context: QueryContext,
  filter: QueryFilter,
): readonly QueryMember[] {
  return memberFilters(filter).map(({ member }) => visibleMember(context, member, ["measure"]));
}

function dimensionCondition(context: QueryContext, filter: QueryFilter): RowSql | undefined {
  const dependencies: Dependencies[] = [];
  const condition = filterCondition(filter, ({ member: name, operator, values }) => {
    const member = visibleMember(context, name, ["dimension", "measure"]);
    if (member.kind === "measure") {
      // The matching rows would reveal the value that the mask hides.
      if (shownWhen(context, member) === "never") throw hiddenFailure(member);
      dependencies.push(dependenciesOf(context.model, [member]));
      const { filters } = measureOf(context.model, member);
      return allOf(filters.map((one) => templateSql(one, context)));
    }
    const { type } = dimensionOf(context, member);
    const column = visibleDimension(context, member);
    dependencies.push(column.dependencies);
    return comparisonSql({ expression: sql`(${column.sql})`, type, operator, values }, context);
  });
  return condition && { sql: condition, dependencies: mergeDependencies(dependencies) };
}

/** The row filter of a view, and the members that it compares. */
interface RowFilter extends RowSql {
  readonly members: readonly PlacedMember[];
}

/** Writes the row filters of the views whose members a query uses. Those of cubes apply where a cube is read. */
export function viewFilters(context: QueryContext): readonly RowFilter[] {
  const byView = new Map<string, { member: string; usage: MemberUsage }[]>();
  for (const { member, usage } of context.named) {
    appendTo(byView, member.subject.name, { member: member.ownName, usage });
  }
  return [...byView].flatMap(([name, used]): readonly RowFilter[] => {
    const view = context.model.views.get(name)?.view;
    if (view === undefined) return [];
    const [root, ...others] = new Set(view.members.flatMap(({ path }) => path.slice(0, 1)));
    const start = others.length === 0 ? root : undefined;
    const joined =
      start === undefined || context.otherJoins === undefined
        ? undefined
        : filtersByKey(start, context.otherJoins, context);
    const rows = usedRows(view, used, { context, place: placeInView(context), joined });
    if (rows === undefined) return [];
    const { condition, members, dependencies } = rows;
    const shifted = dependencies.chains.flat().find((cube) => context.calendarShifts.has(cube));
    if (shifted === undefined) return [{ sql: condition, members, dependencies }];
    const message = `the query joins rows of another time of ${shifted}, which a row filter of ${name} uses`;
    throw new Failure("invalid", message);
  });
}

/** Returns the row filters of a view on cubes that are not joined: there, a row of the view has one row of each. */
function filtersByKey(
  root: string,
  joined: () => ReadonlySet<string>,
  context: QueryContext,
): JoinedFilters {
  const filters = joinedViewFilters(root, context);
  const isJoined = (member: PlacedMember) =>
    filters.firstJoined(member).some((cube) => joined().has(cube));
  return {
    ...filters,
    isByKey: (member) => filters.isByKey(member) && !isJoined(member),
  };
}

/**
 * Returns the conditions that FILTER_PARAMS inserts for a member: the date ranges and the filters that every row must
 * match.
 */
export function pushedFilters(
  context: QueryContext,
  { query, included }: FilteredQuery,
): QueryContext["pushedFilters"] {
  const filters = new Map<string, PushedFilter[]>();
  const add = (name: string, { onColumn, values, isOneValue }: PushedFilter) => {
    const member = visibleMember(context, name, ["dimension", "measure"]);
    // A filter on a masked value does not restrict the column.
    if (member.kind === "measure" || shownWhen(context, member) !== "always") return;
    // Other rows than those of this time are read.
    if (context.calendarShifts.has(member.cube)) return;
    const filter: PushedFilter = {
      isOneValue,
      onColumn: (column) => onColumn(shiftColumn(column, member, context)),
      values: (count) => {
        if (!context.timeShifts.has(nameOf(member))) return values(count);
        throw new Failure(
          "invalid",
          `FILTER_PARAMS takes a column for ${name}, whose time is shifted`,
        );
      },
    };
    for (const key of new Set([name, nameOf(member)])) appendTo(filters, key, filter);
  };
  for (const { dimension, dateRange } of query.timeDimensions) {
    if (dateRange === undefined) continue;
    const range = localRange(dateRange);
    add(dimension, {
      onColumn: (column) => rangeSql(column, range, context),
      values: (count) => rangeValues(range, count, { ...context, member: dimension }),
      isOneValue: false,
    });
  }
  for (const { member, operator, values } of query.filters.flatMap(requiredFilters)) {
    const resolved = resolveMember(context.model, member, ["dimension", "measure"]);
    if (resolved.kind === "measure") continue;
    add(member, pushedFilter({ member, operator, values }, resolved, context));
  }
  for (const filter of included.flatMap((one) => requiredFilters(one.filter)))
    appendTo(filters, filter.member, pushedFilter(filter, memberRef(filter.member), context));
  return (name) => filters.get(name) ?? [];
}

function pushedFilter(
  { member, operator, values }: MemberFilter,
  ref: MemberRef,
  context: QueryContext,
): PushedFilter {
  const { type } = dimensionOf(context, ref);
  const comparison = { type, operator, values };
  return {
    onColumn: (expression) => comparisonSql({ ...comparison, expression }, context),
    values: (count) => comparedValues(comparison, count, { member, context }),
    isOneValue: (operator === "equals" || operator === "in") && values.length === 1,
  };
}

/** Returns the filters on members that every row must match. */
function requiredFilters(filter: QueryFilter): readonly MemberFilter[] {
  if ("member" in filter) return [filter];
  return "and" in filter ? filter.and.flatMap(requiredFilters) : [];
}

/** Returns the filters on members in all groups of a filter. */
export function memberFilters(filter: QueryFilter): readonly MemberFilter[] {
  if ("member" in filter) return [filter];
  return ("and" in filter ? filter.and : filter.or).flatMap(memberFilters);
}
