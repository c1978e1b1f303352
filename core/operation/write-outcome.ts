// The outcome of one write of a batch, according to the response.
import type { Failure } from "../errors.ts";

/** How one write of a batch ended. */
export interface WriteOutcome {
  readonly failure?: Failure | undefined;
  /** The ID of the created object, where the response has it. */
  readonly id?: number | undefined;
}
