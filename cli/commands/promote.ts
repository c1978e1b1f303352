// `svc promote`: moves versions of the platform through the stages of a pipeline, and records manual decisions.
import { Command, Option } from "commander";
import { claimedActorOption, reasonOption } from "../shared/options/recorded-options.ts";
import { connectionOptions } from "../shared/connection/connection.ts";
import { addDefaultCommand } from "../shared/help/default-command.ts";
import { withExamples } from "../shared/help/examples.ts";
import { outputOptions } from "../shared/output/output-options.ts";
import { stackOptions } from "../shared/options/stack-options.ts";
import {
  type PromoteFlags,
  modeOptions,
  pipelineCommand,
  stageOption,
} from "../shared/options/promote-options.ts";
import { policyOptions } from "../shared/options/policy-options.ts";
import { verbOptions } from "../shared/options/verb-options.ts";
import type { PromoteVerb } from "../runs/promote.ts";

/** Returns the `promote` command. */
export function promoteCommand(): Command {
  const command = new Command("promote")
    .description(
      "Move versions of the platform, or commits of data models, from stage to stage, in the order of a Pipeline document. " +
        "`svc promote PIPELINE` is short for `svc promote run PIPELINE`.",
    )
    .configureHelp({ subcommandTerm: (one) => one.name() });
  addDefaultCommand(command, runCommand());
  command.addCommand(statusCommand());
  command.addCommand(whyCommand());
  command.addCommand(verifyCommand());
  command.addCommand(approveCommand());
  command.addCommand(withdrawCommand());
  command.addCommand(holdCommand());
  command.addCommand(releaseCommand());
  command.addCommand(rollbackCommand());
  return command;
}

function runCommand(): Command {
  const command = pipelineCommand(
    "run",
    "Continue every promotion that can continue: finish started ones, verify them, and " +
      "promote candidates. Without --direct or --write, only show the next steps, and exit " +
      "with 2 if there are any.\nWith them, exits with 1 if a version failed in a stage, 5 if a " +
      "stage waits for confirmation or approval, and 0 if stages wait only for time, an apply or " +
      "the end of a hold. With --to, only that stage counts.",
  )
    .option("--to <stage>", "promote this stage to its candidate, or to --version")
    .option(
      "--version <version>",
      "version to promote, such as 1.2.3, or commit; a version other than the candidate is held in the " +
        "stage",
    )
    .option("--reason <text>", "with --to: reason for the promotion, recorded")
    .option(
      "--skip-stages",
      "with --to, --version and --reason: promote a version that the stages before have not " +
        "verified; needs the grant skipStages",
    )
    .addOption(
      new Option(
        "--request",
        "with --to and --write: write for a pull request, which is approved by merging it; the " +
          "next run with --write alone records and verifies what was merged",
      ).conflicts(["direct", "push", "diff"]),
    )
    .addOption(claimedActorOption())
    .action(async (pipeline: string, paths: string[], flags: PromoteFlags) => {
      await (await import("../runs/promote.ts")).runPromote({ pipeline, paths, flags });
    });
  return verbOptions(
    policyOptions(
      modeOptions(
        withExamples(command, {
          "show the next steps": "svc promote run platform",
          "promote the candidate of a stage": "svc promote run platform --to staging --direct",
        }),
      ),
    ),
    ["markdown"],
  );
}

function statusCommand(): Command {
  const command = pipelineCommand(
    "status",
    "Show which version each stage runs, how it was verified and when. Nothing is written.",
  ).action(runOf("status"));
  return verbOptions(
    withExamples(command, { "show the version of each stage": "svc promote status platform" }),
    ["markdown"],
  );
}

function whyCommand(): Command {
  const command = pipelineCommand(
    "why",
    "Show why the stages do not continue, or which steps are next. Nothing is written.",
  )
    .option("--stage <stage>", "only this stage")
    .option(
      "--version <version>",
      "with --stage: why the stage does not run this version, such as 1.2.3, instead of its candidate",
    )
    .action(runOf("why"));
  return verbOptions(
    withExamples(command, {
      "show why a stage does not continue": "svc promote why platform --stage production",
    }),
    ["markdown"],
  );
}

