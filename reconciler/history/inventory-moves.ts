// Notes in the history about moves of an inventory, and the refusal to undo one, with the command that moves it back.
import { Failure } from "../../core/errors.ts";
import { parseAddress } from "../../core/kind/identity.ts";
import type { RunRecord, Stack } from "../model/index.ts";
import { stackCommand } from "../model/shell-command.ts";

/** The messages of the runs that move an inventory or one of its entries. */
export const moveNotes = {
  handedTo: (address: string, stack: string) => `${address} to stack ${stack}`,
  receivedFrom: (address: string, stack: string) => `${address} from stack ${stack}`,
  renamedFrom: (stack: string) => `renamed from stack ${stack}`,
  newAddress: (formerUrl: string, url: string) => `the server ${formerUrl} is now ${url}`,
} as const;

type StackOfMove = Pick<Stack, "name" | "displayPath">;

/** Returns the failure of the undo of a move: no object was changed, and the inventory stays where it is. */
export function moveNotUndoneError(
  { id, message }: Pick<RunRecord, "id" | "message">,
  stack: StackOfMove,
): Failure {
  const what = message === undefined ? "" : ` (${message})`;
  return new Failure(
    "refused",
    `run ${id} moved the inventory${what}, and undo reverts only changes of objects`,
    { remedy: moveBackRemedy(message ?? "", stack) },
  );
}

function moveBackRemedy(message: string, stack: StackOfMove): string {
  const [, address = "", direction, other = ""] =
    /^(.+) (from|to) stack (\S+)$/u.exec(message) ?? [];
  const isEntry = parseAddress(address) !== undefined;
  if (isEntry && direction === "from") {
    return `To move it back, run \`${stackCommand(stack, "inventory", "move", "--to", other, address)}\`.`;
  }
  if (isEntry) {
    const here = stack.displayPath === undefined ? stack.name : stack.displayPath || ".";
    const command = stackCommand({}, "inventory", "move", address, "PATH", "--to", here);
    return `To move it back, run \`${command}\`: PATH is the folder of stack ${JSON.stringify(other)}.`;
  }
  if (message === moveNotes.renamedFrom(other)) {
    const command = stackCommand(stack, "inventory", "move", "--renamed-from", stack.name);
    return `To rename it back, name the Stack ${other} again, and run \`${command}\`.`;
  }
  const [, formerUrl, url = ""] = /^the server (\S+) is now (\S+)$/u.exec(message) ?? [];
  if (formerUrl === undefined) return "`svc inventory move` moves it back.";
  const command = stackCommand(stack, "inventory", "move", "--former-url", url);
  return `To record the former address again, connect to ${formerUrl}, and run \`${command}\`.`;
}
