// Calls that a write makes before the call of its operation.
import type { Failure } from "../errors.ts";
import type { AnswerOf, Input, Operation, RequestOf } from "./operation.ts";

/** Calls any operation. */
export interface Caller {
  call<O extends Operation>(operation: O, input: Input<RequestOf<O>>): Promise<AnswerOf<O>>;
}

/** Calls any operation, and cleans up. */
export interface PreparingCaller extends Caller {
  /** Makes calls that clean up: also after the run was canceled, for a short time. */
  readonly cleanup: Caller;
}

/** Calls before the call of an operation. Only the operation makes their effect visible. */
export interface Preparation<Subject, Fact = unknown, Prepared = unknown> {
  /** All operations that it calls. */
  readonly operations: readonly Operation[];
  /** Returns the number of calls that write, for one write. */
  calls(subject: Subject): number;
  /**
   * Makes the calls. `fact` is the value of the prerequisite. Cleans up if it fails. Fails with `not_found` only if the
   * object, or one that contains it, does not exist.
   */
  run(caller: PreparingCaller, subject: Subject, fact: Fact): Promise<Prepared>;
  /** Returns why the operation did not have the prepared effect although its call succeeded; undefined if it did. */
  problem?(answer: unknown): Failure | undefined;
  /** Cleans up after the call of the operation failed. */
  undo(caller: Caller, prepared: Prepared): Promise<void>;
}
