// Entry point of the self-contained executable. Unpacks the program that the executable contains and runs it; or, as
// SVC_RUN_AS_NODE says, runs the script that the first argument names, as Node.js would.
import { join } from "node:path";
import { getAsset, getRawAsset } from "node:sea";
import { pathToFileURL } from "node:url";
import { constants, Script } from "node:vm";
import { cacheFile } from "../../client/user-cache.ts";
import { type Contents, unpack } from "./unpack.ts";

/** Imports a module from a file: the `import` of an executable itself finds only the modules of Node.js. */
const importFile = new Script("(url) => import(url)", {
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
}).runInThisContext() as (url: string) => Promise<unknown>;

async function runScript(script: string, args: readonly string[]): Promise<void> {
  // Programs that the script starts are separate programs.
  delete process.env["SVC_RUN_AS_NODE"];
  process.argv = [process.execPath, script, ...args];
  await importFile(pathToFileURL(script).href);
}

async function runProgram(): Promise<void> {
  const contents = JSON.parse(getAsset("contents.json", "utf8")) as Contents;
  const read = (name: string): Uint8Array => new Uint8Array(getRawAsset(name));
  const program = join(unpack(cacheFile("programs"), contents, read), "dist", "svc.js");
  process.argv[1] = program;
  await importFile(pathToFileURL(program).href);
}

const [, , script, ...args] = process.argv;
if (process.env["SVC_RUN_AS_NODE"] !== undefined && script !== undefined) {
  void runScript(script, args);
} else {
  runProgram().catch((error: unknown) => {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
