// Links the references of documents to other documents of the stack, and orders documents by dependency.
import type { Diagnostic, DiagnosticCode } from "../../core/diagnostics.ts";
import { address, parseAddress } from "../../core/kind/identity.ts";
import { limits } from "../../core/limits/limits.ts";
import {
  didYouMean,
  quoted,
  sentences,
  suggestionRemedy,
  withArticle,
} from "../../core/text/naming.ts";
import {
  dependencyLayers,
  type GraphNode,
  type Reference,
  referencesOf,
} from "../../core/kind/references.ts";
import { member } from "../../core/schema/schema.ts";
import type { DesiredDocument } from "./document.ts";
import { hasSubstitution } from "./variables.ts";

/** Documents that may refer to each other. */
export interface LinkInput {
  /** Valid documents with unique addresses. */
  readonly documents: readonly DesiredDocument[];
  /** Documents with errors: others may refer to them, and their references are checked. */
  readonly invalidDocuments: readonly DesiredDocument[];
  readonly unreadDocuments: UnreadDocuments | undefined;
}

/** Documents that could not be read: references that may name them are not reported as unknown. */
export interface UnreadDocuments {
  /** True if there may be documents of any kind and name. */
  readonly anyKindAndName: boolean;
  /** Names of documents of unknown kind. */
  readonly names: ReadonlySet<string>;
  /** Kinds of documents of unknown name. */
  readonly kinds: ReadonlySet<string>;
}

/** A document with the target addresses of its references, by JSON Pointer. */
export interface LinkedDocument {
  readonly document: DesiredDocument;
  readonly references: readonly Reference[];
  readonly targets: ReadonlyMap<string, string>;
  /** The addresses of all documents that must be applied before this one. */
  readonly needs: readonly string[];
}

interface LinkState {
  /** The addresses of all documents, also of those with errors. */
  readonly addresses: ReadonlySet<string>;
  /** All documents by kind, for suggestions. */
  readonly byKind: ReadonlyMap<string, readonly DesiredDocument[]>;
  /** The addresses that documents had before they were renamed, with those that they have now. */
  readonly renamed: ReadonlyMap<string, string>;
  readonly unreadDocuments: UnreadDocuments | undefined;
  readonly diagnostics: Diagnostic[];
}

/**
 * Links documents and orders them, each after those it refers to. Reports unknown references and cycles, and omits documents
 * in a cycle.
 */
export function linkAll(linking: LinkInput, diagnostics: Diagnostic[]): readonly LinkedDocument[] {
  const { documents, invalidDocuments, unreadDocuments } = linking;
  const all = [...documents, ...invalidDocuments];
  const state: LinkState = {
    addresses: new Set(all.map((document) => document.address)),
    byKind: Map.groupBy(all, ({ kind }) => kind.name),
    renamed: new Map(
      all.flatMap(({ rules, address: newAddress }) =>
        rules?.movedFrom ? [[rules.movedFrom, newAddress]] : [],
      ),
    ),
    unreadDocuments,
    diagnostics,
  };
  const linked = documents.map((document) =>
    link(state, document, referencesOf(document.kind, document.spec)),
  );
  for (const document of invalidDocuments) link(state, document, checkableReferences(document));
  return inDependencyOrder(state, linked);
}

/** Failed substitutions of a document with errors have been reported already. */
function checkableReferences({ kind, spec }: DesiredDocument): readonly Reference[] {
  return referencesOf(kind, spec).filter(({ value }) => !hasSubstitution(value));
}

function link(
  state: LinkState,
  document: DesiredDocument,
  references: readonly Reference[],
): LinkedDocument {
  const targets = new Map<string, string>();
  for (const reference of references) {
    if (reference.external) continue;
    const target = targetOf(reference);
    if (state.addresses.has(target)) {
      targets.set(reference.path, target);
    } else if (!mayBeUnread(state, reference)) {
      state.diagnostics.push(unknownReference(state, document, reference));
    }
  }
  const settings = document.kind.requiresSettings.flatMap((kind) =>
    (state.byKind.get(kind) ?? []).map(({ address: target }) => target),
  );
  const needs = [...new Set([...targets.values(), ...settings])].toSorted();
  return { document, references, targets, needs };
}

