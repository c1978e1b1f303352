// Selects cases of large matrices: a few in an ordinary run, more in continuous integration, and all with
// `SVC_TEST_CASES=all`.

const levels = ["few", "more", "all"] as const;

/**
 * How many cases a run takes, by `SVC_TEST_CASES`. `few`, the default: what an ordinary change needs. `more`: continuous
 * integration, also on another store and in other sizes, and where the command line names files. `all`: every case of every
 * matrix, before a release and after a change of what a matrix is about.
 */
const level = readLevel(process.env["SVC_TEST_CASES"] ?? "few");

/** True in continuous integration, and where every case runs. */
export const runsMoreCases = level !== "few";

/** True where every case of every matrix runs. */
export const runsAllCases = level === "all";

/** An ordinary run takes one of this many cases that continuous integration takes. */
const thinning = runsMoreCases ? 1 : 3;

/**
 * Returns at most `most` of the positions 1 to `count`, evenly apart, so that a matrix does not grow with what is declared, and
 * fewer in an ordinary run. Another `variant` takes other positions. Returns all positions where {@link runsAllCases}.
 */
export function sampledPositions(count: number, most: number, variant = 0): readonly number[] {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  if (runsAllCases) return all;
  const stride = Math.max(1, Math.ceil(count / Math.ceil(most / thinning)));
  return all.filter((position) => position % stride === variant % stride);
}

/**
 * Returns each `every`-th case of a matrix from the first, and fewer in an ordinary run; another `offset` takes other cases. Returns all cases where
 * {@link runsAllCases}.
 */
export function sampled<T>(cases: readonly T[], every = 1, offset = 0): readonly T[] {
  const stride = every * thinning;
  return runsAllCases ? cases : cases.filter((_, index) => index % stride === offset % stride);
}

function readLevel(text: string): (typeof levels)[number] {
  const found = levels.find((one) => one === text);
  if (found === undefined)
    throw new Error(`SVC_TEST_CASES is "${text}"; it must be one of ${levels.join(", ")}`);
  return found;
}
