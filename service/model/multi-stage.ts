// Compiles the keys of multi-stage measures, which are computed from the groups of other measures.
import type { Place } from "./problems.ts";
import { within } from "./problems.ts";
import type { Declared } from "./read-file.ts";
import { resolveMemberPath, resolveSql, type SqlContext } from "./resolve.ts";
import type { MeasureDeclaration } from "./schema.ts";
import type { DimensionPath, MeasureStage, TimeShift } from "./types.ts";

const stageKeys = ["group_by", "reduce_by", "add_group_by", "order_by", "time_shift"] as const;

/** Compiles how a measure with `multi_stage: true` is computed. Returns undefined for other measures. */
export function compileStage(
  { value, at }: Declared<MeasureDeclaration>,
  context: SqlContext,
): MeasureStage | undefined {
  const add = (key: string, message: string) =>
    context.problems.add(within(at, key), `${value.name} ${message}`);
  if (!value.multi_stage) {
    if (value.type === "rank") add("type", "is of type rank, which needs multi_stage: true");
    for (const key of stageKeys) {
      if (value[key] !== undefined) add(key, `has ${key}, which needs multi_stage: true`);
    }
    return undefined;
  }
  const dimensions = (name: "group_by" | "reduce_by" | "add_group_by") =>
    value[name]?.flatMap((text, index) => dimensionPath(text, within(at, name, index), context));
  const groupBy = dimensions("group_by")?.map(fullName);
  return {
    ...(groupBy && { groupBy }),
    reduceBy: (dimensions("reduce_by") ?? []).map(fullName),
    addGroupBy: dimensions("add_group_by") ?? [],
    orderBy: (value.order_by ?? []).map(({ sql, dir = "asc" }, index) => ({
      sql: resolveSql(sql, within(at, "order_by", index, "sql"), context),
      descending: dir === "desc",
    })),
    timeShift: compileTimeShift({ value, at }, context),
  };
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

function compileTimeShift(
  { value, at }: Declared<MeasureDeclaration>,
  context: SqlContext,
): readonly TimeShift[] {
  const shifts = value.time_shift ?? [];
  return shifts.map(({ interval, type, time_dimension: time }, index) => {
    const place = within(at, "time_shift", index);
    if (time === undefined) {
      if (shifts.length > 1) {
        const message = `${value.name} has several time shifts, so each needs a time_dimension`;
        context.problems.add(place, message);
      }
      return { interval, type };
    }
    const [dimension] = dimensionPath(time, within(place, "time_dimension"), context);
    return { interval, type, ...(dimension && { timeDimension: fullName(dimension) }) };
  });
}
