// Finds live objects that a delete or replace cascades to and that the plan does not list.
import { appendTo } from "../../core/append-to.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { canCascade, cascadeParentsOf } from "../../core/kind/cascades.ts";
import { address, listContaining, parseKey } from "../../core/kind/identity.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import {
  type CascadeParents,
  type ContainedObject,
  type ContainmentContext,
  objectsInside,
} from "../../lifecycle/contained-objects.ts";
import type { OwnedObject, OwnerOf } from "../inventory/store.ts";
import {
  type CascadedMetadata,
  type Change,
  declaresField,
  type DesiredObject,
  type Entry,
  type Inventory,
  type Plan,
} from "../model/index.ts";
import { blockedByErrors } from "./block-reasons.ts";
import { protectedCascadeError } from "./protection.ts";
import { objectsText } from "../../core/kind/identity.ts";
import { pluralize } from "../../core/text/escape-text.ts";
import { recordedMetadata } from "../model/window-subjects.ts";

interface ObjectKey {
  readonly kind: string;
  readonly key: string;
}

/** One object that a change cascades to. */
interface CascadedObject extends ObjectKey {
  readonly id: string | undefined;
  /** The other stack that owns it, if any. */
  readonly owner: string | undefined;
}

/** The fields of a desired object that the cascade search reads. */
type CascadeDesired = Pick<DesiredObject, "address" | "kind" | "key" | "spec">;

/** Dependencies of the cascade search. */
export interface CascadeContext extends ContainmentContext {
  /** Reads which other stacks own some of the objects. */
  readonly ownersOf: (objects: readonly OwnedObject[]) => Promise<OwnerOf>;
  /** Owned entries that the plan covers, by address. */
  readonly owned: Inventory["entries"];
  /** Owned entries that the plan does not cover, by address; protected ones among them block the cascade. */
  readonly otherEntries: Inventory["entries"];
  readonly desired: { readonly objects: readonly CascadeDesired[] };
}

/**
 * Adds the cascades of deletes and replaces to a plan: counts them, warns, and refuses the change if another stack owns
 * one of them. Reads child collections only for kinds with children; children that the server cannot list stay unseen.
 */
export async function withCascades<P extends Pick<Plan, "changes" | "diagnostics">>(
  plan: P,
  context: CascadeContext,
): Promise<P> {
  const removals = plan.changes.filter(({ action }) => action === "delete" || action === "replace");
  const cascading = removals.filter((change) => isCascadingDelete(change, context.kinds));
  if (cascading.length === 0) return plan;
  const listed = new Set(removals.map((change) => address(change.kind, liveKey(change))));
  const records = entryLookup(context);
  const isDeclaredEntry = declaredEntries({ ...context, listed }, records);
  const cascades = await cascadedByChange(cascading, { ...context, listed, isDeclaredEntry });
  const guarded = new Map<string, readonly Diagnostic[]>();
  const metadata = new Map<string, readonly CascadedMetadata[]>();
  for (const change of removals) {
    const cascaded = cascades.get(change.address) ?? [];
    const inside = records.cascadedEntries(change, cascaded);
    guarded.set(change.address, protectedCascadeErrors(change, inside));
    metadata.set(change.address, cascadedMetadataOf(cascaded, inside, records));
  }
  const changes = plan.changes.map((change) => {
    const kept = withCascadeFields(change, cascades.get(change.address) ?? []);
    const as = metadata.get(change.address) ?? [];
    return blockedByErrors(
      { ...kept, ...(as.length > 0 && { cascadedMetadata: as }) },
      guarded.get(change.address) ?? [],
    );
  });
  const notes = cascading.flatMap((change) =>
    cascadeWarnings(change, cascades.get(change.address) ?? []),
  );
  const refusals = [...guarded.values()].flat();
  return { ...plan, changes, diagnostics: [...plan.diagnostics, ...notes, ...refusals] };
}

