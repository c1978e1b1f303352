// Deadlines that are stored as dates. A clock that is set back would extend them, so a deadline also counts as over if
// it is too far in the future.
import { type RawBuilder, sql, type SqlBool } from "kysely";
import { toTimestamp } from "./codec.ts";

/** The time of a check, and the maximum distance of a correct deadline. */
export interface DeadlineBounds {
  readonly now: Date;
  /** The longest time from the write of the deadline to the deadline, in milliseconds. */
  readonly longestMs: number;
}

/** Maximum difference between the clocks of replicas. */
const clockSkewMs = 60_000;

/** Returns whether a deadline has passed, or is further ahead than the current clock could have set it. */
export function isDeadlineOver(deadline: string | null, bounds: DeadlineBounds): boolean {
  if (deadline === null) return true;
  return deadline <= toTimestamp(bounds.now) || deadline > latest(bounds);
}

/** True for rows where the deadline in `column` {@link isDeadlineOver | is over}. */
export function deadlineIsOver(column: string, bounds: DeadlineBounds): RawBuilder<SqlBool> {
  const ref = sql.ref(column);
  return sql<SqlBool>`(${ref} is null or ${ref} <= ${toTimestamp(bounds.now)} or ${ref} > ${latest(bounds)})`;
}

function latest({ now, longestMs }: DeadlineBounds): string {
  return toTimestamp(now.getTime() + longestMs + clockSkewMs);
}
