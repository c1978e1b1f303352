// Tracks objects that a run renames in place. Referencing objects follow the new name, and child objects are found under it.
import { fieldsOf } from "../../core/kind/fields.ts";
import { nameOf, scopeOf } from "../../core/kind/identity.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import type { Traits } from "../../core/schema/traits.ts";
import type { Difference } from "./diff-inputs.ts";
import { type ReadTarget, readTargetFor } from "./read-target.ts";

/** A spec before and after a change. */
export interface SpecChange {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** The renames of one run. An engine plans an object before the objects that reference it. */
export interface RenameTracker {
  /** Records an update in place, if it renames the object. */
  record(kind: Kind, step: SpecChange): void;
  /** Returns the replacing fields that only follow a renamed object. The object itself needs no change for them. */
  fieldsFollowingRenames(
    kind: Kind,
    step: SpecChange,
    differences: readonly Difference[],
  ): ReadonlySet<string>;
}

/** Creates an empty tracker. */
export function createRenameTracker(): RenameTracker {
  const renamedTo = new Map<string, string>();
  return {
    record: (kind, { before, after }) => {
      const [from, to] = [objectIdentity(kind, before), objectIdentity(kind, after)];
      if (from !== undefined && to !== undefined && from !== to) renamedTo.set(from, to);
    },
    fieldsFollowingRenames: (kind, { before, after }, differences) => {
      const replacing = differences.filter(({ replaces, unknown }) => replaces && !unknown);
      const names = new Set(replacing.map(({ field }) => field));
      const following = fieldsOf(kind).filter(({ name, traits }) => {
        const from = names.has(name) ? referencedIdentity(traits, name, before) : undefined;
        return (
          from !== undefined && renamedTo.get(from) === referencedIdentity(traits, name, after)
        );
      });
      return new Set(following.map(({ name }) => name));
    },
  };
}

/** Identifies the object of a spec, in the form of {@link referencedIdentity}. */
function objectIdentity(kind: Kind, spec: JsonObject): string | undefined {
  if (kind.key.some((field) => spec[field] === undefined || spec[field] === null)) return undefined;
  const scope = kind.scope.toSorted().map((field) => spec[field]);
  return JSON.stringify([kind.name, nameOf(kind, spec), scope]);
}

/** Identifies the object that a field references, with its collection. */
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

/** Returns the object with the current names of the objects that it references, taken from the desired spec. */
export function withRenamedReferences(
  observed: ObservedObject,
  desired: JsonObject,
  followed: Iterable<string>,
): ObservedObject {
  const names = [...followed].map((field) => [field, desired[field]]);
  return { ...observed, spec: { ...observed.spec, ...(Object.fromEntries(names) as JsonObject) } };
}

/** Reads of one object. */
export interface ObjectReads {
  /** Returns undefined only if the object does not exist. */
  readonly read: (target: ReadTarget) => Promise<ObservedObject | undefined>;
  /** Returns undefined also for an object that the credential may not read. */
  readonly find: (target: ReadTarget) => Promise<ObservedObject | undefined>;
}

/** An object as an engine's state holds it. */
export interface StateObject extends Pick<ReadTarget, "kind" | "id" | "requestedFields"> {
  readonly spec: JsonObject;
  readonly status: JsonObject;
}

/** Reads an object in state, also after a rename of its parent. Returns undefined only if it does not exist. */
export async function readFollowingRenames(
  bridge: ObjectReads,
  object: StateObject,
  kindNamed: (name: string) => Kind | undefined,
): Promise<ObservedObject | undefined> {
  const target = readTargetFor(object.kind, object.spec, object);
  const found = await bridge.find(target);
  if (found !== undefined) return found;
  return bridge.read((await targetAfterParentRename(bridge, object, kindNamed)) ?? target);
}

/**
 * Returns where to read an object after a rename of its parent, or undefined if no parent was renamed. State holds the id of
 * the object that a field references in `<field>Id`.
 */
async function targetAfterParentRename(
  bridge: Pick<ObjectReads, "find">,
  { kind, spec, status, id, requestedFields }: StateObject,
  kindNamed: (name: string) => Kind | undefined,
): Promise<ReadTarget | undefined> {
  let currentSpec = spec;
  for (const { name, traits } of fieldsOf(kind).filter((one) => kind.scope.includes(one.name))) {
    const parent = kindNamed(traits.refersTo ?? "");
    const parentId = status[`${name}Id`];
    if (parent === undefined || !(typeof parentId === "number" || typeof parentId === "string"))
      continue;
    const currentName = await currentParentName(bridge, {
      parent,
      traits,
      spec: currentSpec,
      id: `${parentId}`,
    });
    if (currentName !== undefined) currentSpec = { ...currentSpec, [name]: currentName };
  }
  return JSON.stringify(currentSpec) === JSON.stringify(spec)
    ? undefined
    : readTargetFor(kind, currentSpec, { id, requestedFields });
}

/** A referenced object with the server's id. `spec` holds its scope. */
export interface ParentReference {
  readonly parent: Kind;
  readonly traits: Traits;
  readonly spec: JsonObject;
  readonly id: string;
}

/** Returns the current name of the object, or undefined if it does not exist. */
export async function currentParentName(
  bridge: Pick<ObjectReads, "find">,
  { parent, traits, spec, id }: ParentReference,
): Promise<JsonValue | undefined> {
  const scopeFields = parent.scope.map((theirs) => [
    theirs,
    spec[traits.within?.[theirs] ?? theirs],
  ]);
  const scope = scopeOf(parent, Object.fromEntries(scopeFields) as JsonObject);
  const requestedFields = new Set(parent.key);
  const observed = await bridge.find({
    kind: parent,
    scope,
    key: undefined,
    id,
    requestedFields,
    isNew: false,
  });
  return observed && nameOf(parent, observed.spec);
}
