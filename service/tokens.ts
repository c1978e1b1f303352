// Signed tokens: HS256 under a key that never lies in the database; each purpose has a key of its own.
import { hkdfSync } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import { limits } from "../core/limits.ts";
import type { Secret } from "../core/secret.ts";

/** What an embed token says: whose it is, and by which session. */
export interface EmbedClaims {
  readonly userId: number;
  /** `id` of the session's row. */
  readonly sessionId: number;
  /** Name of the embed tenant, for an external user's session. */
  readonly embedTenantName?: string;
}

/** Makes and reads tokens. Signing leaves the thread, so it is never awaited inside a transaction. */
export interface Tokens {
  /** A token that lives as long as the limits say. */
  issueEmbedToken(claims: EmbedClaims): Promise<string>;
  /** What a token says, or undefined when it is not ours, torn or expired. */
  readEmbedToken(token: string): Promise<EmbedClaims | undefined>;
}

const embedAudience = "embed";
const numeric = /^[1-9][0-9]{0,9}$/;

/** Tokens under `root`, with `now` as the clock (milliseconds since 1970). */
export function makeTokens(root: Secret, now: () => number): Tokens {
  const key = derived(root, "embed-token");
  return {
    async issueEmbedToken({ userId, sessionId, embedTenantName }) {
      const issued = Math.floor(now() / 1000);
      const tenant = embedTenantName === undefined ? {} : { tenant: embedTenantName };
      return new SignJWT({ sid: sessionId, ...tenant })
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setSubject(String(userId))
        .setAudience(embedAudience)
        .setIssuedAt(issued)
        .setExpirationTime(issued + limits.embedTokenSeconds)
        .sign(key);
    },
    async readEmbedToken(token) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ["HS256"],
          audience: embedAudience,
          requiredClaims: ["exp", "sub", "sid"],
          currentDate: new Date(now()),
        });
        return claimsOf(payload);
      } catch {
        // Whatever is wrong with it, to the caller it is no credential.
        return undefined;
      }
    },
  };
}

function claimsOf(payload: Readonly<Record<string, unknown>>): EmbedClaims | undefined {
  const { sub, sid, tenant } = payload;
  if (typeof sub !== "string" || !numeric.test(sub) || typeof sid !== "number") return undefined;
  const claims = { userId: Number(sub), sessionId: sid };
  return typeof tenant === "string" ? { ...claims, embedTenantName: tenant } : claims;
}

function derived(root: Secret, purpose: string): Uint8Array {
  const material = Buffer.from(root.reveal(), "base64url");
  return new Uint8Array(hkdfSync("sha256", material, "", `svc ${purpose}`, 32));
}
