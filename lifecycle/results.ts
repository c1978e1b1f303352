// Collects the result of each write of a verb.
import { type Failure, invariant } from "../core/errors.ts";
import type { Secret } from "../core/secret.ts";

/**
 * The result of writing one object. `created` means that a create succeeded and a following update failed.
 * `generatedSecret` is the secret of a create, also if a following update failed. It is not available again.
 */
export type Result =
  | { readonly ok: true; readonly generatedSecret?: Secret }
  | {
      readonly ok: false;
      readonly failure: Failure;
      readonly created: boolean;
      readonly generatedSecret?: Secret;
    };

/** Collects results by index. The first result of each write is kept. */
export interface ResultCollector {
  isPending(index: number): boolean;
  /** Stores the generated secret of a create for its result. */
  addSecret(index: number, secret: Secret): void;
  /** Sets the result. Without a failure, the write succeeded. `created` means that the object exists although the write failed. */
  finish(index: number, failure?: Failure, created?: boolean): void;
  /** Returns the results of all `count` writes, which must be finished. */
  results(count: number): readonly Result[];
}

/** Creates a collector that reports each result as soon as it is final. */
export function createResultCollector(
  onResult: ((index: number, result: Result) => void) | undefined,
): ResultCollector {
  const results = new Map<number, Result>();
  const secrets = new Map<number, Secret>();
  return {
    isPending: (index) => !results.has(index),
    addSecret: (index, secret) => void secrets.set(index, secret),
    finish: (index, failure, created = false) => {
      if (results.has(index)) return;
      const secret = secrets.get(index);
      const secretPart = secret === undefined ? {} : { generatedSecret: secret };
      const result: Result =
        failure === undefined
          ? { ok: true, ...secretPart }
          : { ok: false, failure, created, ...secretPart };
      results.set(index, result);
      onResult?.(index, result);
    },
    results: (count) =>
      Array.from({ length: count }, (_, index) => {
        const result = results.get(index);
        invariant(result !== undefined, "a write ended without a result");
        return result;
      }),
  };
}
