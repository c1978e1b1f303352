// From the record of a run to what would take it back: wishes for what it changed or deleted, nothing for what it made.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { keyOf, nameOf, scopeOf } from "../../core/identity.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { guardsAfter, manages } from "../../core/lifecycle-rules.ts";
import { normalize } from "../../core/normalize.ts";
import { readablePart } from "../../core/record.ts";
import { referencesOf } from "../../core/references.ts";
import { layersOfKinds } from "../engine/kind-layers.ts";
import { entriesRenamedWith } from "../engine/parent-renames.ts";
import { namesBefore } from "./historical-names.ts";
import { undoConflicts } from "./undo-conflicts.ts";
import type {
  DeclaredMetadata,
  Entry,
  Inventory,
  RunChange,
  RunRecord,
  DesiredObject,
} from "../model/index.ts";

/** What takes a run back, as far as it can be. */
export interface UndoPlan {
  /** Fields with what they were before, and objects that are to be made again. */
  readonly desiredObjects: readonly DesiredObject[];
  /** What the run is to have touched: the objects above, and those that it made. */
  readonly addresses: ReadonlySet<string>;
  /** Fields that a wish gives back, by its address; left out for objects that are made again. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** What stays as it is. */
  readonly notes: readonly Diagnostic[];
}

/** Where the parts of a way back come from. */
export interface UndoPlanInput {
  readonly run: RunRecord;
  readonly inventory: Inventory;
  /** What documents say today, by address: their labels and rules count, their specs do not. */
  readonly declaredMetadata: ReadonlyMap<string, DeclaredMetadata>;
  readonly kinds: ReadonlyMap<string, Kind>;
  /** The Stack document's place, as nothing else declares these wishes. */
  readonly place: DesiredObject["place"];
}

type UndoStep =
  | { readonly desired: DesiredObject; readonly fields?: readonly string[]; readonly note?: string }
  | { readonly remove: true }
  | { readonly note: string };

/** The way back from a run. Pure: what is live is compared when it is planned. */
export function makeUndoPlan(parts: UndoPlanInput): UndoPlan {
  const notes: Diagnostic[] = [];
  const desiredObjects: DesiredObject[] = [];
  const addresses = new Set<string>();
  const fields = new Map<string, readonly string[]>();
  let { inventory } = parts;
  for (const change of changesInReverse(parts)) {
    if (change.result === "failed" || change.result === "skipped") continue;
    const step = stepFor(change, { ...parts, inventory });
    if (step === undefined) continue;
    if ("note" in step && step.note !== undefined) notes.push(notUndoneNote(change, step.note));
    if (!("note" in step) || "desired" in step) addresses.add(change.address);
    if (!("desired" in step)) continue;
    desiredObjects.push(step.desired);
    if (step.fields === undefined) continue;
    fields.set(change.address, step.fields);
    inventory = withRename(inventory, step.desired, parts.kinds);
  }
  const needing = desiredObjects.map((desiredObject) =>
    withDependencies(desiredObject, desiredObjects),
  );
  const lost = undoConflicts(needing, {
    currentEntries: parts.inventory.entries,
    entriesAfter: inventory.entries,
    addresses,
    fields,
    historicalNames: namesBefore(parts.run, parts.inventory, parts.kinds),
    kinds: parts.kinds,
  });
  const inRun = new Map((parts.run.changes ?? []).map(({ address }, at) => [address, at]));
  const at = ({ address = "" }: { readonly address?: string }): number => inRun.get(address) ?? 0;
  notes.sort((one, other) => at(one) - at(other));
  for (const [address, said] of lost) {
    notes.push(notUndoneNote({ address }, said));
    addresses.delete(address);
    fields.delete(address);
  }
  return {
    desiredObjects: needing
      .filter(({ address }) => !lost.has(address))
      .toSorted((one, other) => at(one) - at(other)),
    addresses,
    fields,
    notes,
  };
}

