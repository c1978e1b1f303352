// The time shifts of multi-stage measures, as they change the times of a query.
import { Failure } from "../../core/errors.ts";
import type { CalendarShift, TimeShift } from "../model/types.ts";
import { parseInterval } from "./local-time.ts";
import { dimensionOf } from "./member-sql.ts";
import { nameOf } from "./model-index.ts";
import type { QueryContext } from "./query-context.ts";
import type { NormalizedQuery } from "./query-schema.ts";
import { visibleMember } from "./selection.ts";

/** Returns the shifts of time dimensions and calendars together with further ones. */
export function addTimeShifts(
  context: QueryContext,
  query: NormalizedQuery,
  shifts: readonly TimeShift[],
): Pick<QueryContext, "timeShifts" | "calendarShifts"> {
  const timeShifts = new Map(context.timeShifts);
  const calendarShifts = new Map(context.calendarShifts);
  const missing = new Set(shifts.flatMap((one) => ("name" in one ? [one.name] : [])));
  const shiftedTwice = (name: string) =>
    new Failure(
      "invalid",
      `${name} is shifted by SQL and again; use one of the shifts in a measure`,
    );
  for (const { dimension } of query.timeDimensions) {
    const ref = visibleMember(context, dimension, ["dimension"]);
    const name = nameOf(ref);
    const { timeShifts: declared = [], addGroupBy } = dimensionOf(context, ref);
    // A row of another time has the value of the group that it belongs to.
    if (addGroupBy !== undefined) continue;
    for (const shift of shifts) {
      if (!("name" in shift) && (shift.timeDimension ?? name) !== name) continue;
      const own = declared.find((one) => isShift(one, shift));
      if ("name" in shift && own === undefined) continue;
      if ("name" in shift) missing.delete(shift.name);
      const { interval, type } = { ...shift, ...own };
      const before = timeShifts.get(name) ?? [];
      if (own?.sql) {
        const other = calendarShifts.get(ref.cube);
        if (before.length > 0 || (other !== undefined && other !== own.sql))
          throw shiftedTwice(name);
        if (context.calendarShifts.has(ref.cube)) throw shiftedTwice(name);
        calendarShifts.set(ref.cube, own.sql);
      } else if (interval !== undefined) {
        if (calendarShifts.has(ref.cube)) throw shiftedTwice(name);
        // The values of an earlier time appear at a later time.
        timeShifts.set(name, [...before, { interval, sign: type === "prior" ? 1 : -1 }]);
      }
    }
  }
  const [unknown] = missing;
  if (unknown === undefined || query.timeDimensions.length === 0)
    return { timeShifts, calendarShifts };
  throw new Failure(
    "invalid",
    `no time dimension of the query has the time shift ${unknown}; use one of a calendar that declares it`,
  );
}

/** Returns whether a calendar declares a shift: under its name, or by its interval. */
function isShift(declared: CalendarShift, shift: TimeShift): boolean {
  if ("name" in shift) return declared.name === shift.name;
  if (declared.sql === undefined || declared.interval === undefined) return false;
  const parts = (text: string) => JSON.stringify(parseInterval(text));
  return declared.type === shift.type && parts(declared.interval) === parts(shift.interval);
}
