// Refuses to act on another server than the one that the stack was applied to.
import { Failure } from "../../core/errors.ts";
import type { Inventory, Stack } from "../model/index.ts";
import { stackCommand } from "../model/shell-command.ts";

/** Fails with `refused` if the stack was applied to a server other than the connected one. */
export function rejectOtherOrigin(
  { origin, stack }: Inventory,
  connected: string,
  shown: Pick<Stack, "displayPath">,
): void {
  if (origin === undefined || origin === connected) return;
  const move = stackCommand(shown, "inventory", "move", "--former-url", origin);
  throw new Failure(
    "refused",
    `stack ${stack} was applied to ${origin}, and you are connected to ${connected}`,
    {
      remedy: `connect to ${origin} with --url or SVC_API_URL; if that server has the address ${connected} now, run \`${move}\`; for another server, give the stack another inventory`,
    },
  );
}
