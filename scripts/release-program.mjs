// Writes the release of svc: what its installer and `svc update` read from the base address of releases. Two archives
// are the packages of npm, of svc, of the service and of hosts, with the same files for all platforms; they need Node.js. Each of
// the others has a self-contained executable of svc for one platform.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import * as tar from "tar";
import { publication } from "../core/publication.ts";
import { buildExecutable, platforms as executablePlatforms } from "./build-executable.mjs";
import { buildPackage } from "./build-package.mjs";
import { bundleEmbed } from "./bundle-embed.mjs";
import { licensesFile } from "./bundled-licenses.mjs";
import { bundleService } from "./bundle-service.mjs";
import { checksums } from "./checksums.mjs";
import { homebrewFormula } from "./homebrew-formula.mjs";
import { root } from "./install.mjs";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { version } = manifest;
const copyAll = { recursive: true };
const allPlatforms = Object.keys(executablePlatforms);

/**
 * Writes `latest`, `install.sh` and the folder of the version: the archives, the SBOM, the definition of an image, the
 * formula if the base address of the releases is known, and the checksums. The same sources make the same bytes.
 * `build` and `buildService` fill the folders `dist` of the packages. Returns the paths, and the platforms whose
 * executable was not built.
 */
export async function releaseProgram(
  folder,
  { build = buildPackage, buildService = bundleService, platforms = allPlatforms } = {},
) {
  const staged = mkdtempSync(join(tmpdir(), "svc-release-"));
  try {
    await build(join(staged, "dist"));
    const place = join(folder, `v${version}`);
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    const archive = packProgram(staged, place);
    const parts = [
      await packPart("service", place, { name: "svc-service", build: buildService }),
      await packPart("web/embed", place, { name: "svc-embed", build: bundleEmbed }),
    ];
    const executables = [];
    for (const platform of platforms) {
      executables.push([platform, await packExecutable(platform, staged, place)]);
    }
    const built = executables.flatMap(([, name]) => name ?? []);
    const names = [archive, ...parts, ...built, ...writeDescriptions(place, archive)];
    const sums = writeSums(place, names);
    copyFileSync(join(root, "cli", "install.sh"), join(folder, "install.sh"));
    // Last, because it announces the release. The release of an older version announces nothing.
    if (isNewest(folder)) writeFileSync(join(folder, "latest"), `${version}\n`);
    return {
      files: [
        join(folder, "latest"),
        join(folder, "install.sh"),
        ...[...names, sums].map((name) => join(place, name)),
      ],
      notBuilt: executables.filter(([, name]) => name === undefined).map(([platform]) => platform),
    };
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
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

/** Packs the executable of a platform with the man pages. Returns the name of the archive; undefined if it cannot be built. */
async function packExecutable(platform, staged, place) {
  const folder = mkdtempSync(join(tmpdir(), "svc-release-"));
  try {
    if ((await buildExecutable(platform, staged, folder)) === undefined) return undefined;
    cpSync(join(staged, "dist", "man"), join(folder, "man"), copyAll);
    copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
    copyFileSync(join(staged, "dist", licensesFile), join(folder, licensesFile));
    const { name, license } = manifest;
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version, license }));
    return await packFiles(folder, place, `svc_${version}_${platform}.tgz`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Packs the files of a folder in the layout of {@link pack}, in one order and with one date. npm takes three times the processor
 * time to compress an executable, for an archive that is 0.3 % smaller.
 */
async function packFiles(folder, place, archive) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();
  const options = { gzip: { level: 6 }, portable: true, mtime: new Date("1985-10-26T08:15:00Z") };
  await tar.create(
    { ...options, cwd: folder, prefix: "package", file: join(place, archive) },
    files,
  );
  return archive;
}

/** Packs a folder. npm gives every entry of an archive one date. */
function pack(folder, place, archive) {
  const packed = npm(["pack", "--ignore-scripts", "--pack-destination", place], folder).trim();
  renameSync(join(place, packed), join(place, archive));
  return archive;
}

/** Writes the descriptions of the archive: the SBOM, the image and the formula. Returns their names. */
function writeDescriptions(place, archive) {
  const sbom = `svc_${version}.cdx.json`;
  writeFileSync(join(place, sbom), sbomText());
  copyFileSync(join(root, "packaging", "Containerfile"), join(place, "Containerfile"));
  const base = (process.env.SVC_RELEASE_URL || publication.releaseURL)?.replace(/\/+$/u, "");
  if (base === undefined) return [sbom, "Containerfile"];
  const sha256 = createHash("sha256")
    .update(readFileSync(join(place, archive)))
    .digest("hex");
  const { description, homepage } = { ...manifest, homepage: publication.homepage };
  writeFileSync(
    join(place, "svc.rb"),
    homebrewFormula({ version, base, archive, sha256, description, homepage }),
  );
  return [sbom, "Containerfile", "svc.rb"];
}

function writeSums(place, names) {
  const sums = `svc_${version}_SHA256SUMS`;
  const files = names.map((name) => [name, readFileSync(join(place, name))]);
  writeFileSync(join(place, sums), checksums(files));
  return sums;
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

/** Runs npm without its check for updates, and returns its output. */
function npm(args, cwd) {
  return execFileSync("npm", [...args, "--no-update-notifier", "--loglevel", "error"], {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Prints the contents of a release, and what it lacks. */
export function printRelease({ files, notBuilt }) {
  for (const file of files) console.log(file);
  for (const platform of notBuilt) {
    console.log(
      `not built: the executable for ${platform}; the npm registry has no Node.js for it, or did not answer. Put it into SVC_NODE_DIR/${platform}/.`,
    );
  }
}

const [, script, folder, built, service, platforms] = process.argv;
if (script === import.meta.filename && folder !== undefined) {
  const copyOf = (from) => (from ? (dist) => cpSync(from, dist, copyAll) : undefined);
  const options = {
    build: copyOf(built),
    buildService: copyOf(service),
    platforms: platforms?.split(",").filter(Boolean),
  };
  printRelease(await releaseProgram(resolve(folder), options));
}
