// Bundles the Pulumi plugin, its launcher and the SDK.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleProgram } from "./bundle-program.mjs";
import { bundleSdk } from "./bundle-sdk.mjs";
import { root } from "./install.mjs";

const { version, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** The program that the engine starts. The engine shows its standard error. */
const program = {
  entry: "provider/pulumi/main.ts",
  file: "plugin.mjs",
  name: "pulumi-resource-svc",
  what: "plugin",
  errorStream: 2,
};

/** Makes the engine start the plugin through the Node.js language host, on systems that cannot run the launcher. */
const pluginYaml = `runtime:
  name: nodejs
  options:
    typescript: false
`;

/** Writes the plugin into a folder: the self-contained `plugin.mjs` and its launchers. */
export async function bundlePlugin(folder) {
  await bundleProgram(folder, program);
  const manifest = {
    name: program.name,
    version,
    private: true,
    main: program.file,
    dependencies: { "@pulumi/pulumi": peerDependencies["@pulumi/pulumi"] },
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  writeFileSync(join(folder, "PulumiPlugin.yaml"), pluginYaml);
}

/** Writes the SDK into a folder. */
export async function bundlePulumiSdk(folder) {
  const entries = { index: "provider/pulumi/sdk/index.ts" };
  await bundleSdk(folder, { entries, external: ["@pulumi/pulumi"] });
}

const [, script, what, folder] = process.argv;
if (script === import.meta.filename && folder !== undefined) {
  await (what === "sdk" ? bundlePulumiSdk : bundlePlugin)(folder);
}