/**
 * The changes of the run in the order in which they are taken back: what others are in before them, as it may get its name back,
 * and of one kind the last first, since a name that one had given up was taken by a later one.
 */
function changesInReverse({ run, kinds }: UndoPlanInput): readonly RunChange[] {
  const layer = layersOfKinds([...kinds.values()]);
  const layerOf = ({ kind }: RunChange): number => layer.get(kind) ?? 0;
  const last = (run.changes ?? []).toReversed();
  return last.toSorted((one, other) => layerOf(one) - layerOf(other));
}

/** The inventory as it will be once this object has its name back: what is named by it is recorded under that. */
function withRename(
  inventory: Inventory,
  desiredObject: DesiredObject,
  kinds: UndoPlanInput["kinds"],
): Inventory {
  const { entries } = inventory;
  const { address, key, scope } = desiredObject;
  const was = entries[address];
  if (was === undefined || was.key === key) return inventory;
  const is = { ...was, key, scope };
  const along = entriesRenamedWith(new Map(Object.entries(entries)), kinds, {
    before: was,
    after: is,
  });
  return { ...inventory, entries: { ...entries, ...Object.fromEntries(along) } };
}

function notUndoneNote({ address }: Pick<RunChange, "address">, said: string): Diagnostic {
  return {
    code: "cannot-undo",
    severity: "warning",
    address,
    summary: said,
    remedy: "change its document, and apply that",
  };
}

const addressTakenText = "another object has its address by now";

/** True where the object that the stack has at an address is not the one that the run left there, or may not be. */
function isOtherObject(
  change: RunChange,
  entry: Entry,
  { run, inventory }: UndoPlanInput,
): boolean {
  if (change.id !== undefined && entry.id !== undefined) return change.id !== entry.id;
  const runs = inventory.runs ?? [];
  const later = runs.slice(runs.findIndex(({ id }) => id === run.id) + 1);
  return later.some(({ changes = [] }) =>
    changes.some(
      ({ action, address, result }) =>
        address === change.address &&
        ["create", "replace", "delete", "forget"].includes(action) &&
        result !== "failed" &&
        result !== "skipped",
    ),
  );
}

function stepFor(change: RunChange, parts: UndoPlanInput): UndoStep | undefined {
  const kind = parts.kinds.get(change.kind);
  const entry = Object.hasOwn(parts.inventory.entries, change.address)
    ? parts.inventory.entries[change.address]
    : undefined;
  if (kind === undefined) return { note: `there is no kind ${change.kind} any more` };
  switch (change.action) {
    case "create":
      if (entry === undefined) return undefined;
      return removeStep(change, { ...parts, kind, entry });
    case "update":
    case "adopt":
      if (entry !== undefined && isOtherObject(change, entry, parts))
        return { note: addressTakenText };
      return restoreStep(change, { ...parts, kind, entry });
    case "delete":
      return recreateStep(change, { ...parts, kind, entry });
    case "replace":
      return { note: "it was replaced; the one before cannot be brought back" };
    case "forget":
      return { note: "it was let go of; `svc adopt` takes it over again" };
    default:
      return undefined;
  }
}

interface StepContext extends UndoPlanInput {
  readonly kind: Kind;
  readonly entry: Entry | undefined;
}

function removeStep(change: RunChange, about: StepContext & { readonly entry: Entry }): UndoStep {
  const { entry, declaredMetadata: today } = about;
  if (isOtherObject(change, entry, about)) return { note: addressTakenText };
  const rules = today.get(change.address)?.rules;
  const guards = [entry.guards ?? {}, guardsAfter(undefined, rules)];
  // What the inventory protects shows in the plan, blocked.
  if (entry.guards?.protect === true) return { remove: true };
  if (guards.some(({ onRemoval }) => onRemoval === "orphan"))
    return { note: "its document says that it is not to be deleted" };
  return rules?.protect === true ? { note: "its document protects it" } : { remove: true };
}

