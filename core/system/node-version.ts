// The Node.js versions that the packages support.

/** The oldest supported version. */
const minimumVersion = { major: 22, minor: 19 } as const;

/** Returns why a version of Node.js is not supported; undefined if it is. */
export function nodeVersionError(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isEnough =
    major > minimumVersion.major ||
    (major === minimumVersion.major && minor >= minimumVersion.minor);
  return isEnough
    ? undefined
    : `needs Node.js ${minimumVersion.major}.${minimumVersion.minor} or newer, and this is ${version}`;
}
