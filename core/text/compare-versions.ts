// Compares versions of three numbers. Own code: semver mostly handles pre-releases, which versions of the platform and
// of svc do not have.

/** Compares versions. Returns a negative number if `left` is older. */
export function compareVersions(left: string, right: string): number {
  const [mine, theirs] = [left, right].map((one) => one.split(".").map(Number));
  for (const index of [0, 1, 2]) {
    const difference = (mine?.[index] ?? 0) - (theirs?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
