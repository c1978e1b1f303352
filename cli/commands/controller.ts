// `svc controller`: stacks that are looked after for as long as it runs, or for one round; and approvals of what waits.
import { Command } from "commander";
import { actorIn } from "../../reconciler/caller/author.ts";
import { readController } from "../../reconciler/gitops/config.ts";
import { approvePlan, controller } from "../../reconciler/gitops/controller.ts";
import type { Round } from "../../reconciler/gitops/round.ts";
import { kinds } from "../../resources/index.ts";
import { exitOf, exits } from "../exit.ts";
import { exitOfApplied } from "../outcome.ts";
import { type OutputFlags, outputOptions } from "../output.ts";
import { type Context, perform } from "../perform.ts";

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
    .action((flags: RunFlags) => perform({ output: "text" }, (context) => run(flags, context)));
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
      perform(flags, async ({ output }) => {
        const { config, reason, by = actorIn(process.env) } = flags;
        const at = new Date();
        const asked = { source, plan, by, at, ...(reason !== undefined && { reason }) };
        const { deletes, changes } = approvePlan(readController(config), asked);
        output.result({
          text: () => `Approved for ${source}: ${changes.join(", ")}.`,
          json: () => ({ source, plan, deletes, changes: [...changes], by }),
        });
        return exits.done;
      }),
    );
  return outputOptions(command);
}

async function run({ config, once }: RunFlags, { signal, interrupt }: Context): Promise<number> {
  const rounds = await controller({
    config: readController(config),
    kinds,
    env: process.env,
    once,
    signal,
    on: (event) => process.stdout.write(`${JSON.stringify(event)}\n`),
  });
  if (once !== true) return exits.done;
  return worst(rounds.map((round) => exitOfRound(round, interrupt.exit())));
}

/** How `svc plan` or `svc apply` would end. */
function exitOfRound({ result, applied, failure }: Round, stopped: number | undefined): number {
  switch (result) {
    case "held":
      return exits.confirmation;
    case "changes":
      return exits.changes;
    case "mistakes":
      return exits.failed;
    case "stopped":
      return stopped ?? exits.interrupted;
    case "suspended":
      return exits.done;
    default:
      if (applied !== undefined) return exitOfApplied(applied, stopped);
      return failure === undefined ? exits.done : exitOf(failure);
  }
}

/** From the worst down; what is not named is worse than all. */
const mildest: readonly number[] = [
  exits.access,
  exits.failed,
  exits.partly,
  exits.conflict,
  exits.confirmation,
  exits.closed,
  exits.changes,
  exits.done,
];

function worst(codes: readonly number[]): number {
  const [first = exits.done] = codes.toSorted((left, right) => {
    return mildest.indexOf(left) - mildest.indexOf(right);
  });
  return first;
}
