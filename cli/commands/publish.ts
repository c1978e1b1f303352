// `svc publish`: puts reports on a pull request, and a status beside its commit.
import { Command, Option } from "commander";
import { outputOptions } from "../shared/output/output-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/publish.ts";

/** Returns the `publish` command. */
export function publishCommand(): Command {
  const command = new Command("publish")
    .description(
      "Put Markdown reports on a pull request as one comment, which the next run replaces, and set the status of " +
        "its commit. Jobs of GitHub, GitLab and Gitea say where; options override them. The token is in SVC_GIT_TOKEN, " +
        "GITHUB_TOKEN or GITLAB_TOKEN.",
    )
    .argument("[reports...]", "files that `--output markdown` wrote; one comment for all")
    .requiredOption("--name <name>", "name of the comment, and of the status: svc/NAME")
    .addOption(
      new Option("--state <state>", "set the status of the commit").choices([
        "success",
        "failure",
        "pending",
      ]),
    )
    .option("--description <text>", "one line beside the status")
    .option("--link <url>", "address behind the status; by default that of the job")
    .addOption(
      new Option("--host <type>", "what the Git host runs").choices(["github", "gitlab", "gitea"]),
    )
    .option("--host-api <url>", "address of its API, such as https://git.example.com/api/v1")
    .option("--repository <name>", "repository, such as acme/platform")
    .option("--request <number>", "number of the pull request")
    .option("--commit <sha>", "commit of the status")
    .action(async (reports: string[], flags: Flags) =>
      (await import("../runs/publish.ts")).runPublish(reports, flags),
    );
  return outputOptions(
    withExamples(command, {
      "comment the plan of this pull request": "svc publish plan.md --name plan",
      "show at the begin of a job that it runs": "svc publish --name plan --state pending",
      "and set the status of its commit": "svc publish plan.md --name plan --state success",
    }),
  );
}
