// Reconstructs the addresses by natural key from before a run, by reverting it and all later runs.
import { address as objectAt, keyOf, parseKey, scopeOf } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import type { Entry, Inventory, RunChange, RunRecord } from "../model/index.ts";
import { RenamableEntries } from "../model/parent-renames.ts";
import { isDone, movesOf } from "./later-changes.ts";

/** Kinds by name. */
type Kinds = ReadonlyMap<string, Kind>;

/**
 * Returns the current addresses of the objects that the stack owned before a run, by kind and natural key at that time.
 * Runs that are no longer recorded are not reverted; objects forgotten since are missing.
 */
export function namesBefore(
  run: RunRecord,
  { entries, runs = [] }: Inventory,
  kinds: Kinds,
): ReadonlyMap<string, string> {
  let then = new RenamableEntries(Object.entries(entries), kinds);
  /** Current addresses by former address. */
  let present = new Map([...then.keys()].map((at) => [at, at]));
  for (const { changes = [] } of runs
    .slice(runs.findIndex(({ id }) => id === run.id))
    .toReversed()) {
    for (const change of changes.filter(isDone).toReversed()) {
      const { action, address } = change;
      if (action === "delete" && !then.has(address)) present.set(address, address);
      revertChange(then, change, kinds);
    }
    const moves = movesOf(changes);
    if (moves.size === 0) continue;
    then = new RenamableEntries(movedBack(then, moves), kinds);
    present = new Map(movedBack(present, moves));
  }
  return new Map(
    [...then].map(([at, { kind, key }]) => [objectAt(kind, key), present.get(at) ?? at]),
  );
}

/** Returns values by the addresses that they had before these moves. */
function movedBack<T>(
  known: ReadonlyMap<string, T>,
  moves: ReadonlyMap<string, string>,
): readonly (readonly [string, T])[] {
  const staying = [...known].filter(([at]) => !moves.has(at));
  const moved = [...known].flatMap(([at, one]) => {
    const former = moves.get(at);
    return former === undefined ? [] : [[former, one] as const];
  });
  return [...staying, ...moved];
}

function revertChange(then: RenamableEntries, change: RunChange, kinds: Kinds): void {
  const { action, address, before = {} } = change;
  const kind = kinds.get(change.kind);
  const is = then.get(address);
  if (kind === undefined) return;
  if (action === "create") then.delete(address);
  if (action === "delete") {
    const spec = parseKey(kind, change.key);
    if (spec !== undefined) then.set(address, partialEntry(change, kind, spec));
  }
  if (!["update", "adopt", "replace"].includes(action) || is === undefined) return;
  const spec = { ...parseKey(kind, is.key), ...keyFields(kind, before) };
  const was = { ...is, key: keyOf(kind, spec), scope: scopeOf(kind, spec) };
  if (was.key === is.key) return;
  then.set(address, was);
  // The children of a replaced object are not children of the new one.
  if (action === "replace") return;
  then.rename({ before: is, after: was });
}

function keyFields(kind: Kind, before: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(before).filter(([name]) => kind.key.includes(name)));
}

/** Returns an entry with the identity of a deleted object only. */
function partialEntry({ name, key }: RunChange, kind: Kind, spec: JsonObject): Entry {
  const scope = scopeOf(kind, spec);
  const nothing = {
    id: undefined,
    lastApplied: {},
    fingerprints: {},
    pending: false,
    appliedAt: "",
  };
  return { kind: kind.name, name, key, scope, ...nothing };
}
