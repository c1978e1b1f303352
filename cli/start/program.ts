// Starts the built program with the code that V8 compiled in an earlier run of the same command. The compile cache of Node.js
// keeps what V8 compiles while it loads a module. The functions that run later, most of a start, were compiled each time.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { Script } from "node:vm";
import { defaultFlags, setFlag } from "../shared/v8-flags.ts";

/** Compiled code by the file that it is for. */
type CompiledCode = ReadonlyMap<string, Buffer>;

/**
 * Runs a CommonJS module. It, and what it requires by a relative path, uses the compiled code in `cacheFile`, which is written
 * if a file that the run loads is not in it.
 */
export function startProgram(main: string, cacheFile: string | undefined): void {
  const known = cacheFile === undefined ? undefined : readCode(cacheFile);
  const probe = new Script("0").createCachedData();
  const scripts = new Map<string, Script>();
  load(main, { known: known ?? new Map(), scripts });
  if (cacheFile === undefined) return;
  const isAccepted = scripts.get(basename(main))?.cachedDataRejected === false;
  const kept: CompiledCode = known !== undefined && isAccepted ? known : new Map();
  process.on("exit", (code) => {
    const isNew = [...scripts.keys()].some((name) => !kept.has(name));
    if (code === 0 && isNew) keepCode(cacheFile, { kept, scripts, probe });
  });
}

interface Loading {
  readonly known: CompiledCode;
  /** Receives the scripts by file, also those that the program loads later. */
  readonly scripts: Map<string, Script>;
}

/** Imports a package: a script of node:vm cannot. */
const importModule = (name: string): Promise<unknown> => import(name);

/** Loads a module with its required modules. The program may require them at any time. */
function load(main: string, { known, scripts }: Loading): void {
  const root = dirname(main);
  const modules = new Map<string, { readonly exports: object }>();
  const requireInstalled = createRequire(main);
  const loadFile = (file: string): object => {
    const loaded = modules.get(file);
    if (loaded !== undefined) return loaded.exports;
    const module = { exports: {} };
    modules.set(file, module);
    const name = relative(root, file);
    const text = readFileSync(file, "utf8");
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname, importModule) {${text}\n})`,
      {
        filename: file,
        cachedData: known.get(name),
      },
    );
    scripts.set(name, script);
    const folder = dirname(file);
    const requireFrom = (wanted: string): unknown => {
      if (!wanted.startsWith(".")) return requireInstalled(wanted);
      // To normalize the path of each of a thousand calls takes longer than to load most files.
      return loadFile(
        wanted.startsWith("./") ? `${folder}${wanted.slice(1)}` : join(folder, wanted),
      );
    };
    const run = script.runInThisContext() as (...given: readonly unknown[]) => void;
    run(module.exports, requireFrom, module, file, folder, importModule);
    return module.exports;
  };
  loadFile(main);
}

/** Reads what {@link keepCode} wrote; undefined if it is missing or damaged. */
function readCode(file: string): CompiledCode | undefined {
  try {
    const content = readFileSync(file);
    let at = content.indexOf("\n") + 1;
    const sizes = JSON.parse(content.toString("utf8", 0, at)) as readonly [string, number][];
    const code = new Map<string, Buffer>();
    for (const [name, size] of sizes) {
      code.set(name, content.subarray(at, at + size));
      at += size;
    }
    return at === content.length ? code : undefined;
  } catch {
    return undefined;
  }
}

interface KeptCode extends Pick<Loading, "scripts"> {
  /** Code of earlier runs, which may have loaded other files. */
  readonly kept: CompiledCode;
  readonly probe: Buffer;
}

/**
 * Writes the code of all functions that ran, and keeps the code of files that only earlier runs loaded. V8 accepts code
 * only with the flags that it was written with. So this resets the flags that commands set, and writes nothing if
 * `probe`, from the start, shows that other flags were set.
 */
function keepCode(file: string, { kept, scripts, probe }: KeptCode): void {
  for (const flag of defaultFlags) setFlag(flag);
  // V8 compares the length of a source, and this one was not compiled yet.
  if (new Script("1", { cachedData: probe }).cachedDataRejected !== false) return;
  const own = [...scripts].map(([name, script]) => [name, script.createCachedData()] as const);
  const codes = [...new Map([...kept, ...own])];
  const sizes = JSON.stringify(codes.map(([name, code]) => [name, code.length]));
  const unfinished = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    const content = Buffer.concat([Buffer.from(`${sizes}\n`), ...codes.map(([, code]) => code)]);
    writeFileSync(unfinished, content, { mode: 0o600, flush: true });
    renameSync(unfinished, file);
  } catch {
    // Without it, the next run compiles again.
    rmSync(unfinished, { force: true });
  }
}
