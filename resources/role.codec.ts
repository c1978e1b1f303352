// Converts the policies of roles between specs and requests: specs name objects, the API lists IDs.
import type { Static } from "typebox";
import { getDeployments } from "../api/deployments.ts";
import type { RolePolicies } from "../api/roles.ts";
import { Failure } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Prerequisite, Reader } from "../core/kind.ts";
import { definedMembers, deploymentIds, severalNamed } from "./codec.ts";
import {
  idInName,
  type ListedObjects,
  namesIn,
  objectsNamed,
  type PolicyObject,
  policyObjectsOf,
} from "./policy-objects.ts";
import { policyErrors } from "./role-policy-check.ts";
import type { Spec } from "./role.schema.ts";

type Policies = Spec["policies"];
type ApiPolicies = Static<typeof RolePolicies>;

/** The objects of the deployments that policies name objects of, by type and deployment. */
type PolicyLookups = ReadonlyMap<string, ListedObjects | undefined>;

/** The objects that the policies of a role name. */
export const policyLookups = {
  operation: getDeployments,
  dependsOn: ["policies"],
  read: async (reader: Reader, spec: JsonObject): Promise<PolicyLookups> => {
    const { policies = [] } = spec as JsonObject & Partial<Spec>;
    const places = policies.flatMap(placesIn);
    const found = places.map(
      async ({ objects, deployment }) =>
        [placeKey(objects, deployment), await objects.list(reader, deployment)] as const,
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

/** Returns the objects of a policy that names identify. A deployment is in itself. */
function placesIn(policy: Policies[number]): readonly NamedPlace[] {
  const objects = policyObjectsOf(policy.resourceType);
  if (objects === undefined) return [];
  return namesIn(policy).flatMap((name) => {
    const deployment = objects.type === "Deployment" ? name : policy.deployment;
    const isNamed = idInName(name) === undefined && deployment !== undefined;
    return isNamed ? [{ objects, deployment, name }] : [];
  });
}

function placeKey({ type }: PolicyObject, deployment: string): string {
  return `${type} ${deployment}`;
}

/**
 * Returns policies as requests have them. Fails with `invalid` as {@link policyErrors}, with `not_found` for a missing object,
 * and with `conflict` for a name that several objects have.
 */
export function requestPolicies(policies: Policies = [], lookups: PolicyLookups): ApiPolicies {
  const [error] = policyErrors(policies);
  if (error !== undefined) throw new Failure("invalid", error.message);
  return policies.map((policy) => {
    const { resourceType, actions } = policy;
    const byId = namesIn(policy).flatMap((name) => idInName(name) ?? []);
    const ids = [...byId, ...placesIn(policy).map((place) => idAt(place, lookups))];
    return { resourceType, actions, resources: ids.length === 0 ? "All" : ids.map(String) };
  });
}

function idAt({ objects, deployment, name }: NamedPlace, lookups: PolicyLookups): number {
  const listed = lookups.get(placeKey(objects, deployment));
  const [only, ...others] = listed === undefined ? [] : objectsNamed(listed, name);
  const what = objects.type.toLowerCase();
  if (only === undefined) {
    throw new Failure("not_found", `there is no ${what} named ${JSON.stringify(name)}`);
  }
  if (others.length > 0) throw severalNamed(`${what}s`, name, [only, ...others]);
  return only.id;
}

/** Where an object is that one name identifies. */
interface ObjectName {
  readonly deployment: string;
  readonly name: string;
}

/** Returns what converts policies to those of specs, and reads the names of the objects that they have. An object that no name identifies shows as `#ID`. */
export async function specPoliciesOf(
  reader: Reader,
  roles: readonly { readonly policies: ApiPolicies }[],
): Promise<(policies: ApiPolicies) => Policies> {
  const named = roles.flatMap(({ policies }) => policies.filter((one) => !isForAll(one)));
  const objects = new Set(named.flatMap(({ resourceType }) => policyObjectsOf(resourceType) ?? []));
  const deployments = objects.size === 0 ? [] : [...(await deploymentIds.read(reader)).keys()];
  const names = new Map<PolicyObject, ReadonlyMap<string, ObjectName>>();
  for (const one of objects) {
    const listed = deployments.map(async (deployment) => {
      const found = await one.list(reader, deployment);
      return (found?.objects ?? []).flatMap(({ id, name }) =>
        found !== undefined && objectsNamed(found, name).length === 1
          ? [[String(id), { deployment, name }] as const]
          : [],
      );
    });
    names.set(one, new Map((await Promise.all(listed)).flat()));
  }
  return (policies) => policies.flatMap((policy) => specPolicies(policy, names));
}

/** Returns a policy as specs have it: one for each deployment that has objects of it. */
function specPolicies(
  policy: ApiPolicies[number],
  names: ReadonlyMap<PolicyObject, ReadonlyMap<string, ObjectName>>,
): Policies {
  const { resourceType, actions, resources } = policy;
  const whole = { resourceType, actions } as Policies[number];
  const objects = policyObjectsOf(resourceType);
  if (resources === "All" || isForAll(policy) || objects === undefined) return [whole];
  const known = resources.map((id) => names.get(objects)?.get(id) ?? { name: `#${id}` });
  const byDeployment = Map.groupBy(known, (one) =>
    objects.type === "Deployment" || !("deployment" in one) ? undefined : one.deployment,
  );
  return [...byDeployment].map(([deployment, some]) => ({
    ...whole,
    ...definedMembers({ deployment }),
    [objects.field]: some.map(({ name }) => name),
  }));
}

function isForAll({ resources }: ApiPolicies[number]): boolean {
  return resources === "All" || resources.includes("All");
}
