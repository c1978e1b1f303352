// `svc controller`: reconciles stacks in loops or once, shows the plan of a source, and approves held plans.
import { Command } from "commander";
import { actorFromEnvironment } from "../../reconciler/operator/author.ts";
import { readControllerConfig } from "../../controller/config.ts";
import { approvePlan, planSource, runController } from "../../controller/controller.ts";
import type { Reconciliation } from "../../controller/reconciliation.ts";
import { kinds } from "../../resources/index.ts";
import { exitCodeOf, exitCodes } from "../shared/exit-codes.ts";
import { exitCodeOfApply } from "../shared/apply-exit-code.ts";
import { type OutputFlags, outputOptions } from "../shared/output.ts";
import { resultOf } from "../shared/verb.ts";
import { type CommandContext, runAction } from "../shared/run-action.ts";

interface RunFlags {
  readonly config: string;
  readonly once?: true;
}

interface PlanFlags extends OutputFlags {
  readonly config: string;
}

interface ApproveFlags extends OutputFlags {
  readonly config: string;
  readonly reason?: string;
  readonly by?: string;
}

const configHelp = "the controller's configuration, written by an operator";

/** The command, to be added to the program. */
export function controllerCommand(): Command {
  const command = new Command("controller")
    .description(
      "Reconcile stacks from Git repositories or folders: plan them at an interval and, in mode apply, apply the plan. " +
        "`svc controller --config FILE` is short for `svc controller run --config FILE`.",
    )
    .configureHelp({ subcommandTerm: (one) => one.name() });
  command.addCommand(runCommand(), { isDefault: true });
  command.addCommand(planCommand());
  command.addCommand(approveCommand());
  return command;
}

function runCommand(): Command {
  return new Command("run")
    .description(
      "Run until a signal stops it, and print events to standard output, one JSON object a line. Ctrl-C stops between calls; " +
        "SIGHUP reads the configuration again.\nWith --once, exits like `svc plan` and `svc apply`, with the worst result of the sources.",
    )
    .requiredOption("--config <file>", configHelp)
    .option("--once", "reconcile each source once, and exit")
    .action((flags: RunFlags) => runAction({ output: "text" }, (context) => run(flags, context)));
}

function planCommand(): Command {
  const command = new Command("plan")
    .description(
      "Show the plan of a source, as the controller would make it now, and whether it is held for an approval. Writes nothing.\n" +
        "Exits with 0 if there are no changes, 2 if there are changes, and 1 if the source cannot be planned.",
    )
    .argument("<source>", "the name of the source")
    .requiredOption("--config <file>", configHelp)
    .action((source: string, flags: PlanFlags) =>
      runAction(flags, async ({ output, signal }) => {
        const config = readControllerConfig(flags.config);
        const options = { config, kinds, env: process.env, signal };
        const { reconciliation, plan, held } = await planSource(options, source);
        const { diagnostics: manifestDiagnostics, failure, result } = reconciliation;
        if (plan === undefined) {
          if (failure !== undefined) throw failure;
          output.result(resultOf({ type: "manifests", stack: undefined, manifestDiagnostics }));
          return exitCodes.failed;
        }
        output.result(
          resultOf({ type: "plan", plan, kinds, manifestDiagnostics, places: new Map() }),
        );
        if (held !== undefined) output.warn(() => `plan ${held} is held for an approval`);
        if (failure !== undefined) throw failure;
        return result === "changes" ? exitCodes.changes : exitCodes.done;
      }),
    );
  return outputOptions(command);
}

function approveCommand(): Command {
  const command = new Command("approve")
    .description(
      "Approve the deletes and replacements of a held plan. The next reconciliation applies exactly that plan. " +
        "An approval expires after a day.",
    )
    .argument("<source>", "the name of the source")
    .argument("<plan>", "the id of the held plan, from the event or `svc controller plan`")
    .requiredOption("--config <file>", configHelp)
    .option("--reason <text>", "the reason, for `svc history`")
    .option("--by <name>", "the actor, for `svc history` (default: SVC_ACTOR, or your user name)")
    .action((source: string, plan: string, flags: ApproveFlags) =>
      runAction(flags, async ({ output }) => {
        const { config, reason, by = actorFromEnvironment(process.env) } = flags;
        const at = new Date();
        const asked = { source, plan, by, at, ...(reason !== undefined && { reason }) };
        const { deletes, changes } = approvePlan(readControllerConfig(config), asked);
        output.result({
          text: () => `Approved for ${source}: ${changes.join(", ")}.`,
          json: () => ({ source, plan, deletes, changes: [...changes], by }),
        });
        return exitCodes.done;
      }),
    );
  return outputOptions(command);
}

async function run(
  { config, once }: RunFlags,
  { signal, interrupt }: CommandContext,
): Promise<number> {
  const rounds = await runController({
    config: readControllerConfig(config),
    kinds,
    env: process.env,
    once,
    signal,
    onReload: subscribeToReload,
    onEvent: (event) => process.stdout.write(`${JSON.stringify(event)}\n`),
  });
  if (once !== true) return exitCodes.done;
  return worstExitCode(
    rounds.map((round) => exitCodeOfReconciliation(round, interrupt.exitCode())),
  );
}

/** Reloads the configuration on SIGHUP, as services do. */
function subscribeToReload(reload: () => void): () => void {
  process.on("SIGHUP", reload);
  return () => process.off("SIGHUP", reload);
}

/** How `svc plan` or `svc apply` would end. */
function exitCodeOfReconciliation(
  { result, applied, failure }: Reconciliation,
  stopped: number | undefined,
): number {
  switch (result) {
    case "held":
      return exitCodes.confirmation;
    case "changes":
      return exitCodes.changes;
    case "invalid":
      return exitCodes.failed;
    case "stopped":
      return stopped ?? exitCodes.interrupted;
    case "suspended":
      return exitCodes.done;
    default:
      if (applied !== undefined) return exitCodeOfApply(applied, stopped);
      return failure === undefined ? exitCodes.done : exitCodeOf(failure);
  }
}

/** From the worst down; what is not named is worse than all. */
const worstFirst: readonly number[] = [
  exitCodes.access,
  exitCodes.failed,
  exitCodes.partial,
  exitCodes.conflict,
  exitCodes.confirmation,
  exitCodes.closed,
  exitCodes.changes,
  exitCodes.done,
];

function worstExitCode(codes: readonly number[]): number {
  const [first = exitCodes.done] = codes.toSorted((left, right) => {
    return worstFirst.indexOf(left) - worstFirst.indexOf(right);
  });
  return first;
}
