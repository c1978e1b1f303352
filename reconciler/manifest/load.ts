// Loads a stack from files to the desired state: substitution, overlays, checks, references. Reports all errors in one run.
import path from "node:path";
import type { Component } from "../../core/kind/component.ts";
import { type Diagnostic, hasErrors } from "../../core/diagnostics.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import { digestOf, resolve } from "./resolve-manifests.ts";
import type { UnreadDocuments } from "./resolve-references.ts";
import type { DeclaredMetadata, DesiredState, ResolveResult, Stack } from "../model/index.ts";
import {
  type CheckContext,
  type CheckedDocument,
  checkDocument,
  looksLikeDocument,
} from "./document.ts";
import { expandComponent } from "./expand-components.ts";
import {
  checkExtensions,
  type DocumentType,
  isOfType,
  kindOf,
  readExtensions,
} from "./document-type.ts";
import { type FileReader, fileReader, type ManifestFile } from "./files.ts";
import type { ReadFolder } from "./folder-source.ts";
import {
  stackFiles,
  findStack,
  type FoundStack,
  classifyPaths,
  type NamedPaths,
  nestedStacks,
  duplicateStack,
} from "./find-stack.ts";
import { inventoryErrors } from "./inventory-errors.ts";
import { undeclaredVariables } from "./undeclared-variables.ts";
import { notADocument, otherDocuments, withoutValues } from "./other-files.ts";
import { applyOverlays } from "./overlays.ts";
import type { Document } from "./parse.ts";
import type { ParseCache } from "./parse-cache.ts";
import { removedDocumentType } from "./removed.ts";
import { validRules } from "./lifecycle-checks.ts";
import {
  type OperatorSettings,
  isStack,
  readStack,
  stackKind,
  type StackDocument,
} from "./stack.ts";

/** The paths to load, and the operator's settings. */
export interface LoadOptions extends OperatorSettings {
  /** Files, folders, or `-` for standard input. Default: the current folder. */
  readonly paths: readonly string[];
  /** The current folder, absolute. */
  readonly cwd: string;
  readonly kinds: readonly Kind[];
  /** Components whose documents declare several objects. Default: none. */
  readonly components?: readonly Component[];
  /** Document types in addition to Stack, Removed and the kinds, such as Pipeline. Default: none. */
  readonly documentTypes?: readonly DocumentType[];
  /** Reads standard input to its end. Called at most once, if a path is `-`. */
  readonly stdin?: () => Promise<string>;
  /** Set in a process that loads stacks repeatedly, so that it parses unchanged files once. Default: none. */
  readonly parseCache?: ParseCache | undefined;
}

/** Loads a stack from files. Reports the errors of all files, sorted by place; never throws for invalid input. */
export async function loadStack(options: LoadOptions): Promise<ResolveResult> {
  const located = await locateStack(options);
  if ("missing" in located) return { desired: undefined, diagnostics: located.missing };
  const { desired, diagnostics } = await loadAll(located, options);
  return { desired: hasErrors(diagnostics) ? undefined : desired, diagnostics };
}

