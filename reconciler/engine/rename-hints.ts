// Finds probable renames: a create and a delete of one kind in one place with nearly the same content. The plan does
// not change; a note shows how to keep the object instead.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { readableKey } from "../../core/kind/identity.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import type { Change, Entry } from "../model/index.ts";
import type { UncertainRename } from "./entry-addresses.ts";
import { canBeRenamed } from "../model/parent-renames.ts";

/** The share of equal fields besides the key that makes a rename likely. */
const minSharedFraction = 0.6;

/** With more deletes in one place the content does not identify the object. */
const maxCandidates = 100;

/** Notes each create that resembles exactly one deleted object, for kinds that can be renamed. */
export function likelyRenames(
  changes: readonly Change[],
  kinds: ReadonlyMap<string, Kind>,
  entries: Readonly<Record<string, Entry>>,
): Diagnostic[] {
  const going = Map.groupBy(changes.filter(isDeleted), placeOf);
  const creates = changes.filter(({ action }) => action === "create");
  const alike = creates.flatMap((change) => {
    const kind = kinds.get(change.kind);
    const near = going.get(placeOf(change)) ?? [];
    if (kind === undefined || near.length > maxCandidates || !canBeRenamed(kind)) return [];
    return near
      .filter(({ address }) =>
        isAlike(kind, change.desired ?? {}, entries[address]?.lastApplied ?? {}),
      )
      .map((deleted) => ({ deleted, from: deleted.address, to: change.address }));
  });
  const [froms, tos] = [Map.groupBy(alike, ({ from }) => from), Map.groupBy(alike, ({ to }) => to)];
  return alike
    .filter(({ from, to }) => froms.get(from)?.length === 1 && tos.get(to)?.length === 1)
    .map(({ deleted, to }) => {
      const { kind, key, address, formerAddress: recorded = address } = deleted;
      const object = recorded === address ? address : `${kind} ${readableKey(key)}`;
      return {
        code: "likely-rename",
        severity: "info",
        address: to,
        summary: `${to} resembles ${object}, which is no longer declared`,
        remedy: `If it is the same object under a new name, write \`movedFrom: ${recorded}\` into its metadata.lifecycle.`,
      };
    });
}

/** Explains which of two interpretations of new names the plan follows, and how to choose the other one. */
export function uncertainRenameNote({ address, owner, isNew }: UncertainRename): Diagnostic {
  const renamed = isNew
    ? `if ${address} is the document of that object under a new name, write \`movedFrom: ${owner}\` into its metadata.lifecycle`
    : "if the documents have new names instead, apply those first, with the natural keys as they were";
  return {
    code: "ambiguous-rename",
    severity: "info",
    address,
    summary: `${address} declares the natural key that the object of ${owner} currently has: the plan keeps each object with the document of its name, and gives it the natural key there`,
    remedy: renamed,
  };
}

function isDeleted({ action, movedTo, cascadedBy }: Change): boolean {
  return (action === "delete" || action === "orphan") && movedTo === undefined && !cascadedBy;
}

function placeOf({ kind, scope }: Change): string {
  return JSON.stringify([kind, scope]);
}

function isAlike({ key }: Kind, desiredObject: JsonObject, before: JsonObject): boolean {
  const fields = new Set([...Object.keys(desiredObject), ...Object.keys(before)]);
  const names = [...fields].filter((name) => !key.includes(name));
  const shared = names.filter((name) => equal(desiredObject[name], before[name]));
  return shared.length >= names.length * minSharedFraction;
}
