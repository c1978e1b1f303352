// Finds what lies inside an object, such as the groups of a tenant: a delete of the object takes it along.
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import { Failure } from "../../core/errors.ts";
import { kindsInside, scopeInParent } from "../../core/kind/cascades.ts";
import { address, keyOf } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind, ObservedObject, ScopeKey } from "../../core/kind/kind.ts";
import { isSingleton } from "../../core/kind/shape.ts";

/** An object and the kinds of the provider. */
export interface Container {
  readonly kind: Kind;
  readonly spec: JsonObject;
  readonly kinds: Iterable<Kind>;
}

/** An object inside another. */
export interface ContainedObject {
  readonly kind: string;
  readonly key: string;
  /** Not only users create it: sessions bring external users along, and Git brings a data model. */
  readonly isImplied: boolean;
}

/**
 * Lists the objects directly inside an object. Collections that the server does not offer count as empty.
 */
export async function contentsOf(
  { kind: holder, spec, kinds }: Container,
  {
    list,
    apiDiscovery,
  }: {
    readonly list: (kind: Kind, scope: ScopeKey) => Promise<readonly ObservedObject[]>;
    readonly apiDiscovery: ApiDiscovery;
  },
): Promise<readonly ContainedObject[]> {
  const all = [...kinds];
  const implied = new Set(all.map(({ createsImplicitly }) => createsImplicitly?.kind));
  const inside = kindsInside(holder, all).filter(
    (kind) =>
      !isSingleton(kind) &&
      kind.bindings.observe.needs.every((operation) => apiDiscovery.has(operation)),
  );
  const found = await Promise.all(
    inside.map(async (kind) => {
      const scope = scopeInParent(kind, holder, spec);
      const objects = scope === undefined ? [] : await list(kind, scope);
      const isImplied = implied.has(kind.name) || kind.shape === "tree";
      return objects.map((one) => ({ kind: kind.name, key: keyOf(kind, one.spec), isImplied }));
    }),
  );
  return found.flat();
}

const namedObjects = 5;

/** Returns `2 EmbedGroup (acme/east, acme/west), 1 EmbedUser (acme/jane)`. Names the first few of each kind. */
export function contentsText(contents: readonly ContainedObject[]): string {
  return [...Map.groupBy(contents, ({ kind }) => kind)]
    .map(([kind, objects]) => {
      const keys = objects.map(({ key }) => key).toSorted();
      const names = keys.slice(0, namedObjects);
      const more = objects.length > names.length ? ", …" : "";
      return `${objects.length} ${kind} (${names.join(", ")}${more})`;
    })
    .join(", ");
}

/**
 * Returns why an object must not be deleted: others are inside that a user created. What sessions and Git bring along does
 * not count.
 */
export function contentsFailure(
  { kind, spec }: Pick<Container, "kind" | "spec">,
  contents: readonly ContainedObject[],
): Failure | undefined {
  const created = contents.filter(({ isImplied }) => !isImplied);
  if (created.length === 0) return undefined;
  return new Failure(
    "refused",
    `${address(kind.name, keyOf(kind, spec))} contains ${contentsText(created)}, which its delete would delete too`,
    {
      remedy:
        "Delete them first, or set the provider's allow_cascade (allowCascade in Pulumi) to true. Resources that refer to this one are deleted before it.",
    },
  );
}
