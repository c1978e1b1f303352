// Explains which permissions a credential lacks when a plan fails because it may not read something.
import { Failure, isFailure } from "../../core/errors.ts";

const remedy =
  "A plan needs the permission ReadAll, and read access to the states of the inventory: see docs/how-to/plan-with-a-read-only-key.md.";

/** Adds the remedy to a refusal of a read; returns any other error unchanged. */
export function withReadRemedy(error: unknown): unknown {
  if (!isFailure(error, "forbidden") || error.remedy !== undefined) return error;
  const { code, message, details } = error;
  return new Failure(code, message, { cause: error, remedy, ...(details && { details }) });
}
