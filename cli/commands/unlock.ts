// `svc unlock ID`: breaks the lock that a dead run left behind.
import { Command } from "commander";
import { isFailure } from "../../core/errors.ts";
import { fileInventory } from "../../reconciler/inventory/file.ts";
import { loadStack } from "../../reconciler/manifest/load.ts";
import type { Stack } from "../../reconciler/model.ts";
import { recordStore } from "../../reconciler/promote/keeper.ts";
import { exits } from "../exit.ts";
import { type OutputFlags, outputOptions } from "../output.ts";
import { perform } from "../perform.ts";
import { loadOptions, pathsHelp, type StackFlags, stackOptions } from "../stack-options.ts";
import { reportMistakes } from "../verb.ts";

/** The command, to be added to the program. */
export function unlockCommand(): Command {
  const command = new Command("unlock")
    .description(
      "Break the lock of a stack. Make sure first that the run which held it is dead: two runs at once " +
        "would undo each other's work.",
    )
    .argument("<id>", "the lock's id, as the refused run told it")
    .argument("[paths...]", pathsHelp)
    .action((id: string, paths: string[], flags: StackFlags & OutputFlags) =>
      perform(flags, async ({ output }) => {
        const { desired, diagnostics } = await loadStack(loadOptions(paths, flags));
        if (desired === undefined) return reportMistakes(output, diagnostics);
        const { name } = desired.stack;
        await breakLock(id, desired.stack);
        output.result({
          text: () => `The lock ${id} on stack ${name} is broken.`,
          json: () => ({ unlocked: id, stack: name }),
        });
        return exits.done;
      }),
    );
  return outputOptions(stackOptions(command));
}

/** The lock may be that of the stack's pipelines; where it is not either, the first answer stands. */
async function breakLock(id: string, stack: Stack): Promise<void> {
  const { inventoryFile, name, seenAt } = stack;
  try {
    await fileInventory(inventoryFile, name, { seenAt }).unlock(id);
  } catch (error) {
    if (!isFailure(error, "not_found") && !isFailure(error, "refused")) throw error;
    if (!(await isBroken(id, stack))) throw error;
  }
}

async function isBroken(id: string, stack: Stack): Promise<boolean> {
  try {
    await recordStore(stack).unlock(id);
    return true;
  } catch {
    return false;
  }
}
