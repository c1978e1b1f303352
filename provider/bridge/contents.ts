// Finds what a delete of an object takes along, such as the groups of a tenant, and refuses such a delete.
import { Failure } from "../../core/errors.ts";
import { canCascade } from "../../core/kind/cascades.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import { address, keyOf, objectsText } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Kind, kindsByName, type ObservedObject } from "../../core/kind/kind.ts";
import { type ContainmentContext, objectsInside } from "../../lifecycle/contained-objects.ts";
import { type ObjectReads, readFollowingRenames } from "./rename-tracker.ts";

/** An object and the kinds of the provider. */
export interface Container {
  readonly kind: Kind;
  readonly spec: JsonObject;
  readonly kinds: readonly Kind[];
}

/** An object that a delete of another takes along. */
export interface ContainedObject {
  readonly kind: string;
  readonly key: string;
  /** It holds up the delete. */
  readonly blocks: boolean;
}

/**
 * Lists the objects that a delete takes along. Relations between other objects, such as an access, are left out. External
 * users block nothing: sessions create them.
 */
export async function contentsOf(
  { kind: holder, spec, kinds }: Container,
  context: Omit<ContainmentContext, "kinds">,
): Promise<readonly ContainedObject[]> {
  const named = kinds.filter((kind) => hasOwnName(kind));
  const implied = new Set(named.map(({ createsImplicitly }) => createsImplicitly?.kind));
  const self = address(holder.name, keyOf(holder, spec));
  const found = await objectsInside(new Map([[self, self]]), { ...context, kinds });
  const byName = kindsByName(named);
  return found
    .filter(({ kind }) => byName.has(kind))
    .map(({ kind, key }) => ({ kind, key, blocks: !implied.has(kind) }));
}

/** Returns whether the key of a kind says more than which other objects it belongs to. */
function hasOwnName(kind: Kind): boolean {
  return fieldsOf(kind).some(
    ({ name, traits }) => kind.key.includes(name) && traits.refersTo === undefined,
  );
}

/** Fails with `refused` if something holds up the delete of an object, which may have another name by now. */
export async function refuseContents(
  { kind, kinds, ...state }: Omit<Container, "spec"> & ObservedObject,
  { reads, ...context }: Omit<ContainmentContext, "kinds"> & { readonly reads: ObjectReads },
): Promise<void> {
  if (!canCascade(kind.name, kinds)) return;
  const byName = kindsByName(kinds);
  const current = await readFollowingRenames(
    reads,
    { ...state, kind, spec: state.spec, requestedFields: new Set(kind.key) },
    (name) => byName.get(name),
  );
  if (current === undefined) return;
  const spec = current.spec as JsonObject;
  const contents = await contentsOf({ kind, spec, kinds }, context);
  const blocking = contents.filter(({ blocks }) => blocks);
  if (blocking.length === 0) return;
  throw new Failure(
    "refused",
    `${address(kind.name, keyOf(kind, spec))} contains ${objectsText(blocking)}, which its delete would delete too`,
    {
      remedy:
        "Delete them first, or set the provider's allow_cascade (allowCascade in Pulumi) to true. What refers to this resource is deleted before it; if something else in this configuration deletes them, run it again.",
    },
  );
}
