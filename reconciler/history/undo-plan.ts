// Plans the undo of a run by three values of each object: before the run, after it, and now.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import { address as objectAt, keyOf, scopeOf } from "../../core/kind/identity.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { manages, recordedLifecycle } from "../../core/kind/lifecycle-rules.ts";
import { referencesOf } from "../../core/kind/references.ts";
import { droppedFields } from "../../core/spec/dropped-fields.ts";
import { normalize } from "../../core/spec/normalize.ts";
import { firstNames } from "../../core/text/first-names.ts";
import { listEntries, objectsByAddress } from "../model/stack-index.ts";
import { recordedFields, referencedObject } from "../model/recorded-fields.ts";
import type {
  ApplyResult,
  DeclaredMetadata,
  DesiredObject,
  DesiredState,
  Entry,
  Inventory,
  RunChange,
  RunRecord,
} from "../model/index.ts";
import { namesAfterUndo, type NamesAfterUndo, type UndoStep } from "./undo-names.ts";

/** The changes that undo a run, as far as possible. */
export interface UndoPlan extends Required<
  Pick<DesiredState, "objects" | "undoScope" | "changedAfterRun">
> {
  /** Changes that cannot be undone. */
  readonly notes: readonly Diagnostic[];
}

/** Input to {@link makeUndoPlan}. */
export interface UndoPlanInput {
  readonly run: Pick<RunRecord, "id" | "changes">;
  readonly inventory: Inventory;
  /** Labels and rules of today's documents, by address; their specs do not count. */
  readonly declared: ReadonlyMap<string, DeclaredMetadata>;
  readonly kinds: ReadonlyMap<string, Kind>;
}

/** Plans the undo of a run. Pure: the plan of the session compares the fields with their live values. */
export function makeUndoPlan(input: UndoPlanInput): UndoPlan {
  const { run, inventory, kinds } = input;
  const context = { ...input, ...objectsNow(input) };
  const { entries } = inventory;
  const undone = (run.changes ?? [])
    .filter((change) => mayBeDone(change, entries))
    .map((change) => {
      return { change, ...undoOf(change, context) };
    });
  const all = undone.flatMap(({ step }) => step ?? []);
  const names = namesAfterUndo(all, inventory, kinds);
  const steps = all.filter((step) => !names.blockedSteps.has(step));
  const deleted = steps.filter(({ restored }) => restored === undefined);
  return {
    objects: steps.flatMap((step) => desiredObject(step, names, input) ?? []),
    undoScope: new Set(steps.map(({ address }) => address)),
    changedAfterRun: new Set(deleted.filter(isChangedAfterRun).map(({ address }) => address)),
    notes: undone.flatMap(({ change, step, note }) => {
      const conflict = step && names.blockedSteps.get(step);
      const reasons = [note, conflict].filter((reason) => reason !== undefined);
      return reasons.map((reason) => notUndoneNote(step?.address ?? change.address, reason));
    }),
  };
}

/** Warns of the objects whose manifests still are as the undone run applied them. */
export function stillDeclaredWarning(
  { outcomes }: Pick<ApplyResult, "outcomes">,
  { objects }: Pick<UndoPlan, "objects">,
  manifests: DesiredState,
): readonly Diagnostic[] {
  const [declared, restored] = [objectsByAddress(manifests.objects), objectsByAddress(objects)];
  const done = outcomes.filter(({ result }) => result === "done").map(({ address }) => address);
  const repeated = done.filter((address) => {
    const [document, object] = [declared.get(address), restored.get(address)];
    // The undo deleted it.
    if (object === undefined) return document !== undefined;
    const { spec, onlyFields } = object;
    if (document === undefined) return !onlyFields && manifests.stack.policy.prune;
    return onlyFields?.some((field) => {
      const value = document.spec[field];
      return value !== undefined && !equal(value, spec[field] ?? null);
    });
  });
  if (repeated.length === 0) return [];
  const summary = `the undo did not change the manifests, so the next apply repeats the undone changes of ${firstNames(repeated)}`;
  const remedy = "Revert the manifests too.";
  return [{ code: "still-declared", severity: "warning", summary, remedy }];
}

