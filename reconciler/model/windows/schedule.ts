// Computes when a window or freeze is active, by cron in the rule's time zone. Pure.
import { parseCron } from "../../../core/text/cron.ts";
import { expiresAt } from "../../../core/kind/lifecycle-rules.ts";
import { milliseconds } from "../../../core/text/duration.ts";

/** The time of a freeze, as ISO 8601 timestamps. Without `from`, the freeze has no start. */
export interface Period {
  readonly from?: string;
  readonly to: string;
}

/** The opening times of a window (cron, in the rule's time zone) and its duration. */
export interface Recurrence {
  readonly schedule: string;
  /** An IANA time zone. UTC by default. */
  readonly timeZone?: string;
  readonly duration: string;
  /** The last day on which it opens. */
  readonly expires?: string;
}

/** When a rule is active. Moments are milliseconds since 1970. */
export interface Timing {
  /** Returns true if the rule is active at that moment. */
  holds(at: number): boolean;
  /** Returns a moment until which an active rule stays active, or when an inactive one may become active. Infinity for never. */
  nextChange(at: number): number;
  /** Returns true if the rule is never active again from `at` on. */
  isExpired(at: number): boolean;
}

/** Returns the timing of a freeze. */
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
 * Returns the timing of a window. If daylight saving skips the start time, the window opens right after the gap. If a start
 * time occurs twice, the first one counts. The duration is elapsed time: a window across such a change ends an hour off.
 */
export function timingOfWindow({
  schedule,
  timeZone = "UTC",
  duration,
  expires,
}: Recurrence): Timing {
  const job = parseCron(schedule, timeZone);
  const length = milliseconds(duration);
  const end = expiresAt({ expires }).getTime();
  const lastStart = (at: number): number => {
    // croner returns runs before a whole second: add one second, so that a run at `at` itself counts.
    const until = new Date((Math.floor(at / 1000) + 1) * 1000);
    return job.previousRuns(1, until)[0]?.getTime() ?? -Infinity;
  };
  return {
    holds: (at) => at < end && at < lastStart(at) + length,
    nextChange: (at) => {
      const ends = lastStart(at) + length;
      if (at < ends) return Math.min(ends, end);
      return Math.min(job.nextRun(new Date(at))?.getTime() ?? Infinity, end);
    },
    isExpired: (at) => at >= end,
  };
}
