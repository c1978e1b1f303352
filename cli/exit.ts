// The exit codes, and the one table that says which failure ends with which.
import { type ErrorCode, isFailure } from "../core/errors.ts";

/** What a run ends with. */
export const exits = {
  /** Done, or nothing to do. */
  done: 0,
  failed: 1,
  /** Changes or drift found. */
  changes: 2,
  /** Partly applied, or not convergent. */
  partly: 3,
  /** Stale plan, lock held, or conflict. */
  conflict: 4,
  /** Needs confirmation. */
  confirmation: 5,
  /** A closed window, or a freeze. */
  closed: 6,
  usage: 64,
  /** Not authenticated, or not allowed. */
  access: 77,
  interrupted: 130,
  terminated: 143,
} as const;

const byCode: Readonly<Record<ErrorCode, number>> = {
  invalid: exits.failed,
  unauthenticated: exits.access,
  forbidden: exits.access,
  not_found: exits.failed,
  unknown_route: exits.failed,
  unknown_host: exits.failed,
  method_not_allowed: exits.failed,
  conflict: exits.conflict,
  in_progress: exits.conflict,
  key_reused: exits.failed,
  too_large: exits.failed,
  uri_too_long: exits.failed,
  head_too_large: exits.failed,
  unsupported_media_type: exits.failed,
  limit_reached: exits.failed,
  rate_limited: exits.failed,
  internal: exits.failed,
  unavailable: exits.failed,
  not_offered: exits.failed,
  unreachable: exits.failed,
  timeout: exits.failed,
  unexpected_answer: exits.failed,
  unknown_outcome: exits.failed,
  stale: exits.conflict,
  locked: exits.conflict,
  corrupt: exits.failed,
  aborted: exits.interrupted,
  usage: exits.usage,
  refused: exits.failed,
  closed: exits.closed,
};

/** The exit code of a failure with this code. */
export function exitOfCode(code: ErrorCode): number {
  return byCode[code];
}

/** The exit code for anything thrown; a bug is a failure too. */
export function exitOf(error: unknown): number {
  if (!isFailure(error)) return exits.failed;
  const isAsking = confirmationOf(error) !== undefined || needsApproval(error);
  return isAsking ? exits.confirmation : exitOfCode(error.code);
}

/** Set on a refusal that the user can lift by confirming: how many deletes and replaces there are. */
export function confirmationOf(error: unknown): { readonly count: number } | undefined {
  if (!isFailure(error, "refused") || error.details?.["confirmation"] !== "deletes")
    return undefined;
  return { count: Number(error.details["count"]) };
}

/** True for a refusal that somebody's approval lifts. */
function needsApproval(error: unknown): boolean {
  return isFailure(error, "refused") && error.details?.["confirmation"] === "approval";
}
