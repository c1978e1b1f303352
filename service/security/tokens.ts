// Signed tokens: HS256, with a separate key per purpose, derived outside the database.
import { createHmac, createSecretKey } from "node:crypto";
import { type JWTPayload, jwtVerify, SignJWT } from "jose";
import { isObject, type JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Secret } from "../../core/secret.ts";
import { deriveKey } from "./secret-key.ts";
import { makeUnsubscribeTokens, type UnsubscribeTokens } from "./unsubscribe-tokens.ts";

/** The claims of an embed token. */
export interface EmbedClaims {
  readonly userId: number;
  /** `id` of the session's row. */
  readonly sessionId: number;
  /** The name of the embed tenant, for an external user's session. */
  readonly embedTenantName?: string;
  /** The content of the embedded page: the session's settings, branch, dashboard and theme. */
  readonly page?: JsonObject;
}

/** The claims of a valid embed token. */
export interface ReadEmbedClaims extends EmbedClaims {
  /** False once the token is too old to carry administrator rights. */
  readonly mayAdminister: boolean;
}

/** The credential that creates a data token. */
export interface TokenCreator {
  readonly userId: number;
  /** The ID of the credential: of an API key, an embed session or a sign-in. The token ends with it. */
  readonly createdBy: string;
  /** How often the user was deactivated. The token ends with the next time. */
  readonly deactivations: number;
}

/** The claims of a data token of a deployment. */
export interface DataClaims extends EnvironmentClaims, TokenCreator {
  readonly deploymentId: number;
  /** Lifetime. */
  readonly seconds: number;
  /** Seconds since 1970 (default: now). */
  readonly issuedAt?: number;
}

/** The limits of a data token to one environment. */
export interface EnvironmentClaims {
  /** Absent for all environments of the deployment. */
  readonly environmentId?: number;
  /** The security context that the data model reads; absent if it is unknown. */
  readonly securityContext?: JsonObject;
  /** The scopes of the token; absent if it is not limited. */
  readonly scopes?: readonly string[];
}

/** The claims of a valid data token. */
export type ReadDataClaims = Omit<DataClaims, "seconds" | "issuedAt">;

/** Creates and verifies tokens. Signing is asynchronous, so never await it inside a transaction. */
export interface Tokens extends UnsubscribeTokens {
  /** Creates an embed token with the lifetime in the limits. */
  issueEmbedToken(claims: EmbedClaims): Promise<string>;
  /** Creates a token for a deployment's data API. It is not a credential for this API. */
  issueDataToken(claims: DataClaims): Promise<string>;
  /** Returns the claims of a data token; undefined if it is foreign, malformed or expired. */
  readDataToken(token: string): Promise<ReadDataClaims | undefined>;
  /** Returns the claims of a token; undefined if it is foreign, malformed or expired. */
  readEmbedToken(token: string): Promise<ReadEmbedClaims | undefined>;
  /** Keys that sign the cookies of the OAuth server: the current one first. */
  readonly cookieKeys: readonly string[];
  /** Returns a short authentication code of `text`: 12 hexadecimal digits. */
  shortHmac(text: string): string;
}

const embedAudience = "embed";
const dataAudience = "data";
const rowIdPattern = /^[1-9][0-9]{0,9}$/;

/**
 * Creates the tokens of an account under `root`. `now` is the clock, in milliseconds since 1970. Tokens under
 * `earlier` roots stay valid until they expire.
 */
