// Compiles dimensions: their value, granularities, masks and currencies.
import { formatNames, isFormat } from "../../charts/formats/format-names.ts";
import { suggestion } from "../../core/text/naming.ts";
import { calendarUnits, isCalendarUnit } from "../../core/text/calendar-units.ts";
import { addressSql, compileLinks } from "./compile-links.ts";
import { describe } from "./declarations.ts";
import type { CubeDimension } from "./links.ts";
import { addedGroup } from "./multi-stage.ts";
import { type Place, within } from "./problems.ts";
import type { Declared } from "./read-file.ts";
import { resolveRowSql, resolveSql, type SqlContext } from "./resolve.ts";
import type { CaseDeclaration, DimensionDeclaration, MeasureDeclaration } from "./schema.ts";
import { compileSwitch, switchCondition } from "./switches.ts";
import type {
  CalendarShift,
  CompiledDimension,
  Granularity,
  Mask,
  SqlPart,
  SqlTemplate,
} from "./types.ts";

/** Compiles one dimension and adds its errors. */
export function compileDimension(
  { value, at }: Declared<CubeDimension>,
  context: SqlContext,
): CompiledDimension {
  if (value.address === undefined) checkDimension(value, at, context);
  const sqlAt = (text: string, ...keys: (string | number)[]) =>
    resolveRowSql(text, within(at, ...keys), context);
  const own = value.sql === undefined ? undefined : valueSql({ value, at }, value.sql, context);
  const sql = value.address === undefined ? own : addressSql(value.address, at, context);
  return {
    ...describe({ ...value, public: value.public ?? value.shown ?? value.primary_key !== true }),
    // Its values are texts.
    type: value.type === "switch" ? "string" : value.type,
    ...(sql && { sql }),
    ...(value.case && { case: compileCase(value.case, within(at, "case"), context) }),
    ...(value.latitude &&
      value.longitude && {
        geo: {
          latitude: sqlAt(value.latitude.sql, "latitude", "sql"),
          longitude: sqlAt(value.longitude.sql, "longitude", "sql"),
        },
      }),
    ...(value.type === "switch" && { values: value.values ?? [] }),
    primaryKey: value.primary_key ?? false,
    subQuery: value.sub_query ?? false,
    ...(value.propagate_filters_to_sub_query === true && { propagatesFilters: true as const }),
    ...(value.multi_stage === true && {
      addGroupBy: (value.add_group_by ?? []).flatMap((text, index) =>
        addedGroup(text, within(at, "add_group_by", index), context),
      ),
    }),
    granularities: compileGranularities(value, at, context),
    ...(value.time_shift && { timeShifts: compileCalendarShifts({ value, at }, context) }),
    ...compileFormat(value, at, context),
    ...(value.order && { order: value.order }),
    ...(value.links && { links: compileLinks(value.links, at, context) }),
    ...compileCurrency({ value, at }, context),
    ...compileMask({ value, at }, context),
  };
}

/** Compiles the choice of a label by conditions, or of an expression by the value of a switch. */
function compileCase(
  { switch: text, when, else: last }: CaseDeclaration,
  at: Place,
  context: SqlContext,
): NonNullable<CompiledDimension["case"]> {
  const isSwitch = text !== undefined;
  const check = (place: Place, branch: object, [needed, other]: readonly [string, string]) => {
    if (!(needed in branch)) context.problems.add(place, `${needed} is required`);
    if (!(other in branch)) return;
    const message = `${other} is not allowed ${isSwitch ? "with" : "without"} switch`;
    context.problems.add(within(place, other), message);
  };
  const sqlAt = (template: string, place: Place) =>
    resolveRowSql(template, within(place, "sql"), context);
  const labelAt = (label: string | { readonly sql: string } = "", place: Place) =>
    typeof label === "string" ? label : sqlAt(label.sql, within(place, "label"));
  for (const [index, branch] of when.entries())
    check(within(at, "when", index), branch, isSwitch ? ["value", "label"] : ["label", "value"]);
  const elsePlace = within(at, "else");
  if (last) check(elsePlace, last, isSwitch ? ["sql", "label"] : ["label", "sql"]);
  const choice = isSwitch ? compileSwitch({ switch: text, when }, at, context) : undefined;
  return {
    branches: when.map((branch, index) => {
      const place = within(at, "when", index);
      const sql = sqlAt(branch.sql, place);
      return choice
        ? { when: switchCondition(choice, branch.value ?? ""), label: sql }
        : { when: sql, label: labelAt(branch.label, place) };
    }),
    ...(last && {
      otherwise:
        last.sql === undefined ? labelAt(last.label, elsePlace) : sqlAt(last.sql, elsePlace),
    }),
  };
}

