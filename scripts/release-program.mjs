// Writes the release of svc: the packages of npm of svc, of the service and of hosts. Their files are the same for all
// platforms, and need Node.js.
import * as esbuild from "esbuild";
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildPackage } from "./build-package.mjs";
import { bundleEmbed } from "./bundle-embed.mjs";
import { bundleService } from "./bundle-service.mjs";
import { checksums } from "./checksums.mjs";
import { root } from "./install.mjs";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { version } = manifest;
const copyAll = { recursive: true };

/**
 * Writes the folder of the version: the archives, the SBOM, the definition of an image and the checksums. The same sources
 * make the same bytes. `build` and `buildService` fill the folders `dist` of the packages. Returns the paths.
 */
export async function releaseProgram(
  folder,
  { build = buildPackage, buildService = bundleService } = {},
) {
  const staged = mkdtempSync(join(tmpdir(), "svc-release-"));
  try {
    await build(join(staged, "dist"));
    const place = join(folder, `v${version}`);
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    const names = [
      packProgram(staged, place),
      await packPart("service", place, { name: "svc-service", build: buildService }),
      await packPart("web/embed", place, { name: "svc-embed", build: bundleEmbed }),
      await bundleInstaller(place),
      ...writeDescriptions(place),
    ];
    return [...names, writeSums(place, names)].map((name) => join(place, name));
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/** Writes the installer, one file without dependencies. Returns its name. */
async function bundleInstaller(place) {
  const name = "install.mjs";
  const options = { bundle: true, format: "esm", platform: "node", logLevel: "warning" };
  await esbuild.build({
    ...options,
    entryPoints: [join(root, "cli/install.ts")],
    outfile: join(place, name),
  });
  return name;
}

/** Packs a folder that has `dist/` as npm does. Returns the name of the archive. */
function packProgram(staged, place) {
  const added = manifest.files.filter((name) => name !== "dist");
  for (const name of [...added, "LICENSE", "README.md"]) {
    cpSync(join(root, name), join(staged, name), copyAll);
  }
  // The archive already contains the files that these produce.
  const { scripts: _scripts, devDependencies: _packages, workspaces: _parts, ...rest } = manifest;
  writeFileSync(join(staged, "package.json"), `${JSON.stringify(rest, undefined, 2)}\n`);
  return pack(staged, place, `svc_${version}.tgz`);
}

/** Builds the package in a folder of the repository and packs it as npm does. Returns the name of the archive. */
async function packPart(part, place, { name, build }) {
  const folder = mkdtempSync(join(tmpdir(), "svc-release-"));
  try {
    await build(join(folder, "dist"));
    copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
    copyFileSync(join(root, part, "package.json"), join(folder, "package.json"));
    return pack(folder, place, `${name}_${version}.tgz`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packs a folder. npm gives every entry of an archive one date. */
function pack(folder, place, archive) {
  const packed = npm(["pack", "--ignore-scripts", "--pack-destination", place], folder).trim();
  renameSync(join(place, packed), join(place, archive));
  return archive;
}

/** Writes the SBOM and the definition of the image. Returns their names. */
function writeDescriptions(place) {
  const sbom = `svc_${version}.cdx.json`;
  writeFileSync(join(place, sbom), sbomText());
  copyFileSync(join(root, "packaging", "Containerfile"), join(place, "Containerfile"));
  return [sbom, "Containerfile"];
}

function writeSums(place, names) {
  const sums = `svc_${version}_SHA256SUMS`;
  const files = names.map((name) => [name, readFileSync(join(place, name))]);
  writeFileSync(join(place, sums), checksums(files));
  return sums;
}

/** Returns the packages of the lock file as CycloneDX, without the time and the random number of the document. */
function sbomText() {
  const flags = ["--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application"];
  const { serialNumber: _number, metadata, ...sbom } = JSON.parse(npm(["sbom", ...flags], root));
  const { timestamp: _time, ...kept } = metadata;
  return `${JSON.stringify({ ...sbom, metadata: kept }, undefined, 2)}\n`;
}

/** Runs npm without its check for updates, and returns its output. */
function npm(args, cwd) {
  return execFileSync("npm", [...args, "--no-update-notifier", "--loglevel", "error"], {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

const [, script, folder, built, service] = process.argv;
if (script === import.meta.filename && folder !== undefined) {
  const copyOf = (from) => (from ? (dist) => cpSync(from, dist, copyAll) : undefined);
  await releaseProgram(resolve(folder), { build: copyOf(built), buildService: copyOf(service) });
}
