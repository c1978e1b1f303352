// Compiles pre-aggregations and refresh keys.
import { suggestion } from "../../core/text/naming.ts";
import { isCalendarUnit } from "../../core/text/calendar-units.ts";
import { parseCron } from "../../core/text/cron.ts";
import { intervalPattern } from "../../core/text/text-patterns.ts";
import { cubeNamed, type Cube } from "./declarations.ts";
import { type Place, type Problems, within } from "./problems.ts";
import type { Declared } from "./read-file.ts";
import { resolveMemberPath, resolveSql, type SqlContext } from "./resolve.ts";
import type { PreAggregationDeclaration, RefreshKeyDeclaration } from "./schema.ts";
import type { CompiledPreAggregation, MemberKind, RefreshKey } from "./types.ts";

type MemberPath = NonNullable<ReturnType<typeof resolveMemberPath>>;

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
  const members = (key: "measures" | "dimensions" | "segments", kind: MemberKind) =>
    (value[key] ?? []).flatMap((text, index) => {
      const found = resolveMemberPath(text, within(at, key, index), context);
      if (found && found.memberKind !== kind) {
        const message = `${value.name} lists ${text}, which is a ${found.memberKind}, under ${key}`;
        context.problems.add(within(at, key), message);
      }
      return found ? [fullName(found)] : [];
    });
  const times = timeDimensions({ value, at }, context);
  const listed = {
    measures: members("measures", "measure"),
    dimensions: members("dimensions", "dimension"),
    segments: members("segments", "segment"),
  };
  checkKeys({ value, at }, context);
  checkIndexes({ value, at }, [...Object.values(listed).flat(), ...times.map(fullName)], context);
  for (const [index, { member }] of (value.output_column_types ?? []).entries()) {
    resolveMemberPath(member, within(at, "output_column_types", index, "member"), context);
  }
  for (const key of ["build_range_start", "build_range_end"] as const) {
    const sql = value[key]?.sql;
    if (sql !== undefined) resolveSql(sql, within(at, key, "sql"), context);
  }
  checkRefreshKey(value.refresh_key, within(at, "refresh_key"), {
    problems: context.problems,
    isPartitioned: value.partition_granularity !== undefined,
  });
  return {
    name: value.name,
    type: value.type ?? "rollup",
    ...listed,
    timeDimensions: times.map(({ granularity, ...time }) => ({
      dimension: fullName(time),
      ...(granularity !== undefined && { granularity }),
    })),
    ...(value.refresh_key && {
      refreshKey: compileRefreshKey(value.refresh_key, within(at, "refresh_key"), context),
    }),
    ...(value.partition_granularity && {
      partitions: {
        granularity: value.partition_granularity,
        isIncremental: value.refresh_key?.incremental ?? false,
        ...(value.refresh_key?.update_window !== undefined && {
          updateWindow: value.refresh_key.update_window,
        }),
      },
    }),
    isScheduled: value.scheduled_refresh ?? true,
    isRanged: (value.build_range_start ?? value.build_range_end) !== undefined,
  };
}

/** Compiles a refresh key. */
export function compileRefreshKey(
  { immutable, every, timezone, sql }: RefreshKeyDeclaration,
  at: Place,
  context: SqlContext,
): RefreshKey {
  return {
    ...(immutable !== undefined && { immutable }),
    ...(every !== undefined && { every }),
    ...(timezone !== undefined && { timezone }),
    ...(sql !== undefined && {
      sql: resolveSql(sql, within(at, "sql"), { ...context, isAlone: true }),
    }),
  };
}

function fullName({ path, member }: Pick<MemberPath, "path" | "member">): string {
  return `${path.at(-1) ?? ""}.${member}`;
}

/** Adds an error for each key that the type of a pre-aggregation does not allow, and for each missing one. */
function checkKeys(
  { value, at }: Declared<PreAggregationDeclaration>,
  { cube, problems }: SqlContext,
): void {
  const { name, type = "rollup" } = value;
  const add = (key: string, message: string) => problems.add(within(at, key), `${name} ${message}`);
  const isUnion = type === "rollup_join" || type === "rollup_lambda";
  if (isUnion !== (value.rollups !== undefined)) {
    const message = isUnion
      ? `is of type ${type} and needs rollups`
      : `has rollups, which the type ${type} does not support`;
    add("name", message);
  }
  value.rollups?.forEach((rollup, index) => {
    // Members of other cubes are named with their cube.
    const own = rollup.replace(/^CUBE\./, "");
    if (own.includes(".") || cube.preAggregations.has(own)) return;
    const hint = suggestion(own, cube.preAggregations.keys());
    const message = `${name} lists the rollup ${own}, which ${cube.value.name} does not have${hint}`;
    problems.add(within(at, "rollups", index), message);
  });
  const only = {
    union_with_source_data: "rollup_lambda",
    max_pre_aggregations: "auto_rollup",
  } as const;
  for (const key of ["union_with_source_data", "max_pre_aggregations"] as const) {
    if (value[key] === undefined || type === only[key]) continue;
    add(key, `has ${key}, which only the type ${only[key]} has`);
  }
  if (type === "rollup_join" && value.scheduled_refresh === true) {
    add("scheduled_refresh", "is a rollup_join, which has no scheduled refresh");
  }
  if (type !== "original_sql") return;
  for (const key of ["measures", "dimensions", "segments"] as const) {
    if (value[key] !== undefined) add(key, `is of type original_sql and has no ${key}`);
  }
  if ((value.partition_granularity === undefined) !== (value.time_dimension === undefined)) {
    add("name", "needs both partition_granularity and time_dimension, or neither");
  }
}

