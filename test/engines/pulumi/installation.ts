// Installs the package as users do: the SDK in node_modules and the plugin in Pulumi's plugin folder.
import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { copyFile, mkdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { pluginFiles } from "../../../cli/commands/plugin-pulumi.ts";
import packageFile from "../../../package.json" with { type: "json" };

const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..", "..");
const bundler = join(root, "scripts", "bundle-pulumi.mjs");

/** A folder with the installed package. */
export interface Installation {
  readonly folder: string;
  /** `PULUMI_HOME`. */
  readonly home: string;
  /** Folder of the plugin. */
  readonly plugin: string;
  dispose(): Promise<void>;
}

/** Bundles the SDK and the plugin into a new folder. Dispose of it after the tests. */
export async function installPackage(): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), "svc-pulumi-"));
  const home = join(folder, "pulumi-home");
  const plugin = join(home, "plugins", `resource-svc-v${packageFile.version}`);
  const library = join(folder, "node_modules", "svc-as-code");
  const sdk = join(library, "dist", "pulumi", "sdk");
  await mkdir(sdk, { recursive: true });
  await mkdir(plugin, { recursive: true });
  await mkdir(join(folder, "node_modules", "@pulumi"));
  for (const name of ["@pulumi/pulumi", "@types"]) {
    await symlink(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  await copyFile(join(root, "package.json"), join(library, "package.json"));
  await run(process.execPath, [bundler, "plugin", plugin]);
  const installed = pluginFiles(process.platform);
  for (const name of ["package.json", "PulumiPlugin.yaml"]) {
    if (!installed.includes(name)) await rm(join(plugin, name));
  }
  await run(process.execPath, [bundler, "sdk", sdk]);
  return { folder, home, plugin, dispose: () => rm(folder, { recursive: true, force: true }) };
}
