// Tells a self-contained executable from an installed package.

/** Returns whether this program is a self-contained executable: Node.js and `svc` in one file. */
export function isExecutable(): boolean {
  return process.getBuiltinModule("node:sea").isSea();
}
