// The command line tool and the service as installed packages. They start in a third of the time of the sources.
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { builtFolder, bundledFolder } from "./built-folder.ts";

const root = join(import.meta.dirname, "../..");

/** The tool, and where Node keeps what it compiled of it. */
export interface SvcProgram {
  readonly file: string;
  readonly compileCache: string;
}

/** Returns the tool, which is bundled once a run. */
export async function svcProgram(): Promise<SvcProgram> {
  const folder = await builtFolder("svc-program", installPackages);
  return {
    file: join(folder, "svc-as-code", "dist", "svc.js"),
    compileCache: join(folder, "compile-cache"),
  };
}

/** Starts the tool with arguments in a process of its own. */
export async function spawnSvc(
  args: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  const { file, compileCache } = await svcProgram();
  const env = { ...(options.env ?? process.env), NODE_COMPILE_CACHE: compileCache };
  return spawn(process.execPath, [file, ...args], { ...options, env });
}

/** Installs both packages; what they depend on comes from this checkout. */
async function installPackages(folder: string): Promise<void> {
  const client = join(folder, "svc-as-code");
  const service = join(client, "node_modules", "svc-as-code-service");
  mkdirSync(service, { recursive: true });
  cpSync(join(root, "package.json"), join(client, "package.json"));
  cpSync(join(root, "service", "package.json"), join(service, "package.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const [tool, served] = await Promise.all([
    bundledFolder("bundle-package", { after: ["tool"] }),
    bundledFolder("bundle-service"),
  ]);
  cpSync(tool, join(client, "dist"), { recursive: true });
  cpSync(served, join(service, "dist"), { recursive: true });
}