/** Returns the SQL of a dimension: over rows, over the measures of a subquery with `sub_query`, or of a group with `multi_stage`. */
function valueSql(
  { value, at }: Declared<DimensionDeclaration>,
  text: string,
  context: SqlContext,
): SqlTemplate {
  const place = within(at, "sql");
  const isStage = value.multi_stage === true;
  if (value.sub_query !== true && !isStage) return resolveRowSql(text, place, context);
  const { attempts } = context.problems;
  const sql = resolveSql(text, place, context);
  const isResolved = context.problems.attempts === attempts;
  if (isStage) {
    const parts = sql.filter((part) => typeof part !== "string");
    if (isResolved && (parts.length === 0 || !parts.every(isMeasure)))
      context.problems.add(
        place,
        `${value.name} is a multi-stage dimension, whose sql uses measures, at least one, and nothing else`,
      );
    return sql;
  }
  const add = (key: string, message: string) =>
    context.problems.add(within(at, key), `${value.name} has sub_query, ${message}`);
  if (isResolved && !sql.some(isMeasure)) add("sub_query", "but its sql references no measure");
  const { cube } = context;
  if (![...cube.dimensions.values()].some((one) => one.value.primary_key === true)) {
    add("name", `so ${cube.value.name} needs a dimension with primary_key: true`);
  }
  return sql;
}

function isMeasure(part: SqlPart): boolean {
  return typeof part !== "string" && part.kind === "member" && part.memberKind === "measure";
}

/** Compiles the mask of a dimension. */
function compileMask(
  { value, at }: Declared<DimensionDeclaration>,
  context: SqlContext,
): { readonly mask?: Mask } {
  const { mask } = value;
  if (typeof mask === "object" && mask !== null) {
    return { mask: { sql: resolveRowSql(mask.sql, within(at, "mask", "sql"), context) } };
  }
  return compileLiteralMask({ value: { ...value, mask }, at }, context);
}

/** Compiles a mask that is a value: one of the type of its member, because it stands among the member's values. */
export function compileLiteralMask(
  {
    value: { mask, name, type },
    at,
  }: Declared<{
    readonly mask?: string | number | boolean | null | undefined;
    readonly name: string;
    readonly type: string;
  }>,
  { problems }: SqlContext,
): { readonly mask?: Mask } {
  if (mask === undefined) return {};
  const valueType = maskTypes[type] ?? "number";
  if (mask !== null && typeof mask !== valueType) {
    problems.add(
      within(at, "mask"),
      `${name} is of type ${type}, so its mask is a ${valueType}, null, or { sql }`,
    );
  }
  return { mask: { literal: mask } };
}

/** The types of masks of members whose values are not numbers. */
const maskTypes: Readonly<Record<string, string>> = {
  string: "string",
  time: "string",
  geo: "string",
  switch: "string",
  boolean: "boolean",
};

const notNumeric = new Set(["string", "boolean", "time", "geo", "switch"]);

/** Compiles the currency of a dimension or measure: only a number has one. */
export function compileCurrency(
  { value, at }: Declared<DimensionDeclaration | MeasureDeclaration>,
  { problems }: SqlContext,
): { readonly currency?: string } {
  const { currency, type, name } = value;
  if (currency === undefined) return {};
  if (notNumeric.has(type)) {
    problems.add(
      within(at, "currency"),
      `${name} has a currency, which the type ${type} cannot have`,
    );
  }
  return { currency };
}

