// StagingEnvironment: the always active environment of a shared branch.
import { Type } from "typebox";
import { listBranches, setStagingEnvironment } from "../api/branches.ts";
import { getDeployments } from "../api/deployments.ts";
import { Id } from "../api/schemas.ts";
import { defineKind, defineObserve } from "../core/kind/kind.ts";
import { field } from "../core/schema/traits.ts";
import { branchesOf } from "./branch.codec.ts";
import { deploymentField, deploymentIdOf, deploymentIds } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

/** The StagingEnvironment resource type. It exists while the environment of the branch is enabled. */
export const stagingEnvironment = defineKind(
  {
    name: "StagingEnvironment",
    plural: "staging-environments",
    recordedAs: "branches",
    doc: "The staging environment of a shared branch, which always serves the branch. Deleting it disables the environment, and the branch stays.",
    shape: "item",
    key: ["deployment", "branch"],
    scope: ["deployment"],
    unsupported: { update: "a staging environment has no settings" },
    spec: Type.Object({
      deployment: deploymentField,
      branch: field(Type.String({ minLength: 1, maxLength: 255 }), {
        doc: "Branch that the environment serves. Not the deploy branch or a personal `dev-` branch.",
        onChange: "replace",
        refersTo: "Branch",
        within: { deployment: "deployment" },
        cascadeDelete: true,
      }),
    }),
    status: statusSchema({ deploymentId: Id }),
    examples: [
      {
        title: "Staging of a release branch",
        name: "spring-release",
        spec: { deployment: "production", branch: "spring-release" },
        variations: {},
      },
    ],
  },
  (bind) => ({
    observe: defineObserve({
      cost: "perParent",
      needs: [getDeployments, listBranches],
      read: async (reader, { deployment = "" }) => {
        const { deploymentId, branches = [] } = (await branchesOf(reader, deployment)) ?? {};
        return branches
          .filter((one) => one.isStagingEnvironmentEnabled === true)
          .map(({ id, name }) => ({
            id: String(id),
            spec: { deployment, branch: name },
            status: { deploymentId },
          }));
      },
    }),
    create: [
      bind.perObject(
        setStagingEnvironment,
        ({ spec: { deployment, branch } }, ids) => ({
          params: { deploymentId: deploymentIdOf(ids, deployment) },
          body: { enabled: true, branchName: branch },
        }),
        { prerequisite: deploymentIds },
      ),
    ],
    update: [],
    delete: [
      bind.perObject(setStagingEnvironment, ({ spec: { branch }, live }) => ({
        params: { deploymentId: Number(live?.status["deploymentId"]) },
        body: { enabled: false, branchName: branch },
      })),
    ],
  }),
);