function verifyCommand(): Command {
  const command = pipelineCommand(
    "verify",
    "Run the checks of a stage again on the version that it runs, and record the result. A " +
      "failure blocks the next stage, and withdraws approvals of the version there. Exits with 1 " +
      "if a check fails.",
  )
    .addOption(stageOption())
    .addOption(claimedActorOption())
    .action(runOf("verify"));
  return verbOptions(
    withExamples(command, {
      "check a stage again": "svc promote verify platform --stage staging",
    }),
    ["markdown"],
  );
}

function approveCommand(): Command {
  const command = pipelineCommand(
    "approve",
    "Approve a version for a stage; the next run promotes it.",
  )
    .addOption(stageOption())
    .option("--version <version>", "version to approve, such as 1.2.3 (default: the candidate)")
    .addOption(reasonOption())
    .addOption(claimedActorOption())
    .action(runOf("approve"));
  return verbOptions(
    withExamples(command, {
      "approve the candidate of a stage": "svc promote approve platform --stage production",
    }),
  );
}

/** Adds the options of commands that only write the record of a pipeline. */
function recordOptions(command: Command, examples: Parameters<typeof withExamples>[1]): Command {
  return outputOptions(connectionOptions(stackOptions(withExamples(command, examples))));
}

function withdrawCommand(): Command {
  const command = pipelineCommand(
    "withdraw",
    "Withdraw the approval of a version for a stage. Only the record is written. A promotion in " +
      "progress continues; `svc promote hold` stops it.",
  )
    .addOption(stageOption())
    .option("--version <version>", "approved version, such as 1.2.3 (default: the last approved)")
    .addOption(reasonOption())
    .addOption(claimedActorOption())
    .action(runOf("withdraw"));
  return recordOptions(command, {
    "withdraw the last approval of a stage": "svc promote withdraw platform --stage production",
  });
}

function holdCommand(): Command {
  const command = pipelineCommand(
    "hold",
    "Hold a stage, including a promotion in progress: it stops before its next batch. Only " +
      "the record is written.",
  )
    .addOption(stageOption())
    .addOption(reasonOption().makeOptionMandatory())
    .addOption(claimedActorOption())
    .action(runOf("hold"));
  return recordOptions(command, {
    "hold a stage": "svc promote hold platform --stage production --reason freeze",
  });
}

function releaseCommand(): Command {
  const command = pipelineCommand("release", "Release a held stage. Only the record is written.")
    .addOption(stageOption())
    .addOption(reasonOption())
    .addOption(claimedActorOption())
    .action(runOf("release"));
  return recordOptions(command, {
    "release a held stage": "svc promote release platform --stage production",
  });
}

function rollbackCommand(): Command {
  const command = pipelineCommand(
    "rollback",
    "Roll a stage back to the version that it verified before the one that it runs, and hold it " +
      "there: newer versions wait until `svc promote release`. Withdraws the verification of the " +
      "version that it leaves. All deployments of the stage change together, whatever its batchSize.",
  )
    .addOption(stageOption())
    .addOption(reasonOption())
    .addOption(claimedActorOption())
    .action(runOf("rollback"));
  return verbOptions(
    policyOptions(
      modeOptions(
        withExamples(command, {
          "return to the version verified before":
            "svc promote rollback platform --stage production --direct",
        }),
      ),
    ),
    ["markdown"],
  );
}

/** Returns the action of a subcommand, which loads the rest. */
function runOf(verb: PromoteVerb) {
  return async (pipeline: string, paths: string[], flags: PromoteFlags): Promise<void> =>
    (await import("../runs/promote.ts")).promoteRuns[verb](pipeline, paths, flags);
}
