// Tests that a clone installs from the npm registry alone: no package of the lock file makes npm compile or download more.
import { expect, it } from "vitest";
import { read } from "./repository-files.ts";

interface Entry {
  readonly resolved?: string;
  /** True for a package of this repository. */
  readonly link?: boolean;
  readonly gypfile?: boolean;
  readonly hasInstallScript?: boolean;
}

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const packages = new Map<string, Entry>(
  Object.entries(JSON.parse(read("package-lock.json")).packages),
);

it("keeps npm from compiling better-sqlite3, which brings its binaries", () => {
  // `npm ci` sees its binding.gyp but not the `gypfile: false` of its package.json, and would run node-gyp, which
  // fetches headers from elsewhere. `npm install` drops the line, so it must be restored.
  expect(packages.get("node_modules/better-sqlite3")?.gypfile).toBe(false);
});

it("names no source but the registry", () => {
  const elsewhere = [...packages].filter(
    ([, { resolved, link }]) =>
      resolved && link !== true && !resolved.startsWith("https://registry.npmjs.org/"),
  );
  expect(elsewhere).toEqual([]);
});

it("has an answer for every install script", () => {
  const answers = JSON.parse(read("package.json")).allowScripts;
  const asking = [...packages].filter(([, entry]) => entry.hasInstallScript);
  const names = asking.map(([path]) => path.slice(path.lastIndexOf("node_modules/") + 13));
  expect([...new Set(names)].toSorted()).toEqual(Object.keys(answers).toSorted());
});

it("has one version for all packages, and pins what two of them use at one version", () => {
  const service: Manifest = JSON.parse(read("service/package.json"));
  const root: Manifest = JSON.parse(read("package.json"));
  const differing = Object.entries(service.dependencies).filter(
    ([name, version]) => (root.devDependencies[name] ?? version) !== version,
  );
  expect(differing).toEqual([]);
  const embed: Manifest = JSON.parse(read("web/embed/package.json"));
  expect([service.version, embed.version]).toEqual([root.version, root.version]);
});
