// Matrices are sampled: an ordinary run takes a few cases of each, and `SVC_TEST_ALL=1` takes all of them.

/** True where every case of every matrix runs. Run it before a release, and after a change of what a matrix is about. */
export const runsAllCases = process.env["SVC_TEST_ALL"] === "1";

/**
 * Returns at most `most` of the positions 1 to `count`, evenly apart, so that a matrix does not grow with what is declared. Another
 * `variant` takes other positions. Returns all positions where {@link runsAllCases}.
 */
export function sampledPositions(count: number, most: number, variant = 0): readonly number[] {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  if (runsAllCases) return all;
  const stride = Math.max(1, Math.ceil(count / most));
  return all.filter((position) => position % stride === variant % stride);
}

/** Returns each `every`-th case of a matrix, from the first on; all cases where {@link runsAllCases}. */
export function sampled<T>(cases: readonly T[], every: number): readonly T[] {
  return runsAllCases ? cases : cases.filter((_, index) => index % every === 0);
}
