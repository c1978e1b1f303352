// Exit codes, and the table that maps failures to them.
import { type ErrorCode, isFailure } from "../../core/errors.ts";

/** Exit codes of every command. */
export const exitCodes = {
  /** Success, also if there was nothing to do. */
  done: 0,
  failed: 1,
  /** Drift, changes with `--detailed-exitcode`, or next steps of `promote run` without a mode. */
  changes: 2,
  /** Partly applied, or not convergent. */
  partial: 3,
  /** Stale plan, lock held, or conflict. */
  conflict: 4,
  /** Needs confirmation or approval. */
  confirmation: 5,
  /** Closed maintenance window, or freeze. */
  closed: 6,
  usage: 64,
  /** Not authenticated, or not authorized. */
  access: 77,
  interrupted: 130,
  terminated: 143,
} as const;

const exitCodeByError: Readonly<Record<ErrorCode, number>> = {
  invalid: exitCodes.failed,
  unauthenticated: exitCodes.access,
  forbidden: exitCodes.access,
  out_of_scope: exitCodes.access,
  not_found: exitCodes.failed,
  unknown_route: exitCodes.failed,
  unknown_host: exitCodes.failed,
  method_not_allowed: exitCodes.failed,
  conflict: exitCodes.conflict,
  merge_conflict: exitCodes.conflict,
  upsert_branch_changed: exitCodes.conflict,
  in_progress: exitCodes.conflict,
  key_reused: exitCodes.failed,
  failed: exitCodes.failed,
  precondition_failed: exitCodes.conflict,
  too_large: exitCodes.failed,
  uri_too_long: exitCodes.failed,
  head_too_large: exitCodes.failed,
  unsupported_media_type: exitCodes.failed,
  limit_reached: exitCodes.failed,
  rate_limited: exitCodes.failed,
  internal: exitCodes.failed,
  unavailable: exitCodes.failed,
  not_offered: exitCodes.failed,
  missing_reference: exitCodes.failed,
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

/** Returns the exit code for a failure code. */
export function exitCodeOfError(code: ErrorCode): number {
  return exitCodeByError[code];
}

/** Returns the exit code for anything thrown; a bug is a failure too. */
export function exitCodeOf(error: unknown): number {
  if (!isFailure(error)) return exitCodes.failed;
  const isAsking = deleteConfirmation(error) !== undefined || needsPipelineApproval(error);
  return isAsking ? exitCodes.confirmation : exitCodeOfError(error.code);
}

/** The confirmation that a refusal of deletes asks for. */
export interface DeleteConfirmation {
  /** Number of deletes and replacements. */
  readonly deletes: number;
  /** Number of deletes and replacements that the stack, or the operator, allows. */
  readonly limit: number;
  /** Addresses of the conflicts in the plan; omitted if there are none. */
  readonly conflicts?: readonly string[];
}

/** Returns the confirmation that a refusal of deletes asks for; undefined for any other error. */
export function deleteConfirmation(error: unknown): DeleteConfirmation | undefined {
  if (!isFailure(error, "refused") || error.details?.["confirmation"] !== "deletes")
    return undefined;
  const { count, deleteLimit, conflicts } = error.details;
  const isListed = Array.isArray(conflicts);
  const counts = { deletes: Number(count), limit: Number(deleteLimit) };
  return { ...counts, ...(isListed && { conflicts: conflicts.map(String) }) };
}

/** Returns true for a refusal that an approval lifts. */
function needsPipelineApproval(error: unknown): boolean {
  return isFailure(error, "refused") && error.details?.["confirmation"] === "approval";
}

/** Exit codes from worst to best; any other one is a stopped run, which is worse. */
const byWeight: readonly number[] = [
  exitCodes.failed,
  exitCodes.access,
  exitCodes.usage,
  exitCodes.partial,
  exitCodes.conflict,
  exitCodes.closed,
  exitCodes.confirmation,
  exitCodes.changes,
  exitCodes.done,
];

/** Returns the worst exit code; 0 for none. */
export function worstExitCode(codes: readonly number[]): number {
  const [worst = exitCodes.done] = codes.toSorted(
    (one, other) => byWeight.indexOf(one) - byWeight.indexOf(other),
  );
  return worst;
}
