// Builds the record of a run: who, why, and the changed fields before and after, without secrets.
import { equal, type JsonObject } from "../../core/json.ts";
import { address as objectAt } from "../../core/kind/identity.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { type Reference, referencesOf } from "../../core/kind/references.ts";
import { limits } from "../../core/limits/limits.ts";
import { normalizeLive } from "../../core/spec/normalize.ts";
import { type Fingerprint, readablePart, recordedSpecOf } from "../../core/spec/record.ts";
import { observedObjectOf } from "./observe.ts";
import { listEntries } from "../model/stack-index.ts";
import { recordedFields, referencedObject } from "../model/recorded-fields.ts";
import type {
  Author,
  Change,
  Inventory,
  LiveState,
  MoveRecord,
  Outcome,
  RunChange,
  RunRecord,
} from "../model/index.ts";

/** Input to {@link beginRun}. */
export interface RunStart {
  readonly verb: RunRecord["verb"];
  readonly author: Author;
  readonly undoOf?: string | undefined;
  /**
   * Their desired specs contain the secrets of the manifests. Of the kept objects that no document declares, only those
   * whose entries move are recorded.
   */
  readonly changes: readonly Change[];
  readonly live: LiveState;
  readonly inventory: Inventory;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly fingerprint: Fingerprint;
  readonly time: Date;
}

/** Returns the record of a run that is about to begin. It contains no secret. */
export function beginRun(beginning: RunStart): RunRecord {
  const { verb, author, undoOf: undoes, time, changes } = beginning;
  const { by, message, commit, dirty } = author;
  const executed = changes.filter(({ action }) => action !== "orphan");
  const recorded = changes.filter(
    ({ action, formerAddress }) => action !== "orphan" || formerAddress !== undefined,
  );
  return {
    id: runId(time),
    verb,
    by,
    ...(message !== undefined && { message: message.slice(0, limits.messageCharacters) }),
    ...(commit !== undefined && { commit }),
    ...(dirty !== undefined && { dirty }),
    ...(undoes !== undefined && { undoes }),
    startedAt: time.toISOString(),
    counts: countByAction(executed.map(({ action }) => action)),
    changes: runChanges(recorded, beginning),
  };
}

/** Returns the record of a move of the inventory, which changes no object. */
export function moveRun({ by, commit }: Author, move: MoveRecord, time: Date): RunRecord {
  const text = time.toISOString();
  return {
    id: runId(time),
    verb: "move",
    by,
    message: moveText(move),
    ...(commit !== undefined && { commit }),
    startedAt: text,
    endedAt: text,
    counts: {},
    move,
    changes: [],
  };
}

/** Describes a move in the history. */
function moveText(move: MoveRecord): string {
  switch (move.type) {
    case "entry-to":
      return `${move.address} to stack ${move.stack}`;
    case "entry-from":
      return `${move.address} from stack ${move.stack}`;
    case "name":
      return `renamed from stack ${move.from}`;
    case "server":
      return `the server ${move.from} is now ${move.to}`;
  }
}

/** How a run ended, apart from its outcomes. */
export interface RunEnd {
  readonly time: Date;
  /** Returns the id of the object at an address now, if known. */
  readonly idOf: (address: string) => string | undefined;
}

/** Returns the record of the ended run. */
export function endRun(
  run: RunRecord,
  outcomes: readonly Outcome[],
  { time, idOf }: RunEnd,
): RunRecord {
  const results = new Map(
    outcomes.map(
      ({ address, result, partial }) => [address, partial ? "partial" : result] as const,
    ),
  );
  const done = outcomes.filter(({ result }) => result === "done");
  const incomplete = outcomes.length - done.length;
  const { changes = [], ...rest } = run;
  return {
    ...rest,
    endedAt: time.toISOString(),
    counts: countByAction(done.map(({ action }) => action)),
    ...(incomplete > 0 && { incomplete }),
    changes: changes.map((change) => {
      const result = results.get(change.address);
      const id = idOf(change.address) ?? change.id;
      return result === undefined ? change : { ...change, ...(id !== undefined && { id }), result };
    }),
  };
}

/** Returns an id that sorts by time and is short enough to type. */
function runId(time: Date): string {
  const digits = time.toISOString().slice(0, 19).replace(/[-:]/g, "");
  return `${digits}-${crypto.randomUUID().slice(0, 6)}`;
}

function countByAction(actions: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const action of actions) counts[action] = (counts[action] ?? 0) + 1;
  return counts;
}

