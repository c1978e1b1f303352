// Builds the record of a run: who, why, and the state before, without secrets.
import { equal, type JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import { normalizeLive } from "../../core/spec/normalize.ts";
import { readablePart } from "../../core/spec/record.ts";
import { observedObjectOf } from "./observe.ts";
import { withRun } from "../inventory/journal.ts";
import type {
  Author,
  Change,
  Entry,
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
  readonly at: Date;
}

/** Returns the record of a run that is about to begin. It contains no secret. */
export function beginRun(beginning: RunStart): RunRecord {
  const { verb, author, undoOf: undoes, at, changes } = beginning;
  const { by, message, commit, dirty } = author;
  const executed = changes.filter(({ action }) => action !== "orphan");
  return {
    id: runId(at),
    verb,
    by,
    ...(message !== undefined && { message: message.slice(0, limits.messageCharacters) }),
    ...(commit !== undefined && { commit }),
    ...(dirty !== undefined && { dirty }),
    ...(undoes !== undefined && { undoes }),
    startedAt: at.toISOString(),
    counts: countByAction(executed.map(({ action }) => action)),
    changes: changes
      .filter(({ action, formerAddress }) => action !== "orphan" || formerAddress !== undefined)
      .map((change) => runChangeOf(change, beginning)),
  };
}

/** Returns the record of a move of the inventory, which changes no object. */
export function moveRun({ by, commit }: Author, move: MoveRecord, at: Date): RunRecord {
  const time = at.toISOString();
  return {
    id: runId(at),
    verb: "move",
    by,
    message: moveText(move),
    ...(commit !== undefined && { commit }),
    startedAt: time,
    endedAt: time,
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
  readonly at: Date;
  /** Returns the id of the object at an address now, if known. */
  readonly idOf: (address: string) => string | undefined;
}

/** Returns the record of the ended run. */
export function endRun(
  run: RunRecord,
  outcomes: readonly Outcome[],
  { at, idOf }: RunEnd,
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
    endedAt: at.toISOString(),
    counts: countByAction(done.map(({ action }) => action)),
    ...(incomplete > 0 && { incomplete }),
    changes: changes.map((change) => {
      const result = results.get(change.address);
      const id = idOf(change.address) ?? change.id;
      return result === undefined ? change : { ...change, ...(id !== undefined && { id }), result };
    }),
  };
}

/**
 * Returns the runs that the inventory keeps once it contains this one: the newest, without the changes of those that exceed
 * the limit. The newest run keeps its changes, so that it can always be undone.
 */
export function trimRuns(runs: readonly RunRecord[] | undefined, run: RunRecord): RunRecord[] {
  let left: number = limits.runChangesCharacters;
  return withRun(runs, run)
    .slice(-limits.runsKept)
    .toReversed()
    .map(({ changes, ...rest }, age) => {
      left -= charactersOf(changes);
      return changes === undefined || (left < 0 && age > 0) ? rest : { ...rest, changes };
    })
    .toReversed();
}

/** Returns the length of these changes as JSON, without making one text of them all. */
function charactersOf(changes: RunRecord["changes"] = []): number {
  return changes.reduce((sum, change) => sum + JSON.stringify(change).length + 1, 0);
}

/** Returns an id that sorts by time and is short enough to type. */
function runId(at: Date): string {
  const time = at.toISOString().slice(0, 19).replace(/[-:]/g, "");
  return `${time}-${crypto.randomUUID().slice(0, 6)}`;
}

function countByAction(actions: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const action of actions) counts[action] = (counts[action] ?? 0) + 1;
  return counts;
}

function runChangeOf(change: Change, { verb, live, inventory, kinds }: RunStart): RunChange {
  const { action, address, kind: of, name, formerAddress, key, id } = change;
  const base = {
    action,
    address,
    kind: of,
    name,
    ...(formerAddress !== undefined && { formerAddress }),
    key,
    ...(id !== undefined && { id }),
  };
  const kind = kinds.get(of);
  const observed = kind && observedObjectOf(kind, change, live);
  if (kind === undefined || observed === undefined) return base;
  const image = beforeImageOf(change, { kind, spec: normalizeLive(kind, observed.spec) });
  const entry = inventory.entries[address];
  const { before, hidden = [] } = image?.(entry) ?? {};
  const recorded =
    action === "update" || action === "none"
      ? recordedBefore(change, { kind, entry, before, isPartial: verb === "undo" })
      : {};
  return {
    ...base,
    ...(before && { before }),
    ...(Object.keys(recorded).length > 0 && { lastApplied: recorded }),
    ...(hidden.length > 0 && { hidden }),
  };
}

/** Returns the last-applied values that a change of the record replaces, without those that `before` has. */
function recordedBefore(
  { desired = {} }: Change,
  {
    kind,
    entry,
    before = {},
    isPartial,
  }: {
    readonly kind: Kind;
    readonly entry: Entry | undefined;
    readonly before: JsonObject | undefined;
    /** True if the desired spec has only the fields that the run restores. */
    readonly isPartial: boolean;
  },
): JsonObject {
  if (entry === undefined || entry.pending) return {};
  const { lastApplied } = entry;
  const readable = readablePart(kind, desired);
  const names = Object.keys(isPartial ? readable : { ...lastApplied, ...readable });
  const isReplaced = (name: string): boolean => {
    const last = lastApplied[name] ?? null;
    const isInBefore = Object.hasOwn(before, name) && equal(before[name] ?? null, last);
    return !isInBefore && !equal(last, readable[name] ?? null);
  };
  return Object.fromEntries(
    names.filter(isReplaced).map((name) => [name, lastApplied[name] ?? null]),
  );
}

interface BeforeImage {
  readonly before: JsonObject;
  readonly hidden: readonly string[];
}

function requiredOf({ spec }: Kind): readonly string[] {
  return spec.required ?? [];
}

/** Returns the readable fields of an object before a change, and the names of those that cannot be shown. */
function beforeImageOf(
  { action, fields, desired = {} }: Change,
  { kind, spec }: { readonly kind: Kind; readonly spec: JsonObject },
): ((entry: Entry | undefined) => BeforeImage) | undefined {
  const shown = readablePart(kind, spec);
  if (action === "delete" || action === "replace") {
    return (entry) => {
      const paths = Object.keys(entry?.fingerprints ?? {});
      // The secret of an adopted object has no fingerprint.
      const unseen = requiredOf(kind).filter((name) => shown[name] === undefined);
      const hidden = new Set([...paths.map((path) => path.split("/")[0] ?? path), ...unseen]);
      return { before: shown, hidden: [...hidden] };
    };
  }
  if (action !== "update" && action !== "adopt") return undefined;
  const readable = readablePart(kind, desired);
  const names = [...new Set(fields.map(({ field }) => field))];
  const hides = (name: string): boolean =>
    !equal(readable[name] ?? null, desired[name] ?? null) ||
    !equal(shown[name] ?? null, spec[name] ?? null);
  const open = names.filter((name) => !hides(name));
  const before = Object.fromEntries(open.map((name) => [name, shown[name] ?? null]));
  return () => ({ before, hidden: names.filter(hides) });
}
