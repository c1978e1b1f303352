// Entry point of the start of the built program, which the launcher loads after it has chosen a folder for compiled code.
import { getCompileCacheDir } from "node:module";
import { join } from "node:path";
import { startProgram } from "./program.ts";

/** Names the build, because V8 recognizes a source only by its length. */
declare const BUILD_DIGEST: string;

/** Each command runs other functions, and its help few of them. */
const [, , first = "", ...others] = process.argv;
const command = /^[a-z-]+$/.exec(first)?.[0] ?? "none";
const isHelp = others.some((one) => one === "--help" || one === "-h");
const folder = getCompileCacheDir();
const cacheFile = folder && join(folder, `${BUILD_DIGEST}-${command}${isHelp ? "-help" : ""}`);
startProgram(join(import.meta.dirname, "main.cjs"), cacheFile);
