// Creates a project of a user with the built package installed, without the sources.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { builtPackages } from "../support/svc-program.ts";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** The exit code and the output of a program. */
export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The project, whose folder is a module. */
export interface ConsumerProject {
  readonly folder: string;
  /** The installed package. */
  readonly package: string;
  /** Installs the service package too. */
  addService(): void;
  /** Writes a file below the folder. */
  writeStack(path: string, content: string): void;
  /** Runs Node in the folder. */
  node(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<CommandResult>;
  /** Runs the tool as the package installs it. */
  svc(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<CommandResult>;
  /** Returns the compiler's errors for files in the folder, in strict mode. */
  typeCheck(files: readonly string[]): Promise<string>;
  remove(): void;
}

/** Returns the packages that an installed package requires from npm. */
export function dependenciesOf(folder: string): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  return Object.keys(manifest.dependencies ?? {});
}

function link(name: string, modules: string): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true });
  symlinkSync(join(root, "node_modules", name), join(modules, name));
}

/** Installs the package into a new project. */
export async function makeConsumerProject(): Promise<ConsumerProject> {
  const folder = mkdtempSync(join(tmpdir(), "svc-consumer-"));
  const modules = join(folder, "node_modules");
  const own = join(modules, "svc-as-code");
  mkdirSync(own, { recursive: true });
  link("@types/node", modules);
  cpSync(join(root, "package.json"), join(own, "package.json"));
  const built = await builtPackages();
  cpSync(built.client, join(own, "dist"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const node: ConsumerProject["node"] = async (args, env = {}) => {
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { PATH, NODE_COMPILE_CACHE, HOME: folder, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close"),
    ]);
    return { code: child.exitCode, out, err };
  };
  return {
    folder,
    writeStack: (path, content) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    },
    package: own,
    addService: () => {
      const service = join(modules, "svc-as-code-service");
      mkdirSync(service);
      cpSync(join(root, "service/package.json"), join(service, "package.json"));
      cpSync(built.service, join(service, "dist"), { recursive: true });
      for (const name of dependenciesOf(service)) link(name, modules);
    },
    node,
    svc: (args, env) => node([join(own, "dist", "svc.js"), ...args], env),
    typeCheck: async (files) => {
      const flags =
        "--singleThreaded --noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --module nodenext --target es2024 --lib es2024,esnext.disposable --skipLibCheck --allowImportingTsExtensions --types node";
      const args = [...flags.split(" "), ...files];
      const reported = await run(join(root, "node_modules/.bin/tsc"), args, { cwd: folder }).catch(
        (error: unknown) => error as { stdout: string },
      );
      return reported.stdout;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
