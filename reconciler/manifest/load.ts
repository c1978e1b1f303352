// From paths to the desired state: files, documents, Stack, substitution, checks and references; every mistake at once.
import path from "node:path";
import { type Diagnostic, hasErrors } from "../../core/diagnostics.ts";
import type { Kind } from "../../core/kind.ts";
import { limits } from "../../core/limits.ts";
import { digestOf, resolve } from "./resolve-manifests.ts";
import { isInside } from "../operator/path-containment.ts";
import type { UnreadDocuments } from "./resolve-references.ts";
import type { DeclaredMetadata, DesiredState, ResolveResult, Stack } from "../model/index.ts";
import { type CheckedDocument, checkDocument, isEncryptedBySops } from "./document.ts";
import { type FileReader, fileReader, type ManifestFile, mayBeInventory } from "./files.ts";
import {
  stackFiles,
  findStack,
  type FoundStack,
  classifyPaths,
  type NamedPaths,
  duplicateStack,
} from "./find-stack.ts";
import { undeclaredVariables } from "./undeclared-variables.ts";
import { applyOverlays } from "./overlays.ts";
import type { Document } from "./parse.ts";
import { validRules } from "./lifecycle-checks.ts";
import { isScript, readScripts } from "./script.ts";
import { isPipeline, readPipeline } from "../../promotion/pipeline.ts";
import { selectionErrors } from "../../promotion/selection.ts";
import { type OperatorSettings, isStack, readStack, type StackDocument } from "./stack.ts";

/** Where a stack is read from, and what it may use. */
export interface LoadOptions extends OperatorSettings {
  /** Files, folders, `-` for standard input; none are the current folder. */
  readonly paths: readonly string[];
  /** The current folder, absolute. */
  readonly cwd: string;
  readonly kinds: readonly Kind[];
  /** Reads standard input to its end; called once, when a path asks for it. */
  readonly stdin?: () => Promise<string>;
}

/** Loads a stack from files. Mistakes are collected over all of them and sorted by place; only a bug throws. */
export async function loadStack(options: LoadOptions): Promise<ResolveResult> {
  const at = await locateStack(options);
  if ("missing" in at) return { desired: undefined, diagnostics: at.missing };
  const { desired, diagnostics } = await loadAll(at, options);
  return { desired: hasErrors(diagnostics) ? undefined : desired, diagnostics };
}

/** The Stack document alone, for what needs no other: mistakes in others are not even looked for. */
export async function loadStackAlone(
  options: LoadOptions,
): Promise<{ readonly stack: Stack | undefined; readonly diagnostics: readonly Diagnostic[] }> {
  const at = await locateStack(options);
  if ("missing" in at) return { stack: undefined, diagnostics: at.missing };
  const diagnostics = await stackErrors(at);
  return { stack: hasErrors(diagnostics) ? undefined : at.stack.stack, diagnostics };
}

