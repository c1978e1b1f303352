// Writes the licences of the packages in bundles, which every copy of the code must include.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./install.mjs";

/** The file with the licences, in the folder of the bundles. */
export const licensesFile = "THIRD-PARTY-LICENSES.txt";

/** Folders of packages by the folder of the bundles that contain their code. */
const bundled = new Map();

/** Returns a plugin of esbuild that writes the licences of all packages of this and other bundles in a folder. */
export function withLicenses(folder) {
  return {
    name: "licenses",
    setup({ initialOptions, onEnd }) {
      initialOptions.metafile = true;
      onEnd(({ metafile }) => {
        if (metafile === undefined) return;
        const packages = bundled.get(folder) ?? new Set();
        for (const input of Object.keys(metafile.inputs)) {
          const found = packageFolderOf(input);
          if (found !== undefined) packages.add(found);
        }
        bundled.set(folder, packages);
        writeLicenses(folder, packages);
      });
    },
  };
}

/** Writes the licences of all bundles below a folder. */
export function writeAllLicenses(folder) {
  const below = [...bundled].filter(([one]) => !relative(folder, one).startsWith(".."));
  writeLicenses(folder, new Set(below.flatMap(([, packages]) => [...packages])));
}

/**
 * Returns the folder of the package that contains a file, relative to the root; undefined for a source of this
 * repository.
 */
export function packageFolderOf(input) {
  const [, found] = /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(input) ?? [];
  return found;
}

function writeLicenses(folder, packages) {
  if (packages.size === 0) return;
  const texts = new Map([...packages].map((one) => noticeOf(join(root, one))));
  const sections = [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const rule = "-".repeat(80);
  const head = "This package has code of the following packages, under the licences below.\n";
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, licensesFile),
    [head, ...sections.map(([name, text]) => `${rule}\n${name}\n\n${text.trim()}\n`)].join("\n"),
  );
}

/** Returns the name and version of a package, and its licence. Throws if it has none. */
function noticeOf(folder) {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.isFile() && /^(?:licen[cs]e|copying|notice)/iu.test(file.name))
    .map((file) => file.name);
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), "utf8").trim());
  const title = `${name} ${version}`;
  if (texts.length > 0) return [title, texts.join("\n\n")];
  const inReadme = licenseInReadme(folder);
  if (inReadme !== undefined) return [title, inReadme];
  if (typeof license !== "string") throw new Error(`${title} has no licence`);
  // In some groups, only one package has the text.
  const holder = typeof author === "string" ? author : (author?.name ?? name);
  return [title, `Copyright ${holder}. Licence: ${license}.`];
}

/** Returns the section of a README that has the text of the licence; undefined if it has none. */
function licenseInReadme(folder) {
  const name = readdirSync(folder).find((file) => /^readme(?:\.md)?$/iu.test(file));
  if (name === undefined) return undefined;
  const sections = readFileSync(join(folder, name), "utf8").split(/^#+ */mu);
  const found = sections.find((section) => /^licen[cs]e/iu.test(section))?.trim();
  return found?.includes("WARRANTY") === true ? found : undefined;
}
