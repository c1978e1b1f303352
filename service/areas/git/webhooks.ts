// Webhooks of Git providers.
import { Failure } from "../../../core/errors.ts";
import { Secret } from "../../../core/secret.ts";
import { isAuthentic } from "../../../git/webhook-signature.ts";
import type { Call } from "../shared/operation-handler.ts";

/**
 * Throws `unauthenticated` for a webhook that is not signed with the secret, and for every webhook if there is no
 * secret.
 */
export function requireSigned(
  secret: string | undefined,
  { headers, bodyText }: Pick<Call, "headers" | "bodyText">,
): void {
  if (secret !== undefined && isAuthentic(new Secret(secret), headers, bodyText)) return;
  throw new Failure(
    "unauthenticated",
    "the webhook is not signed with the secret that is stored here; compare the secret at the provider with webhookSecret",
  );
}
