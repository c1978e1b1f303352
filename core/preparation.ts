// Calls that a write makes before the call of its operation.
import type { AnswerOf, Input, Operation, RequestOf } from "./operation.ts";

/** Calls any operation. */
export interface Caller {
  call<O extends Operation>(operation: O, input: Input<RequestOf<O>>): Promise<AnswerOf<O>>;
}

/** Calls before the call of an operation, which alone makes their effect visible. */
export interface Preparation<Subject, Fact = unknown, Prepared = unknown> {
  /** All operations that it calls. */
  readonly operations: readonly Operation[];
  /** Returns the number of calls for a write. */
  calls(subject: Subject): number;
  /** Makes the calls. `fact` is the value of the prerequisite. Removes what it made if it fails. */
  run(caller: Caller, subject: Subject, fact: Fact): Promise<Prepared>;
  /** Removes what it made, after the call of the operation failed. */
  undo(caller: Caller, prepared: Prepared): Promise<void>;
}
