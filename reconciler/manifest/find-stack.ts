// Finding a stack: from what is named on the command line to its one Stack document, and then to all files that belong to it.
import path from "node:path";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { isObject } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import {
  type FileReader,
  type ManifestFile,
  standardInput,
  unreadable,
  pathType,
} from "./files.ts";
import { listFiles, type Listing, type ListOptions } from "./list-files.ts";
import type { Document } from "./parse.ts";
import { isScript } from "./script.ts";
import { isStack, type StackDocument } from "./stack.ts";

/** What was named on the command line. */
export interface NamedPaths {
  /** Absolute paths, and standard input. */
  readonly files: readonly string[];
  /** Absolute paths. */
  readonly folders: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The Stack document and where it lies. */
export interface FoundStack {
  readonly document: Document;
  /** The file it is in: absolute, or standard input. */
  readonly file: string;
  /** Absolute. */
  readonly folder: string;
}

/** What lies at the paths; none are the current folder. */
export async function classifyPaths(
  paths: readonly string[],
  cwd: string,
  reader: FileReader,
): Promise<NamedPaths> {
  const files: string[] = [];
  const folders: string[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const given of paths.length === 0 ? ["."] : paths) {
    const file = given === standardInput ? given : path.resolve(cwd, given);
    const what = file === standardInput ? "file" : await pathType(file);
    if (what === "folder") folders.push(file);
    else if (what === "file") files.push(file);
    else diagnostics.push(unreadable(reader.displayPath(file), "it does not exist"));
  }
  return { files, folders, diagnostics };
}

/**
 * The one Stack document among the named files; where there is none, directly in the named folders, and then below them.
 * None, or several, is told, together with what is wrong with the files where it was looked for.
 */
export async function findStack(
  named: NamedPaths,
  cwd: string,
  reader: FileReader,
): Promise<FoundStack | readonly Diagnostic[]> {
  const searched: ManifestFile[] = [];
  const blocked: Diagnostic[] = [];
  for (const depth of ["named", "beside", "below"] as const) {
    const listing = await candidates(named, depth, reader);
    const read = await reader.readAll(listing.files);
    blocked.push(...listing.diagnostics);
    const found = read.flatMap(({ path: file, documents }) =>
      documents.filter(isStack).map((document) => ({ file, document })),
    );
    const [first] = found;
    if (found.length > 1) return multipleStacks(found.map(({ document }) => document));
    if (first !== undefined) {
      const folder = first.file === standardInput ? cwd : path.dirname(first.file);
      return { ...first, folder };
    }
    searched.push(...read);
  }
  const wrong = [...new Set(searched)].flatMap(({ diagnostics }) => diagnostics);
  const told = [...named.diagnostics, ...blocked, ...wrong];
  return named.diagnostics.length > 0 ? told : [...told, stackNotFound()];
}

async function candidates(
  named: NamedPaths,
  depth: "named" | "beside" | "below",
  reader: FileReader,
): Promise<Listing> {
  if (depth === "named") {
    return { files: named.files.filter((file) => !isScript(file)), diagnostics: [] };
  }
  const bound = depth === "beside" ? { maxDepth: 1 } : {};
  return listAll(
    named.folders.map((folder) => ({ folder, globs: [everything], ...bound })),
    reader,
  );
}

async function listAll(wanted: readonly ListOptions[], reader: FileReader): Promise<Listing> {
  const all = await Promise.all(wanted.map((one) => listFiles(one, reader)));
  return {
    files: all.flatMap(({ files }) => files),
    diagnostics: all.flatMap(({ diagnostics }) => diagnostics),
  };
}

/** What belongs together, and who reads it. */
export interface StackFilesOptions extends Pick<StackDocument, "stack" | "manifests"> {
  readonly named: NamedPaths;
  readonly reader: FileReader;
}

/**
 * What belongs to a stack: the files that are named, named folders other than the Stack's own, and what the Stack's globs
 * match. Without globs that is every YAML file beside and below it, or nothing more where it came from standard input.
 */
export async function stackFiles(
  found: FoundStack,
  { stack, manifests, named, reader }: StackFilesOptions,
): Promise<Listing> {
  const others = named.folders.filter((folder) => !containsStack(folder, found));
  const whole = await listAll(
    others.map((folder) => ({ folder, globs: [everything] })),
    reader,
  );
  const globbed = await filesByGlobs(found, manifests, reader);
  const all = new Set([found.file, ...named.files, ...whole.files, ...globbed.files]);
  return {
    files: [...all].filter((file) => file !== stack?.inventoryFile),
    diagnostics: [...whole.diagnostics, ...globbed.diagnostics],
  };
}

/** Told for a second Stack document among the files of a stack. */
export function duplicateStack(document: Document, first: Document): Diagnostic {
  const { file, line } = first.place;
  const summary = `this is a second Stack beside the one at ${file}:${line}`;
  const remedy = "Name in spec.manifests of the first only what belongs to it.";
  return { code: "no-stack", severity: "error", summary, remedy, place: document.place };
}

const yaml = "**/*.{yaml,yml}";
const everything = "**/*.{yaml,yml,json}";

async function filesByGlobs(
  { document, file, folder }: FoundStack,
  globs: readonly string[] | undefined,
  reader: FileReader,
): Promise<Listing> {
  if (globs === undefined) {
    if (file === standardInput) return { files: [], diagnostics: [] };
    return listFiles({ folder, globs: [yaml] }, reader);
  }
  const excluded = globs.filter((one) => one.startsWith("!"));
  const listings = globs.map(async (one, index): Promise<Listing> => {
    if (one.startsWith("!")) return { files: [], diagnostics: [] };
    const listing = await listFiles({ folder, globs: [one, ...excluded] }, reader);
    if (listing.files.length > 0 || listing.diagnostics.length > 0) return listing;
    return {
      files: [],
      diagnostics: [globMatchesNothing(document, one, `/spec/manifests/${index}`)],
    };
  });
  const all = await Promise.all(listings);
  const told = all.flatMap(({ diagnostics }) => diagnostics);
  return {
    files: all.flatMap(({ files }) => files),
    // Two globs may meet the same obstacle.
    diagnostics: [...new Map(told.map((one) => [one.summary, one])).values()],
  };
}

function globMatchesNothing(document: Document, one: string, at: string): Diagnostic {
  const summary = `the glob "${one}" matches no YAML, JSON or .stack.ts file`;
  const remedy =
    "It is read from the folder of the Stack; hidden files and node_modules do not count.";
  const place = document.locate(at);
  return { code: "no-manifests", severity: "error", summary, remedy, place, path: at };
}

function containsStack(folder: string, { file }: FoundStack): boolean {
  return file !== standardInput && !path.relative(folder, file).startsWith("..");
}

/** Told once, at the first of them, with the places of all as far as somebody would read them. */
function multipleStacks(documents: readonly Document[]): readonly Diagnostic[] {
  const named = documents.slice(0, limits.placesNamed);
  const places = named.map((one) => `${titleOf(one)} at ${one.place.file}:${one.place.line}`);
  const left = documents.length - named.length;
  const more = left > 0 ? ` and ${left} more` : "";
  const summary = `there are ${documents.length} Stacks here, and one is to be meant: ${places.join(", ")}${more}`;
  const remedy =
    "Name the file of the one that you mean, and in its spec.manifests only what belongs to it.";
  const place = documents[0]?.place;
  return [{ code: "no-stack", severity: "error", summary, remedy, ...(place && { place }) }];
}

function titleOf({ value }: Document): string {
  const metadata = isObject(value) ? value["metadata"] : undefined;
  const name = isObject(metadata) ? metadata["name"] : undefined;
  return typeof name === "string" ? `"${name}"` : "one without a name";
}

function stackNotFound(): Diagnostic {
  const summary = "there is no Stack document here";
  const remedy =
    "Name the file or folder that holds it, or write one: apiVersion: svc/v1, kind: Stack, metadata: { name: ... }.";
  return { code: "no-stack", severity: "error", summary, remedy };
}
