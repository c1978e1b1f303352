// Installs the package as users do: the SDK in node_modules and the plugin in Pulumi's plugin folder.
import { mkdtempSync } from "node:fs";
import { copyFile, cp, mkdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtPackages, installPlugin } from "../../support/svc-program.ts";
import packageFile from "../../../package.json" with { type: "json" };

const root = join(import.meta.dirname, "..", "..", "..");

/** A folder with the installed package. */
export interface Installation {
  readonly folder: string;
  /** `PULUMI_HOME`. */
  readonly home: string;
  /** Folder of the plugin. */
  readonly plugin: string;
  dispose(): Promise<void>;
}

/** Installs the SDK and the plugin into a new folder. Dispose of it after the tests. */
export async function installPackage(): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), "svc-pulumi-"));
  const home = join(folder, "pulumi-home");
  const plugin = join(home, "plugins", `resource-svc-v${packageFile.version}`);
  const library = join(folder, "node_modules", "svc-as-code");
  const sdk = join(library, "dist", "pulumi", "sdk");
  await mkdir(sdk, { recursive: true });
  await mkdir(join(folder, "node_modules", "@pulumi"));
  for (const name of ["@pulumi/pulumi", "@types"]) {
    await symlink(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  await copyFile(join(root, "package.json"), join(library, "package.json"));
  const { client } = await builtPackages();
  await cp(join(client, "pulumi", "sdk"), sdk, { recursive: true });
  await installPlugin("pulumi", join(home, "plugins"));
  return { folder, home, plugin, dispose: () => rm(folder, { recursive: true, force: true }) };
}
