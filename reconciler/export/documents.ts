// Converts live objects to documents that declare them, and reports values that a document cannot express.
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostics.ts";
import { compare } from "../../core/spec/diff.ts";
import { fieldsOf, readability, desiredSpecSchema } from "../../core/kind/fields.ts";
import { address, nameText, scopeOf } from "../../core/kind/identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import { snakeCase } from "../../core/text/naming.ts";
import { withoutServerManaged } from "../../core/spec/server-managed.ts";
import { normalizeLive } from "../../core/spec/normalize.ts";
import { splitPointer } from "../../core/pointer.ts";
import { sensitivePointers } from "../../core/spec/record.ts";
import {
  fieldsWithin,
  type Reference,
  referencesOf,
  referredKinds,
  withReferences,
} from "../../core/kind/references.ts";
import { validator } from "../../core/schema/validate.ts";
import { layersOfKinds } from "../model/kind-layers.ts";
import { escapeSubstitutions } from "../manifest/variables.ts";
import type { LiveState, LiveObjects } from "../model/index.ts";
import { pluralize } from "../../core/text/escape-text.ts";
import { namesFor } from "./document-names.ts";
import {
  type DeclaredObject,
  isListed,
  separateLists,
  withoutSeparateLists,
} from "./listed-entries.ts";

/** A live object as a document. */
export interface ExportedDocument {
  readonly kind: Kind;
  readonly name: string;
  /** Natural key as text. */
  readonly key: string;
  /** The spec as a manifest contains it: references by name, `${` escaped as `$${`. */
  readonly spec: JsonObject;
  /**
   * File name without extension when files are split by parent: the outermost parent, or the kind.
   */
  readonly parentPath: string;
  /**
   * Reasons why the document can only be a comment to complete by hand; empty if it is complete.
   */
  readonly missing: readonly string[];
}

