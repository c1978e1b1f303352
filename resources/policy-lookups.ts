// Finds the IDs of the objects that the policies of a role name.
import { getDeployments } from "../api/deployments.ts";
import { Failure } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Prerequisite, Reader } from "../core/kind/kind.ts";
import { severalNamed } from "./codec.ts";
import {
  idInName,
  type ListedObjects,
  namesIn,
  objectsNamed,
  type PolicyObject,
  policyObjectsOf,
} from "./policy-objects.ts";
import type { Spec } from "./role.schema.ts";

type Policies = Spec["policies"];

/** The objects of each type and deployment that policies name. */
export type PolicyLookups = ReadonlyMap<string, ListedObjects | undefined>;

/** The objects that the policies of a role name. */
export const policyLookups = {
  operation: getDeployments,
  dependsOn: ["policies"],
  read: async (reader: Reader, spec: JsonObject): Promise<PolicyLookups> => {
    const { policies = [] } = spec as JsonObject & Partial<Spec>;
    const places = new Map(
      policies
        .flatMap(placesIn)
        .map(({ objects, deployment }) => [placeKey(objects, deployment), { objects, deployment }]),
    );
    const found = [...places].map(
      async ([key, { objects, deployment }]) =>
        [key, await objects.list(reader, deployment)] as const,
    );
    return new Map(await Promise.all(found));
  },
  missingMessage: "the objects of the policies cannot be listed",
} satisfies Prerequisite<PolicyLookups>;

/** A named object of a policy, and where it is. */
interface NamedPlace {
  readonly objects: PolicyObject;
  readonly deployment: string;
  readonly name: string;
}

/** Returns the objects of a policy that names can identify. The deployment of a deployment is the object itself. */
function placesIn(policy: Policies[number]): readonly NamedPlace[] {
  const objects = policyObjectsOf(policy.resourceType);
  if (objects === undefined) return [];
  return namesIn(policy).flatMap((name) => {
    const deployment = objects.type === "Deployment" ? name : policy.deployment;
    return deployment === undefined ? [] : [{ objects, deployment, name }];
  });
}

function placeKey({ type }: PolicyObject, deployment: string): string {
  return `${type} ${deployment}`;
}

/**
 * Returns the IDs of the objects that a policy names. Fails with `not_found` for a missing object, and with `conflict` for a name
 * that several objects have, or that is also an ID.
 */
export function idsIn(policy: Policies[number], lookups: PolicyLookups): readonly number[] {
  const places = placesIn(policy);
  return places.length === 0
    ? namesIn(policy).flatMap((name) => idInName(name) ?? [])
    : places.map((place) => idAt(place, lookups));
}

function idAt({ objects, deployment, name }: NamedPlace, lookups: PolicyLookups): number {
  const listed = lookups.get(placeKey(objects, deployment));
  const what = objects.type.toLowerCase();
  const id = idInName(name);
  if (id !== undefined) {
    if (listed === undefined) return id;
    // The policy may mean the ID, or the object with this name, such as one of the stack.
    throw new Failure("conflict", `${name} is the ID of a ${what}, and the name of another one`, {
      remedy: `Rename the ${what} that has this name.`,
    });
  }
  const [only, ...others] = listed === undefined ? [] : objectsNamed(listed, name);
  if (only === undefined) {
    throw new Failure("not_found", `there is no ${what} named ${JSON.stringify(name)}`);
  }
  if (others.length > 0) throw severalNamed(`${what}s`, name, [only, ...others]);
  return only.id;
}
