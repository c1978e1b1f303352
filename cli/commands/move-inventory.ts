// `svc move-inventory`: from where a stack's inventory was to where the Stack keeps it now.
import { Command, Option } from "commander";
import {
  type MoveResult,
  type MoveOptions,
  moveInventory,
  type RenameResult,
  renameInventory,
  type RenameOptions,
} from "../../reconciler/verbs/inventory-admin.ts";
import type { InventoryBackend } from "../../reconciler/model/index.ts";
import { type ConnectionFlags, connectionOptions, serverAccess } from "../shared/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { pluralize } from "../../reconciler/report/escape-text.ts";
import { confirm } from "../shared/prompt.ts";
import { type OutputFlags, outputOptions, type Result } from "../shared/output.ts";
import { type CommandContext, runAction } from "../shared/run-action.ts";
import { isInteractive } from "../shared/streams.ts";
import { declined, confirmationRequired } from "../shared/confirmation.ts";
import { loadOptions, pathsHelp, type StackFlags, stackOptions } from "../shared/stack-options.ts";
import { reportInvalidManifests } from "../shared/verb.ts";

interface Flags extends StackFlags, ConnectionFlags, OutputFlags {
  readonly from: string;
  readonly renamedFrom?: string;
  readonly yes?: true;
}

const places: readonly InventoryBackend[] = ["file", "service", "postgres"];

/** The command, to be added to the program. */
export function moveInventoryCommand(): Command {
  const command = new Command("move-inventory")
    .description(
      "Take the inventory of a stack along to where the Stack keeps it now, with what its pipelines have recorded. A file is put " +
        "aside; nothing else is written on the server.\n" +
        "Ends with 5 when it needs confirmation.",
    )
    .argument("[paths...]", pathsHelp)
    .option("--from <place>", "where it is: file, service, postgres, or the path of a file", "file")
    .addOption(
      new Option(
        "--renamed-from <stack>",
        "take over the inventory that this stack has under the name it was called before, in the same place; asks",
      ).conflicts("from"),
    )
    .option("-y, --yes", "do not ask")
    .action((paths: string[], flags: Flags) =>
      runAction(flags, (context) => {
        const connection = () => serverAccess(flags);
        const options = { ...loadOptions(paths, flags), connection };
        const { renamedFrom } = flags;
        if (renamedFrom !== undefined) return rename({ ...options, renamedFrom }, flags, context);
        return move({ ...options, ...sourceOf(flags.from) }, context);
      }),
    );
  return outputOptions(connectionOptions(stackOptions(command)));
}

async function move(options: MoveOptions, { output }: CommandContext): Promise<number> {
  const done = await moveInventory(options);
  if (!done.ok) return reportInvalidManifests(output, done.diagnostics);
  const { ok: _, diagnostics: __, ...moved } = done;
  output.result({ text: () => movedText(moved), json: () => ({ ...moved }) });
  return exitCodes.done;
}

async function rename(
  options: Omit<RenameOptions, "approve">,
  flags: Flags,
  { output, signal, interrupt }: CommandContext,
): Promise<number> {
  let answer: Result | undefined;
  const approve: RenameOptions["approve"] = async ({ stack, renamedFrom, objectCount: owned }) => {
    if (flags.yes === true) return true;
    const objects = pluralize(owned, "object");
    output.info(() => `would give the inventory of stack ${renamedFrom} (${objects}) to ${stack}`);
    if (!isInteractive()) {
      answer = confirmationRequired({ stack, renamedFrom, owned });
      return false;
    }
    interrupt.setPrompting(true);
    const yes = await confirm("Take it over?", signal);
    interrupt.setPrompting(false);
    if (!yes) answer = declined();
    return yes;
  };
  const done = await renameInventory({ ...options, approve });
  if (!done.ok) return reportInvalidManifests(output, done.diagnostics);
  const { renamed } = done;
  if (renamed !== undefined) {
    output.result({ text: () => renamedText(renamed), json: () => ({ ...renamed }) });
    return exitCodes.done;
  }
  output.warn(() => "not confirmed: nothing was written");
  if (answer !== undefined) output.result(answer);
  return exitCodes.confirmation;
}

/** A word is a place; everything else the path of a file. */
function sourceOf(text: string): Pick<MoveOptions, "from" | "file"> {
  const from = places.find((place) => place === text);
  return from === undefined ? { from: "file", file: text } : { from };
}

function movedText({ stack, objectCount: owned, from, to, backupFile: kept }: MoveResult): string {
  const moved = `The inventory of stack ${stack} (${owned} objects) is moved from ${from} to ${to}`;
  return kept === undefined ? `${moved}.` : `${moved}; its file is kept as ${kept}.`;
}

function renamedText({
  stack,
  renamedFrom,
  objectCount: owned,
  backupFile: kept,
}: RenameResult): string {
  const objects = pluralize(owned, "object");
  const done = `The inventory of stack ${renamedFrom} (${objects}) is that of ${stack} now`;
  return kept === undefined ? `${done}.` : `${done}; its file is kept as ${kept}.`;
}
