// Writes the SQL of members and templates. Cubes are read under their names as aliases.
import { granularityError } from "../../core/data-model/query-errors.ts";
import {
  type CalendarUnit,
  calendarUnits,
  isCalendarUnit,
} from "../../core/text/calendar-units.ts";
import { Failure, invariant } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";
import type {
  CompiledCube,
  CompiledDimension,
  Granularity,
  SqlPart,
  SqlTemplate,
} from "../model/types.ts";
import { contextValue, policiesFor } from "./access.ts";
import { isTextType } from "./conditions.ts";
import { cast, quote, shiftTime, truncateTo } from "./dialect.ts";
import { addInterval, parseInterval, startOf } from "./local-time.ts";
import { cubeOf, type IndexedCube, type MemberRef, nameOf } from "./model-index.ts";
import type { QueryContext } from "./query-context.ts";
import {
  allOf,
  bind,
  type BoundValue,
  failing,
  joinSql,
  printSql,
  raw,
  type Sql,
  sql,
} from "./sql-fragments.ts";
import { columnOf, comparesColumns } from "./template-columns.ts";
import { calendarGrid, customGrid, type TimeGrid } from "./time-grid.ts";

/** Writes a measure that a template references. */
export type MeasureWriter = (measure: MemberRef) => Sql;

const noMeasures: MeasureWriter = ({ cube, member }) => {
  throw new Failure(
    "invalid",
    `the measure ${cube}.${member} is used where rows are read; use a dimension with sub_query: true`,
  );
};

/** Writes the template of a member or a join. */
export function templateSql(
  template: SqlTemplate,
  context: QueryContext,
  measure?: MeasureWriter,
): Sql {
  return writeTemplate(template, readsTables(template) ? unpushed(context) : context, measure);
}

/** Returns whether a template reads tables itself, whose rows no row filter hides. */
function readsTables(template: SqlTemplate): boolean {
  return template.some((part) => typeof part === "string" && /\bSELECT\b/i.test(part));
}

/** Returns a context whose filters SQL cannot have if rows are hidden from the caller. */
function unpushed(context: QueryContext): QueryContext {
  const { model, caller, used } = context;
  const isOpen = (name: string) =>
    policiesFor(cubeOf(model, name).cube, caller)?.some(
      ({ rows, members }) => rows === undefined && members === undefined,
    ) ?? true;
  return withoutFilters(
    context,
    () => context.hasViewFilters() || ![...used.keys()].every(isOpen),
    "a SELECT in the SQL of a member uses the filter, and reads rows that a row filter hides from you",
  );
}

/** Returns a context that throws `invalid` for a filter of a query in SQL that hidden rows reach. */
export function withoutFilters(
  context: QueryContext,
  hidesRows: () => boolean,
  reason: string,
): QueryContext {
  const pushedFilters = (member: string) => {
    const filters = context.pushedFilters(member);
    if (filters.length === 0 || !hidesRows()) return filters;
    throw new Failure("invalid", `you cannot filter ${member}: ${reason}`);
  };
  return { ...context, pushedFilters };
}

/** Writes the template of a table. */
export function writeTemplate(
  template: SqlTemplate,
  context: QueryContext,
  measure: MeasureWriter = noMeasures,
): Sql {
  const pieces: Sql[number][] = [];
  const text = context.hidesFirst || !comparesColumns(template) ? failing : asIs;
  for (const part of template) {
    const own = typeof part === "string" ? text(raw(part)) : partSql(part, context, measure);
    context.cost.charge(own);
    for (const piece of own) pieces.push(piece);
  }
  return pieces;
}

const asIs = (text: Sql): Sql => text;

/** Returns whether columns of a cube can be computed: by its SQL, or by a view of the database. */
export function canComputeColumns(name: string, { model, hidesFirst }: QueryContext): boolean {
  return hidesFirst === true || !isTable(cubeOf(model, name).cube);
}

/** Returns whether a cube reads a table, whose columns are values instead of expressions of the data model. */
function isTable({ isQuery, table }: CompiledCube): boolean {
  const [text, ...rest] = table;
  if (!isQuery) return true;
  return rest.length === 0 && typeof text === "string" && wholeTable.test(text);
}

