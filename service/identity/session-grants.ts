// Grants that signed-in users give to clients.
import type { Provider } from "oidc-provider";
import { Failure } from "../../core/errors.ts";
import { toTimestamp } from "../store/codec.ts";
import { inTransaction } from "../store/transaction.ts";
import type { BrowserSession } from "./browser-sessions.ts";
import { oauthAdapter } from "./oauth-adapter.ts";
import type { OAuthStore } from "./oauth-store.ts";

/** The rights that a user grants. */
export interface SessionGrant {
  readonly session: BrowserSession;
  readonly clientId: string;
  /** Scopes of the API. */
  readonly scopes: readonly string[];
  /** Scopes that give no rights on the API. */
  readonly general?: readonly string[];
}

/**
 * Stores a grant and returns its ID. It ends with the identity provider at which the user signed in. Throws
 * `unauthenticated` if the session ended meanwhile.
 */
export async function grantAccess(
  store: OAuthStore,
  server: Provider,
  { session, clientId, scopes, general = [] }: SessionGrant,
): Promise<string> {
  const grant = new server.Grant({ accountId: String(session.id), clientId });
  grant.addResourceScope(server.issuer, scopes.join(" "));
  if (general.length > 0) grant.addOIDCScope(general.join(" "));
  const grantId = await grant.save();
  if (await bindGrant(store, grantId, session)) return grantId;
  await oauthAdapter(store, "Grant").revokeByGrantId(grantId);
  throw new Failure("unauthenticated", "you are no longer signed in; start again");
}

/** Binds a grant to the provider of its session. Returns false if the session ended. */
function bindGrant(
  { db, now }: OAuthStore,
  grantId: string,
  { sessionId }: BrowserSession,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const current = await tx
      .selectFrom("browser_sessions")
      .select("provider_id")
      .where("id", "=", sessionId)
      .where("expires_at", ">", toTimestamp(now()))
      .executeTakeFirst();
    if (!current) return false;
    await tx
      .updateTable("oauth_records")
      .set(current)
      .where("grant_id", "=", grantId)
      .where("model", "=", "Grant")
      .execute();
    return true;
  });
}
