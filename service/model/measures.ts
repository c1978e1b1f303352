// Compiles measures: their aggregates, stages, windows and masks.
import { calendarUnits, isCalendarUnit } from "../../core/text/calendar-units.ts";
import { calculatedTypes, splitAggregates } from "./composite-measures.ts";
import { describe } from "./declarations.ts";
import { compileCurrency, compileFormat, compileLiteralMask } from "./dimensions.ts";
import { compileStage } from "./multi-stage.ts";
import { within } from "./problems.ts";
import type { Declared } from "./read-file.ts";
import { resolveMemberPath, resolveRowSql, resolveSql, type SqlContext } from "./resolve.ts";
import type { MeasureDeclaration } from "./schema.ts";
import type { CompiledMeasure } from "./types.ts";

const withoutSql = new Set(["count", "rank"]);

/**
 * Compiles the measures of a cube and adds their errors. A mask in SQL becomes a separate measure, which no query can
 * name.
 */
export function compileMeasures(context: SqlContext): readonly CompiledMeasure[] {
  const { name: cube } = context.cube.value;
  return [...context.cube.measures.values()].flatMap((one) => {
    const measure = compileMeasure(one, context);
    const { mask } = measure;
    const type = calculatedTypes.has(measure.type) ? measure.type : "number";
    const declared = withSeparateAggregates(measure, cube);
    if (mask === undefined || "literal" in mask) return declared;
    return [...declared, { ...hiddenMeasure, name: maskName(measure.name), type, sql: mask.sql }];
  });
}

/**
 * Makes a separate measure, which no query can name, of each aggregate that stands beside measures in the SQL of another,
 * because the two may need different rows.
 */
function withSeparateAggregates(
  measure: CompiledMeasure,
  cube: string,
): readonly CompiledMeasure[] {
  const isCalculated = calculatedTypes.has(measure.type) && measure.stage === undefined;
  const nameOf = (index: number) => `${measure.name} aggregate ${index}`;
  const split = isCalculated
    ? splitAggregates(measure.sql ?? [], (index) => ({
        kind: "member",
        path: [cube],
        member: nameOf(index),
        memberKind: "measure",
      }))
    : undefined;
  if (split === undefined) return [measure];
  const hidden = split.calls.map((sql, index) => ({
    ...hiddenMeasure,
    name: nameOf(index),
    type: "number",
    sql,
  }));
  return [{ ...measure, sql: split.rest }, ...hidden];
}

const hiddenMeasure = { title: "", public: false, filters: [], drillMembers: [] } as const;

/**
 * Returns the name of the measure that computes the mask of another one. It is not an identifier, so it cannot equal a
 * declared name.
 */
export function maskName(measure: string): string {
  return `${measure} mask`;
}

function compileMeasure(
  { value, at }: Declared<MeasureDeclaration>,
  context: SqlContext,
): CompiledMeasure {
  const { problems } = context;
  const add = (key: string, message: string) =>
    problems.add(within(at, key), `${value.name} ${message}`);
  if (value.sql === undefined && value.case === undefined && !withoutSql.has(value.type)) {
    add("name", `is of type ${value.type} and needs sql`);
  }
  const { rolling_window: window } = value;
  const windowError = window && rollingWindowError(window, context);
  if (windowError !== undefined) add("rolling_window", `has a rolling window ${windowError}`);
  // Multi-stage measures have separate errors.
  const isCalculated =
    calculatedTypes.has(value.type) || value.type === "number_agg" || value.multi_stage === true;
  if (calculatedTypes.has(value.type) && !value.multi_stage && (value.filters ?? []).length > 0) {
    add(
      "filters",
      `is of type ${value.type}, to which filters cannot apply; filter the measures that it uses`,
    );
  }
  const resolve = isCalculated ? resolveSql : resolveRowSql;
  const declared =
    value.sql === undefined ? undefined : resolve(value.sql, within(at, "sql"), context);
  const { stage, sql = declared } = compileStage({ value, at }, declared, context);
  return {
    ...describe(value),
    type: value.type,
    ...(sql !== undefined && { sql }),
    filters: (value.filters ?? []).map((one, index) =>
      resolveRowSql(one.sql, within(at, "filters", index, "sql"), context),
    ),
    ...(window && { rollingWindow: window }),
    ...(stage !== undefined && { stage }),
    drillMembers: (value.drill_members ?? []).flatMap((text, index) => {
      const found = resolveMemberPath(text, within(at, "drill_members", index), context);
      return found ? [`${found.path.at(-1) ?? ""}.${found.member}`] : [];
    }),
    ...compileFormat(value, at, context),
    ...compileCurrency({ value, at }, context),
    ...compileMeasureMask({ value, at }, context),
  };
}

/** Returns why a rolling window has no meaning; undefined if it has. */
function rollingWindowError(
  { type = "fixed", granularity, ...bounds }: NonNullable<MeasureDeclaration["rolling_window"]>,
  { cube }: SqlContext,
): string | undefined {
  const [bound] = Object.keys(bounds);
  if (type === "fixed") {
    if (granularity !== undefined) return "with a granularity, which only the type to_date has";
    return bounds.trailing === undefined && bounds.leading === undefined
      ? "without trailing or leading"
      : undefined;
  }
  if (bound !== undefined) return `of type ${type}, which has no ${bound}`;
  if (type !== "to_date")
    return granularity === undefined ? undefined : `of type ${type}, which has no granularity`;
  if (granularity === undefined) return "of type to_date, which needs a granularity";
  const own = [...cube.dimensions.values()].flatMap(({ value }) => value.granularities ?? []);
  const isDeclared = own.some((one) => one.name === granularity && one.interval !== undefined);
  return isDeclared || isCalendarUnit(granularity)
    ? undefined
    : `to date of the granularity ${granularity}; use one of ${calendarUnits.join(", ")}, or one that a dimension of ${cube.value.name} declares`;
}

/** Compiles the mask of a measure. Its SQL replaces the whole aggregate. */
function compileMeasureMask(
  { value, at }: Declared<MeasureDeclaration>,
  context: SqlContext,
): Pick<CompiledMeasure, "mask"> {
  const { mask } = value;
  if (typeof mask === "object" && mask !== null) {
    return { mask: { sql: resolveSql(mask.sql, within(at, "mask", "sql"), context) } };
  }
  return compileLiteralMask({ value: { ...value, mask }, at }, context);
}
