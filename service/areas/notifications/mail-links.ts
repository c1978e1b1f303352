// The links in a notification's mails: one shows the dashboard, one unsubscribes the recipient. Pure.
import type { Tokens } from "../../security/tokens.ts";
import type { SubscriptionKey } from "./own-subscription.ts";

/** The path of the page that unsubscribes. */
export const unsubscribePath = "/notifications/unsubscribe";

/** The links of the mails of an account. */
export interface MailLinks {
  /** Returns the link of a recipient. */
  readonly unsubscribe: (key: SubscriptionKey) => string;
  /** Returns the address of the page that shows a dashboard to users of the account. */
  readonly dashboard: (publicId: string) => string;
}

/**
 * Returns the links of an account. Its first custom domain, otherwise its host, replaces the host of the server's
 * public address. An account without hosts uses the public address. Returns undefined if there is no public address.
 */
export function mailLinks(
  publicUrl: string | undefined,
  { hosts, tokens }: { readonly hosts: readonly string[]; readonly tokens: Tokens },
): MailLinks | undefined {
  if (publicUrl === undefined) return undefined;
  const address = new URL(publicUrl);
  const host = hosts[1] ?? hosts[0];
  if (host !== undefined) address.hostname = host;
  const { origin } = address;
  return {
    unsubscribe: (key) => `${origin}${unsubscribePath}?token=${tokens.unsubscribeToken(key)}`,
    dashboard: (publicId) => `${origin}/embed/dashboard/${publicId}`,
  };
}
