// `npm run engines [-- NAME...]`: builds the engines that tests run, from pinned Go modules, into a cache outside the repository.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

/** An engine as a Go module builds it. */
interface Recipe {
  readonly module: string;
  readonly version: string;
  /** The package of the command, below the module. */
  readonly command: string;
}

const recipes: Readonly<Record<string, Recipe>> = {
  tofu: { module: "github.com/opentofu/opentofu", version: "v1.12.6", command: "cmd/tofu" },
};

/** Where the built engines lie. */
export const engineCache = join(
  process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
  "svc-as-code",
  "engines",
);

const run = promisify(execFile);
const buildMs = 60 * 60_000;

/** The Go command, on PATH or where its own installer puts it; undefined where there is none. */
function goCommand(): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/local/go/bin"];
  return folders.map((folder) => join(folder, "go")).find((path) => existsSync(path));
}

async function build(go: string, name: string, recipe: Recipe): Promise<void> {
  const { module, version, command } = recipe;
  const folder = mkdtempSync(join(tmpdir(), "svc-engine-"));
  const options = { cwd: folder, timeout: buildMs, maxBuffer: 1 << 26 };
  try {
    const gomod = join(folder, "go.mod");
    writeFileSync(gomod, "module engines\n\ngo 1.23\n");
    const tools = `package tools\n\nimport _ "${module}/${command}"\n`;
    writeFileSync(join(folder, "tools.go"), `//go:build tools\n\n${tools}`);
    await run(go, ["get", `${module}@${version}`], options);
    const { stdout } = await run(go, ["list", "-m", "-f", "{{.GoMod}}", module], options);
    // Only the main module's replacements count, so the engine's own are said again here.
    const replaced = readFileSync(stdout.trim(), "utf8").match(/^replace [^(\n]+$/gm) ?? [];
    writeFileSync(gomod, `${readFileSync(gomod, "utf8")}\n${replaced.join("\n")}\n`);
    mkdirSync(engineCache, { recursive: true });
    const target = join(engineCache, name);
    const args = ["build", "-mod=mod", "-trimpath", "-ldflags=-s -w", "-o", target];
    await run(go, [...args, `${module}/${command}`], options);
    writeFileSync(`${target}.version`, version);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isBuilt(name: string, { version }: Recipe): boolean {
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
        ? "no Go was found: install it, or put the engines on PATH"
        : `no such engine: ${unknown.join(", ")}; there are ${known}`,
    );
    process.exitCode = 64;
    return;
  }
  for (const [name, recipe] of Object.entries(recipes)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const said = isBuilt(name, recipe) ? "is there" : "is being built; that takes minutes";
    console.log(`${name} ${recipe.version} ${said}`);
    if (!isBuilt(name, recipe)) await build(go, name, recipe);
  }
  console.log(`The engines are in ${engineCache}.`);
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));
