// Builds the package of this checkout and installs it for a bench.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const root = join(import.meta.dirname, "..");

/** The programs of a built package. */
export interface BuiltPackage {
  /** Contains `dist/` and package.json. */
  readonly folder: string;
  readonly cli: string;
  /** Launcher of the Terraform provider. */
  readonly provider: string;
  /** Launcher of the Pulumi plugin. */
  readonly plugin: string;
  remove(): void;
}

/** Builds the package into a temporary folder and unpacks its plugins, as `svc plugin install` does. */
export function buildPackage(): BuiltPackage {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-package-"));
  const dist = join(folder, "dist");
  const script = join(root, "scripts", "build-package.mjs");
  execFileSync(process.execPath, [script, dist], { stdio: ["ignore", "ignore", "inherit"] });
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  const terraform = join(dist, "terraform");
  const pulumi = join(dist, "pulumi", "plugin");
  for (const plugin of [terraform, pulumi]) unpackPrograms(plugin);
  return {
    folder,
    cli: join(dist, "svc.js"),
    provider: join(terraform, "terraform-provider-svc"),
    plugin: join(pulumi, "pulumi-resource-svc"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function unpackPrograms(folder: string): void {
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".gz"))) {
    const file = join(folder, name);
    writeFileSync(file.replace(/\.gz$/u, ""), gunzipSync(readFileSync(file)));
  }
}
