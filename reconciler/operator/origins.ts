// Origins as people grant them, as addresses have them, and as an inventory remembers its server: one form to compare.
import { Failure } from "../../core/errors.ts";
import type { Inventory } from "../model/index.ts";

/** `https://host`, in small letters and without the port that goes without saying; `https://*.host` likewise. What is no address stays as it is. */
export function normalizeOrigin(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : text;
}

/** True for what can be granted: http or https, a host, `*.` before it for every host below, and nothing behind. */
export function isGrantableOrigin(text: string): boolean {
  return /^https?:\/\/(?:\*\.)?[^/?#@\s*]+\/?$/iu.test(text) && URL.canParse(text);
}

/** Fails with `refused` where the stack was applied to another server than the one that is connected to. */
export function rejectOtherOrigin({ origin, stack }: Inventory, connected: string): void {
  if (origin === undefined || origin === connected) return;
  throw new Failure(
    "refused",
    `stack ${stack} was applied to ${origin}, and you are connected to ${connected}`,
    {
      remedy: "connect to that server, or give this one an inventory file of its own",
    },
  );
}