/** Records the changes, with their values as long as these fit in the limit of a run. */
function runChanges(changes: readonly Change[], start: RunStart): readonly RunChange[] {
  const context = valueContext(start);
  let left: number = limits.runValuesCharacters;
  return changes.map((change) => {
    const { action, address, kind, name, formerAddress, key, id } = change;
    const values = changedValues(change, context);
    const size = JSON.stringify(values).length;
    const fits = size <= left;
    if (fits) left -= size;
    return {
      action,
      address,
      kind,
      name,
      ...(formerAddress !== undefined && { formerAddress }),
      key,
      ...(id !== undefined && { id }),
      ...(fits ? values : { unrecorded: true }),
    };
  });
}

interface ValueContext extends RunStart {
  /** Kind and natural key of the objects that the run deletes. */
  readonly deleted: ReadonlySet<string>;
  /** The addresses of the owned objects, by kind and natural key. */
  readonly addresses: ReadonlyMap<string, string>;
}

function valueContext(start: RunStart): ValueContext {
  const deletes = start.changes.filter(({ action }) => action === "delete");
  const deleted = new Set(deletes.map(({ kind, key }) => objectAt(kind, key)));
  const entries = listEntries(start.inventory.entries);
  const addresses = new Map(
    entries.map(([address, { kind, key }]) => [objectAt(kind, key), address]),
  );
  return { ...start, deleted, addresses };
}

type ChangedValues = Pick<RunChange, "before" | "after" | "hidden" | "references">;

/** Returns the fields that a change writes, before and after it. A replaced object cannot be restored. */
function changedValues(change: Change, context: ValueContext): ChangedValues {
  const { action, address, desired } = change;
  const { kinds, live, inventory, fingerprint } = context;
  const kind = kinds.get(change.kind);
  if (kind === undefined || action === "replace" || action === "forget") return {};
  const observed = observedObjectOf(kind, change, live);
  const spec = observed === undefined ? {} : normalizeLive(kind, observed.spec);
  const shown = readablePart(kind, spec);
  const after = recordedFields(desired && recordedSpecOf(kind, desired, fingerprint));
  const applied = recordedFields(inventory.entries[address]);
  const isHidden = (name: string): boolean =>
    after.hidden.has(name) ||
    applied.hidden.has(name) ||
    !equal(shown[name] ?? null, spec[name] ?? null);
  const valuesBefore = (names: readonly string[]): JsonObject =>
    Object.fromEntries(
      names.map((name) => [name, (isHidden(name) ? applied.fields : shown)[name] ?? null]),
    );
  if (action === "create") return { after: after.fields, ...hiddenFields([...after.hidden]) };
  const referred = (isRestored: (reference: Reference) => boolean) =>
    referencedAddresses(kind, shown, { ...context, isRestored });
  if (action === "delete") {
    // The secret of an adopted object has no fingerprint.
    const unseen = requiredOf(kind).filter((name) => shown[name] === undefined);
    const names = [...new Set([...Object.keys(shown), ...applied.hidden, ...unseen])];
    const hidden = names.filter((name) => isHidden(name) || unseen.includes(name));
    return { before: valuesBefore(names), ...hiddenFields(hidden), ...referred(() => true) };
  }
  const written = change.fields.map(({ field }) => field);
  const names = [...new Set([...written, ...emptiedFields(change, kind, { ...context, shown })])];
  if (names.length === 0) return {};
  // Without an id, an object is known by its key.
  const isRestored = ({ field }: Reference) =>
    names.includes(field) || (change.id === undefined && kind.key.includes(field));
  return {
    before: valuesBefore(names),
    after: Object.fromEntries(names.map((name) => [name, after.fields[name] ?? null])),
    ...hiddenFields(names.filter(isHidden)),
    ...referred(isRestored),
  };
}

function hiddenFields(hidden: readonly string[]): Pick<RunChange, "hidden"> {
  return hidden.length === 0 ? {} : { hidden };
}

function requiredOf({ spec }: Kind): readonly string[] {
  return spec.required ?? [];
}

/** Returns the fields that are no longer declared and refer to an object that the run deletes, which empties them. */
function emptiedFields(
  { released = [] }: Change,
  kind: Kind,
  { shown, deleted, kinds }: ValueContext & { readonly shown: JsonObject },
): readonly string[] {
  if (released.length === 0) return [];
  return referencesOf(kind, shown)
    .filter((reference) => deleted.has(referencedObject(reference, shown, kinds) ?? ""))
    .flatMap(({ field }) => (released.includes(field) ? [field] : []));
}

/** Returns the objects that the values before refer to by names that other objects may have later. */
function referencedAddresses(
  kind: Kind,
  spec: JsonObject,
  context: ValueContext & { readonly isRestored: (reference: Reference) => boolean },
): Pick<RunChange, "references"> {
  const references = referencesOf(kind, spec)
    .filter(context.isRestored)
    .flatMap((reference) => {
      const object = referencedObject(reference, spec, context.kinds) ?? "";
      const address = context.addresses.get(object);
      return address === undefined ? [] : [[object, address] as const];
    });
  return references.length === 0 ? {} : { references: Object.fromEntries(references) };
}
