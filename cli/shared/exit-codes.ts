// The exit codes, and the one table that says which failure ends with which.
import { type ErrorCode, isFailure } from "../../core/errors.ts";

/** What a run ends with. */
export const exitCodes = {
  /** Done, or nothing to do. */
  done: 0,
  failed: 1,
  /** Changes or drift found. */
  changes: 2,
  /** Partly applied, or not convergent. */
  partial: 3,
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

const exitCodeByError: Readonly<Record<ErrorCode, number>> = {
  invalid: exitCodes.failed,
  unauthenticated: exitCodes.access,
  forbidden: exitCodes.access,
  not_found: exitCodes.failed,
  unknown_route: exitCodes.failed,
  unknown_host: exitCodes.failed,
  method_not_allowed: exitCodes.failed,
  conflict: exitCodes.conflict,
  in_progress: exitCodes.conflict,
  key_reused: exitCodes.failed,
  too_large: exitCodes.failed,
  uri_too_long: exitCodes.failed,
  head_too_large: exitCodes.failed,
  unsupported_media_type: exitCodes.failed,
  limit_reached: exitCodes.failed,
  rate_limited: exitCodes.failed,
  internal: exitCodes.failed,
  unavailable: exitCodes.failed,
  not_offered: exitCodes.failed,
  unreachable: exitCodes.failed,
  timeout: exitCodes.failed,
  unexpected_answer: exitCodes.failed,
  unknown_outcome: exitCodes.failed,
  stale: exitCodes.conflict,
  locked: exitCodes.conflict,
  corrupt: exitCodes.failed,
  aborted: exitCodes.interrupted,
  usage: exitCodes.usage,
  refused: exitCodes.failed,
  window_closed: exitCodes.closed,
};

/** The exit code of a failure with this code. */
export function exitCodeOfError(code: ErrorCode): number {
  return exitCodeByError[code];
}

/** The exit code for anything thrown; a bug is a failure too. */
export function exitCodeOf(error: unknown): number {
  if (!isFailure(error)) return exitCodes.failed;
  const isAsking = deleteConfirmation(error) !== undefined || needsPipelineApproval(error);
  return isAsking ? exitCodes.confirmation : exitCodeOfError(error.code);
}

/** Set on a refusal that the user can lift by confirming: how many deletes and replaces there are. */
export function deleteConfirmation(error: unknown): { readonly count: number } | undefined {
  if (!isFailure(error, "refused") || error.details?.["confirmation"] !== "deletes")
    return undefined;
  return { count: Number(error.details["count"]) };
}

/** True for a refusal that somebody's approval lifts. */
function needsPipelineApproval(error: unknown): boolean {
  return isFailure(error, "refused") && error.details?.["confirmation"] === "approval";
}
