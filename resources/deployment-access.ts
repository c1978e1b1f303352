// DeploymentAccess, DeploymentUserAccess and DeploymentAllUsersAccess: permissions on a deployment and its contents.
import { deploymentField } from "./codec.ts";
import { accessKinds } from "./access-kinds.ts";
import { policyObjects } from "./policy-objects.ts";

/** The resource types of access to deployments: of a group, of a user, and of all users. */
export const [deploymentAccess, deploymentUserAccess, deploymentAllUsersAccess] = accessKinds(
  {
    ...policyObjects.Deployment,
    reach: ", and with its folders, workbooks and reports.",
    fields: { deployment: deploymentField },
    idField: "deploymentId",
  },
  {
    name: "production",
    scope: { deployment: "production" },
    actions: ["WorkbookRead", "WorkbookEdit"],
  },
);