/** Returns the time dimensions of a pre-aggregation, and adds their errors. */
function timeDimensions(
  { value, at }: Declared<PreAggregationDeclaration>,
  context: SqlContext,
): readonly (Pick<MemberPath, "path" | "member"> & { readonly granularity: string | undefined })[] {
  const { name, type = "rollup", time_dimension: time, time_dimensions: times } = value;
  const { problems } = context;
  if (time !== undefined && times !== undefined) {
    const message = `${name} has both time_dimension and time_dimensions; keep one`;
    problems.add(within(at, "time_dimensions"), message);
    return [];
  }
  const isTimed = time !== undefined || (times ?? []).length > 0;
  if (!isTimed && (value.granularity ?? value.partition_granularity) !== undefined) {
    problems.add(within(at, "name"), `${name} has a granularity and needs a time_dimension`);
  }
  if (time !== undefined && type === "rollup" && value.granularity === undefined) {
    const message = `${name} has a time_dimension and needs a granularity`;
    problems.add(within(at, "time_dimension"), message);
  }
  const listed = [
    ...(time === undefined
      ? []
      : [{ text: time, granularity: value.granularity, place: at, key: "time_dimension" }]),
    ...(times ?? []).map(({ dimension, granularity }, index) => ({
      text: dimension,
      granularity,
      place: within(at, "time_dimensions", index),
      key: "dimension",
    })),
  ];
  return listed.flatMap(({ text, granularity, place, key }) => {
    const found = resolveMemberPath(text, within(place, key), context);
    if (found === undefined) return [];
    const owner = cubeNamed(context.declarations, found.path.at(-1) ?? "");
    const dimension = owner?.dimensions.get(found.member)?.value;
    if (dimension?.type !== "time") {
      const what = dimension ? `of type ${dimension.type}` : `a ${found.memberKind}`;
      problems.add(within(place, key), `${name} has the time dimension ${text}, which is ${what}`);
    }
    const isKnown =
      granularity === undefined ||
      isCalendarUnit(granularity) ||
      dimension?.granularities?.some((one) => one.name === granularity) === true;
    if (!isKnown) {
      const message = `${name} has the unknown granularity ${granularity}`;
      problems.add(within(place, "granularity"), message);
    }
    return [{ path: found.path, member: found.member, granularity }];
  });
}

/** An index has columns of its pre-aggregation, or is SQL. */
function checkIndexes(
  { value, at }: Declared<PreAggregationDeclaration>,
  members: readonly string[],
  context: SqlContext,
): void {
  for (const [index, { name, columns, sql }] of (value.indexes ?? []).entries()) {
    const place = within(at, "indexes", index);
    if ((columns === undefined) === (sql === undefined)) {
      const message = `the index ${name} needs exactly one of columns and sql`;
      context.problems.add(within(place, "name"), message);
    }
    columns?.forEach((text, position) => {
      const found = resolveMemberPath(text, within(place, "columns", position), context);
      if (found === undefined || members.includes(fullName(found))) return;
      const message = `the index ${name} has the column ${text}, which ${value.name} does not contain`;
      context.problems.add(within(place, "columns", position), message);
    });
  }
}

/** Adds the errors of a refresh key: it has `sql` with or without `every`, `every`, or `immutable`. */
export function checkRefreshKey(
  key: RefreshKeyDeclaration | undefined,
  at: Place,
  {
    problems,
    isPartitioned,
  }: {
    readonly problems: Problems;
    /** Undefined for the key of a cube, which has no partitions. */
    readonly isPartitioned?: boolean;
  },
): void {
  if (key === undefined) return;
  const isImmutable = key.immutable === true;
  if (key.sql === undefined && key.every === undefined && !isImmutable) {
    problems.add(at, "refresh_key needs sql, every or immutable: true");
  }
  if (isImmutable && (key.sql ?? key.every) !== undefined) {
    problems.add(at, "refresh_key is immutable and takes neither sql nor every");
  }
  for (const name of ["incremental", "update_window"] as const) {
    if (key[name] === undefined) continue;
    if (isPartitioned === undefined) {
      problems.add(within(at, name), `${name} is for the refresh key of a pre-aggregation`);
    } else if (!isPartitioned && name === "incremental" && key.incremental === true) {
      const message = "refresh_key is incremental, which needs partition_granularity";
      problems.add(within(at, name), message);
    }
  }
  if (key.every === undefined || new RegExp(intervalPattern).test(key.every)) return;
  if (key.sql !== undefined) {
    const message = "refresh_key has sql, so every must be an interval such as 1 hour";
    return problems.add(within(at, "every"), message);
  }
  try {
    parseCron(key.every, "UTC", "5-or-6-parts");
  } catch {
    problems.add(
      within(at, "every"),
      `${JSON.stringify(key.every)} is neither an interval, such as 1 hour, nor a cron expression, such as 0 * * * *`,
    );
  }
}
