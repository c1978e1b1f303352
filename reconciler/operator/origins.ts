// Normalizes and checks origins of servers.
import { Failure } from "../../core/errors.ts";
import type { Inventory, Stack } from "../model/index.ts";
import { stackCommand } from "../model/shell-command.ts";

/** Returns `https://host` in lower case and without the default port; accepts `https://*.host`. Other text is returned as is. */
export function normalizeOrigin(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : text;
}

/** Returns true for an origin that can be granted: `http(s)://host`, or `*.host` for all subdomains, and nothing after it. */
export function isGrantableOrigin(text: string): boolean {
  return /^https?:\/\/(?:\*\.)?[^/?#@\s*]+\/?$/iu.test(text) && URL.canParse(text);
}

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
