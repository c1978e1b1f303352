// DeploymentAccess, DeploymentUserAccess and DeploymentAllUsersAccess: what may be done with a deployment and what it contains.
import { getDeployments } from "../api/deployments.ts";
import type { JsonObject } from "../core/json.ts";
import type { Reader } from "../core/kind.ts";
import { deploymentField, deploymentIds } from "./codec.ts";
import { textOf } from "./field-text.ts";
import { accessKinds } from "./access-kinds.ts";

/** The ID of the deployment that a spec names. */
const ids = {
  operation: getDeployments,
  dependsOn: ["deployment"],
  read: async (reader: Reader, { deployment }: JsonObject) => {
    const deploymentId = (await deploymentIds.read(reader)).get(textOf(deployment));
    return deploymentId === undefined ? undefined : { deploymentId };
  },
  missingMessage: "the deployment does not exist",
};

/** The resource types of access to deployments: of a group, of a user, and of all users. */
export const [deploymentAccess, deploymentUserAccess, deploymentAllUsersAccess] = accessKinds(
  {
    type: "Deployment",
    reach: ", and with its folders, workbooks and reports.",
    fields: { deployment: deploymentField },
    idField: "deploymentId",
    needs: [getDeployments],
    ids,
  },
  {
    name: "production",
    scope: { deployment: "production" },
    actions: ["WorkbookRead", "WorkbookEdit"],
  },
);
