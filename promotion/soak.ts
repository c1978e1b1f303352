// How long a verification holds, and the soak time of a version: when its checks are due again, and when it is over.
import type { Stage } from "./pipeline.ts";
import type { Verification } from "./record.ts";

type SoakRules = Pick<Stage, "soakMs" | "everyMs">;

/** Returns whether a verification has not expired. */
export function isVerificationValid(
  { at }: Pick<Verification, "at">,
  { validForMs }: Pick<Stage, "validForMs">,
  now: Date,
): boolean {
  return validForMs === undefined || now.getTime() - Date.parse(at) < validForMs;
}

/** Returns the end of the soak time, in milliseconds since the epoch. */
export function soakEnd(
  { soakMs }: Pick<Stage, "soakMs">,
  { since }: Pick<Verification, "since">,
): number {
  return Date.parse(since) + soakMs;
}

/** Returns whether the last verification failed and was tolerated. */
function isLastFailed({ evidence }: Pick<Verification, "evidence">): boolean {
  return evidence.some(({ passed }) => !passed);
}

/** Returns whether the repeated checks of a soak time, of which the last is at its end, have not all passed yet. */
export function lacksChecks(stage: SoakRules, verification: Verification): boolean {
  if (stage.everyMs === undefined) return false;
  const isEarly = Date.parse(verification.at) < soakEnd(stage, verification);
  return isEarly || isLastFailed(verification);
}

/** Returns whether the stage still runs a version that it has to check again. */
export function isSoaking(stage: SoakRules, verification: Verification): boolean {
  const { passed, leftAt } = verification;
  return passed && leftAt === undefined && lacksChecks(stage, verification);
}

/**
 * Returns when the checks of a version that soaks are due: `every` after the last ones, and at the end of the soak time. Undefined if
 * they are not repeated.
 */
export function nextCheck(stage: SoakRules, verification: Verification): number | undefined {
  if (stage.everyMs === undefined || !isSoaking(stage, verification)) return undefined;
  const next = Date.parse(verification.at) + stage.everyMs;
  return isLastFailed(verification) ? next : Math.min(next, soakEnd(stage, verification));
}
