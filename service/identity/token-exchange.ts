// Exchanges OIDC tokens of CI systems for tokens of this API (RFC 8693), within the limits of a workload trust.
import { isDeepStrictEqual } from "node:util";
import { decodeJwt, errors as joseErrors, type JWTPayload, jwtVerify } from "jose";
import { errors, type Provider, type TokenEndpointGrantContext } from "oidc-provider";
import { invariant, isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { hasClaims, trustClaims, trustLimits } from "../security/workload-trust.ts";
import { apiScopes, fullScope } from "../security/oauth-scopes.ts";
import { oauthRecordSealContext } from "../security/sealed-columns.ts";
import { secretHash } from "../security/secret-hash.ts";
import { toShortText, toTimestamp } from "../store/codec.ts";
import type { Db, Row } from "../store/schema.ts";
import { isInternalUser } from "../store/sql-conditions.ts";
import { inTransaction } from "../store/transaction.ts";
import { exchangeGrant } from "./grant-types.ts";
import type { FindIssuerKeys, IssuerReader } from "./issuer-keys.ts";
import { oauthAdapter } from "./oauth-adapter.ts";
import type { OAuthStore } from "./oauth-store.ts";

const tokenType = "urn:ietf:params:oauth:token-type";
const accepted = [`${tokenType}:jwt`, `${tokenType}:id_token`];
const parameters = [
  "subject_token",
  "subject_token_type",
  "requested_token_type",
  "actor_token",
  "actor_token_type",
  "resource",
  "audience",
  "scope",
] as const;

/** Signatures by private keys. Neither a shared secret nor a missing signature proves the issuer. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"].concat([
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
]);

type Parameters = Readonly<Partial<Record<(typeof parameters)[number], string>>>;
type Trust = Row<"workload_trusts">;

/** The parts of an account that an exchange needs. */
export interface ExchangeAccount extends OAuthStore, IssuerReader {}

/** A token that was verified, and the trust that accepts it. */
interface Assertion {
  readonly trust: Trust;
  readonly payload: JWTPayload;
}

/** Adds the grant type to a server. */
export function addTokenExchange(
  server: Provider,
  account: ExchangeAccount,
  findKeys: FindIssuerKeys,
): void {
  server.registerGrantType<Parameters>(
    exchangeGrant,
    async (ctx) => {
      const { params } = ctx.oidc;
      const token = readRequest(server, params);
      const { trust, payload } = await verify(account, findKeys, token);
      const scope = grantedScope(trust, params.scope);
      ctx.body = await issue(ctx, account, { trust, payload, scope });
    },
    parameters,
  );
}

/** Returns the token of a request. Throws for parameters that the request may not contain. */
function readRequest(server: Provider, params: Parameters): string {
  const { subject_token: token = "", subject_token_type: type = "" } = params;
  if (token === "" || token.length > limits.workloadAssertionMax) {
    throw new errors.InvalidRequest("`subject_token` must be an OIDC token");
  }
  if (!accepted.includes(type)) {
    throw new errors.InvalidRequest(`\`subject_token_type\` must be ${accepted.join(" or ")}`);
  }
  if (params.actor_token !== undefined || params.actor_token_type !== undefined) {
    throw new errors.InvalidRequest("`actor_token` is not supported");
  }
  const wanted = params.requested_token_type;
  if (wanted !== undefined && wanted !== `${tokenType}:access_token`) {
    throw new errors.InvalidRequest(`\`requested_token_type\` must be ${tokenType}:access_token`);
  }
  for (const target of [params.resource, params.audience]) {
    if (target !== undefined && target !== server.issuer) {
      throw new errors.InvalidTarget(`this server issues tokens for ${server.issuer} only`);
    }
  }
  return token;
}

const refusal = "no workload trust accepts this token; compare its issuer, audience and claims";

/**
 * Returns the one trust that accepts a token. The issuer and audience of the token are used to find trusts, and trusted
 * only after it is verified. Its claims are compared afterwards, so that a forged token does not reveal which claims a
 * trust requires.
 */
async function verify(
  account: ExchangeAccount,
  findKeys: FindIssuerKeys,
  token: string,
): Promise<Assertion> {
  const found = await trustsOf(account.db, readUnverified(token));
  if (found.length === 0) throw new errors.InvalidRequest(refusal);
  const accepting: Assertion[] = [];
  const refusals: errors.OIDCProviderError[] = [];
  for (const trusts of Map.groupBy(found, ({ jwks_uri: jwksUri }) => jwksUri).values()) {
    try {
      const payload = await verifySignature(token, trusts, { account, findKeys });
      const matching = trusts.filter((one) => hasClaims(payload, trustClaims(one)));
      accepting.push(...matching.map((trust) => ({ trust, payload })));
    } catch (error) {
      if (!(error instanceof errors.OIDCProviderError)) throw error;
      refusals.push(error);
    }
  }
  const [assertion, second] = accepting;
  if (!assertion) throw refusals[0] ?? new errors.InvalidRequest(refusal);
  if (second) {
    const text = "several workload trusts accept this token; make their audiences or claims differ";
    throw new errors.InvalidRequest(text);
  }
  const { trust, payload } = assertion;
  const { exp = 0, iat = 0, jti } = payload;
  if (exp - iat > limits.workloadAssertionSeconds) {
    throw new errors.InvalidRequest("the token is valid for more than a day");
  }
  if (trust.is_reusable === 0 && (typeof jti !== "string" || jti === "")) {
    const text =
      "the token has no `jti`, and the trust requires one: each of its tokens can be exchanged only once";
    throw new errors.InvalidRequest(text);
  }
  return assertion;
}

function readUnverified(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch {
    throw new errors.InvalidRequest("`subject_token` is not a JSON Web Token");
  }
}

async function trustsOf(
  db: Db,
  { iss, aud }: Readonly<Record<string, unknown>>,
): Promise<readonly Trust[]> {
  const audiences = [aud].flat().filter((one) => typeof one === "string");
  if (typeof iss !== "string" || audiences.length === 0) return [];
  const text = (value: string): string => toShortText(value, limits.workloadAssertionMax);
  return db
    .selectFrom("workload_trusts")
    .selectAll()
    .where("issuer", "=", text(iss))
    .where("audience", "in", audiences.slice(0, limits.workloadAudiences).map(text))
    .where("is_disabled", "=", 0)
    .limit(limits.workloadTrusts)
    .execute();
}

/** Verifies a token for trusts that have its issuer and audience, and the same keys. */
async function verifySignature(
  token: string,
  trusts: readonly Trust[],
  { account, findKeys }: { account: ExchangeAccount; findKeys: FindIssuerKeys },
): Promise<JWTPayload> {
  const [first] = trusts;
  invariant(first, "a group of trusts is empty");
  try {
    const keys = findKeys({ url: first.issuer, jwksUri: first.jwks_uri }, account);
    const { payload } = await jwtVerify(token, keys, {
      algorithms,
      issuer: first.issuer,
      audience: trusts.map(({ audience }) => audience),
      requiredClaims: ["exp", "iat", "sub"],
      clockTolerance: limits.workloadClockSkewSeconds,
      // Also refuses tokens that will be issued in the future.
      maxTokenAge: limits.workloadAssertionSeconds,
      currentDate: account.now(),
    });
    return payload;
  } catch (error) {
    if (error instanceof joseErrors.JOSEError) {
      throw new errors.InvalidRequest(`the token is not valid: ${error.message}`);
    }
    // The answer of the issuer, or the rule that forbids asking it.
    if (!isFailure(error)) throw error;
    const text = `the keys of the issuer are missing: ${error.message}`;
    if (error.code === "unavailable") throw new errors.TemporarilyUnavailable(text);
    throw new errors.InvalidRequest(text);
  }
}

/** Returns the permissions of the trust, limited to those that the request asks for. */
function grantedScope(trust: Trust, requested: string | undefined): string {
  const { actions } = trustLimits(trust);
  const granted: readonly string[] = actions ?? [fullScope];
  if (requested === undefined || requested === "") return granted.join(" ");
  const permissions = [...new Set(requested.split(" "))];
  const isGranted = (one: string): boolean =>
    granted.includes(one) || (actions === undefined && apiScopes.includes(one));
  if (permissions.every(isGranted)) return permissions.join(" ");
  throw new errors.InvalidScope(
    "the workload trust does not grant these scopes",
    permissions.join(" "),
  );
}

/** Issues a token for the owner of the trust. It ends with the trust, and with the access of the owner. */
async function issue(
  ctx: TokenEndpointGrantContext<Parameters>,
  account: ExchangeAccount,
  { trust, payload, scope }: Assertion & { readonly scope: string },
) {
  const { provider, client } = ctx.oidc;
  const accountId = String(trust.owner_user_id);
  const expiresIn = trust.token_seconds;
  const grant = new provider.Grant({ accountId, clientId: client.clientId });
  const grantId = await Object.assign(grant, { expiresIn }).save();
  if (!(await claimToken(account, grantId, { trust, payload }))) {
    await oauthAdapter(account, "Grant").revokeByGrantId(grantId);
    throw new errors.InvalidRequest(
      "the token was exchanged before, or the trust or its owner changed; use another token, or set isReusable of the trust",
    );
  }
  const token = new provider.AccessToken({
    client,
    accountId,
    grantId,
    gty: "token_exchange",
    aud: provider.issuer,
    scope,
    expiresIn,
  });
  return {
    access_token: await token.save(),
    issued_token_type: `${tokenType}:access_token`,
    token_type: "Bearer",
    expires_in: expiresIn,
    scope,
  };
}

/**
 * Binds a grant to its trust, and counts the token as used. Returns false if it was used before, or the trust changed
 * since it was read.
 */
function claimToken(
  { db, sealer, now }: OAuthStore,
  grantId: string,
  { trust, payload }: Assertion,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const current = await tx
      .selectFrom("workload_trusts")
      .innerJoin("users", "users.id", "workload_trusts.owner_user_id")
      .selectAll("workload_trusts")
      .where("workload_trusts.id", "=", trust.id)
      .where("users.is_deactivated", "=", 0)
      .where(isInternalUser)
      .executeTakeFirst();
    // Two changes can have the same time.
    if (!isDeepStrictEqual(current, trust)) return false;
    if (trust.is_reusable === 0) {
      const record = {
        model: "WorkloadToken",
        key_hash: secretHash(JSON.stringify([trust.issuer, payload.jti])),
      };
      const end = (payload.exp ?? 0) + limits.workloadClockSkewSeconds + 1;
      const claimed = await tx
        .insertInto("oauth_records")
        .values({
          ...record,
          poll_seconds: 0,
          expires_at: toTimestamp(Math.max(end * 1000, now().getTime())),
          sealed_payload: sealer.seal("{}", oauthRecordSealContext(record)),
        })
        .onConflict((conflict) => conflict.columns(["key_hash", "model"]).doNothing())
        .returning("id")
        .executeTakeFirst();
      if (!claimed) return false;
    }
    await tx
      .updateTable("oauth_records")
      .set({ trust_id: trust.id, subject: toShortText(payload.sub ?? "", 255) })
      .where("grant_id", "=", grantId)
      .where("model", "=", "Grant")
      .execute();
    return true;
  });
}
