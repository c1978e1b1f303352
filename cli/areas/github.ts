// `svc github`: the installations of the server's GitHub App, and connecting one of their repositories.
import {
  connectGithub,
  getGithubStatus,
  listGithubBranches,
  listGithubInstallations,
  listGithubRepositories,
} from "../../api/github.ts";
import { waitsForBuild } from "../operations/build-run.ts";
import { type Area, command } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";

/** Commands that list what the GitHub App of the server can use, and connect a repository. */
export const github: Area = {
  name: "github",
  description: "List what the GitHub App of the server can use, and connect a repository.",
  commands: [
    command("status", getGithubStatus, {}),
    command("installations", listGithubInstallations, {
      columns: { ID: "installationId", LOGIN: "login" },
    }),
    command("repos", listGithubRepositories, {
      columns: { ID: "id", NAME: "name", URL: "htmlUrl" },
    }),
    command("branches", listGithubBranches, { columns: { NAME: "name", DEFAULT: "isDefault" } }),
    command("connect", connectGithub, {
      lookups: { deploymentId: deploymentLookup },
      arguments: ["name"],
      dataWins: true,
      ...waitsForBuild(connectGithub),
      flags: {
        // The same as --branch.
        deployBranchName: false,
        branch: { doc: "branch that is deployed (default: that of the repository)" },
        isNewRepo: { name: "new-repo" },
        webhookSecret: false,
      },
    }),
  ],
};
