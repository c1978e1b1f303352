// Checks properties whose runs are slow, and reports a counterexample in bounded time.
import fc from "fast-check";
import type { PropertyRuns } from "./arbitrary-values.ts";

/** Time for which a counterexample is shrunk. */
export const shrinkMs = 90_000;

/** Runs of a property, and values to try first. */
interface CheckedRuns<Ts> extends PropertyRuns {
  readonly examples?: Ts[];
}

/**
 * Checks a property as `fc.assert` does, but shrinks a counterexample for {@link shrinkMs} at most, and not at all
 * under CI. Shrinking a slow property can exceed the deadline of its test, which then does not report the
 * counterexample.
 */
export async function assertProperty<Ts>(
  property: fc.IAsyncProperty<Ts>,
  runs: CheckedRuns<Ts>,
  boundMs = shrinkMs,
): Promise<void> {
  const found = await fc.check(property, { ...runs, endOnFailure: true });
  if (!found.failed) return;
  const { counterexamplePath: path } = found;
  const smaller =
    path === null || runs.endOnFailure
      ? found
      : await fc.check(property, {
          ...runs,
          seed: found.seed,
          path,
          numRuns: 1,
          interruptAfterTimeLimit: boundMs,
          markInterruptAsFailure: false,
        });
  // A counterexample that does not fail again is reported without shrinking.
  const reported = smaller.failed && smaller.counterexamplePath !== null ? smaller : found;
  throw new Error(fc.defaultReportMessage(reported), { cause: reported.errorInstance });
}
