// Checks pre-aggregations and refresh keys.
import { Cron } from "croner";
import { isCalendarUnit } from "../../core/calendar-units.ts";
import { intervalPattern } from "../../core/text-patterns.ts";
import { type Place, type Problems, within } from "./problems.ts";
import { resolveMemberPath, resolveSql, type SqlContext } from "./resolve.ts";
import type { Cube } from "./declarations.ts";
import type { Declared } from "./read-file.ts";
import type { PreAggregationDeclaration, RefreshKeyDeclaration } from "./schema.ts";
import type { CompiledPreAggregation, MemberKind } from "./types.ts";

/** Compiles the pre-aggregations of a cube, and adds their errors. */
export function compilePreAggregations(
  cube: Cube,
  context: SqlContext,
): readonly CompiledPreAggregation[] {
  return [...cube.preAggregations.values()].map((one) => compilePreAggregation(one, context));
}

function compilePreAggregation(
  { value, at }: Declared<PreAggregationDeclaration>,
  context: SqlContext,
): CompiledPreAggregation {
  const { problems } = context;
  const add = (key: string, message: string) =>
    problems.add(within(at, key), `${value.name} ${message}`);
  const members = (key: "measures" | "dimensions" | "segments", kind: MemberKind) =>
    (value[key] ?? []).flatMap((text, index) => {
      const found = resolveMemberPath(text, within(at, key, index), context);
      if (found && found.memberKind !== kind)
        add(key, `lists ${text}, which is a ${found.memberKind}, under ${key}`);
      return found ? [fullName(found)] : [];
    });
  const listed = {
    measures: members("measures", "measure"),
    dimensions: members("dimensions", "dimension"),
    segments: members("segments", "segment"),
  };
  const type = value.type ?? "rollup";
  const isUnion = type === "rollup_join" || type === "rollup_lambda";
  if (isUnion !== (value.rollups !== undefined)) {
    add(
      "name",
      isUnion
        ? `is of type ${type} and needs rollups`
        : `has rollups, which the type ${type} does not support`,
    );
  }
  const time =
    value.time_dimension === undefined
      ? undefined
      : resolveMemberPath(value.time_dimension, within(at, "time_dimension"), context);
  if (value.time_dimension !== undefined) {
    if (time && type === "rollup" && value.granularity === undefined) {
      add("time_dimension", "has a time_dimension and needs a granularity");
    }
    checkGranularity(value, { at, time, context });
  } else if (value.granularity !== undefined || value.partition_granularity !== undefined) {
    add("name", "has a granularity and needs a time_dimension");
  }
  for (const key of ["build_range_start", "build_range_end"] as const) {
    const sql = value[key]?.sql;
    if (sql !== undefined) resolveSql(sql, within(at, key, "sql"), context);
  }
  checkRefreshKey(value.refresh_key, within(at, "refresh_key"), problems);
  return {
    name: value.name,
    type,
    ...listed,
    ...(time && { timeDimension: fullName(time) }),
    ...(value.granularity !== undefined && { granularity: value.granularity }),
  };
}

function fullName({ path, member }: NonNullable<ReturnType<typeof resolveMemberPath>>): string {
  return `${path.at(-1) ?? ""}.${member}`;
}

function checkGranularity(
  { name, granularity }: PreAggregationDeclaration,
  {
    at,
    time,
    context,
  }: { at: Place; time: ReturnType<typeof resolveMemberPath>; context: SqlContext },
): void {
  if (granularity === undefined || time === undefined) return;
  const owner = context.declarations.cubes.get(time.path.at(-1) ?? "");
  const own = owner?.dimensions.get(time.member)?.value.granularities ?? [];
  if (isCalendarUnit(granularity) || own.some((one) => one.name === granularity)) return;
  context.problems.add(
    within(at, "granularity"),
    `${name} has the unknown granularity ${granularity}`,
  );
}

/** Adds the errors of a refresh key: it has `sql` with or without `every`, `every`, or `immutable`. */
export function checkRefreshKey(
  key: RefreshKeyDeclaration | undefined,
  at: Place,
  problems: Problems,
): void {
  if (key === undefined) return;
  const isImmutable = key.immutable === true;
  if (key.sql === undefined && key.every === undefined && !isImmutable) {
    problems.add(at, "refresh_key needs sql, every or immutable: true");
  }
  if (isImmutable && (key.sql ?? key.every) !== undefined) {
    problems.add(at, "refresh_key is immutable and takes neither sql nor every");
  }
  if (key.every === undefined || new RegExp(intervalPattern).test(key.every)) return;
  try {
    new Cron(key.every, { paused: true }).getPattern();
  } catch {
    problems.add(
      within(at, "every"),
      `${JSON.stringify(key.every)} is neither an interval, such as 1 hour, nor a cron expression, such as 0 * * * *`,
    );
  }
}
