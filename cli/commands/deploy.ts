// `svc deploy DEPLOYMENT`: uploads the changed files of a data model, and waits for the build.
import { Command } from "commander";
import { waitTimeout, defaultBuildTimeout } from "../shared/wait/wait-timeout.ts";
import { connectionOptions } from "../shared/connection/connection.ts";
import { outputOptions } from "../shared/output/output-options.ts";
import { branchOption } from "../shared/options/branch-option.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/deploy.ts";

/** Returns the `deploy` command. */
export function deployCommand(): Command {
  const command = new Command("deploy")
    .description(
      "Upload the files of a data model that changed, remove those that are gone, and build once.\n\n" +
        "Deploys to --branch, otherwise to the open dev-mode branch of your credential, otherwise to " +
        "the deploy branch. Skips hidden files except .gitignore, node_modules and dashboard-app.",
    )
    .argument("<deployment>", "ID or name of the deployment")
    .option("--folder <path>", "folder of the project", ".")
    .addOption(branchOption("to deploy to"))
    .option("--keep-missing", "keep files of the branch that the folder does not have")
    .option("--allow-empty", "allow a folder without a data model, and to remove every model file")
    .option("--message <text>", "message of the commit")
    .option("--no-wait", "do not wait for the build")
    .option("--timeout <seconds>", "longest wait for the build", waitTimeout, defaultBuildTimeout)
    .action(async (deployment: string, flags: Flags) =>
      (await import("../runs/deploy.ts")).runDeploy(deployment, flags),
    );
  return outputOptions(
    connectionOptions(
      withExamples(command, {
        "upload the project in this folder, and wait for its build": "svc deploy main",
        "to a branch, without waiting":
          "svc deploy main --folder model --branch feature-x --no-wait",
      }),
    ),
  );
}
