// `npm run engines [-- NAME...]`: builds programs that tests need, such as OpenTofu, from pinned Go modules into a cache outside
// the repository.
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

/** How to build a program from Go modules. */
interface BuildRecipe {
  readonly module: string;
  readonly version: string;
  /** Go packages by file name. */
  readonly commands: Readonly<Record<string, string>>;
  /** Flags for the linker. */
  readonly linkerFlags: string;
  /** How to install the program without a build. */
  readonly manualInstallHint: string;
}

const recipes: Readonly<Record<string, BuildRecipe>> = {
  tofu: {
    module: "github.com/opentofu/opentofu",
    version: "v1.12.6",
    commands: { tofu: "github.com/opentofu/opentofu/cmd/tofu" },
    linkerFlags: "-s -w",
    manualInstallHint: "Put tofu, or terraform, on PATH.",
  },
  age: {
    module: "filippo.io/age",
    version: "v1.2.1",
    commands: { age: "filippo.io/age/cmd/age", "age-keygen": "filippo.io/age/cmd/age-keygen" },
    linkerFlags: "-s -w",
    manualInstallHint: "Put age and age-keygen on PATH; Debian's package age has both.",
  },
  sops: {
    module: "github.com/getsops/sops/v3",
    version: "v3.11.0",
    commands: { sops: "github.com/getsops/sops/v3/cmd/sops" },
    linkerFlags: "-s -w",
    manualInstallHint: "Put sops on PATH.",
  },
};

/** The cache folder of built programs. */
export const engineCache = join(
  process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
  "svc-as-code",
  "engines",
);

const run = promisify(execFile);
const fetchMs = 10 * 60_000;
const buildMs = 60 * 60_000;

/** Finds a program on PATH or in the cache; undefined if there is none. */
export function findEngine(name: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), engineCache];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Finds the Go command on PATH or in its default folder; undefined if there is none. */
function goCommand(): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/local/go/bin"];
  return folders.map((folder) => join(folder, "go")).find((path) => existsSync(path));
}

async function build(go: string, name: string, recipe: BuildRecipe): Promise<void> {
  const { module, version, commands, linkerFlags: link } = recipe;
  const folder = mkdtempSync(join(tmpdir(), "svc-engine-"));
  mkdirSync(engineCache, { recursive: true });
  // The build folder is on the same file system as the cache, so that finished programs move atomically.
  const aside = mkdtempSync(join(engineCache, ".building-"));
  const options = { cwd: folder, timeout: fetchMs, maxBuffer: 1 << 26 };
  try {
    const gomod = join(folder, "go.mod");
    writeFileSync(gomod, "module engines\n\ngo 1.23\n");
    const imports = Object.values(commands).map((command) => `import _ "${command}"\n`);
    const tools = `package tools\n\n${imports.join("")}`;
    writeFileSync(join(folder, "tools.go"), `//go:build tools\n\n${tools}`);
    await run(go, ["get", `${module}@${version}`], options);
    const { stdout } = await run(go, ["list", "-m", "-f", "{{.GoMod}}", module], options);
    // Go uses only the main module's replacements, so this copies the program's replacements, except those by local folders.
    const replaced = readFileSync(stdout.trim(), "utf8").match(/^replace [^(\n]+$/gm) ?? [];
    const others = replaced.filter((line) => !/=>\s*\.\.?\//.test(line));
    writeFileSync(gomod, `${readFileSync(gomod, "utf8")}\n${others.join("\n")}\n`);
    for (const [file, command] of Object.entries(commands)) {
      const target = join(aside, file);
      const args = ["build", "-mod=mod", "-trimpath", `-ldflags=${link}`, "-o", target, command];
      await run(go, args, { ...options, timeout: buildMs });
    }
    for (const file of Object.keys(commands))
      renameSync(join(aside, file), join(engineCache, file));
    writeFileSync(join(engineCache, `${name}.version`), version);
  } finally {
    rmSync(aside, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the last line of Go's output, which is the reason of the failure. */
function reasonOf(error: unknown): string {
  const { stderr, message } = error as { readonly stderr?: string; readonly message: string };
  return (stderr ?? message).trim().split("\n").at(-1) ?? message;
}

function isBuilt(name: string, { version }: BuildRecipe): boolean {
  const marker = join(engineCache, `${name}.version`);
  return existsSync(marker) && readFileSync(marker, "utf8") === version;
}

async function main(wanted: readonly string[]): Promise<void> {
  const unknown = wanted.filter((name) => !Object.hasOwn(recipes, name));
  const go = goCommand();
  if (unknown.length > 0 || go === undefined) {
    const known = Object.keys(recipes).join(", ");
    console.error(
      go === undefined
        ? "Go was not found; install it, or put the programs on PATH"
        : `unknown program: ${unknown.join(", ")}; known: ${known}`,
    );
    process.exitCode = 64;
    return;
  }
  const missing: string[] = [];
  for (const [name, recipe] of Object.entries(recipes)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const state = isBuilt(name, recipe) ? "is already built" : "is being built; this takes minutes";
    console.log(`${name} ${recipe.version} ${state}`);
    if (isBuilt(name, recipe)) continue;
    try {
      await build(go, name, recipe);
    } catch (error) {
      console.error(`cannot build ${name} from Go modules: ${reasonOf(error)}`);
      console.error(recipe.manualInstallHint);
      missing.push(name);
      // Without names, a failed build is not an error.
      if (wanted.includes(name)) process.exitCode = 1;
    }
  }
  console.log(`The programs are in ${engineCache}.`);
  if (missing.length > 0) console.error(`Missing: ${missing.join(", ")}.`);
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));
