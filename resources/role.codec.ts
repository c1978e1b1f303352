// Converts the policies of roles between specs and requests: specs name deployments, the API lists IDs.
import type { Static } from "typebox";
import type { RolePolicies } from "../api/roles.ts";
import { Failure } from "../core/errors.ts";
import { hasObjects, isUnused } from "../core/permission-actions.ts";
import type { JsonObject } from "../core/json.ts";
import type { Reader } from "../core/kind.ts";
import type { ValueCheck, ValueError } from "../core/server-checks.ts";
import { deploymentIdOf } from "./codec.ts";
import type { Spec } from "./role.schema.ts";

type Policies = Spec["policies"];
type ApiPolicies = Static<typeof RolePolicies>;

/** Reports policies that the server would refuse, on types without objects or with a list that their type does not have, and actions that permit nothing. */
export const policyCheck: ValueCheck<Reader> = {
  what: "the policies of the role",
  needs: [],
  run: async (_, { spec, changed }) => {
    // The server keeps the policies that it has.
    const isSent = changed?.some(({ path }) => /^\/policies(?:\/|$)/u.test(path)) ?? true;
    if (!isSent) return { errors: [], errorCount: 0 };
    const { policies } = spec as JsonObject & Spec;
    const errors = policyErrors(policies);
    return { errors, errorCount: errors.length, warnings: unusedActions(policies) };
  },
};

function unusedActions(policies: Policies): ValueError[] {
  return policies.flatMap(({ actions }, index) =>
    actions.filter(isUnused).map((action) => ({
      path: `/policies/${index}/actions`,
      message: `no operation needs ${action}, so that it permits nothing on this server`,
    })),
  );
}

function policyErrors(policies: Policies): ValueError[] {
  return policies.flatMap(({ resourceType, deployments, resources }, index) => {
    const path = `/policies/${index}`;
    if (!hasObjects(resourceType)) {
      const message = `the server has no objects of the type ${resourceType}, so the policy would permit nothing; remove it`;
      return [{ path: `${path}/resourceType`, message }];
    }
    if (deployments !== undefined && resourceType !== "Deployment") {
      const message = `a policy on ${resourceType} has no deployments; use the type Deployment`;
      return [{ path: `${path}/deployments`, message }];
    }
    if (resources === undefined || (resourceType !== "Deployment" && resourceType !== "Global")) {
      return [];
    }
    const message =
      resourceType === "Global"
        ? "a policy on Global is for the whole account; remove its resources"
        : "name the deployments in deployments";
    return [{ path: `${path}/resources`, message }];
  });
}

/** Returns policies as requests have them. Fails with `invalid` as {@link policyCheck}, and with `not_found` for a missing deployment. */
export function requestPolicies(
  policies: Policies = [],
  ids: ReadonlyMap<string, number>,
): ApiPolicies {
  const [error] = policyErrors(policies);
  if (error !== undefined) throw new Failure("invalid", error.message);
  return policies.map(({ resourceType, actions, deployments, resources }) => ({
    resourceType,
    actions,
    resources: deployments?.map((one) => String(deploymentIdOf(ids, one))) ?? resources ?? "All",
  }));
}

/** Returns policies as specs have them. `names` contains the deployments' names by ID; a deleted deployment shows as `#ID`. */
export function specPolicies(policies: ApiPolicies, names: ReadonlyMap<string, string>): Policies {
  return policies.map(({ resourceType, actions, resources }) => {
    const policy = { resourceType, actions } as Policies[number];
    if (resources === "All" || resources.includes("All")) return policy;
    if (resourceType !== "Deployment") return { ...policy, resources };
    return { ...policy, deployments: resources.map((id) => names.get(id) ?? `#${id}`) };
  });
}
