// The Node.js that what is shipped runs on.

/** The oldest that will do. */
const oldest = { major: 22, minor: 19 } as const;

/** Why a Node.js of this version will not do; undefined where it will. */
export function tooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isEnough = major > oldest.major || (major === oldest.major && minor >= oldest.minor);
  return isEnough
    ? undefined
    : `needs Node.js ${oldest.major}.${oldest.minor} or newer, and this is ${version}`;
}