/** Owned entries, by kind and natural key. */
interface EntryLookup {
  /** Returns the address of the entry of an object, by its kind and natural key. */
  readonly addressOf: (kindAndKey: string) => string | undefined;
  readonly of: (object: CascadedObject) => Entry | undefined;
  /** Entries that the plan does not cover and a change cascades to, as live or as recorded. */
  readonly cascadedEntries: (
    change: Change,
    cascaded: readonly CascadedObject[],
  ) => Map<string, Entry>;
}

function entryLookup({ owned, otherEntries, kinds }: CascadeContext): EntryLookup {
  const byName = kindsByName(kinds);
  const byHolder = new Map<string, string[]>();
  for (const [entryAddress, entry] of Object.entries(otherEntries)) {
    const kind = byName.get(entry.kind);
    const holders =
      kind && cascadeParentsOf(kind, { ...entry.lastApplied, ...entry.scope }, byName);
    for (const holder of holders ?? []) appendTo(byHolder, holder, entryAddress);
  }
  const all = Object.entries({ ...owned, ...otherEntries });
  const byKey = new Map(
    all.map(([entryAddress, { kind, key }]) => [address(kind, key), entryAddress]),
  );
  const byId = new Map(
    all.flatMap(([entryAddress, { kind, id }]) =>
      id === undefined ? [] : [[address(kind, id), entryAddress]],
    ),
  );
  const entries = new Map(all);
  const addressFor = ({ kind, key, id }: CascadedObject): string | undefined =>
    byKey.get(address(kind, key)) ?? (id === undefined ? undefined : byId.get(address(kind, id)));
  return {
    addressOf: (kindAndKey) => byKey.get(kindAndKey),
    of: (object) => entries.get(addressFor(object) ?? ""),
    cascadedEntries: (change, cascaded) => {
      const held = byHolder.get(address(change.kind, liveKey(change))) ?? [];
      const addresses = [...cascaded.flatMap((object) => addressFor(object) ?? []), ...held];
      const records = addresses.map((name) => [name, otherEntries[name]] as const);
      return new Map(records.flatMap(([name, entry]) => (entry ? [[name, entry]] : [])));
    },
  };
}

/** Returns why a change is blocked: protected objects that it cascades to. */
function protectedCascadeErrors(change: Change, inside: ReadonlyMap<string, Entry>): Diagnostic[] {
  return [...inside]
    .filter(([, entry]) => entry.lifecycle?.protect === true)
    .map(([name]) => protectedCascadeError(change, name, "is protected"));
}

/** Returns the metadata of the cascaded objects, each once: of owned ones as last written, of others the kind alone. */
function cascadedMetadataOf(
  cascaded: readonly CascadedObject[],
  inside: ReadonlyMap<string, Entry>,
  records: EntryLookup,
): readonly CascadedMetadata[] {
  const as = (kind: string, entry: Entry | undefined): CascadedMetadata => {
    return { kind, ...(entry && recordedMetadata(entry)) };
  };
  const metadata = [
    ...cascaded.map((object) => as(object.kind, records.of(object))),
    ...[...inside.values()].map((entry) => as(entry.kind, entry)),
  ];
  return [...new Map(metadata.map((item) => [JSON.stringify(item), item])).values()];
}