/** True if a run made a change or a part of it, or may have made it before it was killed. */
function isDone({ result }: RunChange): boolean {
  return result !== "failed" && result !== "skipped";
}

/** True also for a failed create whose outcome is unknown, as its entry shows: no answer came. */
function mayBeDone(change: RunChange, entries: Inventory["entries"]): boolean {
  const { action, address, key } = change;
  const isUnknown =
    action === "create" && entries[address]?.pending && entries[address].key === key;
  return isDone(change) || isUnknown === true;
}

function notUndoneNote(address: string, summary: string): Diagnostic {
  const remedy = "Change its document back, with the values that are missing, and apply that.";
  return { code: "cannot-undo", severity: "warning", address, summary, remedy };
}

/** An object is known by its id, or by its key if its kind has no ids. */
function identityOf({ kind, key, id }: Entry | RunChange): string {
  return id === undefined ? objectAt(kind, key) : `${kind} ${id}`;
}

interface ChangeContext extends UndoPlanInput {
  /** The addresses of the owned objects, by identity. */
  readonly addresses: ReadonlyMap<string, string>;
  /** The identities of the objects that later runs deleted. */
  readonly deleted: ReadonlySet<string>;
  /** The keys of the objects that later runs created or adopted. */
  readonly createdAgain: ReadonlySet<string>;
}

function objectsNow({ run, inventory: { entries, runs = [] } }: UndoPlanInput) {
  const later = runs.slice(runs.findIndex(({ id }) => id === run.id) + 1);
  const done = later.flatMap(({ changes = [] }) => changes).filter(isDone);
  const deletes = done.filter(({ action }) => action === "delete");
  const creates = done.filter(({ action }) => ["create", "replace", "adopt"].includes(action));
  const identities = listEntries(entries).flatMap(([address, entry]) =>
    [objectAt(entry.kind, entry.key), identityOf(entry)].map((name) => [name, address] as const),
  );
  return {
    addresses: new Map(identities),
    deleted: new Set(deletes.map(identityOf)),
    createdAgain: new Set(creates.map(({ kind, key }) => objectAt(kind, key))),
  };
}

const unrecordedText = "its values are not recorded: they are too large";

/** What undoes a change, and what cannot be undone. Neither, if nothing is left to undo. */
interface UndoOfChange {
  readonly step?: UndoStep;
  readonly note?: string;
}

function undoOf(change: RunChange, context: ChangeContext): UndoOfChange {
  const { action, before, after } = change;
  const { entries } = context.inventory;
  const kind = context.kinds.get(change.kind);
  if (kind === undefined) return { note: `there is no resource type ${change.kind} any more` };
  if (action === "replace") return { note: "it was replaced; the old object cannot be restored" };
  if (action === "forget") return { note: "it was forgotten; run `svc adopt` to manage it again" };
  if (change.unrecorded === true) return { note: unrecordedText };
  if (before === undefined && after === undefined) return {};
  if (after === undefined) {
    const { address } = change;
    const other = entries[address];
    if (other === undefined || isCreatedAgain(other, change))
      return restore({ change, kind, address, entry: undefined }, context);
    return { note: "another object has its address now" };
  }
  // Without an id, another object with the key would be taken for that of the run.
  if (change.id === undefined && context.createdAgain.has(objectAt(change.kind, change.key)))
    return { note: "a later run created or adopted it again" };
  const address = context.addresses.get(identityOf(change)) ?? "";
  const entry = entries[address];
  if (entry !== undefined)
    return (before ? restore : remove)({ change, kind, address, entry }, context);
  const isGone = context.deleted.has(identityOf(change)) || change.result === undefined;
  const note = "the stack does not own the object of the run any more";
  return before === undefined && isGone ? {} : { note };
}

/** True if an undo that was interrupted has created a deleted object, or has begun to. */
function isCreatedAgain(entry: Entry, { key, before = {} }: RunChange): boolean {
  return entry.key === key && (entry.pending || changedFields(entry, before).length === 0);
}

