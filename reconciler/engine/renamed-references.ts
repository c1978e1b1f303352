// Follows references of live objects to objects that this plan renames: one object under two names is not a difference.
import { appendTo } from "../../core/append-to.ts";
import { nameText } from "../../core/kind/identity.ts";
import { equal, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import {
  fieldsWithin,
  type Reference,
  referencesOf,
  withReferences,
} from "../../core/kind/references.ts";
import { member } from "../../core/schema/schema.ts";
import type { DesiredObject } from "../model/index.ts";
import { canBeRenamed } from "../model/parent-renames.ts";
import type { Match } from "./match-objects.ts";

/** Returns the live spec of a kind with the names that the objects it refers to will have. */
export type WithNewNames = (kind: Kind, live: JsonObject) => JsonObject;

/** A live object that gets another name. */
interface Rename {
  readonly live: JsonObject;
  readonly newName: string;
}

/**
 * Returns a function that renames the references of live specs. Fields of the key keep their names: `movesWithParent` of a
 * match is about these.
 */
export function followRenames(
  desiredObjects: readonly DesiredObject[],
  matchOf: (desiredObject: DesiredObject) => Pick<Match, "observed">,
): WithNewNames {
  const renames = new Map<string, Map<string, Rename[]>>();
  for (const desiredObject of desiredObjects) {
    const { kind, spec } = desiredObject;
    const live = canBeRenamed(kind) ? matchOf(desiredObject).observed?.spec : undefined;
    if (live === undefined) continue;
    const [was, newName] = [nameText(kind, live), nameText(kind, spec)];
    if (was === newName) continue;
    const byName = renames.get(kind.name) ?? new Map<string, Rename[]>();
    renames.set(kind.name, byName);
    appendTo(byName, was, { live, newName });
  }
  if (renames.size === 0) return (_, live) => live;
  const newName = (reference: Reference, own: JsonObject): JsonValue => {
    const { kind, value } = reference;
    const within = Object.entries(fieldsWithin(reference, own));
    const isReferred = ({ live }: Rename) =>
      within.every(([theirs, ours]) => equal(member(live, theirs) ?? null, ours ?? null));
    return renames.get(kind)?.get(value)?.find(isReferred)?.newName ?? value;
  };
  return (kind, live) => {
    const references = referencesOf(kind, live).filter(
      (one) => renames.has(one.kind) && !kind.key.includes(one.field),
    );
    return withReferences(live, references, (reference) => newName(reference, live));
  };
}
