// Collects the result of each write of a verb.
import { type Failure, invariant } from "../core/errors.ts";
import type { Secret } from "../core/secret.ts";

/** The response of a create, also if a following update failed. */
export interface CreateAnswer {
  /** The generated secret. It is not available again. */
  readonly generatedSecret?: Secret;
  /** The server's ID of the object, where the response has it. */
  readonly id?: number | string;
}

/** The result of writing one object. */
export type Result = CreateAnswer & ({ readonly ok: true } | FailedResult);

/** The result of a write that failed. */
export interface FailedResult {
  readonly ok: false;
  readonly failure: Failure;
  /** Whether the create succeeded and a following update failed. */
  readonly created: boolean;
  /** True if the object exists and nothing shows who created it: this write, or another client that made the server refuse it. */
  readonly isOwnerUncertain?: true;
  /** Whether an earlier call of the write succeeded: the create, or one of the calls of an update. */
  readonly partial: boolean;
  /** The top-level spec fields that these calls of an update wrote. */
  readonly written: ReadonlySet<string>;
}

/** Collects results by index. The first result of each write is kept. */
export interface ResultCollector {
  isPending(index: number): boolean;
  /** Stores the response of a create for its result. */
  addAnswer(index: number, answer: CreateAnswer): void;
  /** Notes that one of several calls of a write succeeded, which wrote these fields. */
  addPart(index: number, fields: ReadonlySet<string>): void;
  /** Sets the result. Without a failure, the write succeeded. `created` means that the object exists although the write failed. */
  finish(index: number, failure?: Failure, created?: boolean): void;
  /** Sets the result of a create whose object exists, and may belong to another client. */
  finishUncertainOwner(index: number, failure: Failure): void;
  /** Returns the results of all `count` writes, which must be finished. */
  results(count: number): readonly Result[];
}

/** Creates a collector that reports each result as soon as it is final. */
export function createResultCollector(
  onResult: ((index: number, result: Result) => void) | undefined,
): ResultCollector {
  const results = new Map<number, Result>();
  const answers = new Map<number, CreateAnswer>();
  const parts = new Map<number, ReadonlySet<string>>();
  const set = (index: number, result: Result): void => {
    if (results.has(index)) return;
    results.set(index, result);
    onResult?.(index, result);
  };
  return {
    isPending: (index) => !results.has(index),
    addAnswer: (index, answer) => void answers.set(index, answer),
    addPart: (index, fields) =>
      void parts.set(index, new Set([...(parts.get(index) ?? []), ...fields])),
    finish: (index, failure, created = false) => {
      const answer = answers.get(index);
      const written = parts.get(index) ?? new Set();
      const partial = created || parts.has(index);
      const failed = failure && ({ ok: false, failure, created, partial, written } as const);
      set(index, { ...(failed ?? { ok: true }), ...answer });
    },
    finishUncertainOwner: (index, failure) =>
      set(index, {
        ok: false,
        failure,
        created: false,
        isOwnerUncertain: true,
        partial: false,
        written: new Set(),
      }),
    results: (count) =>
      Array.from({ length: count }, (_, index) => {
        const result = results.get(index);
        invariant(result !== undefined, "a write ended without a result");
        return result;
      }),
  };
}
