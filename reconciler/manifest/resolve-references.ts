// Where the references of documents lead: to other documents of the stack, and in which order they can be followed.
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostics.ts";
import { address, parseAddress } from "../../core/identity.ts";
import { limits } from "../../core/limits.ts";
import { closestMatch } from "../../core/naming.ts";
import {
  dependencyLayers,
  type GraphNode,
  type Reference,
  referencesOf,
} from "../../core/references.ts";
import { member } from "../../core/schema.ts";
import type { DesiredDocument } from "./document.ts";
import { hasSubstitution } from "./variables.ts";

/** Documents that may refer to each other. */
export interface LinkInput {
  /** Without mistakes, each with an address of its own. */
  readonly documents: readonly DesiredDocument[];
  /** With mistakes: they can be referred to, and their references are checked. */
  readonly invalidDocuments: readonly DesiredDocument[];
  readonly unreadDocuments: UnreadDocuments | undefined;
}

/** What could not be read, so that a name which it may have is not called unknown. */
export interface UnreadDocuments {
  /** There may be documents of any kind and name. */
  readonly anyKindAndName: boolean;
  /** Names of documents of which nobody knows the kind. */
  readonly names: ReadonlySet<string>;
  /** Kinds of documents of which nobody knows the name. */
  readonly kinds: ReadonlySet<string>;
}

/** A document with where its references lead, as addresses by the pointer of the reference. */
export interface LinkedDocument {
  readonly document: DesiredDocument;
  readonly references: readonly Reference[];
  readonly targets: ReadonlyMap<string, string>;
}

interface LinkState {
  /** Of all documents, those with mistakes included. */
  readonly addresses: ReadonlySet<string>;
  /** All documents by kind, for "did you mean". */
  readonly byKind: ReadonlyMap<string, readonly DesiredDocument[]>;
  readonly unreadDocuments: UnreadDocuments | undefined;
  readonly diagnostics: Diagnostic[];
}

/**
 * The documents with their references, each after those it refers to. Unknown references and cycles are told; what is in a
 * cycle is left out.
 */
export function linkAll(linking: LinkInput, diagnostics: Diagnostic[]): readonly LinkedDocument[] {
  const { documents, invalidDocuments: unsound, unreadDocuments: unread } = linking;
  const all = [...documents, ...unsound];
  const run: LinkState = {
    addresses: new Set(all.map((document) => document.address)),
    byKind: Map.groupBy(all, ({ kind }) => kind.name),
    unreadDocuments: unread,
    diagnostics,
  };
  const linked = documents.map((document) =>
    link(run, document, referencesOf(document.kind, document.spec)),
  );
  for (const document of unsound) link(run, document, checkableReferences(document));
  return inDependencyOrder(run, linked);
}

/** What could not be substituted in a document with mistakes has been told already. */
function checkableReferences({ kind, spec }: DesiredDocument): readonly Reference[] {
  return referencesOf(kind, spec).filter(({ value }) => !hasSubstitution(value));
}

function link(
  run: LinkState,
  document: DesiredDocument,
  references: readonly Reference[],
): LinkedDocument {
  const targets = new Map<string, string>();
  for (const reference of references) {
    if (reference.external) continue;
    const target = targetOf(reference);
    if (run.addresses.has(target)) {
      targets.set(reference.path, target);
    } else if (!mayBeUnread(run, reference)) {
      run.diagnostics.push(unknownReference(run, document, reference));
    }
  }
  return { document, references, targets };
}

function mayBeUnread({ unreadDocuments: unread }: LinkState, { kind, value }: Reference): boolean {
  if (unread === undefined) return false;
  const name = parseAddress(value)?.name ?? value;
  return unread.anyKindAndName || unread.names.has(name) || unread.kinds.has(kind);
}

/** A full address keeps its kind, so that one of another kind is not found. */
function targetOf({ kind, value }: Reference): string {
  const full = parseAddress(value);
  return full?.kind === kind ? value : address(kind, value);
}

function unknownReference(
  run: LinkState,
  document: DesiredDocument,
  reference: Reference,
): Diagnostic {
  const { kind, value, path } = reference;
  const written = parseAddress(value);
  const other = written !== undefined && written.kind !== kind;
  // Looking through all names for every one of many would take long, and nobody reads that many.
  const guessing = !other && run.diagnostics.length < limits.diagnosticsShown;
  const guess = guessing ? suggestedName(written?.name ?? value, run.byKind.get(kind) ?? []) : "";
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

/** The document whose object is called so at the service, which is often written in place of its name; else one with a name like it. */
function suggestedName(value: string, documents: readonly DesiredDocument[]): string {
  const called = documents.find(({ kind, spec }) =>
    kind.key.some((part) => !kind.scope.includes(part) && member(spec, part) === value),
  );
  if (called !== undefined) return `Did you mean ${called.address}? `;
  const meant = closestMatch(
    value,
    documents.map(({ name }) => name),
  );
  return meant === undefined ? "" : `Did you mean "${meant}"? `;
}

/** Each after what it refers to; those in a cycle, and what needs them, are told and left out. */
function inDependencyOrder(
  run: LinkState,
  linked: readonly LinkedDocument[],
): readonly LinkedDocument[] {
  const byAddress = new Map(linked.map((one) => [one.document.address, one]));
  let nodes: readonly GraphNode[] = linked.map(({ document, targets }) => ({
    id: document.address,
    needs: [...targets.values()],
  }));
  const order: LinkedDocument[] = [];
  for (let rounds = 0; rounds < limits.diagnosticsShown; rounds++) {
    const sorted = dependencyLayers(nodes);
    for (const id of sorted.layers.flat()) {
      const one = byAddress.get(id);
      if (one !== undefined) order.push(one);
    }
    if (sorted.cycle === undefined) break;
    reportCycle(run, sorted.cycle, byAddress);
    const done = new Set([...sorted.layers.flat(), ...sorted.cycle]);
    nodes = nodes.filter(({ id }) => !done.has(id));
  }
  return order;
}

function reportCycle(
  run: LinkState,
  cycle: readonly string[],
  linked: ReadonlyMap<string, LinkedDocument>,
): void {
  const [start = "", next = start] = cycle;
  const one = linked.get(start);
  if (one === undefined) return;
  const path = [...one.targets].find(([, target]) => target === next)?.[0] ?? "";
  const summary = `documents refer to each other in a circle: ${[...cycle, start].join(" -> ")}`;
  const remedy = "Remove one of these references.";
  const said = { code: "reference-cycle", path: `/spec${path}`, summary, remedy } as const;
  run.diagnostics.push(diagnostic(one.document, said));
}

/** What is told about a document. */
export interface DiagnosticDetail {
  readonly code: DiagnosticCode;
  readonly path: string;
  readonly summary: string;
  readonly remedy: string;
}

/** The diagnostic, placed in the file of its document. */
export function diagnostic(
  { document, address: at }: DesiredDocument,
  said: DiagnosticDetail,
): Diagnostic {
  return { severity: "error", ...said, place: document.locate(said.path), address: at };
}