/** Counts the objects that the changes cascade to. */
export function countCascaded(changes: readonly Change[]): number {
  const counts = changes.flatMap(({ cascadeCounts = {} }) => Object.values(cascadeCounts));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Returns `2 EmbedGroup, 1 EmbedUser`; empty for a change without cascades. */
export function cascadeText({ cascadeCounts = {} }: Change): string {
  return Object.entries(cascadeCounts)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(", ");
}

function isCascadingDelete({ kind, cascadedBy }: Change, kinds: readonly Kind[]): boolean {
  return cascadedBy === undefined && canCascade(kind, kinds);
}

function liveKey({ from, key }: Change): string {
  return from?.key ?? key;
}

interface CascadeSearch extends CascadeContext {
  /** Kind and natural key of each object that the plan itself deletes or replaces. */
  readonly listed: ReadonlySet<string>;
  readonly isDeclaredEntry: (object: ObjectKey) => boolean;
}

/**
 * Returns the objects that each change cascades to at any depth, by address, each object once. Leaves out objects that
 * the plan lists, and objects that a document declares as entries of a list.
 */
async function cascadedByChange(
  cascading: readonly Change[],
  { listed, isDeclaredEntry, ...context }: CascadeSearch,
): Promise<ReadonlyMap<string, readonly CascadedObject[]>> {
  const cascades = new Map<string, CascadedObject[]>();
  let holders: CascadeParents = new Map(
    cascading.map((change) => [address(change.kind, liveKey(change)), change.address]),
  );
  const seen = new Set(holders.keys());
  while (holders.size > 0) {
    const next = new Map<string, string>();
    const inside: ContainedObject[] = [];
    for (const object of await objectsInside(holders, context)) {
      const objectAddress = address(object.kind, object.key);
      if (seen.has(objectAddress)) continue;
      seen.add(objectAddress);
      next.set(objectAddress, object.by);
      if (!listed.has(objectAddress)) inside.push(object);
    }
    const ownerOf = await context.ownersOf(inside);
    for (const { by, ...object } of inside) {
      const owner = ownerOf(object);
      if (owner === undefined && isDeclaredEntry(object)) continue;
      appendTo(cascades, by, { ...object, owner });
    }
    holders = next;
  }
  return cascades;
}

/**
 * Returns a predicate: whether a document of the stack declares the list that contains an object, such as the groups of a
 * user for a membership, or declared it until the plan deletes its object. That document decides what happens to the entry.
 */
function declaredEntries(
  { kinds, desired, owned, listed }: CascadeContext & Pick<CascadeSearch, "listed">,
  records: EntryLookup,
): (object: ObjectKey) => boolean {
  const byName = kindsByName(kinds);
  const declared = new Map(desired.objects.map((object) => [object.address, object]));
  const byKey = new Map(
    desired.objects.map((object) => [address(object.kind.name, object.key), object]),
  );
  return (object) => {
    const kind = byName.get(object.kind);
    const spec = kind && parseKey(kind, object.key);
    const list = spec && listContaining(kind, spec);
    if (list === undefined) return false;
    // An object that the plan renames or replaces is recorded by its former key.
    const listAddress = records.addressOf(list.owner) ?? "";
    const holder = declared.get(listAddress) ?? byKey.get(list.owner);
    if (holder !== undefined) return declaresField(holder, list.field);
    const deleted = listed.has(list.owner) ? owned[listAddress] : undefined;
    return deleted !== undefined && declaresField({ spec: deleted.lastApplied }, list.field);
  };
}

function withCascadeFields(change: Change, cascaded: readonly CascadedObject[]): Change {
  if (cascaded.length === 0) return change;
  const byKind = Map.groupBy(cascaded, ({ kind }) => kind);
  const cascadeCounts = Object.fromEntries([...byKind].map(([kind, list]) => [kind, list.length]));
  return blockedByErrors({ ...change, cascadeCounts }, otherStackErrors(change, cascaded));
}

function cascadeWarnings(change: Change, cascaded: readonly CascadedObject[]): Diagnostic[] {
  if (cascaded.length === 0) return [];
  const verb = change.action === "delete" ? "deleting" : "replacing";
  return [
    {
      code: "cascade-delete",
      severity: "warning",
      address: change.address,
      summary: `${verb} ${change.address} also deletes ${pluralize(cascaded.length, "object")} that this stack does not recreate: ${objectsText(cascaded)}`,
      remedy:
        "Declare the objects to keep, or keep the parent; each counts towards the delete limit.",
    },
    ...otherStackErrors(change, cascaded),
  ];
}

/** Builds one diagnostic for each other stack, with an example object. */
function otherStackErrors(change: Change, cascaded: readonly CascadedObject[]): Diagnostic[] {
  const owned = cascaded.filter(({ owner }) => owner !== undefined);
  return [...Map.groupBy(owned, ({ owner }) => owner)].map(([owner, list]) => ({
    code: "owned-by-other-stack",
    severity: "error",
    address: change.address,
    summary: `${change.address} contains ${pluralize(list.length, "object")} that stack ${owner} owns, such as ${list[0]?.kind} ${list[0]?.key}`,
    remedy: "Remove them from that stack first.",
  }));
}