/** Returns the format of a member as it is declared. Adds an error if nothing writes values in it. */
export function compileFormat<Format>(
  { name, format }: { readonly name: string; readonly format?: Format },
  at: Place,
  { problems }: Pick<SqlContext, "problems">,
): { readonly format?: Format } {
  if (format === undefined) return {};
  if (typeof format === "string" && !isFormat(format)) {
    const hint = suggestion(format, formatNames);
    problems.add(
      within(at, "format"),
      `${name} has the format ${format}, which is no name, d3-format or strftime${hint}`,
    );
  }
  return { format };
}

/** Checks that a dimension has exactly the value that its type requires. */
function checkDimension(value: DimensionDeclaration, at: Place, { problems }: SqlContext): void {
  const { name, type } = value;
  const add = (key: string, message: string) => problems.add(within(at, key), `${name} ${message}`);
  const forms = [
    value.sql !== undefined && "sql",
    value.case !== undefined && "case",
    (value.latitude ?? value.longitude) !== undefined && "latitude and longitude",
  ].filter((form) => form !== false);
  const other = [
    ...forms.filter((form) => form !== "sql"),
    ...(["primary_key", "sub_query"] as const).filter((key) => value[key] === true),
  ];
  if (value.multi_stage === true && other.length > 0)
    return add("multi_stage", `is a multi-stage dimension, which has sql and no ${other[0]}`);
  if (value.propagate_filters_to_sub_query === true && value.sub_query !== true) {
    add("propagate_filters_to_sub_query", "has propagate_filters_to_sub_query and no sub_query");
  }
  if (value.add_group_by !== undefined && value.multi_stage !== true)
    add("add_group_by", "has add_group_by, which needs multi_stage: true");
  if (type === "switch") return checkSwitch(value, { forms, add });
  if (value.values !== undefined) add("values", "has values, which only the type switch has");
  if (value.sub_query === true && value.sql === undefined) {
    return add("sub_query", "has sub_query, which needs sql");
  }
  if (forms.length !== 1) {
    const found = forms.length === 0 ? "none of them" : forms.join(" and ");
    add("name", `needs exactly one of sql, case, or latitude and longitude; it has ${found}`);
  }
  const isGeo = value.latitude !== undefined && value.longitude !== undefined;
  if (type === "geo" && !isGeo) add("type", "is of type geo and needs latitude and longitude");
  if (type !== "geo" && (value.latitude ?? value.longitude) !== undefined) {
    add("type", "has latitude or longitude, which only the type geo has");
  }
  if (value.granularities !== undefined && type !== "time") {
    add("granularities", "has granularities, which only the type time has");
  }
}

/** Checks that a switch has different values, and no other value. */
function checkSwitch(
  { values = [], primary_key: isKey, sub_query: isSubQuery }: DimensionDeclaration,
  {
    forms,
    add,
  }: { readonly forms: readonly string[]; add: (key: string, message: string) => void },
): void {
  const [form] = [...forms, isKey && "primary_key", isSubQuery && "sub_query"].filter(Boolean);
  if (typeof form === "string") add("type", `is of type switch, which has values and no ${form}`);
  else if (values.length === 0) add("type", "is of type switch and needs values");
  const twice = values.find((one, index) => values.indexOf(one) !== index);
  if (twice !== undefined) add("values", `has the value ${twice} twice`);
}

