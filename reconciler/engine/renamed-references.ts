// Follows references of live objects, in their keys too, to objects that this plan renames: one object under two names is
// not a difference.
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

/** Returns a spec of a kind with the names that the objects it refers to today will have. */
export type WithNewNames = (kind: Kind, spec: JsonObject) => JsonObject;

/** A live object that gets another name, or gives its name to another object and is deleted. */
interface Rename {
  readonly live: JsonObject;
  readonly newName: string | undefined;
}

/**
 * Returns a function that gives the references in a spec the names that the plan gives to the objects of today. A field of
 * the key gets `null` where the plan deletes its object and gives the name to another one.
 */
export function followRenames(
  desiredObjects: readonly DesiredObject[],
  matchOf: (desiredObject: DesiredObject) => Pick<Match, "observed" | "conflictingObject">,
): WithNewNames {
  const renames = new Map<string, Map<string, Rename[]>>();
  for (const desiredObject of desiredObjects) {
    const { kind, spec } = desiredObject;
    if (!canBeRenamed(kind)) continue;
    const { observed, conflictingObject } = matchOf(desiredObject);
    const newName = nameText(kind, spec);
    const gone = conflictingObject && { live: conflictingObject.observed.spec, newName: undefined };
    for (const rename of [observed && { live: observed.spec, newName }, gone]) {
      const was = rename && nameText(kind, rename.live);
      if (rename === undefined || was === undefined || was === rename.newName) continue;
      const byName = renames.get(kind.name) ?? new Map<string, Rename[]>();
      renames.set(kind.name, byName);
      appendTo(byName, was, rename);
    }
  }
  if (renames.size === 0) return (_, live) => live;
  const nameAfter = (reference: Reference, kind: Kind, spec: JsonObject): JsonValue => {
    const within = Object.entries(fieldsWithin(reference, spec));
    const isReferred = ({ live }: Rename) =>
      within.every(([theirs, ours]) => equal(member(live, theirs) ?? null, ours ?? null));
    const candidates = renames.get(reference.kind)?.get(reference.value)?.filter(isReferred) ?? [];
    const newName = candidates.find((candidate) => candidate.newName !== undefined)?.newName;
    const isGone = candidates.length > 0 && kind.key.includes(reference.field);
    return newName ?? (isGone ? null : reference.value);
  };
  return (kind, live) => {
    const references = referencesOf(kind, live).filter((reference) => renames.has(reference.kind));
    return withReferences(live, references, (reference) => nameAfter(reference, kind, live));
  };
}