/** What is not among the fields is left out, and so left alone; what the kind cannot do without is as it was applied last. */
function restoreStep(
  change: RunChange,
  { kind, entry, place, declaredMetadata: today }: StepContext,
): UndoStep {
  const { before = {}, hidden = [], name, address } = change;
  if (entry === undefined) return { note: "the stack does not own it any more" };
  const document = today.get(address);
  if (!manages(document?.rules, "update"))
    return { note: "its document does not let updates be managed" };
  const required = (kind.spec.required ?? []) as readonly string[];
  const needed = [...new Set([...kind.key, ...required])];
  const own = Object.fromEntries(
    needed.flatMap((field) => {
      const value = entry.lastApplied[field];
      return value === undefined ? [] : [[field, value]];
    }),
  );
  const wanted = normalize(kind, { ...own, ...before });
  const fields = Object.keys(before).filter((field) => wanted[field] !== undefined);
  const stuck = [...hidden, ...Object.keys(before).filter((field) => !fields.includes(field))];
  const note =
    stuck.length === 0
      ? undefined
      : `${stuck.join(", ")}: what was there before cannot be put back`;
  if (fields.length === 0) return { note: note ?? "nothing of it was changed" };
  const picked = Object.fromEntries(fields.map((field) => [field, wanted[field] ?? null]));
  const spec: JsonObject = { ...own, ...picked };
  const { protect = document?.rules?.protect } = entry.guards ?? {};
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
    rules: {
      manage: ["observe", "update"],
      ...(protect === true && { protect }),
      ...(ignore !== undefined && { ignore }),
    },
    place,
  };
  return { desired: desiredObject, fields, ...(note !== undefined && { note }) };
}

function recreateStep(
  change: RunChange,
  { kind, entry, place, declaredMetadata: today }: StepContext,
): UndoStep {
  const { before, hidden = [], name, address } = change;
  if (before === undefined) return { note: "what it was like is not known" };
  if (entry !== undefined && !isRecreated(entry, change, kind)) return { note: addressTakenText };
  if (hidden.length > 0 || kind.generatedSecret !== undefined) {
    const lost = hidden.length > 0 ? hidden.join(", ") : "its secret";
    return { note: `it was deleted, and cannot be made again without ${lost}` };
  }
  const document = today.get(address);
  if (!manages(document?.rules, "create")) return { note: "its document does not let it be made" };
  const spec = normalize(kind, before);
  if (!equal(keyOf(kind, spec), change.key))
    return { note: "what it was like is not known in whole" };
  const [key, scope] = [keyOf(kind, spec), scopeOf(kind, spec)];
  const { labels, rules } = document ?? {};
  const { movedFrom: _, adopt: __, ...kept } = rules ?? {};
  return {
    desired: { address, kind, name, labels, rules: kept, spec, key, scope, dependsOn: [], place },
  };
}

/** True for an object that a way back which was killed has made again, or has begun to. */
function isRecreated({ pending, key, lastApplied }: Entry, change: RunChange, kind: Kind): boolean {
  const before = readablePart(kind, normalize(kind, change.before ?? {}));
  return key === change.key && (pending || equal(lastApplied, before));
}

/** What lies in, or names, another object that is wished for comes after it. */
function withDependencies(
  desiredObject: DesiredObject,
  desiredObjects: readonly DesiredObject[],
): DesiredObject {
  const needs = referencesOf(desiredObject.kind, desiredObject.spec).flatMap(({ kind, value }) =>
    desiredObjects
      .filter((other) => other.kind.name === kind && nameOf(other.kind, other.spec) === value)
      .map(({ address }) => address),
  );
  const others = [...new Set(needs)].filter((address) => address !== desiredObject.address);
  return others.length === 0 ? desiredObject : { ...desiredObject, dependsOn: others.toSorted() };
}