function compileGranularities(
  { granularities = [], type }: DimensionDeclaration,
  at: Place,
  context: SqlContext,
): readonly Granularity[] {
  const seen = new Set<string>();
  return granularities.map((one, index) => {
    const place = within(at, "granularities", index);
    const add = (message: string) =>
      context.problems.add(place, `granularity ${one.name} ${message}`);
    if (seen.has(one.name)) add("is declared twice");
    seen.add(one.name);
    if (one.sql !== undefined && context.cube.value.calendar !== true) {
      add("has sql, which only a cube with calendar: true supports");
    } else if (one.sql === undefined && one.interval === undefined) add("needs an interval");
    if (one.sql !== undefined && !isCalendarUnit(one.name)) {
      add(`has sql, so its name must be one of ${calendarUnits.join(", ")}`);
    }
    if (one.origin !== undefined && one.offset !== undefined)
      add("has both origin and offset; keep one");
    if (one.origin !== undefined && Number.isNaN(Date.parse(one.origin))) {
      add(`has the origin ${JSON.stringify(one.origin)}, which is not a date`);
    }
    if (one.interval !== undefined && one.origin === undefined && type === "time") {
      const reason = unalignedReason(one.interval);
      if (reason !== undefined)
        add(`has the interval ${one.interval}, which ${reason}; add an origin`);
    } else if (one.interval !== undefined && mixesMonths(one.interval)) {
      add(`has the interval ${one.interval}, which mixes months with shorter units`);
    }
    const { sql, ...rest } = one;
    return {
      ...rest,
      ...(sql !== undefined && { sql: resolveRowSql(sql, within(place, "sql"), context) }),
    };
  });
}

/** Compiles the time shifts of a calendar. */
function compileCalendarShifts(
  { value: { name, type, time_shift: shifts = [] }, at }: Declared<DimensionDeclaration>,
  context: SqlContext,
): readonly CalendarShift[] {
  const { cube, problems } = context;
  if (type !== "time" || cube.value.calendar !== true) {
    const message = `${name} has time_shift, which only a dimension of type time in a cube with calendar: true has`;
    problems.add(within(at, "time_shift"), message);
  }
  const keys = [...cube.dimensions.values()].filter(({ value }) => value.primary_key === true);
  const hasTimeKey = keys.length === 1 && keys[0]?.value.type === "time";
  const seen = new Set<string>();
  return shifts.map(({ sql, ...shift }, index) => {
    const place = within(at, "time_shift", index);
    const hasInterval = shift.interval !== undefined && shift.type !== undefined;
    const key = shift.name ?? `${shift.type} ${shift.interval}`;
    const add = (message: string) =>
      problems.add(place, `the time shift ${key} of ${name} ${message}`);
    if (!hasInterval && (shift.interval ?? shift.type) !== undefined)
      add("needs both interval and type, or none");
    else if (hasInterval ? shift.name === undefined && sql === undefined : sql === undefined)
      add("needs sql, or a name and an interval");
    else if (!hasInterval && shift.name === undefined)
      add("needs a name, or an interval and a type");
    if (seen.has(key)) add("is declared twice");
    seen.add(key);
    if (sql === undefined) return shift;
    if (!hasTimeKey)
      add(
        `has sql, so ${cube.value.name} needs one primary key, of type time, by which it is joined`,
      );
    const template = resolveRowSql(sql, within(place, "sql"), { ...context, isAlone: true });
    const isOther = (part: SqlPart) =>
      typeof part === "object" && "path" in part && part.path.length > 1;
    if (template.some(isOther)) add("has sql with members of other cubes; use its own");
    return { ...shift, sql: template };
  });
}

/** The number of each unit in the next larger unit that a calendar aligns. Years are always aligned. */
const aligned: Readonly<Record<string, number>> = {
  month: 12,
  quarter: 4,
  week: 1,
  day: 1,
  hour: 24,
  minute: 60,
  second: 60,
};

/** Returns the reason why an interval has no natural start, or undefined. */
function unalignedReason(interval: string): string | undefined {
  const parts = interval.trim().split(/\s+/);
  if (parts.length > 2) return "has several parts and no natural start";
  const [count, unit = ""] = [Number(parts[0]), parts[1]?.replace(/s$/, "")];
  const whole = aligned[unit];
  return whole === undefined || whole % count === 0 ? undefined : `does not divide a larger unit`;
}

/** Returns whether an interval mixes months, quarters or years with shorter units, which no calendar aligns. */
function mixesMonths(interval: string): boolean {
  const units = interval.split(/\s+/).filter((word) => /^[a-z]/.test(word));
  const isLong = (unit: string) => /^(?:month|quarter|year)/.test(unit);
  return units.some(isLong) && !units.every(isLong);
}
