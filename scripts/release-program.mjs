// Writes the release of svc: what its installer and `svc update` read from the base address of releases. The archive is that of
// npm, with the same files for all platforms; it needs Node.js. Self-contained executables are not built.
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
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
import { checksums } from "./checksums.mjs";
import { root } from "./install.mjs";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { version } = manifest;
const copyAll = { recursive: true };

/**
 * Writes `latest`, `install.sh` and the folder of the version: the archive, the SBOM and the checksums. The same sources make the
 * same bytes. `build` fills the folder `dist`. Returns the paths.
 */
export async function releaseProgram(folder, build = buildPackage) {
  const staged = mkdtempSync(join(tmpdir(), "svc-release-"));
  try {
    await build(join(staged, "dist"));
    return packRelease(staged, folder);
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/** Packs a folder that has `dist/`. */
function packRelease(staged, folder) {
  const added = manifest.files.filter((name) => name !== "dist");
  for (const name of [...added, "LICENSE", "README.md"]) {
    cpSync(join(root, name), join(staged, name), copyAll);
  }
  // The archive holds what these are for.
  const { scripts: _scripts, devDependencies: _packages, workspaces: _parts, ...rest } = manifest;
  writeFileSync(join(staged, "package.json"), `${JSON.stringify(rest, undefined, 2)}\n`);
  const place = join(folder, `v${version}`);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  // npm gives every entry of an archive one date.
  npm(["pack", "--ignore-scripts", "--pack-destination", place], staged);
  const archive = `svc_${version}.tgz`;
  renameSync(join(place, `${manifest.name}-${version}.tgz`), join(place, archive));
  const sbom = `svc_${version}.cdx.json`;
  writeFileSync(join(place, sbom), sbomText());
  const sums = `svc_${version}_SHA256SUMS`;
  const files = [archive, sbom].map((name) => [name, readFileSync(join(place, name))]);
  writeFileSync(join(place, sums), checksums(files));
  copyFileSync(join(root, "cli", "install.sh"), join(folder, "install.sh"));
  // Last, because it announces the release. The release of an older version announces nothing.
  if (isNewest(folder)) writeFileSync(join(folder, "latest"), `${version}\n`);
  return [
    join(folder, "latest"),
    join(folder, "install.sh"),
    ...[archive, sbom, sums].map((name) => join(place, name)),
  ];
}

/** Returns whether no release of the folder has a higher version. */
function isNewest(folder) {
  const latest = join(folder, "latest");
  if (!existsSync(latest)) return true;
  const known = readFileSync(latest, "utf8").trim();
  return known.localeCompare(version, "en", { numeric: true }) <= 0;
}

/** Returns the packages of the lock file as CycloneDX, without the time and the random number of the document. */
function sbomText() {
  const flags = ["--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application"];
  const { serialNumber: _number, metadata, ...sbom } = JSON.parse(npm(["sbom", ...flags], root));
  const { timestamp: _time, ...kept } = metadata;
  return `${JSON.stringify({ ...sbom, metadata: kept }, undefined, 2)}\n`;
}

/** Runs npm, without a look for a newer one, and returns what it prints. */
function npm(args, cwd) {
  return execFileSync("npm", [...args, "--no-update-notifier", "--loglevel", "error"], {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

const [, script, folder, built] = process.argv;
if (script === import.meta.filename && folder !== undefined) {
  const build = built === undefined ? buildPackage : (dist) => cpSync(built, dist, copyAll);
  for (const file of await releaseProgram(resolve(folder), build)) console.log(file);
}
