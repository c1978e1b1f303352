// `svc controller`: runs the GitOps controller, or one reconciliation, shows the plan of a source, and approves held plans.
import { Command } from "commander";
import { actorFromEnvironment } from "../../reconciler/operator/author.ts";
import { readControllerConfig } from "../../controller/config.ts";
import { approvePlan, planSource, runController } from "../../controller/controller.ts";
import type { Reconciliation } from "../../controller/reconciliation.ts";
import { kinds } from "../../resources/index.ts";
import { exitCodeOf, exitCodes } from "../shared/exit-codes.ts";
import { exitCodeOfApply } from "../shared/apply-exit-code.ts";
import { type OutputFlags, outputOptions } from "../shared/output-options.ts";
import { resultOf } from "../shared/verb.ts";
import { type CommandContext, runAction } from "../shared/run-action.ts";

interface RunFlags {
  readonly config: string;
  readonly once?: true;
}

interface PlanFlags extends OutputFlags {
  readonly config: string;
  readonly detailedExitcode?: true;
}

interface ApproveFlags extends OutputFlags {
  readonly config: string;
  readonly reason?: string;
  readonly by?: string;
}

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
  command.addCommand(runCommand(), { isDefault: true });
  command.addCommand(planCommand());
  command.addCommand(approveCommand());
  return command;
}

function runCommand(): Command {
  return new Command("run")
    .description(
      "Run until stopped. Events are written to standard output, one JSON object a line. " +
        "Ctrl-C stops after the calls in flight; SIGHUP reads the configuration again.\nWith --once, the exit code is the worst of " +
        "those that `svc plan` and `svc apply` would return for each source.",
    )
    .requiredOption("--config <file>", configHelp)
    .option("--once", "reconcile each source once, then exit")
    .action((flags: RunFlags) => runAction({ output: "text" }, (context) => run(flags, context)));
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
        const isChanged = result === "changes" && flags.detailedExitcode === true;
        return isChanged ? exitCodes.changes : exitCodes.done;
      }),
    );
  return outputOptions(command);
}

function approveCommand(): Command {
  const command = new Command("approve")
    .description(
      "Approve the deletes and replacements of a held plan. The next reconciliation of the " +
        "source applies exactly that plan. An unused approval expires after a day.",
    )
    .argument("<source>", "name of the source")
    .argument("<plan>", "id of the held plan, as the controller reports it")
    .requiredOption("--config <file>", configHelp)
    .option("--reason <text>", "reason, shown by `svc history`")
    .option(
      "--by <name>",
      "name of the approver, shown by `svc history` (default: SVC_ACTOR, then the current " +
        "user)",
    )
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

/** Returns the exit code that `svc plan` or `svc apply` would return for this result. */
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

/** Worst first; a code that is not listed is worse than all of these. */
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
