// Listing manifest files: what globs match below a folder, and what keeps the list from being whole.
import fs from "node:fs";
import path from "node:path";
import pLimit from "p-limit";
import { glob } from "tinyglobby";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { limits } from "../../core/limits.ts";
import { type FileReader, unreadable } from "./files.ts";

/** Files, and what is told about those that could not be listed. */
export interface Listing {
  /** Absolute and sorted, each once. */
  readonly files: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What is to be listed. */
export interface ListOptions {
  /** Absolute. */
  readonly folder: string;
  readonly globs: readonly string[];
  /** Levels of folders to look into; all where nothing is said. */
  readonly maxDepth?: number;
}

/**
 * The YAML and JSON files, and manifests in TypeScript, that globs match below a folder. Hidden files and `node_modules` are passed over; a folder that
 * cannot be read, or a link that leads out of the folder, is told: a silently shorter list would look like documents that
 * were removed.
 */
export async function listFiles(
  { folder, globs, maxDepth: deep }: ListOptions,
  { displayPath: nameOf }: Pick<FileReader, "displayPath">,
): Promise<Listing> {
  const blocked: string[] = [];
  const found = await glob(globs, {
    cwd: folder,
    absolute: true,
    ignore: ["**/node_modules/**"],
    fs: { readdir: watchedReaddir((at) => blocked.push(at)) },
    ...(deep === undefined ? {} : { deep }),
  });
  const manifests = found
    .filter((file) => /\.(?:ya?ml|json|stack\.ts)$/i.test(file))
    .map((file) => path.resolve(file))
    .toSorted();
  const { inside, outside } = await partitionByFolder(folder, manifests);
  const diagnostics = [
    ...blocked.map((at) => unreadable(nameOf(at), "the folder cannot be listed")),
    ...outside.map((at) => unreadable(nameOf(at), `it leads out of ${nameOf(folder)}`)),
  ];
  return { files: inside, diagnostics };
}

/** The walker passes over folders that it cannot read without a word. */
function watchedReaddir(onError: (folder: string) => void): typeof fs.readdir {
  const readdir = (folder: string, options: { withFileTypes: true }, done: ReaddirDone): void => {
    fs.readdir(folder, options, (error, entries) => {
      // A glob may name a folder that is not there: then it matches nothing.
      if (error !== null && error.code !== "ENOENT") onError(folder);
      done(error, entries);
    });
  };
  return readdir as typeof fs.readdir;
}

type ReaddirDone = (error: NodeJS.ErrnoException | null, entries: fs.Dirent[]) => void;

/** Each file once, however many links lead to it, and apart those that really lie elsewhere. */
async function partitionByFolder(
  folder: string,
  files: readonly string[],
): Promise<{ readonly inside: readonly string[]; readonly outside: readonly string[] }> {
  if (files.length === 0) return { inside: [], outside: [] };
  const base = await fs.promises.realpath(folder);
  const slot = pLimit(limits.concurrency);
  // A link that leads nowhere is told when it is read.
  const real = (file: string): Promise<string> => fs.promises.realpath(file).catch(() => file);
  const inside = new Map<string, string>();
  const outside = new Map<string, string>();
  const places = await Promise.all(files.map((file) => slot(real, file)));
  for (const [index, file] of files.entries()) {
    const place = places[index] ?? file;
    const below = path.relative(base, place);
    if (place !== file && below.split(path.sep)[0] === "..") {
      if (!outside.has(place)) outside.set(place, file);
      continue;
    }
    // Its own path is a better name than that of a link.
    if (!inside.has(place) || below === path.relative(folder, file)) inside.set(place, file);
  }
  return { inside: [...inside.values()].toSorted(), outside: [...outside.values()] };
}
