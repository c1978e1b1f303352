// `svc move-inventory`: from where a stack's inventory was to where the Stack keeps it now.
import { Command, Option } from "commander";
import {
  type Moved,
  type MoveOptions,
  moveInventory,
  type Renamed,
  renameInventory,
  type RenameOptions,
} from "../../reconciler/keeping.ts";
import type { InventoryPlace } from "../../reconciler/model.ts";
import { type ConnectionFlags, connectionOptions, serverAccess } from "../connection.ts";
import { exits } from "../exit.ts";
import { counted } from "../../reconciler/report/visible.ts";
import { ask } from "../confirm.ts";
import { type OutputFlags, outputOptions, type Result } from "../output.ts";
import { type Context, perform } from "../perform.ts";
import { isInteractive } from "../streams.ts";
import { declined, unconfirmed } from "../unwritten.ts";
import { loadOptions, pathsHelp, type StackFlags, stackOptions } from "../stack-options.ts";
import { reportMistakes } from "../verb.ts";

interface Flags extends StackFlags, ConnectionFlags, OutputFlags {
  readonly from: string;
  readonly renamedFrom?: string;
  readonly yes?: true;
}

const places: readonly InventoryPlace[] = ["file", "service", "postgres"];

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
      perform(flags, (context) => {
        const connection = () => serverAccess(flags);
        const options = { ...loadOptions(paths, flags), connection };
        const { renamedFrom } = flags;
        if (renamedFrom !== undefined) return rename({ ...options, renamedFrom }, flags, context);
        return move({ ...options, ...fromOf(flags.from) }, context);
      }),
    );
  return outputOptions(connectionOptions(stackOptions(command)));
}

async function move(options: MoveOptions, { output }: Context): Promise<number> {
  const done = await moveInventory(options);
  if (!done.ok) return reportMistakes(output, done.diagnostics);
  const { ok: _, diagnostics: __, ...moved } = done;
  output.result({ text: () => movedText(moved), json: () => ({ ...moved }) });
  return exits.done;
}

async function rename(
  options: Omit<RenameOptions, "approve">,
  flags: Flags,
  { output, signal, interrupt }: Context,
): Promise<number> {
  let answer: Result | undefined;
  const approve: RenameOptions["approve"] = async ({ stack, renamedFrom, owned }) => {
    if (flags.yes === true) return true;
    const objects = counted(owned, "object");
    output.tell(() => `would give the inventory of stack ${renamedFrom} (${objects}) to ${stack}`);
    if (!isInteractive()) {
      answer = unconfirmed({ stack, renamedFrom, owned });
      return false;
    }
    interrupt.asking(true);
    const yes = await ask("Take it over?", signal);
    interrupt.asking(false);
    if (!yes) answer = declined();
    return yes;
  };
  const done = await renameInventory({ ...options, approve });
  if (!done.ok) return reportMistakes(output, done.diagnostics);
  const { renamed } = done;
  if (renamed !== undefined) {
    output.result({ text: () => renamedText(renamed), json: () => ({ ...renamed }) });
    return exits.done;
  }
  output.warn(() => "not confirmed: nothing was written");
  if (answer !== undefined) output.result(answer);
  return exits.confirmation;
}

/** A word is a place; everything else the path of a file. */
function fromOf(text: string): Pick<MoveOptions, "from" | "file"> {
  const from = places.find((place) => place === text);
  return from === undefined ? { from: "file", file: text } : { from };
}

function movedText({ stack, owned, from, to, kept }: Moved): string {
  const moved = `The inventory of stack ${stack} (${owned} objects) is moved from ${from} to ${to}`;
  return kept === undefined ? `${moved}.` : `${moved}; its file is kept as ${kept}.`;
}

function renamedText({ stack, renamedFrom, owned, kept }: Renamed): string {
  const objects = counted(owned, "object");
  const done = `The inventory of stack ${renamedFrom} (${objects}) is that of ${stack} now`;
  return kept === undefined ? `${done}.` : `${done}; its file is kept as ${kept}.`;
}
