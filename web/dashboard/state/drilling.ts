// What is behind a value of a chart: the query for the rows of its measure. Pure.
import type { ChartValue } from "../../../charts/index.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import type { LoadedResult } from "./results.ts";
import { listOf, objectOf, textOf } from "./widgets.ts";

/** A value whose rows a viewer asks for. */
export interface DrillTarget {
  readonly member: string;
  readonly value: string;
  readonly query: JsonObject;
}

const rowsMost = 500;

/** Returns whether a measure of a result names members to drill to. */
export function mayDrill({ annotation }: LoadedResult): boolean {
  return Object.values(objectOf(annotation["measures"])).some(
    (one) => isObject(one) && listOf(one["drillMembers"]).length > 0,
  );
}

/** Returns the rows behind a row of a result: those of its first measure that names members to drill to. */
export function drillTarget(
  { table, query, annotation }: LoadedResult,
  rowIndex: number,
): DrillTarget | undefined {
  const row = table.rows[rowIndex];
  if (row === undefined) return undefined;
  const measures = objectOf(annotation["measures"]);
  const [member, described] =
    Object.entries(measures).find(
      ([, one]) => isObject(one) && listOf(one["drillMembers"]).length > 0,
    ) ?? [];
  if (member === undefined || !isObject(described)) return undefined;
  const grouped = objectOf(described["drillMembersGrouped"]);
  const dimensions = listOf(grouped["dimensions"] ?? described["drillMembers"]).map((one) =>
    textOf(one),
  );
  const beside = listOf(grouped["measures"]);
  const own = new Map(table.columns.map(({ name }, index) => [name, row[index] ?? null]));
  const filters: JsonValue[] = [...listOf(query["filters"])];
  for (const { name, kind } of table.columns) {
    const value = own.get(name) ?? null;
    if (kind !== "dimension") continue;
    filters.push(equalTo(name, value));
  }
  const timeDimensions = listOf(query["timeDimensions"]).flatMap((one) => {
    if (!isObject(one)) return [];
    const { dimension, granularity, dateRange } = one;
    const start =
      granularity === undefined
        ? undefined
        : own.get(`${textOf(dimension)}.${textOf(granularity)}`);
    const range = typeof start === "string" ? unitOf(start, textOf(granularity)) : dateRange;
    return range === undefined ? [] : [{ dimension, dateRange: range }];
  });
  const { segments, timezone } = query;
  return {
    member,
    value: String(own.get(member) ?? ""),
    query: {
      dimensions,
      ...(beside.length > 0 && { measures: beside }),
      filters,
      timeDimensions,
      ...(segments !== undefined && { segments }),
      ...(timezone !== undefined && { timezone }),
      limit: rowsMost,
    },
  };
}

/** Returns the filter on the rows with a value. */
export function equalTo(member: string, value: ChartValue): JsonObject {
  return value === null
    ? { member, operator: "notSet" }
    : { member, operator: "equals", values: [String(value)] };
}

/** Returns the first and the last moment of a unit of time that starts at a time; undefined for a custom granularity. */
function unitOf(start: string, granularity: string): readonly [string, string] | undefined {
  const from = new Date(`${start.replace(/Z?$/u, "")}Z`);
  if (Number.isNaN(from.getTime())) return undefined;
  const to = new Date(from);
  const months = { month: 1, quarter: 3, year: 12 }[granularity];
  const ms = {
    second: 1000,
    minute: 60_000,
    hour: 3_600_000,
    day: 86_400_000,
    week: 604_800_000,
  }[granularity];
  if (months !== undefined) to.setUTCMonth(to.getUTCMonth() + months);
  else if (ms === undefined) return undefined;
  else to.setTime(to.getTime() + ms);
  const local = (time: Date) => time.toISOString().slice(0, -1);
  return [local(from), local(new Date(to.getTime() - 1))];
}
