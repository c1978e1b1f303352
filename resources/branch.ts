// Branch: a shared branch of a deployment's data model. The deploy branch, personal dev-mode branches and temporary
// branches of applies are not resources.
import { Type } from "typebox";
import { createBranch, deleteBranch, listBranches, NewBranchName } from "../api/branches.ts";
import { getDeployments } from "../api/deployments.ts";
import { Id } from "../api/schemas.ts";
import { devModePrefix, temporaryPrefix } from "../core/text/branch-names.ts";
import { defineKind, defineObserve } from "../core/kind/kind.ts";
import { field } from "../core/schema/traits.ts";
import { branchesOf } from "./branch.codec.ts";
import { definedMembers, deploymentField, deploymentIdOf, deploymentIds } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

/** Names of branches that are not resources begin with one of these. */
const unmanagedPrefixes = [devModePrefix, temporaryPrefix];

/** The Branch resource type. A branch is created from another branch. The API cannot update it. */
export const branch = defineKind(
  {
    name: "Branch",
    plural: "branches",
    doc: "A shared branch of the data model of a deployment. Deleting it deletes its files, and its children then belong to its parent. The deploy branch and personal `dev-` branches are not managed.",
    shape: "item",
    key: ["deployment", "name"],
    scope: ["deployment"],
    unsupported: { update: "the API cannot change a branch" },
    spec: Type.Object({
      deployment: deploymentField,
      name: field(NewBranchName, {
        doc: "Name: letters, digits and `._/-`. Names that begin with `dev-` belong to dev mode.",
        onChange: "replace",
      }),
      from: Type.Optional(
        field(Type.String({ minLength: 1, maxLength: 255 }), {
          doc: "Branch that the files are copied from when the branch is created, and its first parent in merges. Defaults to the deploy branch. `status.parent` is the current parent.",
          onChange: "ignore",
          writeOnly: true,
          refersTo: "Branch",
          within: { deployment: "deployment" },
        }),
      ),
    }),
    status: statusSchema({
      id: Id,
      deploymentId: Id,
      parent: field(Type.String(), { doc: "Branch that it is merged into." }),
    }),
    examples: [
      {
        title: "A release branch of the deploy branch",
        name: "spring-release",
        spec: { deployment: "production", name: "release/spring" },
        variations: { name: "release/summer" },
      },
      {
        title: "A branch of a release branch",
        name: "checkout-metrics",
        spec: { deployment: "production", name: "checkout-metrics", from: "spring-release" },
        variations: { name: "checkout" },
      },
    ],
  },
  (bind) => ({
    observe: defineObserve({
      cost: "perParent",
      needs: [getDeployments, listBranches],
      read: async (reader, { deployment = "" }) => {
        const { deploymentId, branches = [] } = (await branchesOf(reader, deployment)) ?? {};
        // The deploy branch has no parent.
        return branches
          .filter(({ name }) => !unmanagedPrefixes.some((prefix) => name.startsWith(prefix)))
          .flatMap(({ id, name, parentBranch }) =>
            parentBranch === undefined
              ? []
              : [
                  {
                    id: String(id),
                    spec: { deployment, name },
                    status: { id, deploymentId, parent: parentBranch },
                  },
                ],
          );
      },
    }),
    create: [
      bind.perObject(
        createBranch,
        ({ spec: { deployment, name, from } }, ids) => ({
          params: { deploymentId: deploymentIdOf(ids, deployment) },
          body: { name, ...definedMembers({ from }) },
        }),
        { prerequisite: deploymentIds, refusesExisting: true },
      ),
    ],
    update: [],
    delete: [
      bind.perObject(deleteBranch, ({ spec: { name }, live }) => ({
        params: { deploymentId: Number(live?.status["deploymentId"]) },
        query: { branchName: name },
      })),
    ],
  }),
);
