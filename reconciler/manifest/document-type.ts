// Document types that callers add to stacks, in addition to Stack and the resource types. Pipeline is one.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { DesiredObject, ExtensionDocument } from "../model/index.ts";
import type { Document } from "./parse.ts";
import type { Scope } from "./variables.ts";

/** A document type that declares no object. Its caller reads and checks its documents. */
export interface DocumentType {
  /** The `kind` of its documents. */
  readonly kind: string;
  /** Reads one document. The result is undefined if the document has errors. */
  read(
    document: Document,
    scope: Scope,
  ): {
    readonly document: ExtensionDocument | undefined;
    /** What is valid of a document with errors, for {@link check} only. */
    readonly partial?: ExtensionDocument | undefined;
    readonly diagnostics: readonly Diagnostic[];
  };
  /** Checks all documents of the type with the desired objects, once every document of an object is valid. */
  check(
    documents: readonly ExtensionDocument[],
    objects: readonly DesiredObject[],
  ): readonly Diagnostic[];
}

/** The documents of added types, with their errors. */
export interface ExtensionDocuments {
  readonly documents: readonly ExtensionDocument[];
  /** What is valid of documents with errors. */
  readonly partial: readonly ExtensionDocument[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Returns true if a document is of one of these types, valid or not. */
export function isOfType(kind: unknown, types: readonly DocumentType[]): boolean {
  return types.some((type) => type.kind === kind);
}

/** Reads the documents of added types. Reports two of one kind and name. */
export function readExtensions(
  documents: readonly Document[],
  { types, scope }: { readonly types: readonly DocumentType[]; readonly scope: Scope },
): ExtensionDocuments {
  const read = documents.flatMap((document) => {
    const kind = kindOf(document);
    const type = types.find((item) => item.kind === kind);
    return type === undefined ? [] : [type.read(document, scope)];
  });
  const valid = read.flatMap(({ document }) => document ?? []);
  const diagnostics = read.flatMap((result) => result.diagnostics);
  const partial = read.flatMap((result) => result.partial ?? []);
  return { documents: valid, partial, diagnostics: [...diagnostics, ...duplicateErrors(valid)] };
}

/** Runs the checks of each type that need the desired objects. */
export function checkExtensions(
  { documents, partial }: ExtensionDocuments,
  {
    types,
    objects,
  }: { readonly types: readonly DocumentType[]; readonly objects: readonly DesiredObject[] },
): readonly Diagnostic[] {
  return types.flatMap((type) =>
    type.check(
      [...documents, ...partial].filter(({ kind }) => kind === type.kind),
      objects,
    ),
  );
}

/** Returns the `kind` member of a document. */
export function kindOf({ value }: Document): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)["kind"]
    : undefined;
}

function duplicateErrors(documents: readonly ExtensionDocument[]): readonly Diagnostic[] {
  const first = new Map<string, ExtensionDocument>();
  return documents.flatMap((document): Diagnostic[] => {
    const address = `${document.kind}/${document.name}`;
    const before = first.get(address);
    if (before === undefined) {
      first.set(address, document);
      return [];
    }
    const { file, line, column } = before.place;
    const summary = `${address} is already declared at ${file}:${line}:${column}`;
    const remedy = "Rename or remove one of them.";
    return [
      { code: "duplicate-address", severity: "error", summary, remedy, place: document.place },
    ];
  });
}
