// Bundles what Pulumi needs: the plugin as one file with a launcher, and the SDK as one module with its types.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";
import { launcherOf } from "./launcher.mjs";

const { version, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** What the engine starts where it finds a program of the plugin's name; it shows standard error. */
const launcher = launcherOf({ what: "plugin", file: "plugin.cjs", tell: 2, caches: true });

/** How the engine starts it through its language host, where the launcher cannot run. */
const pluginYaml = `runtime:
  name: nodejs
  options:
    typescript: false
`;

/** Writes the plugin into a folder: `plugin.cjs`, which needs nothing beside it, and what starts it. */
export async function bundlePlugin(folder) {
  await build({
    absWorkingDir: root,
    entryPoints: ["provider/pulumi/main.ts"],
    outfile: join(folder, "plugin.cjs"),
    bundle: true,
    minify: true,
    format: "cjs",
    platform: "node",
    target: "node22.19",
    legalComments: "none",
    // Only Node's own modules have it, and they are not what runs here.
    logOverride: { "empty-import-meta": "silent" },
    logLevel: "warning",
  });
  const manifest = {
    name: "pulumi-resource-svc",
    version,
    private: true,
    main: "plugin.cjs",
    dependencies: { "@pulumi/pulumi": peerDependencies["@pulumi/pulumi"] },
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  writeFileSync(join(folder, "PulumiPlugin.yaml"), pluginYaml);
  writeFileSync(join(folder, "pulumi-resource-svc"), launcher);
  chmodSync(join(folder, "pulumi-resource-svc"), 0o755);
}

/** Writes the SDK into a folder: one CommonJS module, as Pulumi's own packages are, and its types. */
export async function bundleSdk(folder) {
  await build({
    absWorkingDir: root,
    entryPoints: ["provider/pulumi/sdk/index.ts"],
    outfile: join(folder, "index.js"),
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node22.19",
    external: ["@pulumi/pulumi"],
    logLevel: "warning",
  });
  writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }\n');
  const compiler = join(root, "node_modules", ".bin", "tsc");
  const flags =
    "--declaration --emitDeclarationOnly --noEmit false --module nodenext --target es2024 --strict --skipLibCheck --allowImportingTsExtensions --types node";
  const entry = join(root, "provider", "pulumi", "sdk", "index.ts");
  const args = [...flags.split(" "), "--ignoreConfig", "--outDir", folder, entry];
  const told = spawnSync(compiler, args, { cwd: root, encoding: "utf8" });
  if (told.status !== 0) throw new Error(`${told.stdout}${told.stderr}${told.error ?? ""}`);
  for (const file of readdirSync(folder, { recursive: true })) {
    if (file.endsWith(".d.ts")) compiled(join(folder, file));
  }
}

/** Types name each other as what is there: the compiled modules. */
function compiled(file) {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/(from "\.[^"]*)\.ts";/g, '$1.js";'));
}

const [, script, what, folder] = process.argv;
if (script === import.meta.filename && folder !== undefined) {
  await (what === "sdk" ? bundleSdk : bundlePlugin)(folder);
}
