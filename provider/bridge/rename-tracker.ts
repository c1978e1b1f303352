// Objects that are renamed in place, and what follows: whoever names such an object keeps it, though the name is another,
// and whatever lies under it is found again where it went.
import { fieldsOf } from "../../core/fields.ts";
import { nameOf, scopeOf } from "../../core/identity.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind.ts";
import type { Traits } from "../../core/traits.ts";
import type { Bridge } from "./bridge.ts";
import type { Difference } from "./diff-inputs.ts";
import { type ReadTarget, readTargetFor } from "./read-cache.ts";

/** A spec before and after a change. */
export interface SpecChange {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** What one run of an engine renames. An engine plans what is named before whoever names it. */
export interface RenameTracker {
  /** An object is changed in place; where that renames it, it is kept in mind. */
  record(kind: Kind, step: SpecChange): void;
  /** The fields among replacing differences that only follow a renamed object: the object itself needs no change for them. */
  fieldsFollowingRenames(
    kind: Kind,
    step: SpecChange,
    differences: readonly Difference[],
  ): ReadonlySet<string>;
}

/** No renames yet. */
export function createRenameTracker(): RenameTracker {
  const now = new Map<string, string>();
  return {
    record: (kind, { before, after }) => {
      const [from, to] = [objectIdentity(kind, before), objectIdentity(kind, after)];
      if (from !== undefined && to !== undefined && from !== to) now.set(from, to);
    },
    fieldsFollowingRenames: (kind, { before, after }, differences) => {
      const moved = differences.filter(({ replaces, unknown }) => replaces && !unknown);
      const names = new Set(moved.map(({ field }) => field));
      const following = fieldsOf(kind).filter(({ name, traits }) => {
        const from = names.has(name) ? referencedIdentity(traits, name, before) : undefined;
        return from !== undefined && now.get(from) === referencedIdentity(traits, name, after);
      });
      return new Set(following.map(({ name }) => name));
    },
  };
}

/** The object of this spec, as {@link referencedIdentity} calls it. */
function objectIdentity(kind: Kind, spec: JsonObject): string | undefined {
  if (kind.key.some((field) => spec[field] === undefined || spec[field] === null)) return undefined;
  const scope = kind.scope.toSorted().map((field) => spec[field]);
  return JSON.stringify([kind.name, nameOf(kind, spec), scope]);
}

/** The object that a field names, with the collection that it lies in. */
function referencedIdentity(
  { refersTo, within = {} }: Traits,
  field: string,
  spec: JsonObject,
): string | undefined {
  if (refersTo === undefined || typeof spec[field] !== "string") return undefined;
  const scope = Object.keys(within)
    .toSorted()
    .map((theirs) => spec[within[theirs] ?? theirs]);
  return JSON.stringify([refersTo, spec[field], scope]);
}

/** The object under the names that its neighbours have by now: the wish has them. */
export function withRenamedReferences(
  sight: ObservedObject,
  wish: JsonObject,
  followed: Iterable<string>,
): ObservedObject {
  const names = [...followed].map((field) => [field, wish[field]]);
  return { ...sight, spec: { ...sight.spec, ...(Object.fromEntries(names) as JsonObject) } };
}

/** An object as an engine's state knows it. */
export interface StateObject extends Pick<ReadTarget, "kind" | "id" | "requestedFields"> {
  readonly spec: JsonObject;
  readonly status: JsonObject;
}

/**
 * The ask about the object that state tells of, where it was not found there: what it lies under may have been renamed since.
 * Undefined where nothing of that was. State keeps the id of what is named by a field under the field's name and `Id`.
 */
export async function readTargetAfterParentRename(
  bridge: Pick<Bridge, "read">,
  { kind, spec, status, id, requestedFields }: StateObject,
  kindNamed: (name: string) => Kind | undefined,
): Promise<ReadTarget | undefined> {
  let found = spec;
  for (const { name, traits } of fieldsOf(kind).filter((one) => kind.scope.includes(one.name))) {
    const parent = kindNamed(traits.refersTo ?? "");
    const parentId = status[`${name}Id`];
    if (parent === undefined || !(typeof parentId === "number" || typeof parentId === "string"))
      continue;
    const called = await currentParentName(bridge, {
      parent,
      traits,
      spec: found,
      id: `${parentId}`,
    });
    if (called !== undefined) found = { ...found, [name]: called };
  }
  return JSON.stringify(found) === JSON.stringify(spec)
    ? undefined
    : readTargetFor(kind, found, { id, requestedFields });
}

/** An object that a field names, known by the server's id; `spec` holds what says where that lies. */
export interface ParentReference {
  readonly parent: Kind;
  readonly traits: Traits;
  readonly spec: JsonObject;
  readonly id: string;
}

/** What the object is called now; undefined where it is gone. */
export async function currentParentName(
  bridge: Pick<Bridge, "read">,
  { parent, traits, spec, id }: ParentReference,
): Promise<JsonValue | undefined> {
  const ours = parent.scope.map((theirs) => [theirs, spec[traits.within?.[theirs] ?? theirs]]);
  const scope = scopeOf(parent, Object.fromEntries(ours) as JsonObject);
  const interest = new Set(parent.key);
  const sight = await bridge.read({
    kind: parent,
    scope,
    key: undefined,
    id,
    requestedFields: interest,
  });
  return sight && nameOf(parent, sight.spec);
}
