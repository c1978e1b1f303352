// Refresh keys of cubes: the condition under which a result is computed again. Pure.
import { parseCron } from "../../core/text/cron.ts";
import type { CompiledCube, RefreshKey } from "../model/types.ts";
import { addInterval, parseInterval } from "./local-time.ts";
import { templateSql } from "./member-sql.ts";
import type { QueryContext } from "./query-context.ts";
import { printSql, type Statement } from "./sql-fragments.ts";

/** The identity of the state of a cube's data. */
export interface RefreshCheck {
  /** Changes with time; constant if the data never changes. */
  readonly period: string;
  /** Its rows change with the data; it runs once in a period. */
  readonly statement?: Statement;
}

/** Words and calls whose values change by themselves: those of the time, of chance, of counters and of the connection. */
const changing = new RegExp(
  [
    String.raw`\b(?:current_(?:date|time|timestamp)|localtime(?:stamp)?|utc_(?:date|time|timestamp)|(?:table|using\s+)sample)\b`,
    String.raw`\b(?:age|ago|connection_id|curdate|currval|curtime|error|gen_random_uuid|nextval|last_insert_id|now|rand|random|setseed|sleep_ms|stats|sysdate|today|txid_current|write_log|current_(?:connection|query|transaction)\w*|get_current_\w+|pg_\w+_time|uuid\w*|\w+_timestamp)"?\s*\(`,
  ].join("|"),
  "iu",
);

/** Default interval for reading a database again if a cube does not declare one, and for its check statement. */
const everyDefault = "10 seconds";

/** Returns the check of data that can change at any time. */
export function defaultCheck(now: Date): RefreshCheck {
  return { period: periodOf(everyDefault, "UTC", now) };
}

/** Returns whether the result of SQL may change without a change of data, because it reads the time or chance. */
export function readsClock(text: string): boolean {
  return changing.test(text);
}

/** Returns the check that a cube declares; undefined if it declares none. */
export function refreshCheck(
  { refreshKey }: Pick<CompiledCube, "refreshKey">,
  context: QueryContext,
): RefreshCheck | undefined {
  if (refreshKey === undefined) return undefined;
  const { immutable = false, every = everyDefault, timezone = "UTC", sql } = refreshKey;
  if (immutable) return { period: "" };
  const period = periodOf(every, timezone, context.clock.now);
  return sql
    ? { period, statement: printSql(templateSql(sql, context), context.dialect) }
    : { period };
}

/** Returns a text that changes at each interval, or at each time of a cron expression. */
function periodOf(every: string, timezone: string, now: Date): string {
  if (parseInterval(every).length > 0) {
    return `${every} ${Math.floor(now.getTime() / lengthOfPeriod(every))}`;
  }
  const [last] = parseCron(every, timezone, "5-or-6-parts").previousRuns(1, now);
  return `${every} ${last?.toISOString() ?? ""}`;
}

/** Returns when the interval before the current one began, in milliseconds since 1970. */
export function previousPeriod(
  { immutable = false, every = everyDefault, timezone = "UTC" }: RefreshKey,
  now: Date,
): number {
  if (immutable) return Infinity;
  if (parseInterval(every).length > 0) {
    const length = lengthOfPeriod(every);
    return (Math.floor(now.getTime() / length) - 1) * length;
  }
  const [, before] = parseCron(every, timezone, "5-or-6-parts").previousRuns(2, now);
  return before?.getTime() ?? Infinity;
}

/** Returns the milliseconds of an interval. */
function lengthOfPeriod(every: string): number {
  return Math.max(addInterval(0, every), 1000);
}
