// Checks the policies of a role before the first write.
import { hasObjects, isUnused } from "../core/operation/permission-actions.ts";
import type { JsonObject } from "../core/json.ts";
import type { Reader } from "../core/kind/kind.ts";
import type { ValueCheck, ValueError } from "../core/kind/server-checks.ts";
import { idInName, namesIn, policyFields, policyObjectsOf } from "./policy-objects.ts";
import type { Spec } from "./role.schema.ts";

type Policies = Spec["policies"];

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
    return { errors, errorCount: errors.length };
  },
  lasting: async (_, { spec }) => {
    const { policies } = spec as JsonObject & Spec;
    return { warnings: unusedActions(policies) };
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

/** Returns the errors of policies that no request can have. */
export function policyErrors(policies: Policies): ValueError[] {
  return policies.flatMap((policy, index) => {
    const path = `/policies/${index}`;
    const { resourceType, deployment } = policy;
    if (!hasObjects(resourceType)) {
      const message = `the server has no objects of the type ${resourceType}, so the policy would permit nothing; remove it`;
      return [{ path: `${path}/resourceType`, message }];
    }
    const own = policyObjectsOf(resourceType)?.field;
    const other = policyFields.find((name) => name !== own && policy[name] !== undefined);
    if (other !== undefined) {
      const use = own === undefined ? "it is for the whole account" : `name its objects in ${own}`;
      const message = `a policy on ${resourceType} has no ${other}; ${use}`;
      return [{ path: `${path}/${other}`, message }];
    }
    const names = own === "deployments" ? [] : namesIn(policy);
    const withName = names.filter((name) => idInName(name) === undefined);
    if (withName.length > 0 && withName.length < names.length) {
      const message = "objects without a name have a policy of their own; move them to another one";
      return [{ path: `${path}/${own}`, message }];
    }
    const needsDeployment = withName.length > 0;
    if (needsDeployment === (deployment !== undefined)) return [];
    const message = needsDeployment
      ? `name the deployment of the ${own}`
      : "only folders, workbooks and reports that are named are in a deployment, and `#` with a number is an ID; remove the deployment";
    return [{ path: deployment === undefined ? path : `${path}/deployment`, message }];
  });
}
