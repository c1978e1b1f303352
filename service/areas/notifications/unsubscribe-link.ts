// The link in a notification's mails that unsubscribes the recipient. Pure.
import type { Tokens } from "../../security/tokens.ts";
import type { SubscriptionKey } from "./own-subscription.ts";

/** The path of the page. */
export const unsubscribePath = "/notifications/unsubscribe";

/** Returns the link of a recipient at the address of its account. */
export type UnsubscribeLink = (key: SubscriptionKey) => string;

/**
 * Returns the links of an account. Its first custom domain, otherwise its host, replaces the host of the server's
 * public address. An account without hosts uses the public address. Returns undefined if there is no public address.
 */
export function unsubscribeLinks(
  publicUrl: string | undefined,
  { hosts, tokens }: { readonly hosts: readonly string[]; readonly tokens: Tokens },
): UnsubscribeLink | undefined {
  if (publicUrl === undefined) return undefined;
  const address = new URL(publicUrl);
  const host = hosts[1] ?? hosts[0];
  if (host !== undefined) address.hostname = host;
  return (key) => `${address.origin}${unsubscribePath}?token=${tokens.unsubscribeToken(key)}`;
}
