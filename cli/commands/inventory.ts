// `svc inventory`: shows, moves and unlocks the inventory of a stack.
import { Command } from "commander";
import { inventoryMoveCommand } from "./inventory-move.ts";
import { inventoryShowCommand } from "./inventory-show.ts";
import { inventoryUnlockCommand } from "./inventory-unlock.ts";

/** Returns the `inventory` command. */
export function inventoryCommand(): Command {
  return new Command("inventory")
    .description("Show, move or unlock the inventory of a stack: the record of what it owns.")
    .addCommand(inventoryShowCommand().summary("list what the stack owns, and who holds the lock"))
    .addCommand(
      inventoryMoveCommand().summary(
        "move the inventory to another backend, or one object to another stack",
      ),
    )
    .addCommand(inventoryUnlockCommand().summary("break the lock of a run that died"));
}
