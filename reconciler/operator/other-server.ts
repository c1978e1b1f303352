// Refuses to act on another server than the one that the stack was applied to.
import { Failure } from "../../core/errors.ts";
import type { Inventory, Stack } from "../model/index.ts";
import { stackCommand } from "../model/shell-command.ts";

/** A stack whose inventory was read from `store`, and the connected server. */
interface ConnectedStack {
  readonly desired: {
    readonly stack: Pick<Stack, "displayPath" | "stateFolder" | "inventoryFile">;
  };
  readonly client: { readonly origin: string };
  readonly store: { readonly location: string };
}

/** Fails with `refused` if the stack was applied to a server other than the connected one. */
export function rejectOtherOrigin({ origin, stack }: Inventory, session: ConnectedStack): void {
  const connected = session.client.origin;
  if (origin === undefined || origin === connected) return;
  throw new Failure(
    "refused",
    `stack ${stack} was applied to ${origin}, and you are connected to ${connected}`,
    {
      remedy: `Connect to ${origin} with --url or SVC_API_URL; if that server has the address ${connected} now, ${moveSteps(origin, session)}; for another server, give the stack another inventory.`,
    },
  );
}

function moveSteps(origin: string, { desired: { stack }, store }: ConnectedStack): string {
  const words = ["inventory", "move", "--former-url", origin];
  const { stateFolder, inventoryFile } = stack;
  if (stateFolder === undefined || store.location !== inventoryFile)
    return `run \`${stackCommand(stack, ...words)}\``;
  // The command needs the Stack beside the inventory, and a controller keeps the inventory apart from it.
  const command = stackCommand({ displayPath: stateFolder }, ...words);
  return `copy the Stack document, with \`inventory: file\`, to ${stateFolder}, run \`${command}\`, and delete the copy`;
}
