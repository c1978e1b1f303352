// The Node.js that what is shipped runs on.

/** The oldest that will do. */
const minimumVersion = { major: 22, minor: 19 } as const;

/** Why a Node.js of this version will not do; undefined where it will. */
export function nodeVersionError(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isEnough =
    major > minimumVersion.major ||
    (major === minimumVersion.major && minor >= minimumVersion.minor);
  return isEnough
    ? undefined
    : `needs Node.js ${minimumVersion.major}.${minimumVersion.minor} or newer, and this is ${version}`;
}
