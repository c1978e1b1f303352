// Compiles the keys of multi-stage measures, which are computed from the groups of other measures.
import { memoizePerObject } from "../../core/memoize.ts";
import { cubeNamed, type Declarations } from "./declarations.ts";
import type { Place } from "./problems.ts";
import { within } from "./problems.ts";
import type { Declared } from "./read-file.ts";
import { resolveMemberPath, resolveSql, type SqlContext, stageReason } from "./resolve.ts";
import type { MeasureCaseDeclaration, MeasureDeclaration } from "./schema.ts";
import { compileStageFilter } from "./stage-filters.ts";
import { textLiteral } from "./text-literal.ts";
import { compileSwitch } from "./switches.ts";
import type { DimensionPath, MeasureStage, SqlTemplate, TimeShift } from "./types.ts";

const stageKeys = [
  "group_by",
  "reduce_by",
  "add_group_by",
  "grain",
  "order_by",
  "time_shift",
  "case",
  "filter",
] as const;

/** The keys of `grain` that mean the same as older keys of the measure. */
const grainKeys = { group_by: "keep_only", reduce_by: "exclude", add_group_by: "include" } as const;

type GroupKey = keyof typeof grainKeys;

/** Returns the dimensions of a key of a measure or of its `grain`, which stand under `keys`. */
function groupsOf(
  { grain, ...value }: MeasureDeclaration,
  name: GroupKey,
): { readonly paths: readonly string[] | undefined; readonly keys: readonly string[] } {
  const key = grainKeys[name];
  return grain ? { paths: grain[key], keys: ["grain", key] } : { paths: value[name], keys: [name] };
}

/** A stage, and the SQL over its groups unless that is the declared one. */
interface CompiledStage {
  readonly stage?: MeasureStage;
  readonly sql?: SqlTemplate;
}

/** Compiles the stage of a measure with `multi_stage: true`. Returns none for other measures. */
export function compileStage(
  { value, at }: Declared<MeasureDeclaration>,
  sql: SqlTemplate | undefined,
  context: SqlContext,
): CompiledStage {
  const add = (key: string, message: string) =>
    context.problems.add(within(at, key), `${value.name} ${message}`);
  if (!value.multi_stage) {
    if (value.type === "rank" || value.type === "number_agg") {
      add("type", `is of type ${value.type}, which needs multi_stage: true`);
    }
    for (const key of stageKeys) {
      if (value[key] !== undefined) add(key, `has ${key}, which needs multi_stage: true`);
    }
    return {};
  }
  checkStage({ value, at }, context);
  const dimensions = (name: GroupKey) => {
    const { paths, keys } = groupsOf(value, name);
    return paths?.flatMap((text, index) =>
      name === "add_group_by"
        ? addedGroup(text, within(at, ...keys, index), context)
        : dimensionPath(text, within(at, ...keys, index), context),
    );
  };
  const groupBy = dimensions("group_by")?.map(fullName);
  const orderBy = (value.order_by ?? []).map(({ sql: order, dir = "asc" }, index) => ({
    sql: resolveSql(order, within(at, "order_by", index, "sql"), context),
    descending: dir === "desc",
  }));
  const choice = value.case && compileChoice(value.case, within(at, "case"), context);
  const templates = [...(choice?.branches ?? [sql ?? []]), ...orderBy.map((order) => order.sql)];
  checkMeasuresOnly({ value, at }, templates, context);
  return {
    ...(choice && { sql: choice.sql }),
    stage: {
      ...(groupBy && { groupBy }),
      reduceBy: (dimensions("reduce_by") ?? []).map(fullName),
      addGroupBy: dimensions("add_group_by") ?? [],
      ...(choice?.dimension && { switch: choice.dimension }),
      orderBy,
      timeShift: compileTimeShift({ value, at }, context),
      ...(value.filter && {
        filter: compileStageFilter(value.filter, within(at, "filter"), context),
      }),
    },
  };
}

