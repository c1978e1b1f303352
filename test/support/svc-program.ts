// Both packages as they are published and installed, and the programs that tests start to kill or to measure them. A run
// builds all that once. Bundled, programs start in a third to a fifth of the time of the sources.
import {
  type ChildProcess,
  type ChildProcessByStdio,
  type ChildProcessWithoutNullStreams,
  execFile,
  spawn,
  type SpawnOptions,
  type SpawnOptionsWithoutStdio,
} from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { builtFolder } from "./built-folder.ts";

const root = join(import.meta.dirname, "../..");

const children = {
  "inventory-file-child": "./inventory-file-child.ts",
  "inventory-lock-child": "./inventory-lock-child.ts",
  "job-child": "./job-child.ts",
  "large-run-child": "./large-run-child.ts",
  "model-child": "./model-child.ts",
  "promote-child": "../promotion/promote-child.ts",
} as const;

/** The tool, and the folder of its compile cache. */
export interface SvcProgram {
  readonly file: string;
  readonly compileCache: string;
}

/** Returns the folder of all programs, which are bundled once a run. */
const programs = (): Promise<string> => builtFolder("programs", installPrograms);

const clientIn = (folder: string): string => join(folder, "svc-as-code");
const serviceIn = (folder: string): string =>
  join(clientIn(folder), "node_modules", "svc-as-code-service");

/** Returns the folders `dist` of both packages. Tests only read them. */
export async function builtPackages(): Promise<Readonly<Record<"client" | "service", string>>> {
  const folder = await programs();
  return { client: join(clientIn(folder), "dist"), service: join(serviceIn(folder), "dist") };
}

/** Returns the tool. */
export async function svcProgram(): Promise<SvcProgram> {
  const folder = await programs();
  return {
    file: join(clientIn(folder), "dist", "svc.js"),
    compileCache: join(folder, "compile-cache"),
  };
}

/** Starts the tool with arguments in a separate process. */
export function spawnSvc(
  args: readonly string[],
  options: SpawnOptionsWithoutStdio,
): Promise<ChildProcessWithoutNullStreams>;
export function spawnSvc(args: readonly string[], options: SpawnOptions): Promise<ChildProcess>;
export async function spawnSvc(
  args: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  const { file, compileCache } = await svcProgram();
  const env = { ...(options.env ?? process.env), NODE_COMPILE_CACHE: compileCache };
  return spawn(process.execPath, [file, ...args], { ...options, env });
}

/** Installs a plugin into a plugin folder, as the package does for users. */
export async function installPlugin(name: "terraform" | "pulumi", folder: string): Promise<void> {
  const { file, compileCache } = await svcProgram();
  const args = [file, "plugin", "install", name, "--plugin-dir", folder];
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };
  await promisify(execFile)(process.execPath, args, { env });
}

/** Starts one of the other programs in a separate process, whose output must be read. */
export async function spawnChild(
  name: keyof typeof children,
  args: readonly string[],
  variables: NodeJS.ProcessEnv = process.env,
): Promise<ChildProcessByStdio<null, Readable, null>> {
  const folder = await programs();
  return spawn(process.execPath, [join(folder, "children", `${name}.js`), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...variables, NODE_COMPILE_CACHE: join(folder, "compile-cache") },
  });
}

/** Builds and installs both packages, and the other programs; their dependencies come from this checkout. */
async function installPrograms(folder: string): Promise<void> {
  const client = clientIn(folder);
  const service = serviceIn(folder);
  mkdirSync(service, { recursive: true });
  cpSync(join(root, "package.json"), join(client, "package.json"));
  cpSync(join(root, "service", "package.json"), join(service, "package.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, "bundle-programs.mjs"),
    join(client, "dist"),
    join(service, "dist"),
    join(folder, "children"),
    ...Object.values(children).map((source) => join(import.meta.dirname, source)),
  ]);
}
