// Lists the manifest files that globs match, and reports paths that could not be listed.
import fs from "node:fs";
import path from "node:path";
import pLimit from "p-limit";
import { glob } from "tinyglobby";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { limits } from "../../core/limits/limits.ts";
import { codeOf, systemErrorText } from "../../core/system/system-error.ts";
import { type FileReader, unreadable } from "./files.ts";

/** A list of files, with errors for those that could not be listed. */
export interface Listing {
  /** Absolute and sorted, each once. */
  readonly files: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The folder and the globs of a listing. */
export interface ListOptions {
  /** Absolute. */
  readonly folder: string;
  readonly globs: readonly string[];
}

/**
 * Lists the YAML and JSON files that globs match below a folder, and programs, which reading refuses. Skips hidden files and `node_modules`.
 * Reports unreadable folders, broken links, entries that are not files, and links that lead out of the folder: a
 * silently shorter list would look like removed documents.
 */
export async function listFiles(
  { folder, globs }: ListOptions,
  { displayPath }: Pick<FileReader, "displayPath">,
): Promise<Listing> {
  const blocked: string[] = [];
  const matches = await glob(globs, {
    cwd: folder,
    absolute: true,
    ignore: ["**/node_modules/**"],
    fs: { readdir: watchedReaddir((folderPath) => blocked.push(folderPath)), realpath, stat },
  });
  const manifests = matches
    .filter((file) => /\.(?:ya?ml|json|stack\.ts)$/i.test(file))
    .map((file) => path.resolve(file))
    .toSorted();
  const { inside, outside, unusable } = await partitionByFolder(folder, manifests);
  const diagnostics = [
    ...blocked.map((file) => unreadable(displayPath(file), "the folder cannot be listed")),
    ...outside.map((file) =>
      unreadable(displayPath(file), `it is a link out of ${displayPath(folder)}`),
    ),
    ...[...unusable].map(([file, why]) => unreadable(displayPath(file), why)),
  ];
  return { files: inside, diagnostics };
}

/** Returns a broken link itself. The library silently skips links that it cannot resolve. */
const realpath = ((link: string, done: (error: null, file: string) => void): void => {
  fs.realpath(link, (error, file) => done(null, error === null ? file : link));
}) as typeof fs.realpath;

/** Returns the state of a broken link itself, so that the library lists it as a file. */
const stat = ((file: string, done: StatDone): void => {
  fs.stat(file, (error, state) => (error === null ? done(null, state) : fs.lstat(file, done)));
}) as typeof fs.stat;

type StatDone = (error: NodeJS.ErrnoException | null, state: fs.Stats) => void;

/** The library silently skips folders that it cannot read, and entries that are neither files nor folders nor links. */
function watchedReaddir(onError: (folder: string) => void): typeof fs.readdir {
  const readdir = (folder: string, options: { withFileTypes: true }, done: ReaddirDone): void => {
    fs.readdir(folder, options, (error, entries) => {
      // A glob may name a folder that does not exist: then it matches nothing.
      if (error !== null && error.code !== "ENOENT") onError(folder);
      for (const entry of entries ?? []) entry.isFile = isNeitherFolderNorLink;
      done(error, entries);
    });
  };
  return readdir as typeof fs.readdir;
}

function isNeitherFolderNorLink(this: fs.Dirent): boolean {
  return !this.isDirectory() && !this.isSymbolicLink();
}

type ReaddirDone = (error: NodeJS.ErrnoException | null, entries: fs.Dirent[]) => void;

interface PartitionedFiles {
  readonly inside: readonly string[];
  readonly outside: readonly string[];
  /** Why a file cannot be read. */
  readonly unusable: ReadonlyMap<string, string>;
}

/** Returns each file once, even if links lead to it, and separately those that are outside the folder or cannot be read. */
async function partitionByFolder(
  folder: string,
  files: readonly string[],
): Promise<PartitionedFiles> {
  const unusable = new Map<string, string>();
  if (files.length === 0) return { inside: [], outside: [], unusable };
  const base = await fs.promises.realpath(folder);
  const limit = pLimit(limits.concurrency);
  const inside = new Map<string, string>();
  const outside = new Map<string, string>();
  const places = await Promise.all(files.map((file) => limit(placeOf, file)));
  for (const [index, file] of files.entries()) {
    const { place = file, problem } = places[index] ?? {};
    if (problem !== undefined) unusable.set(file, problem);
    if (problem !== undefined) continue;
    const below = path.relative(base, place);
    if (place !== file && below.split(path.sep)[0] === "..") {
      if (!outside.has(place)) outside.set(place, file);
      continue;
    }
    // Prefer the real path to the path of a link.
    if (!inside.has(place) || below === path.relative(folder, file)) inside.set(place, file);
  }
  return { inside: [...inside.values()].toSorted(), outside: [...outside.values()], unusable };
}

/** Returns the real path of a file, or why it cannot be read as a file. */
async function placeOf(
  file: string,
): Promise<{ readonly place?: string; readonly problem?: string }> {
  try {
    const place = await fs.promises.realpath(file);
    // Reading a pipe would wait for its writer.
    return (await fs.promises.stat(place)).isFile() ? { place } : { problem: "it is not a file" };
  } catch (error) {
    const isBroken = codeOf(error) === "ENOENT";
    return { problem: isBroken ? "it is a link to nothing" : systemErrorText(error) };
  }
}