function mayBeUnread({ unreadDocuments: unread }: LinkState, { kind, value }: Reference): boolean {
  if (unread === undefined) return false;
  const name = parseAddress(value)?.name ?? value;
  return unread.anyKindAndName || unread.names.has(name) || unread.kinds.has(kind);
}

/**
 * Returns the address that a reference names. An address of another kind is left unchanged, so that it is not found.
 */
function targetOf({ kind, value }: Reference): string {
  const full = parseAddress(value);
  return full?.kind === kind ? value : address(kind, value);
}

function unknownReference(
  state: LinkState,
  document: DesiredDocument,
  reference: Reference,
): Diagnostic {
  const { kind, value, path } = reference;
  const written = parseAddress(value);
  const other = written !== undefined && written.kind !== kind;
  // Bounds the search for suggestions.
  const isSuggesting = !other && state.diagnostics.length < limits.diagnosticsShown;
  const hint = isSuggesting
    ? suggestedName(written?.name ?? value, state.byKind.get(kind) ?? [])
    : undefined;
  const summary = other
    ? `"${value}" is not the address of ${withArticle(kind)}`
    : `the stack has no ${kind} named "${written?.name ?? value}"`;
  const undeclared = other ? undefined : "Declare it, or change the reference.";
  const now = other ? undefined : state.renamed.get(targetOf(reference));
  const fix =
    now === undefined
      ? (hint ?? undeclared)
      : `It was renamed to "${parseAddress(now)?.name ?? now}".`;
  const key = other ? value : (written?.name ?? value);
  const external = `To refer to an object outside the stack, write { external: ${key} }.`;
  return diagnostic(document, {
    code: "reference-unknown",
    path: `/spec${path}`,
    summary,
    remedy: sentences(fix, external),
  });
}

/** Suggests the document whose object has this name at the service, otherwise one with a similar name. */
function suggestedName(value: string, documents: readonly DesiredDocument[]): string | undefined {
  const sameName = documents.find(({ kind, spec }) =>
    kind.key.some((part) => !kind.scope.includes(part) && member(spec, part) === value),
  );
  if (sameName !== undefined) return suggestionRemedy(sameName.address, String);
  const names = documents.map(({ name }) => name);
  return didYouMean(value, names, quoted);
}

/** Orders documents, each after those it refers to. Reports cycles, and omits them with their dependents. */
function inDependencyOrder(
  state: LinkState,
  linked: readonly LinkedDocument[],
): readonly LinkedDocument[] {
  const byAddress = new Map(linked.map((item) => [item.document.address, item]));
  let nodes: readonly GraphNode[] = linked.map(({ document, needs }) => ({
    id: document.address,
    needs,
  }));
  const order: LinkedDocument[] = [];
  for (let rounds = 0; rounds < limits.diagnosticsShown; rounds++) {
    const sorted = dependencyLayers(nodes);
    for (const id of sorted.layers.flat()) {
      const item = byAddress.get(id);
      if (item !== undefined) order.push(item);
    }
    if (sorted.cycle === undefined) break;
    reportCycle(state, sorted.cycle, byAddress);
    const done = new Set([...sorted.layers.flat(), ...sorted.cycle]);
    nodes = nodes.filter(({ id }) => !done.has(id));
  }
  return order;
}

function reportCycle(
  state: LinkState,
  cycle: readonly string[],
  linked: ReadonlyMap<string, LinkedDocument>,
): void {
  const [start = "", next = start] = cycle;
  const first = linked.get(start);
  if (first === undefined) return;
  const path = [...first.targets].find(([, target]) => target === next)?.[0] ?? "";
  const summary = `cyclic reference: ${[...cycle, start].join(" -> ")}`;
  const remedy = "Remove one of these references.";
  const detail = { code: "reference-cycle", path: `/spec${path}`, summary, remedy } as const;
  state.diagnostics.push(diagnostic(first.document, detail));
}

/** The content of a diagnostic about a document. */
export interface DiagnosticDetail {
  readonly code: DiagnosticCode;
  readonly path: string;
  readonly summary: string;
  readonly remedy: string;
}

/** Returns a diagnostic at its place in the file of a document. */
export function diagnostic(
  { document, address: name }: DesiredDocument,
  detail: DiagnosticDetail,
): Diagnostic {
  return { severity: "error", ...detail, place: document.locate(detail.path), address: name };
}
