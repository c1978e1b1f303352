// Selects cases of large matrices: a few in an ordinary run, more in continuous integration, and all with
// `SVC_TEST_CASES=all`.

const levels = ["few", "more", "all"] as const;

/**
 * The number of cases in a run, by `SVC_TEST_CASES`. `few`, the default, is for an ordinary change. `more` is for
 * continuous integration, also on another store and in other sizes, and for files that the command line names. `all`
 * runs every case of every matrix, before a release and after a change of a matrix's subject.
 */
const level = readLevel(process.env["SVC_TEST_CASES"] ?? "few");

/** True in continuous integration, and if every case runs. */
export const runsMoreCases = level !== "few";

/** True if every case of every matrix runs. */
export const runsAllCases = level === "all";

/** An ordinary run takes one in this number of the cases of continuous integration. */
const thinning = runsMoreCases ? 1 : 3;

/**
 * Returns at most `most` of the positions 1 to `count`, evenly spaced, so that a matrix does not grow with the number
 * of declarations, and fewer in an ordinary run. Another `variant` takes other positions. Returns all positions if
 * {@link runsAllCases}.
 */
export function sampledPositions(count: number, most: number, variant = 0): readonly number[] {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  if (runsAllCases) return all;
  const stride = Math.max(1, Math.ceil(count / Math.ceil(most / thinning)));
  return all.filter((position) => position % stride === variant % stride);
}

/**
 * Returns each `every`-th case of a matrix from the first, and fewer in an ordinary run; another `offset` takes other
 * cases. Returns all cases if {@link runsAllCases}.
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
