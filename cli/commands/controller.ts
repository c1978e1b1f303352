// `svc controller`: stacks that are looked after for as long as it runs, or for one round; and approvals of what waits.
import { Command } from "commander";
import { actorFromEnvironment } from "../../reconciler/operator/author.ts";
import { readControllerConfig } from "../../controller/config.ts";
import { approvePlan, runController } from "../../controller/controller.ts";
import type { Reconciliation } from "../../controller/reconciliation.ts";
import { kinds } from "../../resources/index.ts";
import { exitCodeOf, exitCodes } from "../shared/exit-codes.ts";
import { exitCodeOfApply } from "../shared/apply-exit-code.ts";
import { type OutputFlags, outputOptions } from "../shared/output.ts";
import { type CommandContext, runAction } from "../shared/run-action.ts";

interface RunFlags {
  readonly config: string;
  readonly once?: true;
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
      "Look after stacks from Git or from folders: fetch them, compare them with their servers, and where the configuration " +
        "says so, write what differs. `svc controller --config FILE` is short for `svc controller run --config FILE`.",
    )
    .configureHelp({ subcommandTerm: (one) => one.name() });
  command.addCommand(runCommand(), { isDefault: true });
  command.addCommand(approveCommand());
  return command;
}

function runCommand(): Command {
  return new Command("run")
    .description(
      "Run until it is stopped; what happens is told on standard output, one JSON object a line. Ctrl-C stops between calls.\n" +
        "With --once it ends as `svc plan` and `svc apply` do, by the worst of the sources.",
    )
    .requiredOption("--config <file>", configHelp)
    .option("--once", "one round of each source, and that is all")
    .action((flags: RunFlags) => runAction({ output: "text" }, (context) => run(flags, context)));
}

function approveCommand(): Command {
  const command = new Command("approve")
    .description(
      "Approve the deletes and replaces of a plan that a source waits with; its next round carries out just that plan. " +
        "An approval that is not used ends after a day.",
    )
    .argument("<source>", "the name of the source")
    .argument("<plan>", "the name of the plan, as the controller tells it")
    .requiredOption("--config <file>", configHelp)
    .option("--reason <text>", "why, for `svc history`")
    .option("--by <name>", "who does it, for `svc history` (else SVC_ACTOR, else you)")
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
