// The Node.js version check in built files: code that any Node.js can read, so that an old one prints one clear line.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";

const { name, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const [, minimum] = /^>=(\d+\.\d+)$/u.exec(engines.node);
const [major, minor] = minimum.split(".").map(Number);

/** An expression that is true on a Node.js that is new enough. */
export const isNewEnough = `((major, minor) => major > ${major} || (major === ${major} && minor >= ${minor}))(...process.versions.node.split(".").map(Number))`;

/** Returns an expression for the message that Node.js is too old. */
export function tooOldText(what) {
  return `"${what} needs Node.js ${minimum} or newer, but this is " + process.versions.node + "; install a newer one, for example from https://nodejs.org"`;
}

/**
 * Makes the import of a module fail in one line on a Node.js that is too old. A stack trace would only name files of
 * this package.
 */
export const moduleCheck = `if (!${isNewEnough}) {
  const error = new Error(${tooOldText(name)});
  error.stack = "Error: " + error.message;
  throw error;
}`;
