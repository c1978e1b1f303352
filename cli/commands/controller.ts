// `svc controller`: runs the GitOps controller, or one reconciliation, shows its sources, and changes them.
import { Command, Option } from "commander";
import { listContexts } from "../shared/connection/connection.ts";
import { setValues } from "../shared/lookup/name-source.ts";
import { actorOption, reasonOption } from "../shared/options/recorded-options.ts";
import { addDefaultCommand } from "../shared/help/default-command.ts";
import { withExamples } from "../shared/help/examples.ts";
import { outputOptions } from "../shared/output/output-options.ts";
import type { RunFlags, PlanFlags } from "../runs/controller.ts";
import type { ActionFlags, ControllerFlags, SuspendFlags } from "../runs/controller-actions.ts";

const configHelp = "configuration file of the controller";
const urlHelp = "address of a running controller; SVC_CONTROLLER_TOKEN has the token of its API";
const loginHelp =
  "send the access token of a context to --url in place of SVC_CONTROLLER_TOKEN; only to a controller that you trust as the server";

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
  for (const subcommand of [
    listCommand(),
    planCommand(),
    approveCommand(),
    rejectCommand(),
    reconcileCommand(),
    suspendCommand(),
    resumeCommand(),
  ]) {
    command.addCommand(subcommand);
  }
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
      "Show the plan of a source, and whether it is held for an approval. Nothing is written. " +
        "With --config, it is made now; with --url, it is that of the last reconciliation.\n" +
        "The exit code is 0 also if there are changes, unless --detailed-exitcode is set.",
    )
    .argument("<source>", "name of the source")
    .option("--detailed-exitcode", "exit with 2 if there are changes")
    .action(async (source: string, flags: PlanFlags) =>
      (await import("../runs/controller.ts")).runSourcePlan(source, flags),
    );
  return outputOptions(
    withExamples(withController(command), {
      "plan a source": "svc controller plan sales --config controller.yaml",
      "show the plan that a running controller had":
        "svc controller plan sales --url http://localhost:9480",
    }),
  );
}

function listCommand(): Command {
  const command = new Command("list")
    .description(
      "List the sources with their health, last result, commit, and what they wait for.\n" +
        "With --config from the state folder, whether the controller runs or not.",
    )
    .action(async (flags: ControllerFlags) =>
      (await import("../runs/controller-actions.ts")).runSourceList(flags),
    );
  return outputOptions(
    withExamples(withController(command), {
      "list the sources of this machine's controller":
        "svc controller list --config controller.yaml",
      "list those of a running controller": "svc controller list --url http://localhost:9480",
    }),
  );
}

function reconcileCommand(): Command {
  const command = new Command("reconcile")
    .description("Reconcile a source of a running controller now, also a commit that failed.")
    .argument("<source>", "name of the source")
    .requiredOption("--url <url>", urlHelp)
    .option("--login", loginHelp)
    .addOption(contextOption())
    .action(async (source: string, flags: ControllerFlags) =>
      (await import("../runs/controller-actions.ts")).runReconcile(source, flags),
    );
  return outputOptions(
    withExamples(command, {
      "reconcile a source now": "svc controller reconcile sales --url http://localhost:9480",
    }),
  );
}

function suspendCommand(): Command {
  const command = new Command("suspend")
    .description(
      "Suspend a source: the controller does not fetch, read or write. With --config, from its " +
        "next reconciliation on.",
    )
    .argument("<source>", "name of the source")
    .requiredOption("--reason <text>", "why, shown by list and status")
    .requiredOption(
      "--expires <end>",
      "end: a duration such as 4h, a last day in UTC such as 2027-03-01, or a time with an offset",
    )
    .addOption(actorOption())
    .action(async (source: string, flags: SuspendFlags) =>
      (await import("../runs/controller-actions.ts")).runSuspend(source, flags),
    );
  return outputOptions(
    withExamples(withController(command), {
      "leave a source alone for four hours":
        "svc controller suspend sales --config controller.yaml --reason migration --expires 4h",
    }),
  );
}

function resumeCommand(): Command {
  const command = new Command("resume")
    .description("End the suspension that `svc controller suspend`, the API or the page has set.")
    .argument("<source>", "name of the source")
    .action(async (source: string, flags: ControllerFlags) =>
      (await import("../runs/controller-actions.ts")).runResume(source, flags),
    );
  return outputOptions(
    withExamples(withController(command), {
      "resume a source": "svc controller resume sales --config controller.yaml",
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
    .addOption(reasonOption())
    .addOption(actorOption())
    .action(async (source: string, plan: string, flags: ActionFlags) =>
      (await import("../runs/controller-actions.ts")).runDecision(
        "approve",
        { source, plan },
        flags,
      ),
    );
  return outputOptions(
    withExamples(withController(command), {
      "approve a held plan":
        "svc controller approve sales PLAN --config controller.yaml --reason reviewed",
    }),
  );
}

function rejectCommand(): Command {
  const command = new Command("reject")
    .description(
      "Reject a held plan, and withdraw its approval. It waits for no decision any more until a " +
        "week has passed; an approval replaces the rejection.",
    )
    .argument("<source>", "name of the source")
    .argument("<plan>", "ID of the held plan, as the controller reports it")
    .requiredOption("--reason <text>", "why, shown by list and status")
    .addOption(actorOption())
    .action(async (source: string, plan: string, flags: ActionFlags) =>
      (await import("../runs/controller-actions.ts")).runDecision(
        "reject",
        { source, plan },
        flags,
      ),
    );
  return outputOptions(
    withExamples(withController(command), {
      "reject a held plan":
        "svc controller reject sales PLAN --config controller.yaml --reason unwanted",
    }),
  );
}

/** Adds the options that name the controller. */
function withController(command: Command): Command {
  return command
    .option("--config <file>", configHelp)
    .option("--url <url>", urlHelp)
    .option("--login", loginHelp)
    .addOption(contextOption());
}

function contextOption(): Option {
  const help = "context of `svc login` for --login (default: the active one)";
  return setValues(new Option("--context <name>", help), listContexts);
}
