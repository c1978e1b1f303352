// Options of `svc promote`: pipeline, stage, mode and actor.
import { Command, Option } from "commander";
import { yesOption } from "./yes-options.ts";
import { pathsHelp } from "./stack-options.ts";
import type { PolicyFlags } from "./policy-options.ts";
import type { VerbFlags } from "./verb-options.ts";

/** Values of the options of `svc promote` and its subcommands. */
export interface PromoteFlags extends VerbFlags, Partial<PolicyFlags> {
  readonly direct?: true;
  readonly write?: true;
  readonly push?: boolean;
  readonly diff?: boolean;
  readonly request?: boolean;
  readonly to?: string;
  readonly stage?: string;
  readonly version?: string;
  readonly reason?: string;
  readonly skipStages?: boolean;
  readonly by?: string;
  readonly yes?: true;
}

/** Creates a subcommand of `svc promote` with its pipeline argument. */
export function pipelineCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument("<pipeline>", "metadata.name of the Pipeline")
    .argument("[paths...]", pathsHelp);
}

/** Returns the option for the stage. */
export function stageOption(): Option {
  return new Option("--stage <stage>", "name of the stage").makeOptionMandatory();
}

/** Adds the options for the mode. */
export function modeOptions(command: Command): Command {
  return command
    .addOption(new Option("--direct", "plan and apply immediately").conflicts("write"))
    .option("--write", "write the versions to the manifests that pin them, and commit")
    .addOption(
      new Option("--push", "with --write: push to the branch's upstream").conflicts("direct"),
    )
    .addOption(
      new Option("--diff", "with --write: write nothing, print what would be committed").conflicts([
        "direct",
        "push",
      ]),
    )
    .addOption(yesOption());
}