/** True if the object that a run created is recorded otherwise now. Its parent may have another name since. */
function isChangedAfterRun({ change: { after = {} }, kind, entry }: UndoStep): boolean {
  const added = Object.keys(recordedFields(entry).fields).map((name) => [name, null] as const);
  const changed = changedFields(entry, { ...Object.fromEntries(added), ...after });
  return changed.some((name) => !kind.scope.includes(name));
}

/** Returns the fields of which an entry has other values. */
function changedFields(entry: Entry | undefined, values: JsonObject): readonly string[] {
  const { fields } = recordedFields(entry);
  return Object.keys(values).filter((name) => !equal(fields[name] ?? null, values[name] ?? null));
}

type ChangedObject = Omit<UndoStep, "restored">;

/** Deletes an object that the run created. */
function remove(object: ChangedObject, { declared }: ChangeContext): UndoOfChange {
  const { lifecycle } = object.entry ?? {};
  const rules = recordedLifecycle(undefined, declared.get(object.address)?.rules);
  const isKept = rules.protect ?? [rules, lifecycle].some((kept) => kept?.onRemoval === "orphan");
  // A protected entry appears as blocked in the plan.
  if (isKept && lifecycle?.protect !== true) return { note: "its document forbids its deletion" };
  return { step: { ...object, restored: undefined } };
}

/** Restores the fields of an object whose values are known, or creates it again if all are. */
function restore(object: ChangedObject, { declared }: ChangeContext): UndoOfChange {
  const { change, kind, address, entry } = object;
  const { before = {}, hidden = [] } = change;
  const verb = entry === undefined ? "create" : "update";
  if (!manages(declared.get(address)?.rules, verb))
    return { note: `its document does not allow svc to ${verb} it` };
  const values = normalize(kind, { ...entry?.lastApplied, ...before });
  const unknown = new Set([...hidden, ...droppedFields(kind, before)]);
  const isKnown = (name: string): boolean => !unknown.has(name) && values[name] !== undefined;
  const names = Object.keys(before);
  const fields = names.filter(isKnown).map((name) => [name, values[name]] as const);
  const step = { ...object, restored: Object.fromEntries(fields) };
  if (entry === undefined) {
    const missing = names.filter((name) => !isKnown(name));
    if (kind.generatedSecret !== undefined) missing.push("its secret");
    if (missing.length === 0) return { step };
    return { note: `it was deleted and cannot be created again without ${missing.join(", ")}` };
  }
  const lost = changedFields(entry, before).filter((name) => !isKnown(name));
  const note = `${lost.join(", ")}: the earlier value cannot be restored`;
  return { ...(fields.length > 0 && { step }), ...(lost.length > 0 && { note }) };
}

/** Returns the desired object of a step; undefined for an object to delete. */
function desiredObject(
  step: UndoStep,
  { names, fieldsOf }: NamesAfterUndo,
  { run, declared, kinds }: UndoPlanInput,
): DesiredObject | undefined {
  const { change, kind, address, entry, restored } = step;
  if (restored === undefined) return undefined;
  const { labels, rules } = declared.get(address) ?? {};
  const { movedFrom: _, adopt: __, ...kept } = rules ?? {};
  const spec = fieldsOf(step);
  const needs = referencesOf(kind, spec).flatMap(
    (reference) => names.get(referencedObject(reference, spec, kinds) ?? "") ?? [],
  );
  const object: DesiredObject = {
    address,
    kind,
    name: entry?.name ?? change.name,
    labels,
    rules: kept,
    spec,
    key: keyOf(kind, spec),
    scope: scopeOf(kind, spec),
    dependsOn: [...new Set(needs)].filter((need) => need !== address).toSorted(),
    place: { file: `run ${run.id}`, line: 1, column: 1 },
  };
  if (entry === undefined) return object;
  return {
    ...object,
    rules: { ...kept, manage: ["observe", "update"] },
    onlyFields: Object.keys(restored),
    baseline: change.after ?? {},
  };
}
