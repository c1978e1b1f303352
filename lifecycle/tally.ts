// The results of a verb, one for each subject, each told once.
import { type Failure, invariant } from "../core/errors.ts";

/** How a write of one object ended; `made` where a create brought the object about and failed only at what follows. */
export type Result =
  | { readonly ok: true }
  | { readonly ok: false; readonly failure: Failure; readonly made: boolean };

/** Collects results by the subject's index; the first one given stands. */
export interface Tally {
  isOpen(index: number): boolean;
  /** Without a failure, it was carried out; `made` tells that the object exists all the same. */
  finish(index: number, failure?: Failure, made?: boolean): void;
  /** The results of all `count` subjects, which must be finished. */
  results(count: number): readonly Result[];
}

/** A tally that tells every result as soon as it is final. */
export function createTally(tell: ((index: number, result: Result) => void) | undefined): Tally {
  const results = new Map<number, Result>();
  return {
    isOpen: (index) => !results.has(index),
    finish: (index, failure, made = false) => {
      if (results.has(index)) return;
      const result: Result = failure === undefined ? { ok: true } : { ok: false, failure, made };
      results.set(index, result);
      tell?.(index, result);
    },
    results: (count) =>
      Array.from({ length: count }, (_, index) => {
        const result = results.get(index);
        invariant(result !== undefined, "a write ended without a result");
        return result;
      }),
  };
}