export function makeTokens(
  root: Secret,
  now: () => number,
  earlier: readonly Secret[] = [],
): Tokens {
  const key = deriveKey(root, "embed-token");
  const earlierKeys = earlier.map((one) => deriveKey(one, "embed-token"));
  const dataKey = deriveKey(root, "data-token");
  const earlierDataKeys = earlier.map((one) => deriveKey(one, "data-token"));
  // Each call of createHmac would convert bytes to a key.
  const markKey = createSecretKey(deriveKey(root, "mark"));
  return {
    cookieKeys: [root, ...earlier].map((one) =>
      deriveKey(one, "oauth-cookie").toString("base64url"),
    ),
    shortHmac: (text) => createHmac("sha256", markKey).update(text).digest("hex").slice(0, 12),
    ...makeUnsubscribeTokens([root, ...earlier]),
    async issueEmbedToken({ userId, sessionId, embedTenantName, page }) {
      const issued = Math.floor(now() / 1000);
      const tenant = embedTenantName === undefined ? {} : { tenant: embedTenantName };
      return new SignJWT({ ...page, sid: sessionId, ...tenant })
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setSubject(String(userId))
        .setAudience(embedAudience)
        .setIssuedAt(issued)
        .setExpirationTime(issued + limits.embedTokenSeconds)
        .sign(key);
    },
    async issueDataToken({ userId, seconds, issuedAt, ...claims }) {
      const issued = issuedAt ?? Math.floor(now() / 1000);
      return new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setSubject(String(userId))
        .setAudience(dataAudience)
        .setIssuedAt(issued)
        .setExpirationTime(issued + seconds)
        .sign(dataKey);
    },
    async readEmbedToken(token) {
      const expected = { audience: embedAudience, requiredClaims: ["exp", "sub", "sid"] };
      const payload = await verifyToken(token, [key, ...earlierKeys], { ...expected, now: now() });
      return payload && parseClaims(payload, now());
    },
    async readDataToken(token) {
      const expected = {
        audience: dataAudience,
        requiredClaims: ["exp", "sub", "deploymentId", "createdBy"],
      };
      const keys = [dataKey, ...earlierDataKeys];
      const payload = await verifyToken(token, keys, { ...expected, now: now() });
      return payload && parseDataClaims(payload);
    },
  };
}

/** The expected purpose of a token, and the time of its use. */
interface ExpectedToken {
  readonly audience: string;
  readonly requiredClaims: string[];
  readonly now: number;
}

/**
 * Returns the claims of a token signed with one of `keys`; undefined if the signature is wrong or the token has expired,
 * since callers then treat it as no credential.
 */
async function verifyToken(
  token: string,
  keys: readonly Uint8Array[],
  { now, ...expected }: ExpectedToken,
) {
  for (const key of keys) {
    try {
      const how = { ...expected, algorithms: ["HS256"], currentDate: new Date(now) };
      return (await jwtVerify(token, key, how)).payload;
    } catch {
      // Another key may have signed it.
    }
  }
  return undefined;
}

/** Returns the claims, which this server signed. */
function parseDataClaims({ sub, deploymentId, ...claims }: JWTPayload): ReadDataClaims | undefined {
  if (typeof sub !== "string" || !rowIdPattern.test(sub)) return undefined;
  if (typeof deploymentId !== "number") return undefined;
  const { createdBy, deactivations, environmentId, securityContext, scopes } = claims;
  if (typeof createdBy !== "string" || typeof deactivations !== "number") return undefined;
  return {
    userId: Number(sub),
    createdBy,
    deactivations,
    deploymentId,
    ...(typeof environmentId === "number" && { environmentId }),
    ...(isObject(securityContext) && { securityContext }),
    ...(Array.isArray(scopes) && { scopes: scopes.map(String) }),
  };
}

function parseClaims(
  payload: Readonly<Record<string, unknown>>,
  now: number,
): ReadEmbedClaims | undefined {
  const { sub, sid, tenant, iat } = payload;
  if (typeof sub !== "string" || !rowIdPattern.test(sub) || typeof sid !== "number")
    return undefined;
  const age = now / 1000 - (typeof iat === "number" ? iat : 0);
  const mayAdminister = age < limits.embedAdministratorSeconds;
  const claims = { userId: Number(sub), sessionId: sid, mayAdminister };
  return typeof tenant === "string" ? { ...claims, embedTenantName: tenant } : claims;
}
