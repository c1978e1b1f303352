// From documents to the desired state: references become natural keys, wishes become normal, and nothing is wished for twice.
import { createHash } from "node:crypto";
import type { Diagnostic, DiagnosticCode } from "../core/diagnostics.ts";
import { address, keyOf, parseAddress, scopeOf } from "../core/identity.ts";
import { canonical, equal, isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { nearest } from "../core/names.ts";
import { normalize } from "../core/normalize.ts";
import { joinPointer } from "../core/pointer.ts";
import { layers, type Node, type Reference, referencesOf } from "../core/references.ts";
import { member } from "../core/schema.ts";
import { validator } from "../core/validate.ts";
import { diagnosticOf, type WishDocument } from "./manifest/document.ts";
import { hasSubstitution } from "./manifest/variables.ts";
import { mistakes } from "./manifest/violations.ts";
import type { Resolved, Stack, Wish } from "./model.ts";

/** What is resolved together. */
export interface Declared {
  /** Undefined where the Stack has mistakes: then only diagnostics come out. */
  readonly stack: Stack | undefined;
  /** Valid documents, in the order of files. */
  readonly documents: readonly WishDocument[];
  /** Documents with mistakes: they can be referred to and their references are checked, but they make no wish. */
  readonly unsound?: readonly WishDocument[];
  /** Some documents are missing altogether, so an unknown name proves nothing. */
  readonly incomplete?: boolean;
}

interface Run extends Declared {
  readonly byAddress: ReadonlyMap<string, WishDocument>;
  /** Addresses of all documents, those with mistakes included. */
  readonly declared: ReadonlySet<string>;
  /** Names of documents by kind, for "did you mean". */
  readonly names: ReadonlyMap<string, readonly string[]>;
  readonly wishes: Map<string, Wish>;
  readonly diagnostics: Diagnostic[];
}

/** A document with where its references lead, as addresses by the pointer of the reference. */
interface Linked {
  readonly document: WishDocument;
  readonly references: readonly Reference[];
  readonly targets: ReadonlyMap<string, string>;
}

/** Resolves all documents of a stack, in time linear in their size; with any mistake there is no desired state. */
export function resolve(declared: Declared): Resolved {
  const diagnostics: Diagnostic[] = [];
  const documents = unique(declared.documents, diagnostics);
  const byAddress = new Map(documents.map((document) => [document.address, document]));
  const everything = [...documents, ...(declared.unsound ?? [])];
  const byKind = Map.groupBy(everything, ({ kind }) => kind.name);
  const run: Run = {
    ...declared,
    documents,
    byAddress,
    declared: new Set(everything.map((document) => document.address)),
    names: new Map([...byKind].map(([kind, of]) => [kind, of.map(({ name }) => name)])),
    wishes: new Map(),
    diagnostics,
  };
  const linked = documents.map((document) =>
    link(run, document, referencesOf(document.kind, document.spec)),
  );
  for (const document of declared.unsound ?? []) link(run, document, settledReferences(document));
  for (const one of inOrder(run, linked)) fulfil(run, one);
  const wishes = documents.flatMap((document) => run.wishes.get(document.address) ?? []);
  tellSameIdentity(run, wishes);
  const { stack } = declared;
  if (stack === undefined || diagnostics.length > 0 || wishes.length < declared.documents.length) {
    return { desired: undefined, diagnostics };
  }
  return { desired: { stack, wishes, digest: digestOf(wishes) }, diagnostics };
}

/** The first document of each address; the others are told. */
function unique(documents: readonly WishDocument[], diagnostics: Diagnostic[]): WishDocument[] {
  const first = new Map<string, WishDocument>();
  for (const document of documents) {
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
  return [...first.values()];
}

/** What could not be substituted in a document with mistakes has been told already. */
function settledReferences({ kind, spec }: WishDocument): readonly Reference[] {
  return referencesOf(kind, spec).filter(({ value }) => !hasSubstitution(value));
}

function link(run: Run, document: WishDocument, references: readonly Reference[]): Linked {
  const targets = new Map<string, string>();
  for (const reference of references) {
    if (reference.external) continue;
    const target = targetOf(reference);
    if (run.declared.has(target)) {
      targets.set(reference.path, target);
    } else if (run.incomplete !== true) {
      run.diagnostics.push(unknownReference(run, document, reference));
    }
  }
  return { document, references, targets };
}

/** A full address keeps its kind, so that one of another kind is not found. */
function targetOf({ kind, value }: Reference): string {
  const full = parseAddress(value);
  return full?.kind === kind ? value : address(kind, value);
}

function unknownReference(run: Run, document: WishDocument, reference: Reference): Diagnostic {
  const { kind, value, path } = reference;
  const written = parseAddress(value);
  const other = written !== undefined && written.kind !== kind;
  const meant = other ? undefined : nearest(written?.name ?? value, run.names.get(kind) ?? []);
  const guess = meant === undefined ? "" : `Did you mean "${meant}"? `;
  const summary = other
    ? `"${value}" does not name a document of kind ${kind}`
    : `no ${kind} document of the stack is called "${written?.name ?? value}"`;
  const remedy = `${guess}For one that exists outside the stack, write { external: ${value} }.`;
  return diagnostic(document, {
    code: "reference-unknown",
    path: `/spec${path}`,
    summary,
    remedy,
  });
}

/** Each after what it refers to; those in a cycle, and what needs them, are told and left out. */
function inOrder(run: Run, linked: readonly Linked[]): readonly Linked[] {
  const byAddress = new Map(linked.map((one) => [one.document.address, one]));
  let nodes: readonly Node[] = linked.map(({ document, targets }) => ({
    id: document.address,
    needs: [...targets.values()],
  }));
  const order: Linked[] = [];
  for (let rounds = 0; rounds < limits.diagnosticsShown; rounds++) {
    const sorted = layers(nodes);
    for (const id of sorted.layers.flat()) {
      const one = byAddress.get(id);
      if (one !== undefined) order.push(one);
    }
    if (sorted.cycle === undefined) break;
    tellCycle(run, sorted.cycle, byAddress);
    const done = new Set([...sorted.layers.flat(), ...sorted.cycle]);
    nodes = nodes.filter(({ id }) => !done.has(id));
  }
  return order;
}

function tellCycle(run: Run, cycle: readonly string[], linked: ReadonlyMap<string, Linked>): void {
  const [start = "", next = start] = cycle;
  const one = linked.get(start);
  if (one === undefined) return;
  const path = [...one.targets].find(([, target]) => target === next)?.[0] ?? "";
  const summary = `documents refer to each other in a circle: ${[...cycle, start].join(" -> ")}`;
  const remedy = "Remove one of these references.";
  const said = { code: "reference-cycle", path: `/spec${path}`, summary, remedy } as const;
  run.diagnostics.push(diagnostic(one.document, said));
}

/** Makes the wish of a document whose references are all fulfilled; else leaves it out, as the cause has been told. */
function fulfil(run: Run, { document, references, targets }: Linked): void {
  const values = new Map<string, JsonValue>();
  for (const reference of references) {
    const value = reference.external ? reference.value : keyPart(run, targets.get(reference.path));
    if (value === undefined) return;
    values.set(reference.path, value);
  }
  const { kind, name, labels } = document;
  const resolved = values.size === 0 ? document.spec : replaceIn(document.spec, values, "");
  const spec = normalize(kind, isObject(resolved) ? resolved : {});
  if (tellExternal(run, document, { references, spec: isObject(resolved) ? resolved : {} })) return;
  if (tellMismatches(run, { document, references, targets }, spec)) return;
  run.wishes.set(document.address, {
    address: document.address,
    kind,
    name,
    labels,
    spec,
    key: keyOf(kind, spec),
    scope: scopeOf(kind, spec),
    needs: [...new Set(targets.values())].toSorted(),
    place: document.document.place,
  });
}

/** What an object is called by others: the last part of its natural key. */
function keyPart(run: Run, target: string | undefined): JsonValue | undefined {
  const wish = target === undefined ? undefined : run.wishes.get(target);
  const field = wish?.kind.key.at(-1);
  return field === undefined ? undefined : member(wish?.spec, field);
}

function replaceIn(
  value: JsonValue,
  replacements: ReadonlyMap<string, JsonValue>,
  path: string,
): JsonValue {
  const replacement = replacements.get(path);
  if (replacement !== undefined) return replacement;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item: JsonValue, index) => replaceIn(item, replacements, `${path}/${index}`));
  }
  const entries = Object.entries(value as JsonObject).map(([name, held]) => [
    name,
    replaceIn(held ?? null, replacements, path + joinPointer([name])),
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

/** True where the key of an object outside the stack is none that the field can hold. */
function tellExternal(
  run: Run,
  document: WishDocument,
  { references, spec }: { readonly references: readonly Reference[]; readonly spec: JsonObject },
): boolean {
  const external = new Set(references.filter((one) => one.external).map(({ path }) => path));
  if (external.size === 0) return false;
  const schema = document.kind.spec;
  const violations = validator(schema)(spec).filter(({ path }) => external.has(path));
  const checked = { schema, value: spec, written: document.spec, label: "spec" };
  for (const mistake of mistakes(violations, checked)) {
    const placed = { ...mistake, path: `/spec${mistake.path}` };
    run.diagnostics.push(diagnosticOf(document.document, placed, document.address));
  }
  return violations.length > 0;
}

/** True where an object is named that belongs to another parent. */
function tellMismatches(run: Run, one: Linked, spec: JsonObject): boolean {
  const { document, references, targets } = one;
  let found = false;
  for (const { within = {}, path, value, kind } of references) {
    const wish = run.wishes.get(targets.get(path) ?? "");
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

function tellSameIdentity(run: Run, wishes: readonly Wish[]): void {
  const first = new Map<string, Wish>();
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

function digestOf(wishes: readonly Wish[]): string {
  const sorted = wishes.toSorted((left, right) => (left.address < right.address ? -1 : 1));
  const hash = createHash("sha256");
  // Wish by wish: the text of a large stack in one piece would be larger than needed twice over.
  hash.update("[");
  for (const [index, { address: at, spec }] of sorted.entries()) {
    hash.update(`${index === 0 ? "" : ","}${canonical([at, spec])}`);
  }
  return hash.update("]").digest("hex");
}

interface Said {
  readonly code: DiagnosticCode;
  readonly path: string;
  readonly summary: string;
  readonly remedy: string;
}

function diagnostic({ document, address: at }: WishDocument, said: Said): Diagnostic {
  return { severity: "error", ...said, place: document.locate(said.path), address: at };
}

function placeText({ document }: WishDocument): string {
  const { file, line, column } = document.place;
  return `${file}:${line}:${column}`;
}
