// Area embed: sessions of signed embedding.
import { exchangeSession, generateSession, revokeSession } from "../../../api/embed.ts";
import { Failure } from "../../../core/errors.ts";
import { behave, behaveThen, type Behaviour } from "../../area.ts";
import { revoke, takeSession } from "./exchange.ts";
import { mintSession } from "./session.ts";

/** What the operations of the area do. */
export const embed: readonly Behaviour[] = [
  behave(generateSession, async ({ db, body, now }) => ({
    sessionId: await mintSession(db, body, now()),
  })),
  behaveThen(
    exchangeSession,
    async ({ db, body, now, account }) => {
      const { embeddingEnabled } = await account();
      if (embeddingEnabled) return takeSession(db, body.sessionId, now());
      throw new Failure("forbidden", "embedding is switched off for this account");
    },
    async (claims, { tokens }) => ({ token: await tokens.issueEmbedToken(claims) }),
  ),
  behave(revokeSession, async ({ db, body, now }) => revoke(db, body.sessionId, now())),
];