/** All columns of a table, or some under their own names. */
const wholeTable = /^\s*SELECT\s+(?:\*|[a-z_]\w*(?:\s*,\s*[a-z_]\w*)*)\s+FROM\s+[\w."]+\s*$/i;

/**
 * Returns whether `FILTER_PARAMS` in the SQL of a cube only repeats filters of the query: as conditions on the columns of a
 * table that are the filtered dimensions.
 */
export function repeatsFilters({ cube, dimensions }: IndexedCube): boolean {
  const text = cube.table.map((part) => {
    if (typeof part === "string") return part;
    if (part.kind !== "filter_params" || part.cube !== cube.name) return "?";
    const column = columnOf(part.parts);
    const own = columnOf(dimensions.get(part.member)?.sql ?? []);
    return part.values === undefined && column !== undefined && column === own ? "{}" : "?";
  });
  return filteredTable.test(text.join(""));
}

const filteredColumn = String.raw`[a-z_]\w*(?:\.[a-z_]\w*)?`;
const filteredValue = String.raw`(?:${filteredColumn}|'[^'\\]*'|\d+(?:\.\d+)?)`;
const filteredCondition = String.raw`(?:\{\}|${filteredColumn}|${filteredValue}\s*(?:=|<>|!=|[<>]=?)\s*${filteredValue}|${filteredColumn}\s+IS\s+(?:NOT\s+)?NULL)`;

/** All columns of a table, or some under their own names, in the rows where all of some conditions hold. */
const filteredTable = new RegExp(
  String.raw`^\s*SELECT\s+(?:\*|${filteredColumn}(?:\s*,\s*${filteredColumn})*)\s+FROM\s+[\w."]+(?:(?:\s+AS)?\s+(?!WHERE\b)[a-z_]\w*)?\s+WHERE\s+${filteredCondition}(?:\s+AND\s+${filteredCondition})*\s*$`,
  "i",
);

function partSql(
  part: Exclude<SqlPart, string>,
  context: QueryContext,
  measure: MeasureWriter,
): Sql {
  switch (part.kind) {
    case "table": {
      const name = part.path.at(-1) ?? "";
      const { cube } = cubeOf(context.model, name);
      return isTable(cube) ? quote(name) : failing(quote(name));
    }
    case "sql":
      return context.cost.reference(part.cube, () => context.cubeQuery(part.cube));
    case "member": {
      const name = `${part.path.at(-1) ?? ""}.${part.member}`;
      const write = () => referenceSql(part, context, measure);
      return sql`(${context.cost.reference(name, write)})`;
    }
    case "filter_params":
      if (context.shared) throw sharedFailure("FILTER_PARAMS");
      return filterParamsSql(part, context, measure);
    case "filter_value":
      return context.filterValues?.[part.index] ?? raw("NULL");
    case "filter_group":
      return sql`(${joinSql(
        part.parts.map((one) => templateSql([one], context, measure)),
        " AND ",
      )})`;
    case "security_context":
      return securitySql(part, context, measure);
    case "convert_tz":
      return context.dialect.toZone(
        templateSql(part.parts, context, measure),
        context.clock.timezone,
      );
    case "url_encode":
      return urlEncoded(templateSql(part.parts, context, measure), context);
  }
}

/** Characters that end a parameter of an address, or that addresses drop. */
const encodedCharacters = ["%", " ", '"', "#", "&", "+", "/", "<", "=", ">", "?", "\t", "\n", "\r"];

/** Writes a value as a parameter of an address. */
function urlEncoded(value: Sql, { dialect }: QueryContext): Sql {
  return encodedCharacters.reduce<Sql>(
    (text, one) => sql`REPLACE(${text}, '${raw(one)}', '${raw(encodeURIComponent(one))}')`,
    cast(sql`(${value})`, "text", dialect),
  );
}

/** Writes the filters of the query on a member: on a column, or as a condition that takes their values. */
function filterParamsSql(
  { cube, member, parts, values }: Extract<SqlPart, { kind: "filter_params" }>,
  context: QueryContext,
  measure: MeasureWriter,
): Sql {
  const filters = context.pushedFilters(`${cube}.${member}`);
  const conditions = filters.map((filter) => {
    if (values === undefined) return filter.onColumn(templateSql(parts, context, measure));
    const filterValues = filter.values(values);
    return sql`(${templateSql(parts, { ...context, filterValues }, measure)})`;
  });
  return conditions.length === 0 ? raw("1 = 1") : sql`(${allOf(conditions)})`;
}

function referenceSql(
  { path, member, memberKind, granularity }: Extract<SqlPart, { kind: "member" }>,
  context: QueryContext,
  measure: MeasureWriter,
): Sql {
  const ref = { cube: path.at(-1) ?? "", member };
  if (memberKind === "measure") return measure(ref);
  if (memberKind === "segment") return segmentSql(ref, context, measure);
  return granularity === undefined
    ? dimensionSql(ref, context, measure)
    : bucketSql(ref, { granularity }, context);
}

/**
 * Writes a condition on a value of the security context. Without a value there is no condition, unless it is required or
 * the caller is embedded.
 * Throws `invalid` if the context is unknown: without the condition, all rows would be visible.
 */
function securitySql(
  { path, parts, required }: Extract<SqlPart, { kind: "security_context" }>,
  context: QueryContext,
  measure: MeasureWriter,
): Sql {
  const { caller } = context;
  if (context.shared) throw sharedFailure("SECURITY_CONTEXT");
  const column = templateSql(parts, context, measure);
  if (caller.securityContext === undefined) {
    throw new Failure(
      "invalid",
      `the data model filters ${printSql(column, context.dialect).text} by SECURITY_CONTEXT.${path.join(".")}, and the token carries no security context; create a token of the environment with one`,
    );
  }
  const value = contextValue(caller.securityContext, path);
  if (value === undefined || value === null) {
    if (!required && !caller.isEmbedded) return raw("1 = 1");
    throw new Failure(
      "invalid",
      `the security context has no ${path.join(".")}, which is required`,
    );
  }
  const values: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  const scalars = values.filter((one): one is Exclude<BoundValue, null> =>
    ["string", "number", "boolean"].includes(typeof one),
  );
  if (scalars.length === 0) return raw("FALSE");
  return sql`(${context.dialect.isIn(column, scalars)})`;
}

/** Returns the failure of SQL that several queries and callers cannot share. */
export function sharedFailure(name: string): Failure {
  return new Failure("invalid", `it uses ${name}, which differs between queries`);
}

/** Writes a segment: a condition on rows. */
export function segmentSql(ref: MemberRef, context: QueryContext, measure?: MeasureWriter): Sql {
  const segment = cubeOf(context.model, ref.cube).segments.get(ref.member);
  return templateSql(segment?.sql ?? [], context, measure);
}

/** Returns a dimension of the model. */
export function dimensionOf(
  { model }: QueryContext,
  { cube, member }: MemberRef,
): CompiledDimension {
  const dimension = cubeOf(model, cube).dimensions.get(member);
  if (dimension === undefined)
    throw new Failure("invalid", `there is no dimension ${cube}.${member}`);
  return dimension;
}

/** Writes a dimension. Throws `invalid` for a time that is known to a granularity only. */
export function dimensionSql(ref: MemberRef, context: QueryContext, measure?: MeasureWriter): Sql {
  const { replaced } = context;
  if (replaced?.cube === ref.cube && replaced.member === ref.member)
    return templateSql(replaced.sql, { ...context, replaced: undefined });
  const dimension = dimensionOf(context, ref);
  if (dimension.truncatedTo !== undefined) throw truncatedFailure(ref, dimension.truncatedTo);
  if (dimension.values) return sql`${subQueryAlias(ref)}.v`;
  if (dimension.subQuery || dimension.addGroupBy) {
    const value = sql`${subQueryAlias(ref)}.v`;
    return context.hidesFirst ? failing(value) : value;
  }
  const { sql: own, case: choice, geo } = dimension;
  if (own) return templateSql(own, context, measure);
  const label = (value: SqlTemplate | string) =>
    typeof value === "string"
      ? cast(bind(value), "text", context.dialect)
      : templateSql(value, context, measure);
  if (choice) {
    const branches = choice.branches.map(
      (branch) =>
        sql`WHEN ${templateSql(branch.when, context, measure)} THEN ${label(branch.label)}`,
    );
    const otherwise = choice.otherwise === undefined ? [] : sql` ELSE ${label(choice.otherwise)}`;
    return sql`CASE ${joinSql(branches, " ")}${otherwise} END`;
  }
  if (geo) {
    const part = (one: SqlTemplate) =>
      cast(templateSql(one, context, measure), "text", context.dialect);
    return sql`${part(geo.latitude)} || ',' || ${part(geo.longitude)}`;
  }
  throw new Failure("invalid", `the dimension ${nameOf(ref)} has no value`);
}

/** Writes a dimension, or `value` in its place, as rows are grouped by it: text by its bytes. */
export function groupedSql(
  ref: MemberRef,
  context: QueryContext,
  value: Sql = dimensionSql(ref, context),
): Sql {
  const isText = isTextType(dimensionOf(context, ref).type) && !isSwitch(ref, context);
  return isText && context.dialect.isTextLoose ? cast(value, "text", context.dialect) : value;
}

/** Returns whether each row has all values of a dimension. */
export function isSwitch(ref: MemberRef, context: QueryContext): boolean {
  return dimensionOf(context, ref).values !== undefined;
}

/** Returns whether a dimension has its values in the groups of a query. */
export function isMultiStage(ref: MemberRef, context: QueryContext): boolean {
  return dimensionOf(context, ref).addGroupBy !== undefined;
}

/** Writes the values of a switch as rows with the column `v`. */
export function switchRows(ref: MemberRef, context: QueryContext): Sql {
  const { values = [] } = dimensionOf(context, ref);
  const rows = values.map(
    (value) => sql`SELECT ${cast(bind(value), "text", context.dialect)} AS v`,
  );
  return joinSql(rows, " UNION ALL ");
}

/**
 * Writes a time of which a query needs only the interval of a granularity. Throws `invalid` if the time is not known so
 * exactly.
 */
export function timeSql(ref: MemberRef, granularity: string, context: QueryContext): Sql {
  const { truncatedTo, sql: own = [] } = dimensionOf(context, ref);
  if (truncatedTo === undefined) return dimensionSql(ref, context);
  const isWhole =
    granularity === truncatedTo ||
    (isDefaultGranularity(context, ref, truncatedTo) &&
      dividesGranularity(truncatedTo, ref, granularity, context));
  // Intervals of another time zone start within those of UTC.
  if (isWhole && context.clock.timezone === "UTC") return templateSql(own, context);
  throw truncatedFailure(ref, truncatedTo);
}

/**
 * Writes a time that a query compares with a range. Throws `invalid` if the time is known to a granularity only, and the
 * range does not consist of its intervals.
 */
export function rangedTimeSql(
  ref: MemberRef,
  [from, to]: readonly [number, number],
  context: QueryContext,
): Sql {
  const { truncatedTo } = dimensionOf(context, ref);
  if (truncatedTo === undefined) return dimensionSql(ref, context);
  const isWhole =
    isDefaultGranularity(context, ref, truncatedTo) &&
    [from, to + 1].every((bound) => startOf(truncatedTo, bound) === bound);
  if (isWhole) return timeSql(ref, truncatedTo, context);
  throw truncatedFailure(ref, truncatedTo);
}

/** Returns whether intervals of a granularity, in UTC, consist of whole intervals of a unit. */
function dividesGranularity(
  part: CalendarUnit,
  ref: MemberRef,
  name: string,
  context: QueryContext,
): boolean {
  if (isDefaultGranularity(context, ref, name)) return dividesUnit(part, name);
  const own = dimensionOf(context, ref).granularities.find((one) => one.name === name);
  if (own?.interval === undefined) return false;
  const origin = originOf(own);
  const lengths = parseInterval(own.interval);
  return startOf(part, origin) === origin && lengths.every(({ unit }) => dividesUnit(part, unit));
}

/** Returns whether intervals of a unit consist of whole intervals of another one. */
function dividesUnit(part: CalendarUnit, whole: CalendarUnit): boolean {
  const isShorter = calendarUnits.indexOf(part) <= calendarUnits.indexOf(whole);
  return isShorter && (part !== "week" || whole === "week");
}

function truncatedFailure({ cube, member }: MemberRef, granularity: string): Failure {
  const message = `of ${cube}.${member}, only whole intervals of the granularity ${granularity} in UTC are known`;
  return new Failure("invalid", message);
}

/** Returns the alias under which a dimension is joined that has a query of its own, or is a switch. */
export function subQueryAlias({ cube, member }: MemberRef): Sql {
  // No cube has a name with a dot.
  return quote(`${cube}.${member}`);
}

/** Returns the intervals of a granularity. Throws `invalid` for one that is unknown, or that is SQL. */
export function gridOf(ref: MemberRef, name: string, context: QueryContext): TimeGrid {
  if (isDefaultGranularity(context, ref, name)) return calendarGrid(name);
  const own = dimensionOf(context, ref).granularities.find((one) => one.name === name);
  if (own?.interval !== undefined) return customGrid(name, own.interval, originOf(own));
  const reason = own ? "is SQL, which no window can follow" : "does not exist";
  throw new Failure("invalid", `the granularity ${name} of ${nameOf(ref)} ${reason}`);
}

/** Returns whether a granularity is a built-in one that the dimension does not redefine. */
export function isDefaultGranularity(
  context: QueryContext,
  ref: MemberRef,
  name: string,
): name is CalendarUnit {
  const own = dimensionOf(context, ref).granularities.some((one) => one.name === name);
  return isCalendarUnit(name) && !own;
}

/** Writes the column of a dimension of the query with the time shifts of a multi-stage measure. */
export function shiftColumn(column: Sql, ref: MemberRef, context: QueryContext): Sql {
  const shifts = context.timeShifts.get(nameOf(ref)) ?? [];
  return shifts.length === 0
    ? column
    : shiftTime(sql`(${column})`, shifts, {
        dialect: context.dialect,
        timezone: context.clock.timezone,
      });
}

/** Writes a time dimension as calendar time in the zone of the query. */
export function localTimeSql(column: Sql, context: QueryContext): Sql {
  return context.dialect.toZone(sql`(${column})`, context.clock.timezone);
}

/** Writes a time dimension, or `column` in its place, truncated to a granularity in the zone of the query. */
export function bucketSql(
  ref: MemberRef,
  { granularity: name, column }: { readonly granularity: string; readonly column?: Sql },
  context: QueryContext,
): Sql {
  const dimension = dimensionOf(context, ref);
  const full = nameOf(ref);
  const own = dimension.granularities.map((one) => one.name);
  const error = granularityError(name, full, { type: dimension.type, own });
  if (error !== undefined) throw new Failure("invalid", error);
  const local = localTimeSql(column ?? dimensionSql(ref, context), context);
  if (isDefaultGranularity(context, ref, name)) return context.dialect.truncate(local, name);
  const granularity = dimension.granularities.find((one) => one.name === name);
  invariant(granularity, "a granularity that its dimension has");
  if (granularity.sql) {
    if (!context.timeShifts.has(full)) return templateSql(granularity.sql, context);
    throw new Failure(
      "invalid",
      `the granularity ${name} of ${full} is SQL, which a time shift cannot move; use another granularity`,
    );
  }
  const { interval = "1 day" } = granularity;
  return truncateTo(context.dialect, local, { interval, origin: originOf(granularity) });
}

/** Returns the origin of the intervals of a granularity. */
function originOf({ interval = "", origin, offset }: Granularity): number {
  if (origin !== undefined) {
    const text = origin.trim().replace(" ", "T");
    const hasZone = /(?:z|[+-]\d{2}:?\d{2})$/i.test(text.slice(10));
    return Date.parse(text.length > 10 && !hasZone ? `${text}Z` : text);
  }
  // The first Monday of 2000 is the 3rd.
  const start = Date.UTC(2000, 0, /week/.test(interval) ? 3 : 1);
  return offset === undefined ? start : addInterval(start, offset);
}
