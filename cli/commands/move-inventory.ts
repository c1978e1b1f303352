// `svc move-inventory`: from where a stack's inventory was to where the Stack keeps it now.
import { Command } from "commander";
import { type Moved, type MoveOptions, moveInventory } from "../../reconciler/keeping.ts";
import type { InventoryPlace } from "../../reconciler/model.ts";
import { type ConnectionFlags, connectionOptions, serverAccess } from "../connection.ts";
import { exits } from "../exit.ts";
import { type OutputFlags, outputOptions } from "../output.ts";
import { perform } from "../perform.ts";
import { loadOptions, pathsHelp, type StackFlags, stackOptions } from "../stack-options.ts";
import { reportMistakes } from "../verb.ts";

interface Flags extends StackFlags, ConnectionFlags, OutputFlags {
  readonly from: string;
}

const places: readonly InventoryPlace[] = ["file", "service", "postgres"];

/** The command, to be added to the program. */
export function moveInventoryCommand(): Command {
  const command = new Command("move-inventory")
    .description(
      "Take the inventory of a stack along to where the Stack keeps it now, with what its pipelines have recorded. A file is put " +
        "aside; nothing else is written on the server.",
    )
    .argument("[paths...]", pathsHelp)
    .option("--from <place>", "where it is: file, service, postgres, or the path of a file", "file")
    .action((paths: string[], flags: Flags) =>
      perform(flags, async ({ output }) => {
        const connection = () => serverAccess(flags);
        const from = fromOf(flags.from);
        const done = await moveInventory({ ...loadOptions(paths, flags), connection, ...from });
        if (!done.ok) return reportMistakes(output, done.diagnostics);
        const { ok: _, diagnostics: __, ...moved } = done;
        output.result({ text: () => movedText(moved), json: () => ({ ...moved }) });
        return exits.done;
      }),
    );
  return outputOptions(connectionOptions(stackOptions(command)));
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