/** The choice of a measure by the value of a switch. */
interface Choice {
  /** The switch; undefined if it has an error. */
  readonly dimension: DimensionPath | undefined;
  readonly branches: readonly SqlTemplate[];
  readonly sql: SqlTemplate;
}

function compileChoice(choice: MeasureCaseDeclaration, at: Place, context: SqlContext): Choice {
  const found = compileSwitch(choice, at, context);
  const branches = choice.when.map((branch, index) =>
    resolveSql(branch.sql, within(at, "when", index, "sql"), context),
  );
  const last = choice.else && resolveSql(choice.else.sql, within(at, "else", "sql"), context);
  const cases = choice.when.flatMap(({ value }, index) => [
    ` WHEN ${textLiteral(value)} THEN `,
    ...(branches[index] ?? []),
  ]);
  return {
    dimension: found?.dimension,
    branches: [...branches, ...(last ? [last] : [])],
    sql: [
      "CASE ",
      ...(found ? [found.part] : []),
      ...cases,
      ...(last ? [" ELSE ", ...last] : []),
      " END",
    ],
  };
}

/** Types whose SQL is computed once for each group. */
const plainTypes: ReadonlySet<string> = new Set(["number", "string", "time", "boolean"]);

/** Aggregates that every database computes over windows. */
const windowAggregates: ReadonlySet<string> = new Set(["sum", "avg", "min", "max", "count"]);

/** Adds one error for a stage that no query can compute. */
function checkStage({ value, at }: Declared<MeasureDeclaration>, { problems }: SqlContext): void {
  const { type } = value;
  const add = (key: string, message: string) =>
    problems.add(within(at, key), `${value.name} ${message}`);
  const kept = groupsOf(value, "group_by").paths;
  const left = groupsOf(value, "reduce_by").paths ?? [];
  const added = groupsOf(value, "add_group_by");
  const isReduced = kept !== undefined || left.length > 0;
  const isExtended = (added.paths ?? []).length > 0;
  const older = (["group_by", "reduce_by", "add_group_by"] as const).find(
    (key) => value[key] !== undefined,
  );
  if (value.grain && older !== undefined)
    return add(older, `has ${older} beside grain, which replaces it; keep grain`);
  if (value.grain && kept !== undefined && left.length > 0)
    return add("grain", "has a grain with keep_only and exclude; keep one");
  if (value.filters !== undefined)
    return add("filters", "has no filters; declare them in the measures that it uses");
  if (value.rolling_window !== undefined) {
    const key = stageKeys.find((one) => value[one] !== undefined);
    if (key !== undefined)
      return add(key, `has ${key} beside a rolling_window; use one measure for each`);
    if (!windowAggregates.has(type))
      return add(
        "type",
        `is of type ${type}; a multi-stage rolling_window needs an aggregate such as sum`,
      );
  }
  if (isReduced && isExtended) {
    return add(
      added.keys[0] ?? "",
      "has add_group_by or grain.include beside keys that leave dimensions out; use one measure for each",
    );
  }
  if (type !== "rank" && value.order_by !== undefined) {
    return add("order_by", "has order_by, which only a rank has");
  }
  if (value.case !== undefined) {
    if (value.sql !== undefined) return add("sql", "has both sql and case; keep one");
    if (isReduced)
      return add(
        "case",
        "has case beside keys that leave dimensions out; use one measure for each",
      );
    if (type === "rank" || type === "number_agg")
      return add(
        "case",
        `is of type ${type}, which has no case; use number or an aggregate such as sum`,
      );
  }
  if (type === "rank") {
    if (value.sql !== undefined) return add("sql", "is a rank, which has order_by and no sql");
    if ((value.order_by ?? []).length === 0) add("type", "is a rank, which needs order_by");
    else if (isExtended) add("add_group_by", "is a rank, which add_group_by cannot extend");
    return;
  }
  if (plainTypes.has(type)) {
    if (!isReduced && !isExtended) return;
    return add(
      "type",
      `is of type ${type}; group_by, reduce_by and add_group_by need an aggregate such as sum`,
    );
  }
  if (type === "number_agg") {
    if (isReduced)
      add("type", "is of type number_agg; group_by and reduce_by need an aggregate such as sum");
    return;
  }
  if (windowAggregates.has(type)) return;
  add("type", `is of type ${type}; use sum, avg, min, max, count, number, number_agg or rank`);
}

