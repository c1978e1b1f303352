// Matrices are sampled: an ordinary run takes a few cases of each, and `SVC_TEST_ALL=1` takes all of them.

/** True where every case of every matrix runs, as in `npm run soak`. */
export const runsAllCases = process.env["SVC_TEST_ALL"] === "1";

/** Returns each `every`-th case of a matrix, from the first on; all cases where {@link runsAllCases}. */
export function sampled<T>(cases: readonly T[], every: number): readonly T[] {
  return runsAllCases ? cases : cases.filter((_, index) => index % every === 0);
}
