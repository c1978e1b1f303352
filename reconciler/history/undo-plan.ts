// Plans an undo from the record of a run: restores what the run changed or deleted, and deletes what it created.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { droppedFields } from "../../core/spec/dropped-fields.ts";
import { keyOf, nameOf, scopeOf } from "../../core/kind/identity.ts";
import { equal, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { recordedLifecycle, manages } from "../../core/kind/lifecycle-rules.ts";
import { limits } from "../../core/limits/limits.ts";
import { normalize } from "../../core/spec/normalize.ts";
import { readablePart } from "../../core/spec/record.ts";
import { referencesOf } from "../../core/kind/references.ts";
import { layersOfKinds } from "../model/kind-layers.ts";
import { RenamableEntries } from "../model/parent-renames.ts";
import { namesBefore } from "./historical-names.ts";
import {
  type FollowedChange,
  followChanges,
  isChangedBy,
  isDone,
  valuesAfterRun,
} from "./later-changes.ts";
import { lostReferencesNote } from "./lost-references.ts";
import { undoConflicts } from "./undo-conflicts.ts";
import type {
  DeclaredMetadata,
  Entry,
  Inventory,
  RunChange,
  RunRecord,
  DesiredObject,
} from "../model/index.ts";

/** The changes that undo a run, as far as possible. */
export interface UndoPlan {
  /** The changes of the run, at the current addresses of their objects. */
  readonly changes: readonly RunChange[];
  /** Objects with their restored fields, and objects to create again. */
  readonly desiredObjects: readonly DesiredObject[];
  /** Addresses of the objects above and of those that the run created. */
  readonly addresses: ReadonlySet<string>;
  /** Fields that the undo restores, by address; left out for objects that are created again. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Addresses of the objects to delete that a later run changed. */
  readonly changedSince: ReadonlySet<string>;
  /** Changes that cannot be undone. */
  readonly notes: readonly Diagnostic[];
}

/** Input to {@link makeUndoPlan}. */
export interface UndoPlanInput {
  readonly run: RunRecord;
  readonly inventory: Inventory;
  /** Labels and rules of today's documents, by address; their specs do not count. */
  readonly declaredMetadata: ReadonlyMap<string, DeclaredMetadata>;
  readonly kinds: ReadonlyMap<string, Kind>;
  /** The place of the Stack document, because no other document declares these objects. */
  readonly place: DesiredObject["place"];
}

type UndoStep =
  | { readonly desired: DesiredObject; readonly fields?: readonly string[]; readonly note?: string }
  | { readonly remove: true; readonly isChanged: boolean }
  | { readonly note: string };

/** Plans the undo of a run. Pure: the plan compares it with live state later. */
export function makeUndoPlan(parts: UndoPlanInput): UndoPlan {
  const notes: Diagnostic[] = [];
  const desiredObjects: DesiredObject[] = [];
  const addresses = new Set<string>();
  const changedSince = new Set<string>();
  const fields = new Map<string, readonly string[]>();
  const { inventory } = parts;
  const entries = new RenamableEntries(Object.entries(inventory.entries), parts.kinds);
  const followed = followChanges(parts.run, inventory);
  const currentAddresses = new Map(
    [...entries].flatMap(([address, { kind, id }]) =>
      id === undefined ? [] : [[objectKey(kind, id), address] as const],
    ),
  );
  for (const { change, ...since } of changesInReverse(followed, parts)) {
    if (!isDone(change)) continue;
    const step = stepFor(change, { ...parts, ...since, entries, currentAddresses });
    if (step === undefined) continue;
    if ("note" in step && step.note !== undefined) notes.push(notUndoneNote(change, step.note));
    if (!("note" in step) || "desired" in step) addresses.add(change.address);
    if ("remove" in step && step.isChanged) changedSince.add(change.address);
    if (!("desired" in step)) continue;
    desiredObjects.push(step.desired);
    if (step.fields === undefined) continue;
    fields.set(change.address, step.fields);
    followRename(entries, step.desired);
  }
  const byName = Map.groupBy(desiredObjects, ({ kind, spec }) => nameKey(kind, nameOf(kind, spec)));
  const needing = desiredObjects.map((desiredObject) => withDependencies(desiredObject, byName));
  const lost = undoConflicts(needing, {
    currentEntries: inventory.entries,
    entriesAfter: Object.fromEntries(entries),
    addresses,
    fields,
    historicalNames: namesBefore(parts.run, inventory, parts.kinds),
    kinds: parts.kinds,
  });
  const inRun = new Map(followed.map(({ change: { address } }, at) => [address, at]));
  const at = ({ address = "" }: Pick<Diagnostic, "address">): number => inRun.get(address) ?? 0;
  notes.sort((one, other) => at(one) - at(other));
  for (const [address, reason] of lost) {
    notes.push(notUndoneNote({ address }, reason));
    addresses.delete(address);
    fields.delete(address);
  }
  return {
    changes: followed.map(({ change }) => change),
    desiredObjects: needing
      .filter(({ address }) => !lost.has(address))
      .toSorted((one, other) => at(one) - at(other)),
    addresses,
    fields,
    changedSince,
    notes,
  };
}

/**
 * Returns the changes in the order of their undo: parents first, because they may get their names back, and within a
 * kind the last change first, because a later change may have taken a released name.
 */
function changesInReverse(
  changes: readonly FollowedChange[],
  { kinds }: Pick<UndoPlanInput, "kinds">,
): readonly FollowedChange[] {
  const layer = layersOfKinds([...kinds.values()]);
  const layerOf = ({ change: { kind } }: FollowedChange): number => layer.get(kind) ?? 0;
  const last = changes.toReversed();
  return last.toSorted((one, other) => layerOf(one) - layerOf(other));
}

/** Renames the children of an object that gets its name back. */
function followRename(entries: RenamableEntries, { address, key, scope }: DesiredObject): void {
  const before = entries.get(address);
  if (before === undefined || before.key === key) return;
  entries.rename({ before, after: { ...before, key, scope } });
}

function notUndoneNote({ address }: Pick<RunChange, "address">, summary: string): Diagnostic {
  return {
    code: "cannot-undo",
    severity: "warning",
    address,
    summary,
    remedy: "Change its document back, and apply that.",
  };
}

/** Says why an undo has nothing to do. The notes are about changes that cannot be undone. */
export function emptyUndoNote(
  { id, changes = [] }: Pick<RunRecord, "id" | "changes">,
  notes: readonly Diagnostic[],
): Diagnostic {
  const done = changes.filter(isDone);
  const lost = new Set(notes.flatMap(({ address }) => address ?? []));
  const named = [...lost].slice(0, limits.placesNamed).join(", ");
  const more = lost.size > limits.placesNamed ? ` and ${lost.size - limits.placesNamed} more` : "";
  const rest = done.some(({ address }) => !lost.has(address))
    ? "; the other objects are already as they were before it"
    : "";
  const left =
    lost.size === 0
      ? "the objects are already as they were before it"
      : `nothing can be reverted: the changes of ${named}${more} cannot be undone${rest}`;
  const why = done.length === 0 ? "the run changed nothing" : left;
  return { code: "nothing-to-undo", severity: "info", summary: `run ${id}: ${why}` };
}

/** Says why the object at the address of a change is not the one that the run left there. */
function otherObjectNote({ later, isDisplaced }: Pick<StepInput, "later" | "isDisplaced">): string {
  const isCreatedAgain = later.some(({ action }) => action === "create" || action === "replace");
  return isCreatedAgain && !isDisplaced
    ? "a later run created it again, as a new object"
    : "another object has its address now";
}

/** Explains why there is no entry at the address of a change: the object has another address now, or another owner. */
function notOwnedNote(
  { kind, id }: RunChange,
  { currentAddresses }: Pick<StepInput, "currentAddresses">,
): string {
  const now = id === undefined ? undefined : currentAddresses.get(objectKey(kind, id));
  return now === undefined ? "the stack does not own it any more" : `its address is ${now} now`;
}

function objectKey(kind: string, id: string): string {
  return `${kind} ${id}`;
}

/** True if the object at an address is not, or may not be, the one that the run left there. */
function isOtherObject(
  change: RunChange,
  entry: Entry,
  { later, isDisplaced }: Pick<StepInput, "later" | "isDisplaced">,
): boolean {
  if (isDisplaced) return true;
  if (change.id !== undefined && entry.id !== undefined) return change.id !== entry.id;
  // A create or an adopt followed the delete or forget, because the stack owns the object.
  return later.some(({ action }) => ["create", "replace", "adopt"].includes(action));
}

/** Input to the undo of one change. */
interface StepInput extends UndoPlanInput, Omit<FollowedChange, "change"> {
  /** By address, with the keys that they have after the steps so far. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Today's addresses, by kind and id. */
  readonly currentAddresses: ReadonlyMap<string, string>;
}

function stepFor(change: RunChange, parts: StepInput): UndoStep | undefined {
  const kind = parts.kinds.get(change.kind);
  const entry = parts.entries.get(change.address);
  if (kind === undefined) return { note: `there is no resource type ${change.kind} any more` };
  switch (change.action) {
    case "create":
      if (entry !== undefined) return removeStep(change, { ...parts, kind, entry });
      return isGone(change, parts) ? undefined : { note: notOwnedNote(change, parts) };
    case "update":
    case "adopt":
      if (entry !== undefined && isOtherObject(change, entry, parts))
        return { note: otherObjectNote(parts) };
      return restoreStep(change, { ...parts, kind, entry });
    case "delete":
      return recreateStep(change, { ...parts, kind, entry });
    case "replace":
      return { note: "it was replaced; the old object cannot be restored" };
    case "forget":
      return { note: "it was forgotten; run `svc adopt` to manage it again" };
    case "none": {
      const note = lostReferencesNote(change, { ...parts, entry });
      return note === undefined ? undefined : { note };
    }
    default:
      return undefined;
  }
}

/** True if a created object was deleted, or the run was killed before it created the object. */
function isGone({ result }: RunChange, { later }: StepInput): boolean {
  return result !== "done" || later.some(({ action }) => action === "delete");
}

interface StepContext extends StepInput {
  readonly kind: Kind;
  readonly entry: Entry | undefined;
}

function removeStep(change: RunChange, about: StepContext & { readonly entry: Entry }): UndoStep {
  const { entry, declaredMetadata: today } = about;
  if (isOtherObject(change, entry, about)) return { note: otherObjectNote(about) };
  const rules = today.get(change.address)?.rules;
  const lifecycle = [entry.lifecycle ?? {}, recordedLifecycle(undefined, rules)];
  const removed = { remove: true, isChanged: isChangedBy(entry, about.later) } as const;
  // A protected entry appears as blocked in the plan.
  if (entry.lifecycle?.protect === true) return removed;
  if (lifecycle.some(({ onRemoval }) => onRemoval === "orphan"))
    return { note: "its document forbids its deletion" };
  return rules?.protect === true ? { note: "its document protects it" } : removed;
}

/** Restores the recorded fields; required fields keep the values applied last. */
function restoreStep(
  change: RunChange,
  { kind, entry, place, later, currentAddresses, declaredMetadata: today }: StepContext,
): UndoStep {
  const { before = {}, hidden = [], name, address } = change;
  if (entry === undefined) return { note: notOwnedNote(change, { currentAddresses }) };
  const document = today.get(address);
  if (!manages(document?.rules, "update")) return { note: "its document does not allow updates" };
  const required = (kind.spec.required ?? []) as readonly string[];
  const needed = [...new Set([...kind.key, ...required])];
  const own = Object.fromEntries(
    needed.flatMap((field) => {
      const value = entry.lastApplied[field];
      return value === undefined ? [] : [[field, value]];
    }),
  );
  const wanted = normalize(kind, { ...own, ...before });
  const dropped = droppedFields(kind, before);
  const fields = Object.keys(before).filter(
    (field) => wanted[field] !== undefined && !dropped.includes(field),
  );
  const stuck = [...hidden, ...Object.keys(before).filter((field) => !fields.includes(field))];
  const note = stuck.length === 0 ? undefined : notRestored(stuck);
  if (fields.length === 0) return { note: note ?? "the run did not change it" };
  const picked = Object.fromEntries(fields.map((field) => [field, wanted[field] ?? null]));
  const spec: JsonObject = { ...own, ...picked };
  const { protect = document?.rules?.protect } = entry.lifecycle ?? {};
  const ignore = document?.rules?.ignore;
  const desiredObject: DesiredObject = {
    address,
    kind,
    name,
    labels: document?.labels,
    spec,
    key: keyOf(kind, spec),
    scope: scopeOf(kind, spec),
    dependsOn: [],
    onlyFields: fields,
    baseline: valuesAfterRun(picked, entry, later),
    rules: {
      manage: ["observe", "update"],
      ...(protect === true && { protect }),
      ...(ignore !== undefined && { ignore }),
    },
    place,
  };
  return { desired: desiredObject, fields, ...(note !== undefined && { note }) };
}

function notRestored(fields: readonly string[]): string {
  return `${fields.join(", ")}: the earlier value cannot be restored`;
}

function recreateStep(change: RunChange, about: StepContext): UndoStep {
  const { kind, entry, place, declaredMetadata: today } = about;
  const { before, hidden = [], name, address } = change;
  if (before === undefined) return { note: "its earlier state is unknown" };
  if (entry !== undefined && !isRecreated(entry, change, kind))
    return { note: otherObjectNote(about) };
  if (hidden.length > 0 || kind.generatedSecret !== undefined) {
    const lost = hidden.length > 0 ? hidden.join(", ") : "its secret";
    return { note: `it was deleted and cannot be created again without ${lost}` };
  }
  const document = today.get(address);
  if (!manages(document?.rules, "create"))
    return { note: "its document does not allow its creation" };
  const dropped = droppedFields(kind, before);
  if (dropped.length > 0) return { note: notRestored(dropped) };
  const spec = normalize(kind, before);
  if (!equal(keyOf(kind, spec), change.key))
    return { note: "its earlier state is not fully known" };
  const [key, scope] = [keyOf(kind, spec), scopeOf(kind, spec)];
  const { labels, rules } = document ?? {};
  const { movedFrom: _, adopt: __, ...kept } = rules ?? {};
  return {
    desired: { address, kind, name, labels, rules: kept, spec, key, scope, dependsOn: [], place },
  };
}

/** True if an interrupted undo has created the object, or has begun to. */
function isRecreated({ pending, key, lastApplied }: Entry, change: RunChange, kind: Kind): boolean {
  const before = readablePart(kind, normalize(kind, change.before ?? {}));
  return key === change.key && (pending || equal(lastApplied, before));
}

function nameKey({ name }: Pick<Kind, "name">, value: JsonValue | undefined): string {
  return JSON.stringify([name, value]);
}

/** Orders an object after those that it refers to. */
function withDependencies(
  desiredObject: DesiredObject,
  byName: ReadonlyMap<string, readonly DesiredObject[]>,
): DesiredObject {
  const needs = referencesOf(desiredObject.kind, desiredObject.spec).flatMap(({ kind, value }) =>
    (byName.get(nameKey({ name: kind }, value)) ?? []).map(({ address }) => address),
  );
  const others = [...new Set(needs)].filter((address) => address !== desiredObject.address);
  return others.length === 0 ? desiredObject : { ...desiredObject, dependsOn: others.toSorted() };
}
