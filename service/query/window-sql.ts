// The windows of running measures as SQL: a row for each interval, and the conditions on a time within its window.
import type { RollingTime } from "./grouped-source.ts";
import { type Dialect, quote } from "./dialect.ts";
import { printTime } from "./local-time.ts";
import { toDateUnit, windowRows } from "./rolling.ts";
import type { RollingWindow } from "./measures.ts";
import { type Sql, sql } from "./sql-fragments.ts";
import { calendarGrid } from "./time-grid.ts";

const alias = quote("windows");

/** The start of the interval of a window. */
export const windowStart: Sql = sql`${alias}."start"`;

/** Writes the windows of all intervals of a range as a table. */
export function windowsTable(
  { range, granularity, gridOf }: RollingTime,
  window: RollingWindow,
  dialect: Dialect,
): Sql {
  const grid = { ...window, ...toDateOf(window, gridOf) };
  const rows = windowRows(range, granularity, grid).map(({ start, lower, upper }) =>
    [start, lower, upper].map((time) => (time === null ? null : printTime(time))),
  );
  return dialect.timesTable(alias, ["start", "lower", "upper"], rows);
}

function toDateOf(window: RollingWindow, gridOf: RollingTime["gridOf"]) {
  if (isFixed(window)) return {};
  const unit = toDateUnit(window);
  return { toDate: unit ? calendarGrid(unit) : gridOf(window.granularity ?? "") };
}

/** Writes the conditions that a time is in a window. */
export function windowConditions(
  local: Sql,
  window: RollingWindow,
  { isTime }: Pick<Dialect, "isTime">,
): readonly Sql[] {
  const conditions: Sql[] = [isTime(local, windowStart)];
  if (!isFixed(window) || window.trailing !== "unbounded")
    conditions.push(sql`${local} >= ${alias}."lower"`);
  if (!isFixed(window) || window.leading !== "unbounded")
    conditions.push(sql`${local} < ${alias}."upper"`);
  return conditions;
}

function isFixed({ type = "fixed" }: RollingWindow): boolean {
  return type === "fixed";
}
