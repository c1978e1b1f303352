// Runs scripts with the Node.js of this process. A self-contained executable contains Node.js; a variable makes it run a script.

/** Makes a self-contained executable run the script that its first argument names. */
const runAsNode = "SVC_RUN_AS_NODE";

/** A program to start, its arguments, and variables that its environment needs. */
export interface NodeCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Returns whether this program is a self-contained executable: Node.js and `svc` in one file. */
export function isExecutable(): boolean {
  return process.getBuiltinModule("node:sea").isSea();
}

/** Returns the command that runs a script with options of Node.js, such as `--permission`. */
export function nodeCommand(
  options: readonly string[],
  script: string,
  args: readonly string[] = [],
): NodeCommand {
  const file = process.execPath;
  if (!isExecutable()) return { file, args: [...options, script, ...args], env: {} };
  // An executable passes all of its arguments to the script.
  const NODE_OPTIONS = options.map(quoteOption).join(" ");
  return { file, args: [script, ...args], env: { [runAsNode]: "1", NODE_OPTIONS } };
}

/** Returns an option as Node.js reads it from NODE_OPTIONS, where a blank ends it and a backslash escapes. */
export function quoteOption(option: string): string {
  return `"${option.replaceAll(/["\\]/gu, "\\$&")}"`;
}
