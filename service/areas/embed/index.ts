// Area embed: sessions of signed embedding.
import { exchangeSession, generateSession, revokeSession } from "../../../api/embed.ts";
import { Failure } from "../../../core/errors.ts";
import { handle, handleThenFinish, type OperationHandler } from "../operation-handler.ts";
import { requirePermission } from "../../security/require-permission.ts";
import { revoke, consumeSession } from "./exchange.ts";
import { createSession } from "./session.ts";

/** The handlers of this area. */
export const embed: readonly OperationHandler[] = [
  handle(generateSession, async ({ db, body, now, principal }) => {
    // The session has all permissions of an internal user, or of its roles, which the key may lack.
    if ((body.internalId ?? body.roles) != null && principal.limits.actions) {
      requirePermission(principal, "All", []);
    }
    const credential = principal.limits;
    return { sessionId: await createSession(db, body, { now: now(), credential }) };
  }),
  handleThenFinish(
    exchangeSession,
    async ({ db, body, now, account }) => {
      const { embeddingEnabled } = await account();
      if (embeddingEnabled) return consumeSession(db, body.sessionId, now());
      throw new Failure(
        "forbidden",
        "embedding is disabled for this account; an administrator can enable it in the tenant settings",
      );
    },
    async (claims, { tokens }) => ({ token: await tokens.issueEmbedToken(claims) }),
  ),
  handle(revokeSession, async ({ db, body, now }) => revoke(db, body.sessionId, now())),
];
