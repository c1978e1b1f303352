// Divides the rows of a rollup by time, so that each statement reads a part, and a refresh only the newest parts. Pure.
import { type CalendarUnit, isCalendarUnit } from "../../core/text/calendar-units.ts";
import { limits } from "../../core/limits/limits.ts";
import type { CompiledPreAggregation } from "../model/types.ts";
import type { Dialect } from "../query/dialect.ts";
import { addInterval, addUnits, printTime, startOf } from "../query/local-time.ts";
import type { QueryFilter } from "../query/query-schema.ts";
import type { Statement } from "../query/sql-fragments.ts";
import { memberRef, nameOf } from "../query/model-index.ts";
import { edgeName } from "./rollup-names.ts";

/** The parts of the rows of a rollup, by a time in UTC. Times are in milliseconds since 1970. */
export interface RollupPartitions {
  /** The position of the column of the time. */
  readonly column: number;
  /** Writes the statement that returns the first and the last time. */
  readonly bounds: (dialect: Dialect) => Statement;
  /** Returns the filters of each part of the rows between two times, which are all rows. */
  readonly all: (first: number, last: number) => readonly (readonly QueryFilter[])[];
  /** Returns the start of the rows that a refresh stores again, and their filters; undefined for all rows. */
  readonly newest: (
    builtAt: number,
  ) => { readonly from: string; readonly filters: readonly QueryFilter[] } | undefined;
}

/** The columns of a rollup. */
interface PartitionedColumns {
  readonly times: readonly { readonly dimension: string; readonly granularity: string }[];
  readonly dimensions: readonly string[];
  /** The position of the first of the times. */
  readonly firstTime: number;
  readonly bounds: (dialect: Dialect, measures: readonly string[]) => Statement;
}

/** Returns the parts of a rollup that declares them. */
export function partitionsOf(
  { partitions, timeDimensions: [time] }: CompiledPreAggregation,
  { times, dimensions, firstTime, bounds }: PartitionedColumns,
): { readonly partitions?: RollupPartitions } {
  if (partitions === undefined || time === undefined) return {};
  const { dimension } = time;
  const { granularity, isIncremental, updateWindow } = partitions;
  const position = times.findIndex((one) => one.dimension === dimension);
  const unit = times[position]?.granularity;
  // The intervals of other granularities can start within those of a calendar.
  if (unit !== undefined && !isCalendarUnit(unit)) return {};
  const boundary = (at: number) => {
    const start = startOf(granularity, at);
    // A group is in one part.
    return unit === undefined ? start : startOf(unit, start);
  };
  const filter = (operator: "beforeDate" | "afterOrOnDate", at: number): QueryFilter => ({
    member: dimension,
    operator,
    values: [printTime(at)],
  });
  const { cube, member } = memberRef(dimension);
  const edges = (["first", "last"] as const).map((edge) =>
    nameOf({ cube, member: edgeName(edge, member) }),
  );
  const column = position < 0 ? dimensions.indexOf(dimension) : firstTime + position;
  return {
    partitions: {
      column,
      bounds: (dialect) => bounds(dialect, edges),
      all(first, last) {
        const starts = boundaries(first, last, { granularity, boundary });
        return starts.length === 0
          ? [[]]
          : [
              [
                {
                  or: [
                    { member: dimension, operator: "notSet", values: [] },
                    filter("beforeDate", starts[0] ?? 0),
                  ],
                },
              ],
              ...starts.map((start, index) => {
                const end = starts[index + 1];
                return [
                  filter("afterOrOnDate", start),
                  ...(end === undefined ? [] : [filter("beforeDate", end)]),
                ];
              }),
            ];
      },
      newest(builtAt) {
        if (!isIncremental) return undefined;
        const at = updateWindow === undefined ? builtAt : addInterval(builtAt, updateWindow, -1);
        const start = boundary(at);
        return { from: printTime(start), filters: [filter("afterOrOnDate", start)] };
      },
    },
  };
}

/** Returns the starts of the parts after the first one, at most as many as a build may have statements. */
function boundaries(
  first: number,
  last: number,
  {
    granularity,
    boundary,
  }: { readonly granularity: CalendarUnit; readonly boundary: (at: number) => number },
): readonly number[] {
  const length = addUnits(0, 1, granularity);
  // Finer parts are read together.
  const step = Math.max(1, Math.ceil((last - first) / length / limits.rollupParts));
  const starts = new Set<number>();
  let at = addUnits(startOf(granularity, first), step, granularity);
  for (; at <= last && starts.size < limits.rollupParts; at = addUnits(at, step, granularity)) {
    starts.add(boundary(at));
  }
  return [...starts];
}
