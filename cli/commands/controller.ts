// `svc controller`: runs the GitOps controller, or one reconciliation, shows the plan of a source, and approves held plans.
import { Command } from "commander";
import { actorOption, reasonOption } from "../shared/options/recorded-options.ts";
import { addDefaultCommand } from "../shared/help/default-command.ts";
import { withExamples } from "../shared/help/examples.ts";
import { outputOptions } from "../shared/output/output-options.ts";
import type { RunFlags, PlanFlags, ApproveFlags } from "../runs/controller.ts";

const configHelp = "configuration file of the controller";

/** Returns the `controller` command. */
export function controllerCommand(): Command {
  const command = new Command("controller")
    .description(
      "Reconcile stacks from Git repositories or folders: fetch them, detect drift, and apply " +
        "where the configuration allows it. `svc controller --config FILE` is short for `svc " +
        "controller run --config FILE`.",
    )
    .configureHelp({ subcommandTerm: (one) => one.name() });
  addDefaultCommand(command, runCommand());
  command.addCommand(planCommand());
  command.addCommand(approveCommand());
  return command;
}

function runCommand(): Command {
  const command = new Command("run")
    .description(
      "Run until stopped. Events are written to standard output, one JSON object a line. " +
        "Ctrl-C stops after the calls in flight; SIGHUP reads the configuration again.\nWith --once, exits with the worst " +
        "result of all sources; 2 if a source in plan mode has changes.",
    )
    .requiredOption("--config <file>", configHelp)
    .option("--once", "reconcile each source once, then exit")
    .action(async (flags: RunFlags) =>
      (await import("../runs/controller.ts")).runReconcileLoop(flags),
    );
  return withExamples(command, {
    "run until stopped": "svc controller run --config controller.yaml",
    "reconcile each source once": "svc controller run --config controller.yaml --once",
  });
}

function planCommand(): Command {
  const command = new Command("plan")
    .description(
      "Show the plan of a source, and whether it is held for an approval. Nothing is written.\n" +
        "The exit code is 0 also if there are changes, unless --detailed-exitcode is set.",
    )
    .argument("<source>", "name of the source")
    .requiredOption("--config <file>", configHelp)
    .option("--detailed-exitcode", "exit with 2 if there are changes")
    .action(async (source: string, flags: PlanFlags) =>
      (await import("../runs/controller.ts")).runSourcePlan(source, flags),
    );
  return outputOptions(
    withExamples(command, {
      "show the plan of a source": "svc controller plan sales --config controller.yaml",
    }),
  );
}

function approveCommand(): Command {
  const command = new Command("approve")
    .description(
      "Approve the deletes and replacements of a held plan. The next reconciliation of the " +
        "source applies exactly that plan. An unused approval expires after a day.",
    )
    .argument("<source>", "name of the source")
    .argument("<plan>", "ID of the held plan, as the controller reports it")
    .requiredOption("--config <file>", configHelp)
    .addOption(reasonOption())
    .addOption(actorOption())
    .action(async (source: string, plan: string, flags: ApproveFlags) =>
      (await import("../runs/controller.ts")).runPlanApproval(source, plan, flags),
    );
  return outputOptions(
    withExamples(command, {
      "approve a held plan":
        "svc controller approve sales PLAN --config controller.yaml --reason reviewed",
    }),
  );
}
