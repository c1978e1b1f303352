// DeploymentAccess: what an account-wide group may do with a deployment and what it contains.
import { Type } from "typebox";
import { getDeployments } from "../api/deployments.ts";
import { Id } from "../api/schemas.ts";
import type { JsonObject } from "../core/json.ts";
import { defineKind, type Reader } from "../core/kind.ts";
import { deploymentField, deploymentIds } from "./codec.ts";
import { policyBindings, policyFields } from "./resource-policy.codec.ts";
import { statusSchema } from "./status-schema.ts";

/** The ID of the deployment that a spec names. */
const ids = {
  operation: getDeployments,
  dependsOn: ["deployment"],
  read: async (reader: Reader, { deployment }: JsonObject) => {
    const name = typeof deployment === "string" ? deployment : "";
    const deploymentId = (await deploymentIds.read(reader)).get(name);
    return deploymentId === undefined ? undefined : { deploymentId };
  },
  missingMessage: "the deployment does not exist",
};

/** The DeploymentAccess resource type. */
export const deploymentAccess = defineKind(
  {
    name: "DeploymentAccess",
    plural: "deployment-accesses",
    doc: "What the members of an account-wide group may do with a deployment. The policy also permits the action on its folders, workbooks and reports, and adds to what roles permit. Policies of single users and of all users are not managed.",
    shape: "entry",
    key: ["deployment", "group"],
    scope: ["deployment"],
    spec: Type.Object({ deployment: deploymentField, ...policyFields("Deployment") }),
    status: statusSchema({ deploymentId: Id, groupId: Id }),
    examples: [
      {
        title: "Analysts read all workbooks of a deployment",
        name: "production-analysts",
        spec: { deployment: "production", group: "analysts", action: "WorkbookRead" },
        variations: { action: "WorkbookEdit" },
      },
    ],
  },
  (bind) =>
    policyBindings(bind, {
      type: "Deployment",
      idField: "deploymentId",
      needs: [getDeployments],
      ids,
    }),
);
