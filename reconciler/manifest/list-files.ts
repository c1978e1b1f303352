// Lists the manifest files that globs match, and reports what could not be listed.
import fs from "node:fs";
import path from "node:path";
import pLimit from "p-limit";
import { glob } from "tinyglobby";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { limits } from "../../core/limits.ts";
import { type FileReader, unreadable } from "./files.ts";

/** A list of files, with errors for those that could not be listed. */
export interface Listing {
  /** Absolute and sorted, each once. */
  readonly files: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What to list. */
export interface ListOptions {
  /** Absolute. */
  readonly folder: string;
  readonly globs: readonly string[];
}

/**
 * Lists the YAML, JSON and TypeScript manifests that globs match below a folder. Skips hidden files and `node_modules`. Reports
 * unreadable folders and links that lead out of the folder: a silently shorter list would look like removed documents.
 */
export async function listFiles(
  { folder, globs }: ListOptions,
  { displayPath }: Pick<FileReader, "displayPath">,
): Promise<Listing> {
  const blocked: string[] = [];
  const found = await glob(globs, {
    cwd: folder,
    absolute: true,
    ignore: ["**/node_modules/**"],
    fs: { readdir: watchedReaddir((at) => blocked.push(at)) },
  });
  const manifests = found
    .filter((file) => /\.(?:ya?ml|json|stack\.ts)$/i.test(file))
    .map((file) => path.resolve(file))
    .toSorted();
  const { inside, outside } = await partitionByFolder(folder, manifests);
  const diagnostics = [
    ...blocked.map((at) => unreadable(displayPath(at), "the folder cannot be listed")),
    ...outside.map((at) =>
      unreadable(displayPath(at), `it is a link out of ${displayPath(folder)}`),
    ),
  ];
  return { files: inside, diagnostics };
}

/** The library silently skips folders that it cannot read. */
function watchedReaddir(onError: (folder: string) => void): typeof fs.readdir {
  const readdir = (folder: string, options: { withFileTypes: true }, done: ReaddirDone): void => {
    fs.readdir(folder, options, (error, entries) => {
      // A glob may name a folder that does not exist: then it matches nothing.
      if (error !== null && error.code !== "ENOENT") onError(folder);
      done(error, entries);
    });
  };
  return readdir as typeof fs.readdir;
}

type ReaddirDone = (error: NodeJS.ErrnoException | null, entries: fs.Dirent[]) => void;

/** Returns each file once, even if links lead to it, and separately the files that are outside the folder. */
async function partitionByFolder(
  folder: string,
  files: readonly string[],
): Promise<{ readonly inside: readonly string[]; readonly outside: readonly string[] }> {
  if (files.length === 0) return { inside: [], outside: [] };
  const base = await fs.promises.realpath(folder);
  const limit = pLimit(limits.concurrency);
  // A broken link is reported when it is read.
  const real = (file: string): Promise<string> => fs.promises.realpath(file).catch(() => file);
  const inside = new Map<string, string>();
  const outside = new Map<string, string>();
  const places = await Promise.all(files.map((file) => limit(real, file)));
  for (const [index, file] of files.entries()) {
    const place = places[index] ?? file;
    const below = path.relative(base, place);
    if (place !== file && below.split(path.sep)[0] === "..") {
      if (!outside.has(place)) outside.set(place, file);
      continue;
    }
    // Prefer the real path to that of a link.
    if (!inside.has(place) || below === path.relative(folder, file)) inside.set(place, file);
  }
  return { inside: [...inside.values()].toSorted(), outside: [...outside.values()] };
}
