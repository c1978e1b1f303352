// The results of a verb, one for each subject, each told once.
import { type Failure, invariant } from "../core/errors.ts";
import type { Secret } from "../core/secret.ts";

/**
 * How a write of one object ended; `made` where a create brought the object about and failed only at what follows. `minted`
 * is the secret that a create was given, there for the only time, also where what follows the create failed.
 */
export type Result =
  | { readonly ok: true; readonly generatedSecret?: Secret }
  | {
      readonly ok: false;
      readonly failure: Failure;
      readonly created: boolean;
      readonly generatedSecret?: Secret;
    };

/** Collects results by the subject's index; the first one given stands. */
export interface ResultCollector {
  isPending(index: number): boolean;
  /** Keeps the secret that the subject's create was given, until the subject is finished. */
  addSecret(index: number, secret: Secret): void;
  /** Without a failure, it was carried out; `made` tells that the object exists all the same. */
  finish(index: number, failure?: Failure, made?: boolean): void;
  /** The results of all `count` subjects, which must be finished. */
  results(count: number): readonly Result[];
}

/** A tally that tells every result as soon as it is final. */
export function createResultCollector(
  tell: ((index: number, result: Result) => void) | undefined,
): ResultCollector {
  const results = new Map<number, Result>();
  const secrets = new Map<number, Secret>();
  return {
    isPending: (index) => !results.has(index),
    addSecret: (index, secret) => void secrets.set(index, secret),
    finish: (index, failure, made = false) => {
      if (results.has(index)) return;
      const secret = secrets.get(index);
      const secretPart = secret === undefined ? {} : { generatedSecret: secret };
      const result: Result =
        failure === undefined
          ? { ok: true, ...secretPart }
          : { ok: false, failure, created: made, ...secretPart };
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
