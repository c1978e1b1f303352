// Resolves documents to the desired state: references to natural keys, normalized specs, no duplicates.
import { withArticle } from "../../core/text/naming.ts";
import { describeTypeMismatch, typeMismatch } from "../../core/spec/attribute-types.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { address, keyOf, nameOf, scopeOf } from "../../core/kind/identity.ts";
import { canonical, equal, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { declaredPointer, normalize } from "../../core/spec/normalize.ts";
import { joinPointer } from "../../core/pointer.ts";
import { splitSecrets } from "../../core/spec/record.ts";
import { fieldsWithin, type Reference, withReferences } from "../../core/kind/references.ts";
import { member } from "../../core/schema/schema.ts";
import { createTextHash } from "../../core/text/text-hash.ts";
import { validator } from "../../core/schema/validate.ts";
import { excessObjects } from "./object-limits.ts";
import { listedEntryConflicts, type FieldConflict, sharedFieldConflicts } from "./shared-fields.ts";
import { withImpliedDependencies } from "../model/implied-dependencies.ts";
import { declaredWarnings } from "../model/declared-warnings.ts";
import { withCheckDependencies } from "../model/check-dependencies.ts";
import {
  diagnostic,
  linkAll,
  type LinkedDocument,
  type UnreadDocuments,
} from "./resolve-references.ts";
import { diagnosticOf, type DesiredDocument } from "./document.ts";
import { fieldErrors } from "./field-errors.ts";
import { secretsInFolders } from "./refused-folders.ts";
import { fileLocator } from "./folder-source.ts";
import type { ResolveResult, Stack, DesiredObject } from "../model/index.ts";

/** The documents to resolve together. */
export interface ResolveInput {
  /** Undefined if the Stack has errors: then the result is only diagnostics. */
  readonly stack: Stack | undefined;
  /** Valid documents, in file order. */
  readonly documents: readonly DesiredDocument[];
  /** Documents with errors: others may refer to them and their references are checked, but they declare no object. */
  readonly invalidDocuments?: readonly DesiredDocument[];
  /** Documents that may exist but could not be read. Default: none. */
  readonly unreadDocuments?: UnreadDocuments;
}

interface ResolveState {
  readonly byAddress: ReadonlyMap<string, DesiredDocument>;
  readonly desiredObjects: Map<string, DesiredObject>;
  readonly diagnostics: Diagnostic[];
  readonly stack: Stack | undefined;
}

/** Resolves all documents of a stack, in linear time. Returns no desired state if there are errors. */
export function resolve(declared: ResolveInput): ResolveResult {
  const diagnostics: Diagnostic[] = [];
  const { invalidDocuments = [], unreadDocuments } = declared;
  const documents = uniqueDocuments({ ...declared, invalidDocuments }, diagnostics);
  const byAddress = new Map(documents.map((document) => [document.address, document]));
  const { stack } = declared;
  const state: ResolveState = { byAddress, desiredObjects: new Map(), diagnostics, stack };
  for (const document of linkAll({ documents, invalidDocuments, unreadDocuments }, diagnostics))
    addDesiredObject(state, document);
  const resolved = documents.flatMap(({ address: name }) => state.desiredObjects.get(name) ?? []);
  const objects = withCheckDependencies(withImpliedDependencies(resolved));
  reportDuplicateIdentity(state, objects);
  reportSharedFields(state, objects);
  reportExcess(state, objects);
  reportDuplicateSink(state, objects);
  reportConflictingMoves(state, objects);
  if (stack !== undefined) diagnostics.push(...secretsInFolders(stack, documents));
  if (stack === undefined || diagnostics.length > 0 || objects.length < declared.documents.length) {
    return { desired: undefined, diagnostics };
  }
  const desired = { stack, objects, digest: digestOf(objects) };
  return { desired, diagnostics: declaredWarnings(objects) };
}

/** Returns the valid documents that are the first with their address. Reports all duplicates, valid or not. */
function uniqueDocuments(
  { documents, invalidDocuments = [] }: ResolveInput,
  diagnostics: Diagnostic[],
): readonly DesiredDocument[] {
  const first = new Map<string, DesiredDocument>();
  for (const document of inFileOrder(documents, invalidDocuments)) {
    const before = first.get(document.address);
    if (before === undefined) {
      first.set(document.address, document);
      continue;
    }
    const summary = `${document.address} is already declared at ${placeText(before)}`;
    const remedy = "Rename or remove one of them.";
    const path = "/metadata/name";
    diagnostics.push(diagnostic(document, { code: "duplicate-address", path, summary, remedy }));
  }
  return documents.filter((document) => first.get(document.address) === document);
}

/** Merges two lists that are in file order. */
function inFileOrder(
  documents: readonly DesiredDocument[],
  invalidDocuments: readonly DesiredDocument[],
): readonly DesiredDocument[] {
  if (invalidDocuments.length === 0) return documents;
  return [...documents, ...invalidDocuments].toSorted((left, right) => {
    const [{ place: first }, { place: other }] = [left.document, right.document];
    if (first.file !== other.file) return first.file < other.file ? -1 : 1;
    return first.line - other.line || first.column - other.column;
  });
}

/** Adds the object of a document if all its references are resolved. Otherwise the cause has been reported. */
function addDesiredObject(
  state: ResolveState,
  { document, references, targets, needs }: LinkedDocument,
): void {
  const values = new Map<Reference, JsonValue>();
  for (const reference of references) {
    const value = reference.external
      ? reference.value
      : naturalKeyField(state, targets.get(reference.path));
    if (value === undefined) return;
    values.set(reference, value);
  }
  const { kind, name, labels } = document;
  const resolved = withReferences(
    document.spec,
    references,
    (reference) => values.get(reference) ?? null,
  );
  const spec = normalize(kind, resolved);
  if (reportExternal(state, document, { references, spec: resolved })) return;
  if (reportMismatches(state, { document, references, targets, needs }, spec)) return;
  state.desiredObjects.set(document.address, {
    address: document.address,
    kind,
    name,
    labels,
    spec,
    key: keyOf(kind, spec),
    scope: scopeOf(kind, spec),
    dependsOn: needs,
    secretTo: document.secretTo,
    ...(document.unresolved?.length && { unresolved: document.unresolved }),
    rules: document.rules,
    place: document.document.place,
    locate: document.document.locate,
    ...fileLocator(document),
    ...((kind.check ?? kind.offlineWarnings) && {
      declaredPointer: (pointer: string) => declaredPointer(kind, resolved, pointer),
    }),
    ...(document.document.generatedBy && { modifiedBy: document.document.generatedBy }),
  });
}

/** Returns the value by which other objects refer to the object of a document. */
function naturalKeyField(state: ResolveState, target: string | undefined): JsonValue | undefined {
  const object = target === undefined ? undefined : state.desiredObjects.get(target);
  return object && nameOf(object.kind, object.spec);
}

/** Reports external keys that the field cannot hold. Returns true if there are any. */
function reportExternal(
  state: ResolveState,
  document: DesiredDocument,
  { references, spec }: { readonly references: readonly Reference[]; readonly spec: JsonObject },
): boolean {
  const external = new Set(
    references.filter((reference) => reference.external).map(({ path }) => path),
  );
  if (external.size === 0) return false;
  const schema = document.kind.spec;
  const violations = validator(schema)(spec).filter(({ path }) => external.has(path));
  const checked = {
    schema,
    value: spec,
    written: document.spec,
    label: "spec",
    isObjectSpec: true,
  };
  for (const error of fieldErrors(violations, checked)) {
    const placed = { ...error, path: `/spec${error.path}` };
    state.diagnostics.push(diagnosticOf(document.document, placed, document.address));
  }
  return violations.length > 0;
}

/** Reports references to objects of another parent, or of another type than a value has. Returns true if there are any. */
function reportMismatches(state: ResolveState, linked: LinkedDocument, spec: JsonObject): boolean {
  const { document, references, targets } = linked;
  let mismatched = false;
  for (const reference of references) {
    const { path, value, kind } = reference;
    const object = state.desiredObjects.get(targets.get(path) ?? "");
    if (object === undefined) continue;
    const mistyped = typeMismatch(reference, spec, object.spec);
    if (mistyped !== undefined) {
      mismatched = true;
      const detail = describeTypeMismatch(mistyped, object.address);
      state.diagnostics.push(diagnostic(document, detail));
    }
    for (const [theirs, right] of Object.entries(fieldsWithin(reference, spec))) {
      const left = member(object.spec, theirs);
      if (equal(left, right)) continue;
      mismatched = true;
      const isUnnamed = right === undefined || right === null;
      const ours = isUnnamed
        ? `but this names no ${theirs}`
        : `but this document to ${canonical(right)}`;
      const summary = `${kind} "${value}" belongs to ${theirs} ${canonical(left)}, ${ours}`;
      const remedy = isUnnamed
        ? `Set ${theirs} beside the reference.`
        : `Name ${withArticle(kind)} with the same ${theirs}.`;
      const detail = { code: "reference-mismatch", path: `/spec${path}`, summary, remedy } as const;
      state.diagnostics.push(diagnostic(document, detail));
    }
  }
  return mismatched;
}

function reportDuplicateIdentity(state: ResolveState, objects: readonly DesiredObject[]): void {
  const first = new Map<string, DesiredObject>();
  for (const object of objects) {
    const identity = address(object.kind.name, object.key);
    const before = first.get(identity);
    if (before === undefined) first.set(identity, object);
    const document = state.byAddress.get(object.address);
    const other = before && state.byAddress.get(before.address);
    if (document === undefined || other === undefined) continue;
    const summary = `${object.address} and ${other.address} (${placeText(other)}) describe the same object: ${object.key}`;
    const { key } = object.kind;
    const rename = key.length === 0 ? "" : `, or change its ${key.join(" or ")}`;
    const remedy = `Remove one of them${rename}.`;
    const path = joinPointer(["spec", ...key.slice(-1)]);
    state.diagnostics.push(
      diagnostic(document, { code: "duplicate-identity", path, summary, remedy }),
    );
  }
}

/** Reports fields of one live object that two documents set: to different values, or as a list and an entry of it. */
function reportSharedFields(state: ResolveState, objects: readonly DesiredObject[]): void {
  for (const conflict of sharedFieldConflicts(objects)) {
    const { field, of } = conflict;
    reportConflict(state, conflict, {
      how: (other) => `and ${other} set ${of.field} of the same ${of.kind} to different values`,
      remedy: "Set it in one of the two documents, or to the same value.",
      path: joinPointer(["spec", field]),
    });
  }
  for (const conflict of listedEntryConflicts(objects)) {
    const { object, other, field } = conflict;
    reportConflict(state, conflict, {
      how: (owner) => `is an entry of ${field} of ${owner}, which replaces all entries`,
      remedy: `Remove ${field} from ${other.address}, or remove this document and add it to that list.`,
      path: joinPointer(["spec", object.kind.key.at(-1) ?? ""]),
    });
  }
}

function reportConflict(
  { byAddress, diagnostics }: ResolveState,
  { object, other }: FieldConflict,
  { how, remedy, path }: { how: (other: string) => string; remedy: string; path: string },
): void {
  const document = byAddress.get(object.address);
  const otherDocument = byAddress.get(other.address);
  if (document === undefined || otherDocument === undefined) return;
  const summary = `${object.address} ${how(`${other.address} (${placeText(otherDocument)})`)}`;
  diagnostics.push(diagnostic(document, { code: "conflicting-values", path, summary, remedy }));
}

/** Reports more objects of one scope than the server accepts. */
function reportExcess({ byAddress, diagnostics }: ResolveState, objects: readonly DesiredObject[]) {
  for (const { object, count, limit } of excessObjects(objects)) {
    const document = byAddress.get(object.address);
    if (document === undefined) continue;
    const { what, max, remedy } = limit;
    const summary = `${object.address} is one of ${count} ${what}, which can have ${max}`;
    const path = joinPointer(["spec", object.kind.scope.at(-1) ?? ""]);
    diagnostics.push(diagnostic(document, { code: "out-of-bounds", path, summary, remedy }));
  }
}

/** Reports two secrets with the same file. */
function reportDuplicateSink(state: ResolveState, objects: readonly DesiredObject[]): void {
  const first = new Map<string, DesiredObject>();
  for (const object of objects) {
    if (object.secretTo === undefined) continue;
    const before = first.get(object.secretTo);
    if (before === undefined) first.set(object.secretTo, object);
    const document = state.byAddress.get(object.address);
    if (before === undefined || document === undefined) continue;
    const summary = `the secret of ${object.address} would overwrite that of ${before.address} in ${object.secretTo}`;
    const remedy = "Use another file.";
    const detail = { code: "sink-unusable", path: "/secretTo/file", summary, remedy } as const;
    state.diagnostics.push(diagnostic(document, detail));
  }
}

/** Reports moves of one object to two addresses. */
function reportConflictingMoves(state: ResolveState, objects: readonly DesiredObject[]): void {
  const first = new Map<string, DesiredObject>();
  for (const object of objects) {
    const from = object.rules?.movedFrom;
    const document = state.byAddress.get(object.address);
    if (from === undefined || document === undefined) continue;
    const before = first.get(from);
    first.set(from, before ?? object);
    const other = before && state.byAddress.get(before.address);
    if (before === undefined || other === undefined) continue;
    const summary = `${from} already moves to ${before.address} at ${placeText(other)}`;
    const path = "/metadata/lifecycle/movedFrom";
    const remedy = "Remove one of the two documents, or movedFrom.";
    state.diagnostics.push(
      diagnostic(document, { code: "duplicate-address", path, summary, remedy }),
    );
  }
}

/** Returns {@link DesiredState.digest}. */
export function digestOf(objects: readonly DesiredObject[]): string {
  const sorted = objects.toSorted((left, right) => (left.address < right.address ? -1 : 1));
  const hash = createTextHash();
  hash.add("[");
  for (const [index, { address: name, kind, spec, secretTo, rules }] of sorted.entries()) {
    const more = [secretTo, rules].filter((part) => part !== undefined);
    hash.add(`${index === 0 ? "" : ","}${canonical([name, publicPart(kind, spec), ...more])}`);
  }
  hash.add("]");
  return hash.digest();
}

/** Returns the spec with the names of its secrets only: a plan shows the digest, so secrets must not be guessable from it. */
function publicPart(kind: Kind, spec: JsonObject): JsonObject {
  const { visible: shown, secretFingerprints: secrets } = splitSecrets(kind, spec, () => "");
  return Object.keys(secrets).length === 0 ? spec : { shown, secrets };
}

function placeText({ document }: DesiredDocument): string {
  const { file, line, column } = document.place;
  return `${file}:${line}:${column}`;
}
