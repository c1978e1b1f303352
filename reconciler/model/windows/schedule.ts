// When a window or a freeze holds, and when that changes next: pure, by cron in the rule's own time zone.
import { Cron } from "croner";
import { expiresAt } from "../../../core/lifecycle-rules.ts";
import { milliseconds } from "../duration.ts";

/** When a freeze holds, as ISO 8601 moments; without `from`, from ever. */
export interface Period {
  readonly from?: string;
  readonly to: string;
}

/** When a window opens and for how long, as cron and a length of time in the rule's own time zone. */
export interface Recurrence {
  readonly schedule: string;
  /** An IANA time zone; UTC where none is said. */
  readonly timeZone?: string;
  readonly duration: string;
  /** After this day it never opens again. */
  readonly expires?: string;
}

/** When a rule holds. Moments are milliseconds since 1970. */
export interface Timing {
  /** It holds at that moment. */
  holds(at: number): boolean;
  /** Of one that holds, a moment until which it does; of another, when it may hold next. Infinite where that is never. */
  nextChange(at: number): number;
  /** It will hold at no moment from `at` on. */
  isExpired(at: number): boolean;
}

/** True for a cron schedule of five fields that comes at some time. */
export function isSchedule(schedule: string, timeZone: string): boolean {
  try {
    return cron(schedule, timeZone).nextRun(new Date()) !== null;
  } catch {
    return false;
  }
}

/** The timing of a freeze. */
export function timingOfFreeze({ from, to }: Period): Timing {
  const begin = from === undefined ? -Infinity : Date.parse(from);
  const end = Date.parse(to);
  return {
    holds: (at) => begin <= at && at < end,
    nextChange: (at) => (at < begin ? begin : at < end ? end : Infinity),
    isExpired: (at) => at >= end,
  };
}

/**
 * The timing of a window. A time of day that a change of clocks skips comes right after the gap; one that comes twice counts
 * once, the first time. The duration is time that passes, so a window that spans such a change ends an hour off by the clock.
 */
export function timingOfWindow({
  schedule,
  timeZone = "UTC",
  duration,
  expires,
}: Recurrence): Timing {
  const job = cron(schedule, timeZone);
  const lasts = milliseconds(duration);
  const end = expiresAt({ expires }).getTime();
  const lastStart = (at: number): number => {
    // Runs are whole seconds, and those before the given one are answered: one more lets `at` itself count.
    const until = new Date((Math.floor(at / 1000) + 1) * 1000);
    return job.previousRuns(1, until)[0]?.getTime() ?? -Infinity;
  };
  return {
    holds: (at) => at < end && at < lastStart(at) + lasts,
    nextChange: (at) => {
      const ends = lastStart(at) + lasts;
      if (at < ends) return Math.min(ends, end);
      return Math.min(job.nextRun(new Date(at))?.getTime() ?? Infinity, end);
    },
    isExpired: (at) => at >= end,
  };
}

function cron(schedule: string, timezone: string): Cron {
  return new Cron(schedule, { timezone, mode: "5-part", paused: true });
}