/** A Stack document without the other documents of the stack. */
interface StackAlone {
  /** Undefined if the Stack has errors. */
  readonly stack: Stack | undefined;
  /** The globs of its files. Undefined if it lists none. */
  readonly manifests?: readonly string[] | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Loads the Stack document alone, for commands that need no other. Does not check the other documents. */
export async function loadStackAlone(options: LoadOptions): Promise<StackAlone> {
  const located = await locateStack(options);
  if ("missing" in located) return { stack: undefined, diagnostics: located.missing };
  const diagnostics = await stackErrors(located);
  if (hasErrors(diagnostics)) return { stack: undefined, diagnostics };
  const { stack, manifests } = located.stack;
  return { stack, manifests, diagnostics };
}

/** A valid Stack whose other documents may have errors, with the metadata that they declare. */
export interface TolerantLoad {
  /**
   * Without objects if any document has errors, because a part is not the desired state. Undefined if the Stack has
   * errors.
   */
  readonly desired: DesiredState | undefined;
  /** The declared metadata by address, of each document that can be read, even if it has errors. */
  readonly declared: ReadonlyMap<string, DeclaredMetadata>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Loads a stack for commands that must work despite errors in documents. Replaces the errors by one warning. */
export async function loadTolerant(options: LoadOptions): Promise<TolerantLoad> {
  const located = await locateStack(options);
  if ("missing" in located)
    return { desired: undefined, declared: new Map(), diagnostics: located.missing };
  const errors = await stackErrors(located);
  const { desired, diagnostics, declared } = await loadAll(located, options);
  const { stack } = located.stack;
  if (stack === undefined || hasErrors(errors))
    return { desired: undefined, declared, diagnostics };
  if (!hasErrors(diagnostics)) return { desired, declared, diagnostics };
  const bare = { stack, objects: [], digest: digestOf([]) };
  return { desired: bare, declared, diagnostics: [...errors, ignoredErrors(diagnostics)] };
}

function ignoredErrors(diagnostics: readonly Diagnostic[]): Diagnostic {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const [first] = errors;
  const count = errors.length === 1 ? "an error" : `${errors.length} errors`;
  const summary = `the manifests have ${count}, ignored here; the last-applied state stands in for documents that cannot be read`;
  const remedy = "Run `svc lint` to list them.";
  const place = first?.place && { place: first.place };
  return { code: "errors-ignored", severity: "warning", summary, remedy, ...place };
}

interface LocatedStack {
  readonly named: NamedPaths;
  readonly reader: FileReader;
  readonly stackFile: FoundStack;
  readonly stack: StackDocument;
}

/** Finds and reads the Stack document of the given paths. */
async function locateStack(
  options: LoadOptions,
): Promise<LocatedStack | { readonly missing: readonly Diagnostic[] }> {
  const { paths, cwd, stdin, parseCache } = options;
  const reader = fileReader({ cwd, stdin, parseCache });
  const named = await classifyPaths(paths, cwd, reader);
  const stackFile = await findStack(named, cwd, reader);
  if (!("document" in stackFile)) return { missing: sortedByPlace(stackFile) };
  const read = readStack(stackFile.document, stackFile.folder, options);
  const displayPath = path.relative(cwd, stackFile.folder);
  const namePlace = stackFile.document.locate("/metadata/name");
  if (read.stack === undefined) return { named, reader, stackFile, stack: read };
  const nested = await nestedStacks(stackFile, { ...read, named, reader });
  const stack = { ...read.stack, displayPath, namePlace };
  const diagnostics = [...read.diagnostics, ...nested];
  return { named, reader, stackFile, stack: { ...read, stack, diagnostics } };
}

/** Returns the errors of the Stack document. Errors of other documents in its file count only if the Stack has errors. */
async function stackErrors({
  stackFile,
  reader,
  stack,
}: LocatedStack): Promise<readonly Diagnostic[]> {
  const file = stack.stack === undefined ? (await reader.read(stackFile.file)).diagnostics : [];
  return sortedByPlace([
    ...file,
    ...stack.diagnostics,
    ...(await inventoryErrors(stackFile, stack.stack)),
  ]);
}

async function loadAll(located: LocatedStack, options: LoadOptions): Promise<TolerantLoad> {
  const { named, reader, stackFile, stack } = located;
  const { files, diagnostics } = await stackFiles(stackFile, { ...stack, named, reader });
  const read = await reader.readAll(files);
  const { kinds, components = [] } = options;
  const documentTypes = [removedDocumentType(kinds), ...(options.documentTypes ?? [])];
  const resolved = resolveFiles(read, { stackFile, stack, kinds, components, documentTypes });
  const all = [
    ...named.diagnostics,
    ...diagnostics,
    ...(await inventoryErrors(stackFile, stack.stack)),
    ...undeclaredVariables(options.variables, { files: read, stack: stackFile.document }),
    ...resolved.diagnostics,
  ];
  return { ...resolved, diagnostics: sortedByPlace(all) };
}

interface ResolveContext {
  readonly stackFile: FoundStack;
  readonly stack: StackDocument;
  readonly kinds: readonly Kind[];
  readonly components: readonly Component[];
  readonly documentTypes: readonly DocumentType[];
}

function resolveFiles(files: readonly ManifestFile[], reading: ResolveContext): TolerantLoad {
  const { stackFile: first, stack, documentTypes: types } = reading;
  const diagnostics = [...stack.diagnostics];
  const documents = files.flatMap((file) => file.documents).filter(looksLikeDocument);
  const stacks = documents.filter(isStack).filter((document) => document !== first.document);
  diagnostics.push(...stacks.map((document) => duplicateStack(document, first.document)));
  if (documents.length > limits.documents)
    return tooMany(first, [...errorsOf(files), ...diagnostics]);
  const context = {
    scope: stack.scope,
    kinds: kindsByName(reading.kinds),
    components: new Map(reading.components.map((component) => [component.name, component])),
    otherKinds: [stackKind, ...types.map(({ kind }) => kind)],
  };
  const declarations = documents.filter(
    (document) => !isStack(document) && !isOfType(kindOf(document), types),
  );
  const changed = applyOverlays(declarations, {
    overlays: stack.overlays,
    stack: first.document,
    kinds: new Set([...context.kinds.keys(), ...context.components.keys()]),
  });
  diagnostics.push(...changed.diagnostics);
  const { checked, isComplete: isExpanded, ...more } = checkAll(changed.documents, context);
  diagnostics.push(...more.diagnostics);
  const manifests = withoutValues(files, foldersOf(checked));
  const others = otherDocuments(manifests);
  diagnostics.push(...errorsOf(manifests), ...others.flatMap(notADocument));
  if (checked.length > limits.documents) return tooMany(first, diagnostics);
  const isWhole = isExpanded && others.length === 0;
  const unread = unreadIn(manifests, checked, { ...stack, isWhole });
  const resolved = resolve({
    stack: stack.stack,
    documents: checked.flatMap(({ desired, isValid }) => (isValid && desired) || []),
    invalidDocuments: checked.flatMap(({ desired, isValid }) => (!isValid && desired) || []),
    unreadDocuments: unread,
  });
  const extensions = readExtensions(documents, { types, scope: stack.scope });
  const all = [...diagnostics, ...extensions.diagnostics, ...resolved.diagnostics];
  const declared = declaredIn(checked);
  if (resolved.desired === undefined) return { desired: undefined, declared, diagnostics: all };
  const desired = {
    ...resolved.desired,
    stack: {
      ...resolved.desired.stack,
      sources: sourcesOf(manifests, checked),
      valueFiles: [...new Set(checked.flatMap(({ desired: object }) => object?.valueFiles ?? []))],
    },
    extensions: extensions.documents,
  };
  // An object whose document has errors is not missing.
  const isComplete = !unread.anyKindAndName && checked.every(({ isValid }) => isValid);
  const { objects } = desired;
  const later = isComplete ? checkExtensions(extensions, { types, objects }) : [];
  return { desired, declared, diagnostics: [...all, ...later] };
}

/** Returns the files of the documents, and the folders that their values are read from. */
function sourcesOf(
  files: readonly ManifestFile[],
  checked: readonly CheckedDocument[],
): readonly string[] {
  const folders = foldersOf(checked).map(({ folder }) => folder);
  return [...new Set([...files.map((file) => file.path), ...folders])];
}

function foldersOf(checked: readonly CheckedDocument[]): readonly ReadFolder[] {
  return checked.flatMap(({ desired }) => desired?.folders ?? []);
}

function errorsOf(files: readonly ManifestFile[]): readonly Diagnostic[] {
  return files.flatMap((file) => file.diagnostics);
}

interface CheckedDocuments {
  readonly checked: readonly CheckedDocument[];
  /** The errors of the documents, and of components. */
  readonly diagnostics: readonly Diagnostic[];
  /** False if a component has errors, so that some of its objects may be missing. */
  readonly isComplete: boolean;
}

/** Checks documents, and in place of a component's document those that it expands to. */
function checkAll(documents: readonly Document[], context: CheckContext): CheckedDocuments {
  const { components, scope } = context;
  const componentOf = (document: Document): Component | undefined =>
    components?.get(String(kindOf(document)));
  const checkedAlone = new Map(
    documents.flatMap((document) =>
      componentOf(document) === undefined
        ? [[document, checkDocument(document, context)] as const]
        : [],
    ),
  );
  const addresses = new Set(
    [...checkedAlone.values()].flatMap(({ desired }) => desired?.address ?? []),
  );
  const diagnostics: Diagnostic[] = [];
  let isComplete = true;
  const checked = documents.flatMap((document) => {
    const component = componentOf(document);
    if (component === undefined) return checkedAlone.get(document) ?? [];
    const expansion = expandComponent(component, document, { scope, addresses });
    diagnostics.push(...expansion.diagnostics);
    isComplete &&= expansion.isComplete;
    return expansion.documents.map((part) => checkDocument(part, context));
  });
  diagnostics.push(...checked.flatMap((document) => document.diagnostics));
  return { checked, diagnostics, isComplete };
}

/** Describes the documents that may exist but could not be read, such as those of an invalid glob. */
function unreadIn(
  files: readonly ManifestFile[],
  checked: readonly CheckedDocument[],
  { stack, diagnostics, isWhole }: StackDocument & { readonly isWhole: boolean },
): UnreadDocuments {
  const heads = checked.flatMap(({ desired, head }) => (desired === undefined ? [head] : []));
  const names = heads.flatMap((head) => head.name ?? []);
  const kinds = heads.flatMap((head) => (head.name === undefined ? (head.kind ?? []) : []));
  const any =
    !isWhole ||
    files.some((file) => file.incomplete) ||
    (stack === undefined && diagnostics.length === 0) ||
    diagnostics.some((diagnostic) => diagnostic.path?.startsWith("/spec/manifests")) ||
    heads.some((head) => (head.kind ?? head.name) === undefined);
  return { anyKindAndName: any, names: new Set(names), kinds: new Set(kinds) };
}

function declaredIn(checked: readonly CheckedDocument[]): ReadonlyMap<string, DeclaredMetadata> {
  return new Map(
    checked.flatMap(({ desired, isValid }) => {
      if (desired === undefined) return [];
      const { address, labels, rules } = desired;
      return [[address, { labels, rules: isValid ? rules : validRules(rules) }] as const];
    }),
  );
}

function tooMany(
  { document: { place } }: FoundStack,
  diagnostics: readonly Diagnostic[],
): TolerantLoad {
  const summary = `the stack has more than ${limits.documents} documents`;
  const remedy = "Split it into several stacks.";
  const error: Diagnostic = { code: "file-too-large", severity: "error", summary, remedy, place };
  return { desired: undefined, declared: new Map(), diagnostics: [...diagnostics, error] };
}

/** Sorts by place in the files. Diagnostics without a place come last. */
function sortedByPlace(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted(({ place: left }, { place: right }) => {
    if (left === undefined || right === undefined) {
      return Number(left === undefined) - Number(right === undefined);
    }
    if (left.file !== right.file) return left.file < right.file ? -1 : 1;
    return left.line - right.line || left.column - right.column;
  });
}
