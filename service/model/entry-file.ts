// Finds the files that run in a separate thread or process, both in the sources and in the package.
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { invariant } from "../../core/errors.ts";

/** Returns an entry file: the source at a path from `importer`, or a file of the package, whose chunks are one folder below. */
export function entryFile(source: `.${string}.ts`, importer: string): URL {
  const file = basename(source, ".ts");
  const found = [source, `./${file}.js`, `../${file}.js`]
    .map((path) => new URL(path, importer))
    .find((url) => existsSync(url));
  invariant(found, `the package lacks ${file}.js`);
  return found;
}
