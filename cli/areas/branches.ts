// `svc branches`: the commands on the branches of a data model.
import {
  commitBranch,
  createBranch,
  deleteBranch,
  listBranches,
  mergeBranch,
  mergeToDefault,
  pullBranch,
} from "../../api/branches.ts";
import { devModePrefix } from "../../core/text/branch-names.ts";
import { waitsForBuild } from "../operations/build-run.ts";
import { warnsOfInvalidModel } from "../operations/model-check-run.ts";
import { command, type Area } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";

const lookups = { deploymentId: deploymentLookup };

/** An empty value means the branch of the open dev-mode session. */
function textOf(branch: unknown): string | undefined {
  return typeof branch === "string" && branch !== "" ? branch : undefined;
}

/** Commands that list, create, delete, commit and merge the branches of a data model. */
export const branches: Area = {
  name: "branches",
  description: "List, create, delete, commit and merge the branches of a data model.",
  commands: [
    command("list", listBranches, {
      lookups,
      columns: {
        NAME: "name",
        KIND: ({ name, isSessionOpen }) => {
          const kind = name.startsWith(devModePrefix) ? "dev-mode" : "shared";
          return isSessionOpen === true ? `${kind} (open)` : kind;
        },
        PARENT: "parentBranch",
        STAGING: "isStagingEnvironmentEnabled",
        HASH: ({ lastHash }) => lastHash?.slice(0, 12),
        CHANGED: ({ lastCommit }) => lastCommit?.createdAt,
        MESSAGE: ({ lastCommit }) => lastCommit?.message,
      },
    }),
    command("create", createBranch, {
      lookups,
      arguments: ["name"],
      flags: { enterDevMode: false },
    }),
    command("delete", deleteBranch, { lookups, arguments: ["branchName"] }),
    command("commit", commitBranch, { lookups, ...warnsOfInvalidModel(commitBranch) }),
    command("pull", pullBranch, {
      lookups,
      ...waitsForBuild(pullBranch, ({ body }) => textOf(body?.["branchName"])),
    }),
    command("merge", mergeBranch, { lookups, ...warnsOfInvalidModel(mergeBranch) }),
    command("merge-to-default", mergeToDefault, {
      lookups,
      ...waitsForBuild(mergeToDefault),
      description:
        "Merge the changes of a branch into the deploy branch and rebuild production. Deletes the merged branch, unless --keep-branch is given.",
      flags: {
        removeBranchAfterMerge: {
          name: "keep-branch",
          doc: "keep the merged branch",
          value: false,
        },
      },
    }),
  ],
};
