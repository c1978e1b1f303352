// From documents to the desired state: references become natural keys, wishes become normal, and nothing is wished for twice.
import { createHash } from "node:crypto";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { address, keyOf, nameOf, scopeOf } from "../../core/identity.ts";
import { canonical, equal, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { normalize } from "../../core/normalize.ts";
import { joinPointer } from "../../core/pointer.ts";
import { maskSecrets } from "../../core/record.ts";
import type { Reference } from "../../core/references.ts";
import { member } from "../../core/schema.ts";
import { validator } from "../../core/validate.ts";
import { withImpliedDependencies } from "./implied-objects.ts";
import {
  diagnostic,
  linkAll,
  type LinkedDocument,
  type UnreadDocuments,
} from "./resolve-references.ts";
import { diagnosticOf, type DesiredDocument } from "./document.ts";
import { fieldErrors } from "./field-errors.ts";
import type { ResolveResult, Stack, DesiredObject } from "../model/index.ts";

/** What is resolved together. */
export interface ResolveInput {
  /** Undefined where the Stack has mistakes: then only diagnostics come out. */
  readonly stack: Stack | undefined;
  /** Valid documents, in the order of files. */
  readonly documents: readonly DesiredDocument[];
  /** Documents with mistakes: they can be referred to and their references are checked, but they make no wish. */
  readonly invalidDocuments?: readonly DesiredDocument[];
  /** What there may be that is not among them; nothing where it is left out. */
  readonly unreadDocuments?: UnreadDocuments;
}

interface ResolveState {
  readonly byAddress: ReadonlyMap<string, DesiredDocument>;
  readonly desiredObjects: Map<string, DesiredObject>;
  readonly diagnostics: Diagnostic[];
}

/** Resolves all documents of a stack, in time linear in their size; with any mistake there is no desired state. */
export function resolve(declared: ResolveInput): ResolveResult {
  const diagnostics: Diagnostic[] = [];
  const { invalidDocuments: unsound = [], unreadDocuments: unread } = declared;
  const documents = uniqueDocuments({ ...declared, invalidDocuments: unsound }, diagnostics);
  const byAddress = new Map(documents.map((document) => [document.address, document]));
  const run: ResolveState = { byAddress, desiredObjects: new Map(), diagnostics };
  for (const one of linkAll(
    { documents, invalidDocuments: unsound, unreadDocuments: unread },
    diagnostics,
  ))
    addDesiredObject(run, one);
  const wishes = withImpliedDependencies(
    documents.flatMap((document) => run.desiredObjects.get(document.address) ?? []),
  );
  reportDuplicateIdentity(run, wishes);
  reportDuplicateSink(run, wishes);
  reportConflictingMoves(run, wishes);
  const { stack } = declared;
  if (stack === undefined || diagnostics.length > 0 || wishes.length < declared.documents.length) {
    return { desired: undefined, diagnostics };
  }
  return { desired: { stack, objects: wishes, digest: digestOf(wishes) }, diagnostics };
}

/** The documents without mistakes that are the first of their address; all others of an address are told, with mistakes or not. */
function uniqueDocuments(
  { documents, invalidDocuments: unsound = [] }: ResolveInput,
  diagnostics: Diagnostic[],
): readonly DesiredDocument[] {
  const first = new Map<string, DesiredDocument>();
  for (const document of inFileOrder(documents, unsound)) {
    const before = first.get(document.address);
    if (before === undefined) {
      first.set(document.address, document);
      continue;
    }
    const summary = `${document.address} is already declared at ${placeText(before)}`;
    const remedy = "Give one of them another metadata.name, or remove it.";
    const path = "/metadata/name";
    diagnostics.push(diagnostic(document, { code: "duplicate-address", path, summary, remedy }));
  }
  return documents.filter((document) => first.get(document.address) === document);
}

/** Both are in the order of files already. */
function inFileOrder(
  documents: readonly DesiredDocument[],
  unsound: readonly DesiredDocument[],
): readonly DesiredDocument[] {
  if (unsound.length === 0) return documents;
  return [...documents, ...unsound].toSorted((left, right) => {
    const [{ place: one }, { place: other }] = [left.document, right.document];
    if (one.file !== other.file) return one.file < other.file ? -1 : 1;
    return one.line - other.line || one.column - other.column;
  });
}

/** Makes the wish of a document whose references are all fulfilled; else leaves it out, as the cause has been told. */
function addDesiredObject(
  run: ResolveState,
  { document, references, targets }: LinkedDocument,
): void {
  const values = new Map<string, JsonValue>();
  for (const reference of references) {
    const value = reference.external
      ? reference.value
      : naturalKeyField(run, targets.get(reference.path));
    if (value === undefined) return;
    values.set(reference.path, value);
  }
  const { kind, name, labels } = document;
  const resolved =
    values.size === 0 ? document.spec : substituteReferences(document.spec, values, "");
  const spec = normalize(kind, isObject(resolved) ? resolved : {});
  if (reportExternal(run, document, { references, spec: isObject(resolved) ? resolved : {} }))
    return;
  if (reportMismatches(run, { document, references, targets }, spec)) return;
  run.desiredObjects.set(document.address, {
    address: document.address,
    kind,
    name,
    labels,
    spec,
    key: keyOf(kind, spec),
    scope: scopeOf(kind, spec),
    dependsOn: [...new Set(targets.values())].toSorted(),
    secretTo: document.secretTo,
    rules: document.rules,
    place: document.document.place,
    ...(document.document.generatedBy && { modifiedBy: document.document.generatedBy }),
  });
}

/** What others call the object of a document. */
function naturalKeyField(run: ResolveState, target: string | undefined): JsonValue | undefined {
  const wish = target === undefined ? undefined : run.desiredObjects.get(target);
  return wish && nameOf(wish.kind, wish.spec);
}

function substituteReferences(
  value: JsonValue,
  replacements: ReadonlyMap<string, JsonValue>,
  path: string,
): JsonValue {
  const replacement = replacements.get(path);
  if (replacement !== undefined) return replacement;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item: JsonValue, index) =>
      substituteReferences(item, replacements, `${path}/${index}`),
    );
  }
  const entries = Object.entries(value as JsonObject).map(([name, held]) => [
    name,
    substituteReferences(held ?? null, replacements, path + joinPointer([name])),
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

/** True where the key of an object outside the stack is none that the field can hold. */
function reportExternal(
  run: ResolveState,
  document: DesiredDocument,
  { references, spec }: { readonly references: readonly Reference[]; readonly spec: JsonObject },
): boolean {
  const external = new Set(references.filter((one) => one.external).map(({ path }) => path));
  if (external.size === 0) return false;
  const schema = document.kind.spec;
  const violations = validator(schema)(spec).filter(({ path }) => external.has(path));
  const checked = { schema, value: spec, written: document.spec, label: "spec" };
  for (const mistake of fieldErrors(violations, checked)) {
    const placed = { ...mistake, path: `/spec${mistake.path}` };
    run.diagnostics.push(diagnosticOf(document.document, placed, document.address));
  }
  return violations.length > 0;
}

/** True where an object is named that belongs to another parent. */
function reportMismatches(run: ResolveState, one: LinkedDocument, spec: JsonObject): boolean {
  const { document, references, targets } = one;
  let found = false;
  for (const { within = {}, path, value, kind } of references) {
    const wish = run.desiredObjects.get(targets.get(path) ?? "");
    if (wish === undefined) continue;
    for (const [theirs, ours] of Object.entries(within)) {
      const [left, right] = [member(wish.spec, theirs), member(spec, ours)];
      if (equal(left, right)) continue;
      found = true;
      const summary = `${kind} "${value}" belongs to ${theirs} ${canonical(left)}, and this document to ${canonical(right)}`;
      const remedy = `Name a ${kind} with the same ${theirs}.`;
      const said = { code: "reference-mismatch", path: `/spec${path}`, summary, remedy } as const;
      run.diagnostics.push(diagnostic(document, said));
    }
  }
  return found;
}

function reportDuplicateIdentity(run: ResolveState, wishes: readonly DesiredObject[]): void {
  const first = new Map<string, DesiredObject>();
  for (const wish of wishes) {
    const identity = address(wish.kind.name, wish.key);
    const before = first.get(identity);
    if (before === undefined) first.set(identity, wish);
    const document = run.byAddress.get(wish.address);
    const other = before && run.byAddress.get(before.address);
    if (document === undefined || other === undefined) continue;
    const fields = wish.kind.key.join(" and ");
    const summary = `${wish.address} and ${other.address} (${placeText(other)}) describe the same object: ${wish.key}`;
    const remedy = `Remove one of them, or give it another ${fields}.`;
    const path = joinPointer(["spec", wish.kind.key.at(-1) ?? ""]);
    run.diagnostics.push(
      diagnostic(document, { code: "duplicate-identity", path, summary, remedy }),
    );
  }
}

/** One file holds one secret. */
function reportDuplicateSink(run: ResolveState, wishes: readonly DesiredObject[]): void {
  const first = new Map<string, DesiredObject>();
  for (const wish of wishes) {
    if (wish.secretTo === undefined) continue;
    const before = first.get(wish.secretTo);
    if (before === undefined) first.set(wish.secretTo, wish);
    const document = run.byAddress.get(wish.address);
    if (before === undefined || document === undefined) continue;
    const summary = `the secret of ${wish.address} would overwrite that of ${before.address} in ${wish.secretTo}`;
    const said = { code: "sink-unusable", path: "/secretTo/file", summary } as const;
    run.diagnostics.push(diagnostic(document, { ...said, remedy: "Name another file." }));
  }
}

/** One object cannot move to two addresses, nor away from one that is still declared. */
function reportConflictingMoves(run: ResolveState, wishes: readonly DesiredObject[]): void {
  const first = new Map<string, DesiredObject>();
  for (const wish of wishes) {
    const from = wish.rules?.movedFrom;
    const document = run.byAddress.get(wish.address);
    if (from === undefined || document === undefined) continue;
    const before = first.get(from);
    first.set(from, before ?? wish);
    const other = run.byAddress.get(from) ?? (before && run.byAddress.get(before.address));
    if (other === undefined) continue;
    const why = before === undefined ? "is still declared" : `moves to ${before.address} already`;
    const summary = `${from} ${why} at ${placeText(other)}`;
    const path = "/metadata/lifecycle/movedFrom";
    const remedy = "Remove one of the two documents, or movedFrom.";
    run.diagnostics.push(
      diagnostic(document, { code: "duplicate-address", path, summary, remedy }),
    );
  }
}

/** {@link Desired.digest} of wishes. */
export function digestOf(wishes: readonly DesiredObject[]): string {
  const sorted = wishes.toSorted((left, right) => (left.address < right.address ? -1 : 1));
  const hash = createHash("sha256");
  // Wish by wish: the text of a large stack in one piece would be larger than needed twice over.
  hash.update("[");
  for (const [index, { address: at, kind, spec, secretTo, rules }] of sorted.entries()) {
    const more = [secretTo, rules].filter((one) => one !== undefined);
    hash.update(`${index === 0 ? "" : ","}${canonical([at, publicPart(kind, spec), ...more])}`);
  }
  return hash.update("]").digest("hex");
}

/** Which secrets there are, but nothing by which one could be guessed: a plan shows the digest to whoever reads it. */
function publicPart(kind: Kind, spec: JsonObject): JsonObject {
  const { visible: shown, secretFingerprints: secrets } = maskSecrets(kind, spec, () => "");
  return Object.keys(secrets).length === 0 ? spec : { shown, secrets };
}

function placeText({ document }: DesiredDocument): string {
  const { file, line, column } = document.place;
  return `${file}:${line}:${column}`;
}
