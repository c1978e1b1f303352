// Converts the policies of roles between specs and requests: specs name objects, the API lists IDs.
import type { Static } from "typebox";
import type { RolePolicies } from "../api/roles.ts";
import { Failure } from "../core/errors.ts";
import type { Reader } from "../core/kind/kind.ts";
import { definedMembers, deploymentIds } from "./codec.ts";
import { idsIn, type PolicyLookups } from "./policy-lookups.ts";
import { idInName, objectsNamed, type PolicyObject, policyObjectsOf } from "./policy-objects.ts";
import { policyErrors } from "./role-policy-check.ts";
import type { Spec } from "./role.schema.ts";

type Policies = Spec["policies"];
type ApiPolicies = Static<typeof RolePolicies>;

/**
 * Returns policies as requests have them. Fails with `invalid` as {@link policyErrors}, with `not_found` for a missing object,
 * and with `conflict` for a name that several objects have.
 */
export function requestPolicies(policies: Policies = [], lookups: PolicyLookups): ApiPolicies {
  const [error] = policyErrors(policies);
  if (error !== undefined) throw new Failure("invalid", error.message);
  return policies.map((policy) => {
    const { resourceType, actions } = policy;
    const ids = idsIn(policy, lookups);
    return { resourceType, actions, resources: ids.length === 0 ? "All" : ids.map(String) };
  });
}

/** The deployment and the name that identify an object. */
interface ObjectName {
  readonly deployment: string;
  readonly name: string;
}

/**
 * Returns a converter from policies of the API to policies of specs, which reads the names of their objects. An object
 * that no name identifies shows as `#ID`.
 */
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
        found !== undefined &&
        idInName(name) === undefined &&
        objectsNamed(found, name).length === 1
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
