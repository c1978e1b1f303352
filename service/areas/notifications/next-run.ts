// Computes when a notification runs next. Pure.
import { parseCron } from "../../../core/text/cron.ts";
import { toTimestamp } from "../../store/codec.ts";

/** The stored form of a schedule. */
export interface RunSchedule {
  readonly cron_expression: string;
  readonly timezone: string;
}

/**
 * Returns the first time of a schedule after an instant; null if there is none. A local time that a change of the
 * clocks skips runs right after the change, and a repeated local time runs once.
 */
export function nextRun(schedule: RunSchedule, after: Date): string | null {
  const { cron_expression, timezone } = schedule;
  const next = parseCron(cron_expression, timezone).nextRun(after);
  return next === null ? null : toTimestamp(next);
}
