// Packs the Terraform provider for registries and mirrors: an archive for each platform, one of the modules, the checksums and
// the manifest. The publisher signs the checksums.
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { ZipFile } from "yazl";
import { decompressPrograms } from "../cli/shared/release/plugin-install.ts";
import { bundleTerraform } from "./bundle-terraform.mjs";
import { licensesFile } from "./bundled-licenses.mjs";
import { checksums } from "./checksums.mjs";
import { root } from "./install.mjs";
import { terraformPages } from "./terraform-docs.ts";

/** The supported platforms. The content is the same for all. */
const platforms = ["darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64"];
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** The file type in the mode of an archive's entry. */
const regularFile = 0o100000;
const prefix = `terraform-provider-svc_${version}`;

/** Writes the release into a folder; `build` writes the provider and its launcher. Returns the names of its files. */
export async function releaseTerraform(folder, build = bundleTerraform) {
  const archive = await zipArchive(await contents(build));
  const manifest = { version: 1, metadata: { protocol_versions: ["6.0"] } };
  const files = new Map(platforms.map((platform) => [`${prefix}_${platform}.zip`, archive]));
  files.set(`terraform-modules-svc_${version}.zip`, await zipArchive(modules()));
  files.set(`${prefix}_manifest.json`, Buffer.from(`${JSON.stringify(manifest)}\n`));
  files.set(`${prefix}_SHA256SUMS`, Buffer.from(checksums(files)));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  return [...files.keys()].map((name) => join(folder, name));
}

/** Returns the archive of files, `{ name, content, mode }`. The same files make the same bytes: every entry has one date. */
async function zipArchive(files) {
  const zip = new ZipFile();
  // The first date of the format, in local time, which the format uses.
  const options = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true, compressionLevel: 9 };
  for (const { name, content, mode } of files) {
    zip.addBuffer(content, name, { ...options, mode: regularFile | mode });
  }
  zip.end();
  return Buffer.concat(await zip.outputStream.toArray());
}

/** Files of the repository in every archive, in addition to the documentation. */
const documents = ["LICENSE", "CHANGELOG.md"];

/** Returns the files of an archive: the launcher, the bundle, the licence, the changelog and the pages of the Terraform registry. */
async function contents(build) {
  const folder = mkdtempSync(join(tmpdir(), "svc-release-"));
  try {
    const launcher = `terraform-provider-svc_v${version}`;
    await build(folder, launcher);
    const built = readdirSync(folder).toSorted();
    const files = built.map((name) => ({
      name,
      content: readFileSync(join(folder, name)),
      mode: name === launcher ? 0o755 : 0o644,
    }));
    const pages = [...terraformPages(version)].map(([name, text]) => ({
      name,
      content: Buffer.from(text),
      mode: 0o644,
    }));
    return [...documents.map((name) => plainFile(name, join(root, name))), ...files, ...pages];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the files of the modules. `SOURCE//NAME` names a module in the archive. */
function modules() {
  const folder = join(root, "provider", "terraform", "modules");
  return [plainFile("LICENSE", join(root, "LICENSE")), ...filesBelow(folder)];
}

/** Returns the files below a folder, with names relative to it. */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => plainFile(relative(folder, path), path));
}

function plainFile(name, path) {
  return { name, content: readFileSync(path), mode: 0o644 };
}

/** Writes the provider of a built package without the package's compression. */
async function unpackProvider(built, folder, launcher) {
  await decompressPrograms(built, folder);
  copyFileSync(join(built, "terraform-provider-svc"), join(folder, launcher));
  copyFileSync(join(built, licensesFile), join(folder, licensesFile));
}

const [, script, folder, built] = process.argv;
if (script === import.meta.filename && folder !== undefined) {
  const build = built && ((into, launcher) => unpackProvider(built, into, launcher));
  for (const file of await releaseTerraform(resolve(folder), build)) console.log(file);
}