/** A stack that may have mistakes beside the Stack document, and what its documents say of the lives of their objects. */
export interface TolerantLoad {
  /** Without any wishes where there are mistakes, for a part of them is not the wish. Undefined where the Stack is wrong. */
  readonly desired: DesiredState | undefined;
  /** By address, of each document that can be read so far, its mistakes notwithstanding. */
  readonly declared: ReadonlyMap<string, DeclaredMetadata>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Loads a stack for what has to work with mistakes in its documents too: they are passed over, in one warning. */
export async function loadTolerant(options: LoadOptions): Promise<TolerantLoad> {
  const at = await locateStack(options);
  if ("missing" in at) return { desired: undefined, declared: new Map(), diagnostics: at.missing };
  const own = await stackErrors(at);
  const { desired, diagnostics, declared } = await loadAll(at, options);
  const { stack } = at.stack;
  if (stack === undefined || hasErrors(own)) return { desired: undefined, declared, diagnostics };
  if (!hasErrors(diagnostics)) return { desired, declared, diagnostics };
  const bare = { stack, objects: [], digest: digestOf([]) };
  return { desired: bare, declared, diagnostics: [...own, ignoredErrors(diagnostics)] };
}

function ignoredErrors(diagnostics: readonly Diagnostic[]): Diagnostic {
  const faults = diagnostics.filter(({ severity }) => severity === "error");
  const [first] = faults;
  const count = faults.length === 1 ? "a mistake" : `${faults.length} mistakes`;
  const summary = `the manifests have ${count}, passed over here; what cannot be read of a document counts as it was applied last`;
  const remedy = "`svc validate-manifests` lists them all.";
  const place = first?.place && { place: first.place };
  return { code: "errors-ignored", severity: "warning", summary, remedy, ...place };
}

interface LocatedStack {
  readonly named: NamedPaths;
  readonly reader: FileReader;
  readonly found: FoundStack;
  readonly stack: StackDocument;
}

/** The Stack document of what is named, or why there is none. */
async function locateStack(
  options: LoadOptions,
): Promise<LocatedStack | { readonly missing: readonly Diagnostic[] }> {
  const { paths, cwd, stdin } = options;
  const reader = fileReader({ cwd, stdin });
  const named = await classifyPaths(paths, cwd, reader);
  const found = await findStack(named, cwd, reader);
  if (!("document" in found)) return { missing: sortedByPlace(found) };
  const read = readStack(found.document, found.folder, options);
  const displayPath = path.relative(cwd, found.folder);
  const namePlace = found.document.locate("/metadata/name");
  const stack = { ...read, stack: read.stack && { ...read.stack, displayPath, namePlace } };
  return { named, reader, found, stack };
}

/** What is wrong with the Stack document itself; of one that is right, nothing else in its file counts. */
async function stackErrors({ found, reader, stack }: LocatedStack): Promise<readonly Diagnostic[]> {
  const file = stack.stack === undefined ? (await reader.read(found.file)).diagnostics : [];
  return sortedByPlace([
    ...file,
    ...stack.diagnostics,
    ...(await inventoryErrors(found, stack.stack)),
  ]);
}

async function loadAll(at: LocatedStack, options: LoadOptions): Promise<TolerantLoad> {
  const { named, reader, found, stack } = at;
  const { files, diagnostics } = await stackFiles(found, { ...stack, named, reader });
  const read = await readAll(files, { reader, found, stack, options });
  const resolved = resolveFiles(read, { found, stack, kinds: options.kinds });
  const all = [
    ...named.diagnostics,
    ...diagnostics,
    ...(await inventoryErrors(found, stack.stack)),
    ...undeclaredVariables(options.variables, { files: read, stack: found.document }),
    ...resolved.diagnostics,
  ];
  return { ...resolved, diagnostics: sortedByPlace(all) };
}

interface ReadContext {
  readonly reader: FileReader;
  readonly found: FoundStack;
  readonly stack: StackDocument;
  readonly options: LoadOptions;
}

/** By their paths. Programs are run only for a Stack that is right, with its variables. */
async function readAll(
  files: readonly string[],
  { reader, found, stack, options }: ReadContext,
): Promise<readonly ManifestFile[]> {
  const texts = await reader.readAll(files.filter((file) => !isScript(file)));
  if (stack.stack === undefined) {
    const none = { documents: [], diagnostics: [], incomplete: true };
    return [...texts, ...files.filter(isScript).map((file) => ({ path: file, ...none }))];
  }
  const scripts = await readScripts(files.filter(isScript), {
    folder: found.folder,
    variables: Object.fromEntries(stack.scope.variables),
    granted: options.grants.typescript,
    displayPath: (file) => reader.displayPath(file),
  });
  return [...texts, ...scripts].toSorted((left, right) => (left.path < right.path ? -1 : 1));
}

/** Nothing is ever written over a file that is not an inventory, and it is told before anything is done. */
async function inventoryErrors(
  { document }: FoundStack,
  stack: Stack | undefined,
): Promise<readonly Diagnostic[]> {
  if (stack === undefined) return [];
  const at = "/spec/inventory/file";
  const name = `"${path.relative(stack.folder, stack.inventoryFile)}", where the stack keeps its inventory,`;
  const tell = (why: string, remedy: string): readonly Diagnostic[] => {
    const said = { summary: `${name} ${why}`, remedy, place: document.locate(at), path: at };
    return [{ code: "out-of-bounds", severity: "error", ...said }];
  };
  if (leavesFolder(stack)) {
    return tell("leads out of the folder of the Stack", "Use a path below it, without links.");
  }
  if (await mayBeInventory(stack.inventoryFile)) return [];
  const remedy = "Name a path where nothing lies yet; manifests and inventory are apart.";
  return tell("is another file", remedy);
}

/** What cannot be looked at is told by whoever needs it. */
function leavesFolder({ inventoryFile, folder }: Stack): boolean {
  try {
    return !isInside(inventoryFile, folder);
  } catch {
    return false;
  }
}

interface ResolveContext {
  readonly found: FoundStack;
  readonly stack: StackDocument;
  readonly kinds: readonly Kind[];
}

function resolveFiles(files: readonly ManifestFile[], reading: ResolveContext): TolerantLoad {
  const { found: first, stack } = reading;
  const diagnostics = [...files.flatMap((file) => file.diagnostics), ...stack.diagnostics];
  const documents = files.flatMap((file) => file.documents);
  const stacks = documents.filter(isStack).filter((one) => one !== first.document);
  diagnostics.push(...stacks.map((one) => duplicateStack(one, first.document)));
  if (documents.length > limits.documents) {
    const declared = new Map<string, DeclaredMetadata>();
    return { desired: undefined, declared, diagnostics: [...diagnostics, tooMany(first.document)] };
  }
  const context = {
    scope: stack.scope,
    kinds: new Map(reading.kinds.map((kind) => [kind.name, kind])),
  };
  const own = documents.filter(
    (document) => !isStack(document) && !isPipeline(document) && !isEncryptedBySops(document),
  );
  const changed = applyOverlays(own, {
    overlays: stack.overlays,
    stack: first.document,
    kinds: new Set(context.kinds.keys()),
  });
  diagnostics.push(...changed.diagnostics);
  const checked = changed.documents.map((document) => checkDocument(document, context));
  diagnostics.push(...checked.flatMap((one) => one.diagnostics));
  const unread = unreadIn(files, checked, stack);
  const resolved = resolve({
    stack: stack.stack,
    documents: checked.flatMap(({ desired: wish, isValid: sound }) => (sound && wish) || []),
    invalidDocuments: checked.flatMap(
      ({ desired: wish, isValid: sound }) => (!sound && wish) || [],
    ),
    unreadDocuments: unread,
  });
  const pipelines = pipelinesIn(documents.filter(isPipeline), stack.scope);
  const found = [...diagnostics, ...pipelines.diagnostics, ...resolved.diagnostics];
  const declared = declaredIn(checked);
  if (resolved.desired === undefined) return { desired: undefined, declared, diagnostics: found };
  const desired = { ...resolved.desired, pipelines: pipelines.pipelines };
  // A deployment whose own document has mistakes is not missing.
  const isWhole = !unread.anyKindAndName && checked.every(({ isValid: sound }) => sound);
  const selections = isWhole ? selectionErrors(desired.pipelines, desired.objects) : [];
  return { desired, declared, diagnostics: [...found, ...selections] };
}

/** Where the Stack names its files wrongly, others than these may be meant. */
function unreadIn(
  files: readonly ManifestFile[],
  checked: readonly CheckedDocument[],
  { stack, diagnostics }: StackDocument,
): UnreadDocuments {
  const heads = checked.flatMap(({ desired: wish, head }) => (wish === undefined ? [head] : []));
  const names = heads.flatMap((head) => head?.name ?? []);
  const kinds = heads.flatMap((head) => (head?.name === undefined ? (head?.kind ?? []) : []));
  const any =
    files.some((file) => file.incomplete) ||
    (stack === undefined && diagnostics.length === 0) ||
    diagnostics.some((one) => one.path?.startsWith("/spec/manifests")) ||
    heads.some((head) => head === undefined || (head.kind ?? head.name) === undefined);
  return { anyKindAndName: any, names: new Set(names), kinds: new Set(kinds) };
}

function declaredIn(checked: readonly CheckedDocument[]): ReadonlyMap<string, DeclaredMetadata> {
  return new Map(
    checked.flatMap(({ desired: wish, isValid: sound }) => {
      if (wish === undefined) return [];
      const { address, labels, rules } = wish;
      return [[address, { labels, rules: sound ? rules : validRules(rules) }] as const];
    }),
  );
}

function pipelinesIn(documents: readonly Document[], scope: StackDocument["scope"]) {
  const read = documents.map((document) => readPipeline(document, scope));
  const pipelines = read.flatMap(({ pipeline }) => pipeline ?? []);
  const diagnostics = pipelines.flatMap((one, index): Diagnostic[] => {
    const first = pipelines.slice(0, index).find(({ name }) => name === one.name);
    if (first === undefined) return [];
    const { file, line } = first.place;
    const summary = `Pipeline/${one.name} is already declared at ${file}:${line}`;
    const remedy = "Rename or remove one of them.";
    return [{ code: "duplicate-address", severity: "error", summary, remedy, place: one.place }];
  });
  return { pipelines, diagnostics: [...read.flatMap((one) => one.diagnostics), ...diagnostics] };
}

function tooMany({ place }: Document): Diagnostic {
  const summary = `the stack has more than ${limits.documents} documents`;
  const remedy = "Split it into several stacks.";
  return { code: "file-too-large", severity: "error", summary, remedy, place };
}

/** By place in the files; what has no place comes last. */
function sortedByPlace(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted(({ place: left }, { place: right }) => {
    if (left === undefined || right === undefined) {
      return Number(left === undefined) - Number(right === undefined);
    }
    if (left.file !== right.file) return left.file < right.file ? -1 : 1;
    return left.line - right.line || left.column - right.column;
  });
}