/** Result of an export. */
export interface ExportedDocuments {
  /** In the order of the kinds, then by natural key. */
  readonly documents: readonly ExportedDocument[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A document with its live object. */
interface DocumentWithLive {
  readonly document: ExportedDocument;
  readonly live: ObservedObject["spec"];
}

/** Objects that are already declared. */
export interface ExportFilter {
  /** The objects that existing documents declare. */
  readonly declared?: readonly DeclaredObject[];
  /** The only objects that get a document. */
  readonly onlyDeclared?: boolean | undefined;
  /** Kind and natural key of objects that other stacks own. They get no document either. */
  readonly ownedElsewhere?: ReadonlySet<string>;
}

interface ExportContext extends Required<Omit<ExportFilter, "declared">> {
  /** By kind and natural key. */
  readonly declared: ReadonlyMap<string, DeclaredObject>;
  /** Fields, by kind and natural key, that are lists with entries that have their own documents. */
  readonly separateLists: ReadonlyMap<string, ReadonlySet<string>>;
  /** The documents of the export, by kind and natural key. */
  readonly exported: Map<string, ExportedDocument>;
  /** Names of kinds that are parents. */
  readonly parentKinds: ReadonlySet<string>;
  /** Objects that documents may refer to, by kind and referenced value. */
  readonly byReference: Map<string, Map<string, DocumentWithLive[]>>;
  readonly diagnostics: Diagnostic[];
}

/**
 * Returns documents for the observed objects of `wanted`. References to other objects are external. Data that is both a
 * list of one object and an object for each entry is exported once: as the list, unless a stack declares entries of it.
 */
export function documentsOf(
  live: LiveState,
  wanted: readonly Kind[],
  { declared = [], onlyDeclared = false, ownedElsewhere = new Set() }: ExportFilter = {},
): ExportedDocuments {
  const layers = layersOfKinds(wanted);
  const holders = parentKindsOf(wanted);
  const run: ExportContext = {
    declared: new Map(declared.map((object) => [address(object.kind.name, object.key), object])),
    separateLists: separateLists(live, declared, ownedElsewhere),
    exported: new Map(),
    onlyDeclared,
    ownedElsewhere,
    parentKinds: holders,
    byReference: new Map(),
    diagnostics: [],
  };
  const parentsFirst = wanted.toSorted(
    (left, right) => (layers.get(left.name) ?? 0) - (layers.get(right.name) ?? 0),
  );
  const byKind = new Map<Kind, readonly ExportedDocument[]>();
  for (const kind of parentsFirst) {
    const seen = live.get(kind.name);
    if (seen === undefined) continue;
    const documents = exportKind(run, seen);
    for (const document of documents) run.exported.set(address(kind.name, document.key), document);
    byKind.set(kind, documents);
  }
  const documents = wanted.flatMap((kind) => byKind.get(kind) ?? []);
  return { documents, diagnostics: run.diagnostics };
}

function exportKind(
  run: ExportContext,
  { kind, byKey, ambiguous }: LiveObjects,
): readonly ExportedDocument[] {
  const observedObjects = [...byKey]
    .filter(([key, { spec }]) => {
      const objectAddress = address(kind.name, key);
      if (run.declared.has(objectAddress)) return true;
      return (
        !run.onlyDeclared && !run.ownedElsewhere.has(objectAddress) && !isListed(run, kind, spec)
      );
    })
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  const declared = new Map(
    observedObjects.flatMap(([key]) => {
      const name = run.declared.get(address(kind.name, key))?.name;
      return name === undefined ? [] : [[key, name] as const];
    }),
  );
  const others = observedObjects.map(([key]) => key).filter((key) => !declared.has(key));
  const names = new Map([...namesFor(kind, others, new Set(declared.values())), ...declared]);
  for (const [key, ids] of ambiguous) run.diagnostics.push(ambiguousObjects(kind, key, ids));
  const exportAll = (within: ExportContext) => {
    const moving: string[] = [];
    const documents = observedObjects.map(([key, observed]) => {
      const item = { kind, key, observed, name: names.get(key) ?? key };
      return exportObject(within, item, (fields) => moving.push(...fields));
    });
    run.byReference.set(kind.name, byReferencedValue(documents, byKey));
    return { documents, moving };
  };
  // Objects that refer to others of their kind are exported again once all of these have a document.
  if (referredKinds(kind).has(kind.name)) exportAll({ ...run, diagnostics: [] });
  const { documents, moving } = exportAll(run);
  run.diagnostics.push(
    ...unreadableFields(kind, documents.length),
    ...volatileFields(kind, moving),
  );
  return documents;
}

/** Returns the documents of a kind by the value that references to their objects have. */
function byReferencedValue(
  documents: readonly ExportedDocument[],
  byKey: LiveObjects["byKey"],
): Map<string, DocumentWithLive[]> {
  const withLive = documents.map((document): DocumentWithLive => {
    return { document, live: byKey.get(document.key)?.spec ?? {} };
  });
  return Map.groupBy(withLive, ({ document, live }) => nameText(document.kind, live));
}

interface ExportItem {
  readonly kind: Kind;
  readonly key: string;
  readonly name: string;
  readonly observed: ObservedObject;
}

function exportObject(
  run: ExportContext,
  item: ExportItem,
  reportMoving: (fields: readonly string[]) => void,
): ExportedDocument {
  const { kind, key, name, observed } = item;
  const still = withoutServerManaged(kind, normalizeLive(kind, observed.spec));
  reportMoving(still.serverManagedPaths);
  const objectAddress = address(kind.name, key);
  const readable = withoutSecrets(kind, still.spec);
  const shown = run.declared.has(objectAddress)
    ? readable
    : withoutSeparateLists(run.separateLists, objectAddress, readable);
  const { spec, lacks } = writable(run, item, shown);
  const desired = { ...escapedSpec(spec), ...placeholders(kind, name, spec) };
  for (const lack of lacks) run.diagnostics.push(incompleteDocument(item, lack));
  return { kind, name, key, spec: desired, parentPath: parentPathOf(run, item), missing: lacks };
}

function parentKindsOf(kinds: readonly Kind[]): ReadonlySet<string> {
  return new Set(kinds.flatMap((kind) => parentKindOf(kind) ?? []));
}

/** Returns the outermost parent kind of a kind's collections. */
function parentKindOf(kind: Kind): string | undefined {
  return fieldsOf(kind).find(({ name }) => name === kind.scope[0])?.traits.refersTo;
}

function parentPathOf(run: ExportContext, { kind, name, observed }: ExportItem): string {
  const parents = run.byReference.get(parentKindOf(kind) ?? "");
  const inside = scopeOf(kind, observed.spec)[kind.scope[0] ?? ""];
  const [parent] = parents?.get(inside ?? "") ?? [];
  if (parent !== undefined) return parent.document.parentPath;
  return run.parentKinds.has(kind.name) ? `${kind.plural}/${name}` : kind.plural;
}

/**
 * Returns the fields that a document can declare, and the reasons why required fields are missing.
 */
function writable(
  run: ExportContext,
  item: ExportItem,
  shown: JsonObject,
): { readonly spec: JsonObject; readonly lacks: readonly string[] } {
  const { kind, observed } = item;
  const needed = new Set([
    ...kind.key,
    ...fieldsOf(kind).flatMap(({ name, required }) => (required ? [name] : [])),
  ]);
  const referring = withReferences(shown, referencesOf(kind, shown), (reference) =>
    referenceValue(run, reference, shown),
  );
  const wrong = invalidFields(kind, referring);
  const spec = Object.fromEntries(Object.entries(referring).filter(([field]) => !wrong.has(field)));
  const lacks = [...needed].flatMap((field) => {
    if (wrong.has(field)) return [`its ${field} ${wrong.get(field)}`];
    return spec[field] === undefined
      ? [`its ${field} is a secret, or the API does not show it`]
      : [];
  });
  const optional = [...wrong].filter(([field]) => !needed.has(field));
  for (const [field, why] of optional) run.diagnostics.push(omittedField(item, field, why));
  const kept = Object.fromEntries(Object.entries(shown).filter(([field]) => field in spec));
  const differing = lacks.length > 0 ? [] : compare(kind, kept, observed.spec);
  for (const { path, field } of differing) {
    if (!wrong.has(field)) run.diagnostics.push(fieldMismatch(item, path));
  }
  return { spec, lacks };
}

/**
 * Returns the name of the referenced document, or the key of an object that no document declares.
 */
function referenceValue(run: ExportContext, reference: Reference, spec: JsonObject): JsonValue {
  const { kind, value } = reference;
  const within = Object.entries(fieldsWithin(reference, spec));
  const matches = (run.byReference.get(kind)?.get(value) ?? []).filter(
    ({ live, document }) =>
      document.missing.length === 0 && within.every(([theirs, ours]) => live[theirs] === ours),
  );
  const [only, another] = matches;
  return only !== undefined && another === undefined ? only.document.name : { external: value };
}

/**
 * Returns fields that no document can express, each with the reason; a key of a map cannot contain a
 * substitution.
 */
function invalidFields(kind: Kind, spec: JsonObject): ReadonlyMap<string, string> {
  const wrong = new Map<string, string>();
  for (const { path, code, message } of validator(desiredSpecSchema(kind))(spec)) {
    const [field, ...below] = splitPointer(path);
    // The caller reports a field that the API does not show.
    if (code === "missing-field" && below.length === 0) continue;
    if (field !== undefined && !wrong.has(field)) wrong.set(field, message);
  }
  for (const [field, value] of Object.entries(spec)) {
    if (escapeSubstitutions(value) === undefined)
      wrong.set(field, "has a key that looks like a substitution");
  }
  return wrong;
}

function escapedSpec(spec: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(spec).map(([field, value]) => [field, escapeSubstitutions(value)]),
  );
}

function withoutSecrets(kind: Kind, spec: JsonObject): JsonObject {
  return sensitivePointers(kind, spec).reduce<JsonObject>(
    (rest, place) => withoutPath(rest, splitPointer(place)),
    spec,
  );
}

function withoutPath(spec: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  const { [name]: value, ...others } = spec;
  return rest.length === 0 || !isObject(value)
    ? others
    : { ...others, [name]: withoutPath(value, rest) };
}

/** Returns a placeholder variable for a text that cannot be read, to complete by hand. */
function placeholders(kind: Kind, name: string, spec: JsonObject): JsonObject {
  return Object.fromEntries(
    fieldsOf(kind)
      .filter((field) => field.required && spec[field.name] === undefined)
      .map((field) => {
        const variable = snakeCase(`${name}_${field.name}`).replace(/[^a-z0-9]+/gu, "_");
        return [field.name, `\${env:${variable.toUpperCase().replace(/^[0-9]/u, "_$&")}}`];
      }),
  );
}

const code: DiagnosticCode = "not-exported";

function incompleteDocument({ kind, name }: ExportItem, lack: string): Diagnostic {
  const objectAddress = address(kind.name, name);
  return {
    code,
    severity: "warning",
    address: objectAddress,
    summary: `${objectAddress} cannot be exported completely: ${lack}`,
    remedy: "Supply the missing value if this stack should manage the object.",
  };
}

function omittedField({ kind, name }: ExportItem, field: string, why: string): Diagnostic {
  const objectAddress = address(kind.name, name);
  return {
    code,
    severity: "warning",
    address: objectAddress,
    path: `/spec/${field}`,
    summary: `${field} of ${objectAddress} is omitted: it ${why}`,
    remedy: "An omitted field keeps its live value.",
  };
}

function fieldMismatch({ kind, name }: ExportItem, path: string): Diagnostic {
  const objectAddress = address(kind.name, name);
  return {
    code,
    severity: "warning",
    address: objectAddress,
    path: `/spec${path}`,
    summary: `${path} of ${objectAddress} cannot be expressed in a document, and is planned to get its default`,
    remedy: "Review the plan before you apply it.",
  };
}

function ambiguousObjects(kind: Kind, key: string, ids: readonly string[]): Diagnostic {
  const which = ids.length === 0 ? "" : ` (ids ${ids.join(", ")})`;
  return {
    code: "ambiguous-live",
    severity: "warning",
    summary:
      `several objects of type ${kind.name} have the key ${key}${which}, so a document cannot ` +
      "identify one of them",
    remedy: "Rename or delete all but one of them, then export again.",
  };
}

/** Reports fields that change on their own and are not exported. */
function volatileFields(kind: Kind, moving: readonly string[]): readonly Diagnostic[] {
  return [...Map.groupBy(moving, (field) => field)].map(([field, { length }]) => ({
    code,
    severity: "info",
    summary:
      `${field} of ${pluralize(length, kind.name)} changes on its own; the manifests omit it, ` +
      "and apply keeps what the server has",
    remedy: "Add it to documents that should pin it.",
  }));
}

/** Reports fields that the API never returns. */
function unreadableFields(kind: Kind, count: number): readonly Diagnostic[] {
  const hidden = fieldsOf(kind).filter(({ schema }) => readability(schema) === "hidden");
  if (count === 0 || hidden.length === 0) return [];
  const names = hidden.map(({ name }) => name).join(", ");
  return [
    {
      code,
      severity: "info",
      summary:
        `the API does not return ${names} of ${pluralize(count, kind.name)}; the manifests omit ` +
        `${hidden.length === 1 ? "it" : "them"}, and apply keeps what the server has`,
      remedy:
        hidden.length === 1
          ? "Add the field to documents that should manage it."
          : "Add the fields to documents that should manage them.",
    },
  ];
}
