// Parses cron expressions of five fields: minute, hour, day of the month, month, day of the week. The library croner
// parses them and finds the runs; this file alone sets which forms are allowed and phrases the errors.
import { Cron } from "croner";

/** Parses an expression. Throws an error if it is invalid. Data models may have a field for seconds, before the others. */
export function parseCron(
  expression: string,
  timeZone: string,
  mode: "5-part" | "5-or-6-parts" = "5-part",
): Cron {
  return new Cron(expression, { timezone: timeZone, mode, paused: true });
}

const neverRuns = "it never runs";

/** Returns false for a cron expression of dates that do not exist, such as 30 February: the format `cron`. */
export function runsEver(expression: string): boolean {
  return cronError(expression) !== neverRuns;
}

/** Returns why a text is not a cron expression of five fields that ever runs. Undefined if it is one. */
export function cronError(expression: string, timeZone = "UTC"): string | undefined {
  const count = expression.trim().split(/\s+/u).length;
  if (count !== 5) {
    const seconds = count === 6 ? ", without seconds" : "";
    return `it does not have five fields${seconds}: minute, hour, day of the month, month, day of the week`;
  }
  try {
    return parseCron(expression, timeZone).nextRun() === null ? neverRuns : undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return reason.replace(/^CronPattern: /u, "").replace(/^I/u, "i");
  }
}
