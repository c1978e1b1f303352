// Finds the Stack document of the paths on the command line, and the files that belong to it.
import path from "node:path";
import pLimit from "p-limit";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { isObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { firstNames } from "../../core/text/first-names.ts";
import {
  type FileReader,
  type ManifestFile,
  standardInput,
  mayBeManifest,
  mayContainStack,
  unreadable,
  pathType,
} from "./files.ts";
import { listFiles, type Listing, type ListOptions } from "./list-files.ts";
import type { Document } from "./parse.ts";
import { isStack, splitGlob, type StackDocument } from "./stack.ts";

/** The paths of the command line, by type. */
export interface NamedPaths {
  /** Absolute paths, or standard input. */
  readonly files: readonly string[];
  /** Absolute paths. */
  readonly folders: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A Stack document and its location. */
export interface FoundStack {
  readonly document: Document;
  /** Its file: an absolute path, or standard input. */
  readonly file: string;
  /** Absolute. */
  readonly folder: string;
}

/** Classifies paths as files and folders. Default: the current folder. */
export async function classifyPaths(
  paths: readonly string[],
  cwd: string,
  reader: FileReader,
): Promise<NamedPaths> {
  const files: string[] = [];
  const folders: string[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const name of paths.length === 0 ? ["."] : paths) {
    const file = name === standardInput ? name : path.resolve(cwd, name);
    const type = file === standardInput ? "file" : await pathType(file);
    if (type === "folder") folders.push(file);
    else if (type === "file") files.push(file);
    else diagnostics.push(unreadable(reader.displayPath(file), "it does not exist"));
  }
  return { files, folders, diagnostics };
}

/**
 * Finds the one Stack document: in the named files, then directly in the named folders, then below them. If there is
 * none, or more than one, returns errors, with the errors of the searched files.
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
    const stacks = read.flatMap(({ path: file, documents }) =>
      documents.filter(isStack).map((document) => ({ file, document })),
    );
    const [first] = stacks;
    if (stacks.length > 1) return multipleStacks(stacks.map(({ document }) => document));
    if (first !== undefined) {
      const folder = first.file === standardInput ? cwd : path.dirname(first.file);
      return { ...first, folder };
    }
    searched.push(...read);
  }
  const fileErrors = [...new Set(searched)].flatMap(({ diagnostics }) => diagnostics);
  const diagnostics = [...named.diagnostics, ...blocked, ...fileErrors];
  return named.diagnostics.length > 0
    ? diagnostics
    : [
        ...diagnostics,
        stackNotFound(named, cwd, { reader, around: await stackAround(named, cwd, reader) }),
      ];
}

/**
 * Returns the nearest file with a Stack in the folders of the named paths and above them, up to the current folder.
 * Undefined if there is none.
 */
async function stackAround(
  { files, folders }: NamedPaths,
  cwd: string,
  reader: FileReader,
): Promise<string | undefined> {
  const isInside = (folder: string): boolean =>
    !path.relative(cwd, folder).startsWith("..") && !path.isAbsolute(path.relative(cwd, folder));
  const [first] = [
    ...files.filter((file) => file !== standardInput).map((file) => path.dirname(file)),
    ...folders.filter(isInside).map((folder) => path.dirname(folder)),
  ];
  for (let folder = first; folder !== undefined; folder = path.dirname(folder)) {
    const { files: beside } = await candidates({ files: [], folders: [folder] }, "beside", reader);
    const read = await reader.readAll(await filterFiles(beside, mayContainStack));
    const file = read.find(({ documents }) => documents.some(isStack));
    if (file !== undefined) return file.path;
    if (folder === cwd || !isInside(folder)) return undefined;
  }
  return undefined;
}

async function candidates(
  named: Pick<NamedPaths, "files" | "folders">,
  depth: "named" | "beside" | "below",
  reader: FileReader,
): Promise<Listing> {
  if (depth === "named") return { files: named.files, diagnostics: [] };
  const globs = [depth === "beside" ? besideIt : everything];
  const { files, diagnostics } = await listAll(
    named.folders.map((folder) => ({ folder, globs })),
    reader,
  );
  return { files: await filterJsonFiles(files, mayContainStack), diagnostics };
}

async function listAll(wanted: readonly ListOptions[], reader: FileReader): Promise<Listing> {
  const all = await Promise.all(wanted.map((listed) => listFiles(listed, reader)));
  return {
    files: all.flatMap(({ files }) => files),
    diagnostics: all.flatMap(({ diagnostics }) => diagnostics),
  };
}

/** Options of {@link stackFiles}. */
export interface StackFilesOptions extends Pick<StackDocument, "stack" | "manifests"> {
  readonly named: NamedPaths;
  readonly reader: FileReader;
}

/**
 * Lists the files of a stack: the named files, the named folders other than the Stack's own, and the matches of the Stack's
 * globs. Without globs, these are all YAML files in and below its folder and the JSON files that are manifests, or none if the Stack
 * came from standard input.
 */
export async function stackFiles(
  stackFile: FoundStack,
  { stack, manifests, named, reader }: StackFilesOptions,
): Promise<Listing> {
  const others = named.folders.filter((folder) => !containsStack(folder, stackFile));
  const whole = await listAll(
    others.map((folder) => ({ folder, globs: [everything] })),
    reader,
  );
  const globbed = await filesByGlobs(stackFile, manifests, reader);
  const all = new Set([stackFile.file, ...named.files, ...whole.files, ...globbed.files]);
  return {
    files: [...all].filter((file) => file !== stack?.inventoryFile),
    diagnostics: [...whole.diagnostics, ...globbed.diagnostics],
  };
}

/**
 * Returns a note on the stacks below the folder of a Stack that was found directly in a named folder: the command does not
 * include them. Searches a limited number of files. Without globs the Stack owns all files below its folder, so another one
 * there is an error.
 */
export async function nestedStacks(
  stackFile: FoundStack,
  { manifests, named, reader }: StackFilesOptions,
): Promise<readonly Diagnostic[]> {
  if (manifests === undefined || !named.folders.includes(stackFile.folder)) return [];
  const below = await listFiles({ folder: stackFile.folder, globs: [everything] }, reader);
  const others = below.files
    .filter((file) => file !== stackFile.file)
    .slice(0, limits.filesSearchedForStacks);
  const read = await reader.readAll(await filterFiles(others, mayContainStack));
  const stacks = read.flatMap(({ documents }) => documents.filter(isStack));
  if (stacks.length === 0) return [];
  const summary = `uses the stack ${titleOf(stackFile.document)}, not those below its folder: ${stacksText(stacks)}`;
  const remedy = "Pass the path of another stack to select it.";
  const place = stackFile.document.place;
  return [{ code: "other-stacks", severity: "info", summary, remedy, place }];
}

/** Leaves out JSON files without parsing them: a folder may also contain saved plans and files of other programs. */
function filterJsonFiles(
  files: readonly string[],
  isIncluded: (file: string) => Promise<boolean>,
): Promise<readonly string[]> {
  return filterFiles(files, async (file) => !/\.json$/iu.test(file) || isIncluded(file));
}

async function filterFiles(
  files: readonly string[],
  isIncluded: (file: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const limit = pLimit(limits.concurrency);
  const included = await Promise.all(files.map((file) => limit(isIncluded, file)));
  return files.filter((_, index) => included[index]);
}

/** Returns the error for a second Stack document among the files of a stack. */
export function duplicateStack(document: Document, first: Document): Diagnostic {
  const { file, line } = first.place;
  const summary = `a second Stack document, beside the one at ${file}:${line}`;
  const remedy = "List in spec.manifests of the first only the files that belong to it.";
  return { code: "multiple-stacks", severity: "error", summary, remedy, place: document.place };
}

const besideIt = "*.{yaml,yml,json,stack.ts}";
const everything = `**/${besideIt}`;

async function filesByGlobs(
  { document, file, folder }: FoundStack,
  globs: readonly string[] | undefined,
  reader: FileReader,
): Promise<Listing> {
  if (globs === undefined) {
    if (file === standardInput) return { files: [], diagnostics: [] };
    const { files, diagnostics } = await listFiles({ folder, globs: [everything] }, reader);
    return { files: await filterJsonFiles(files, mayBeManifest), diagnostics };
  }
  const excluded = globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1));
  const listings = globs.map(async (glob, index): Promise<Listing> => {
    if (glob.startsWith("!")) return { files: [], diagnostics: [] };
    const { base, pattern } = splitGlob(folder, glob);
    const except = excluded.map((text) => `!${relativeGlob(base, splitGlob(folder, text))}`);
    const listing = await listFiles({ folder: base, globs: [pattern, ...except] }, reader);
    if (listing.files.length > 0 || listing.diagnostics.length > 0) return listing;
    return {
      files: [],
      diagnostics: [globMatchesNothing(document, glob, `/spec/manifests/${index}`)],
    };
  });
  const all = await Promise.all(listings);
  const errors = all.flatMap((listing) => listing.diagnostics);
  return {
    files: all.flatMap(({ files }) => files),
    // Two globs may report the same error.
    diagnostics: [...new Map(errors.map((error) => [error.summary, error])).values()],
  };
}

/** Returns a glob relative to the folder that another glob starts from. */
function relativeGlob(from: string, { base, pattern }: ReturnType<typeof splitGlob>): string {
  return path.posix.join(path.relative(from, base).replaceAll(path.sep, "/"), pattern);
}

function globMatchesNothing(document: Document, glob: string, pointer: string): Diagnostic {
  const summary = `the glob "${glob}" matches no YAML or JSON file`;
  const remedy =
    "Globs are relative to the folder of the Stack, and skip hidden files and node_modules.";
  const place = document.locate(pointer);
  return { code: "no-manifests", severity: "error", summary, remedy, place, path: pointer };
}

function containsStack(folder: string, { file }: FoundStack): boolean {
  return file !== standardInput && !path.relative(folder, file).startsWith("..");
}

/** Returns one error at the first Stack, with the places of the others up to a limit. */
function multipleStacks(documents: readonly Document[]): readonly Diagnostic[] {
  const summary = `found ${documents.length} Stack documents, expected one: ${stacksText(documents)}`;
  const remedy =
    "Pass the path of each stack, and list in spec.manifests only the files that belong to it.";
  const place = documents[0]?.place;
  return [{ code: "multiple-stacks", severity: "error", summary, remedy, ...(place && { place }) }];
}

/** Names Stacks and their places up to a limit. */
function stacksText(documents: readonly Document[]): string {
  return firstNames(
    documents.map((document) => {
      const { file, line } = document.place;
      return `${titleOf(document)} at ${file}:${line}`;
    }),
  );
}

function titleOf({ value }: Document): string {
  const metadata = isObject(value) ? value["metadata"] : undefined;
  const name = isObject(metadata) ? metadata["name"] : undefined;
  return typeof name === "string" ? `"${name}"` : "one without a name";
}

/** Returns the error that names the places that were searched, up to a limit. */
function stackNotFound(
  { files, folders }: NamedPaths,
  cwd: string,
  { reader, around }: { readonly reader: FileReader; readonly around: string | undefined },
): Diagnostic {
  const places = [
    ...files.map((file) => `in ${reader.displayPath(file)}`),
    ...folders.map((folder) => {
      const isCurrent = path.relative(cwd, folder) === "";
      return `in or below ${isCurrent ? "the current folder" : reader.displayPath(folder)}`;
    }),
  ];
  const summary = `no Stack document found ${firstNames(places)}`;
  const remedy =
    around === undefined
      ? "Pass the path of its file or folder, or create one with `svc init`."
      : `Pass ${path.relative(cwd, path.dirname(around)) || "."}, the folder of the Stack in ${reader.displayPath(around)}.`;
  return { code: "no-stack", severity: "error", summary, remedy };
}
