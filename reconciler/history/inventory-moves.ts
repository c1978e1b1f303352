// Refuses to undo a move of an inventory, and names the command that moves it back.
import { Failure } from "../../core/errors.ts";
import type { MoveRecord, RunRecord, Stack } from "../model/index.ts";
import { stackCommand } from "../model/shell-command.ts";

type StackOfMove = Pick<Stack, "name" | "displayPath">;

/** Returns the failure of the undo of a move: no object was changed, and the inventory stays where it is. */
export function moveNotUndoneError(
  { id, message, move }: Pick<RunRecord, "id" | "message" | "move">,
  stack: StackOfMove,
): Failure {
  const what = message === undefined ? "" : ` (${message})`;
  return new Failure(
    "refused",
    `run ${id} moved the inventory${what}, and undo reverts only changes of objects`,
    { remedy: move === undefined ? generalRemedy : moveBackRemedy(move, stack) },
  );
}

/** For a move that an earlier version recorded. */
const generalRemedy =
  "`svc inventory move ADDRESS --to STACK` moves an entry back; `svc inventory move --help` lists the other moves.";

function moveBackRemedy(move: MoveRecord, stack: StackOfMove): string {
  switch (move.type) {
    case "entry-from":
      return `To move it back, run \`${stackCommand(stack, "inventory", "move", "--to", move.stack, move.address)}\`.`;
    case "entry-to": {
      const here = stack.displayPath === undefined ? stack.name : stack.displayPath || ".";
      const command = stackCommand({}, "inventory", "move", move.address, "PATH", "--to", here);
      return `To move it back, run \`${command}\`: PATH is the folder of stack ${JSON.stringify(move.stack)}.`;
    }
    case "name": {
      const command = stackCommand(stack, "inventory", "move", "--renamed-from", stack.name);
      return `To rename it back, name the Stack ${move.from} again, and run \`${command}\`.`;
    }
    case "server": {
      const command = stackCommand(stack, "inventory", "move", "--former-url", move.to);
      return `To record the former address again, connect to ${move.from}, and run \`${command}\`.`;
    }
  }
}