/** Adds an error unless a multi-stage measure uses only other measures: it sees their groups instead of rows. */
function checkMeasuresOnly(
  { value, at }: Declared<MeasureDeclaration>,
  templates: readonly SqlTemplate[],
  { problems }: SqlContext,
): void {
  // A rank without an order was already refused.
  if (value.type === "rank" && (value.order_by ?? []).length === 0) return;
  const parts = templates.flat().filter((part) => typeof part !== "string");
  const isMeasure = (part: (typeof parts)[number]) =>
    part.kind === "member" && part.memberKind === "measure";
  if (parts.every(isMeasure) && parts.length > 0) return;
  problems.add(
    within(at, value.case ? "case" : value.sql === undefined ? "name" : "sql"),
    `${value.name} uses other measures in ${value.case ? "case" : "sql and order_by"}, at least one, and nothing else`,
  );
}

function fullName({ cube, member }: DimensionPath): string {
  return `${cube}.${member}`;
}

function dimensionPath(text: string, at: Place, context: SqlContext): readonly DimensionPath[] {
  const found = resolveMemberPath(text, at, context);
  if (found === undefined) return [];
  const { path, member, memberKind } = found;
  if (memberKind === "dimension") return [{ cube: path.at(-1) ?? "", member, path }];
  context.problems.add(at, `${text} is a ${memberKind}; name a dimension`);
  return [];
}

/** Returns a dimension that separates groups. A multi-stage dimension has groups of its own. */
export function addedGroup(text: string, at: Place, context: SqlContext): readonly DimensionPath[] {
  const groups = dimensionPath(text, at, context);
  const reason = groups.flatMap((one) => stageReason(one, context.declarations) ?? [])[0];
  if (reason !== undefined) context.problems.add(at, reason);
  return groups;
}

function compileTimeShift(
  { value, at }: Declared<MeasureDeclaration>,
  context: SqlContext,
): readonly TimeShift[] {
  const shifts = value.time_shift ?? [];
  return shifts.flatMap(
    ({ name, interval, type, time_dimension: time }, index): readonly TimeShift[] => {
      const place = within(at, "time_shift", index);
      const add = (message: string) => context.problems.add(place, `${value.name} ${message}`);
      if (name !== undefined) {
        if ((interval ?? type ?? time) !== undefined || shifts.length > 1)
          add(`has the time shift ${name} beside other keys or shifts; a named one stands alone`);
        if (!shiftNames(context.declarations).has(name))
          add(`has the time shift ${name}, which no dimension of a calendar declares`);
        return [{ name }];
      }
      if (interval === undefined || type === undefined) {
        add("has a time shift without interval and type; a shift has these or a name");
        return [];
      }
      if (time === undefined) {
        if (shifts.length > 1) add("has several time shifts, so each needs a time_dimension");
        return [{ interval, type }];
      }
      const [dimension] = dimensionPath(time, within(place, "time_dimension"), context);
      const declared =
        dimension &&
        cubeNamed(context.declarations, dimension.cube)?.dimensions.get(dimension.member);
      if (declared !== undefined && declared.value.type !== "time") {
        const message = `${value.name} shifts ${time}, which is of type ${declared.value.type}; name a dimension of type time`;
        context.problems.add(within(place, "time_dimension"), message);
      }
      return [{ interval, type, ...(dimension && { timeDimension: fullName(dimension) }) }];
    },
  );
}

/** Returns the names of the time shifts of all calendars. */
const shiftNames = memoizePerObject(
  ({ cubes }: Declarations): ReadonlySet<string> =>
    new Set(
      [...cubes.values()].flatMap(({ dimensions }) =>
        [...dimensions.values()].flatMap(({ value }) =>
          (value.time_shift ?? []).flatMap(({ name }) => name ?? []),
        ),
      ),
    ),
);
