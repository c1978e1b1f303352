// Signed tokens: HS256 under a key that never lies in the database; each purpose has a key of its own.
import { createHmac } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import { limits } from "../../core/limits.ts";
import type { Secret } from "../../core/secret.ts";
import { deriveKey } from "./secret-key.ts";

/** What an embed token says: whose it is, and by which session. */
export interface EmbedClaims {
  readonly userId: number;
  /** `id` of the session's row. */
  readonly sessionId: number;
  /** Name of the embed tenant, for an external user's session. */
  readonly embedTenantName?: string;
}

/** What a token for a deployment's data says. */
export interface DataClaims {
  readonly userId: number;
  readonly deploymentId: number;
  /** How long it lives. */
  readonly seconds: number;
}

/** Makes and reads tokens. Signing leaves the thread, so it is never awaited inside a transaction. */
export interface Tokens {
  /** A token that lives as long as the limits say. */
  issueEmbedToken(claims: EmbedClaims): Promise<string>;
  /** A token for a deployment's data API, which is no credential for anything else. */
  issueDataToken(claims: DataClaims): Promise<string>;
  /** What a token says, or undefined when it is not ours, torn or expired. */
  readEmbedToken(token: string): Promise<EmbedClaims | undefined>;
  /** A short mark of `text` that nobody without the key can make: 12 hexadecimal digits. */
  shortHmac(text: string): string;
}

const embedAudience = "embed";
const dataAudience = "data";
const rowIdPattern = /^[1-9][0-9]{0,9}$/;

/**
 * Tokens under `root`, with `now` as the clock (milliseconds since 1970); those under `earlier` roots are read until they
 * expire.
 */
export function makeTokens(
  root: Secret,
  now: () => number,
  earlier: readonly Secret[] = [],
): Tokens {
  const key = deriveKey(root, "embed-token");
  const earlierKeys = earlier.map((one) => deriveKey(one, "embed-token"));
  const dataKey = deriveKey(root, "data-token");
  const markKey = deriveKey(root, "mark");
  return {
    shortHmac: (text) => createHmac("sha256", markKey).update(text).digest("hex").slice(0, 12),
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
    async issueDataToken({ userId, deploymentId, seconds }) {
      const issued = Math.floor(now() / 1000);
      return new SignJWT({ deploymentId })
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setSubject(String(userId))
        .setAudience(dataAudience)
        .setIssuedAt(issued)
        .setExpirationTime(issued + seconds)
        .sign(dataKey);
    },
    async readEmbedToken(token) {
      for (const one of [key, ...earlierKeys]) {
        const payload = await verifyToken(token, one, now());
        if (payload) return parseClaims(payload);
      }
      return undefined;
    },
  };
}

/** What a token says that was signed under `key`; undefined where it was not, or is over: to the caller it is no credential. */
async function verifyToken(token: string, key: Uint8Array, now: number) {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ["HS256"],
      audience: embedAudience,
      requiredClaims: ["exp", "sub", "sid"],
      currentDate: new Date(now),
    });
    return payload;
  } catch {
    return undefined;
  }
}

function parseClaims(payload: Readonly<Record<string, unknown>>): EmbedClaims | undefined {
  const { sub, sid, tenant } = payload;
  if (typeof sub !== "string" || !rowIdPattern.test(sub) || typeof sid !== "number")
    return undefined;
  const claims = { userId: Number(sub), sessionId: sid };
  return typeof tenant === "string" ? { ...claims, embedTenantName: tenant } : claims;
}
