// `svc git`: the Git remote of a deployment's data model.
import { connectGit, disconnectGit, getGitConnection, listGitCommits } from "../../api/git.ts";
import { waitsForBuild } from "../operations/build-run.ts";
import { type Area, command } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";

const lookups = { deploymentId: deploymentLookup };
const columns = {
  REMOTE: "remoteUrl",
  BRANCH: "branch",
  STATUS: "status",
  SYNCED: "syncedAt",
  PROBLEMS: ({ branches }: Connection) =>
    branches
      .flatMap(({ name, errorText }) => (errorText === undefined ? [] : [`${name}: ${errorText}`]))
      .join("; "),
} as const;

interface Connection {
  readonly branches: readonly { readonly name: string; readonly errorText?: string }[];
}

/** Commands that connect the data model of a deployment to a Git remote. */
export const git: Area = {
  name: "git",
  description: "Connect the data model of a deployment to a Git remote.",
  commands: [
    command("get", getGitConnection, { lookups, columns }),
    command("connect", connectGit, {
      lookups,
      columns,
      arguments: ["remoteUrl"],
      ...waitsForBuild(connectGit),
      // Other users can read a command line: secrets come from --data @file or --data -.
      flags: { token: false, privateKey: false, webhookSecret: false },
    }),
    command("commits", listGitCommits, {
      lookups,
      columns: { COMMIT: "commit", COMMITTED: "committedAt", SUBJECT: "subject" },
    }),
    command("disconnect", disconnectGit, { lookups }),
  ],
};
