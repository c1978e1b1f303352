// The public keys of OIDC issuers: found by discovery, kept for minutes, and looked up again for an unknown key.
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { Failure } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { createLruCache } from "../../core/lru-cache.ts";
import { isTemporaryStatus } from "../git/temporary-status.ts";
import type { TokenEndpoints } from "../git/token-endpoint.ts";

/** The location of an issuer's keys. */
export interface Issuer {
  readonly url: string;
  /** Null to use the address that the issuer publishes. */
  readonly jwksUri: string | null;
}

/** The means by which an account reads the keys. */
export interface IssuerReader {
  readonly tokenEndpoints: Pick<TokenEndpoints, "get">;
  readonly now: () => Date;
}

/** Returns a function that finds the key of a token. It throws `unavailable`, `conflict` or `invalid` if the keys cannot be read. */
export type FindIssuerKeys = (issuer: Issuer, reader: IssuerReader) => JWTVerifyGetKey;

/** Keys that were read last, or are being read. */
interface KnownKeys {
  readonly at: number;
  readonly find: Promise<JWTVerifyGetKey>;
  hasFailed: boolean;
}

/**
 * Creates the cache. Keys are public, so accounts share it. A key that the issuer removed is refused once the cached
 * keys have expired. Forged tokens cause at most one request in each pause, regardless of the keys that they name.
 */
export function createIssuerKeys(): FindIssuerKeys {
  const known = createLruCache<{ current: KnownKeys }>(limits.issuers);
  return (issuer, reader) => async (header, token) => {
    const load = (): KnownKeys => {
      const find = readKeys(issuer, reader.tokenEndpoints).then(createLocalJWKSet);
      const keys = { at: reader.now().getTime(), find, hasFailed: false };
      find.catch(() => (keys.hasFailed = true));
      return keys;
    };
    const isOlder = ({ at }: KnownKeys, ms: number): boolean =>
      Math.abs(reader.now().getTime() - at) >= ms;
    const name = JSON.stringify([issuer.url, issuer.jwksUri]);
    const entry = await known.get(name, async () => ({ current: load() }));
    const pause = entry.current.hasFailed ? limits.issuerKeysPauseMs : limits.issuerKeysMs;
    if (isOlder(entry.current, pause)) entry.current = load();
    const keys = entry.current;
    try {
      return await (
        await keys.find
      )(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (!isOlder(keys, limits.issuerKeysPauseMs)) throw error;
      // Another request may have read the keys meanwhile.
      if (entry.current === keys) entry.current = load();
      return (await entry.current.find)(header, token);
    }
  };
}

async function readKeys(
  { url, jwksUri }: Issuer,
  endpoints: IssuerReader["tokenEndpoints"],
): Promise<JSONWebKeySet> {
  const { keys } = await readObject(jwksUri ?? (await discover(url, endpoints)), endpoints);
  const found = (Array.isArray(keys) ? keys : []).filter(isSigningKey).slice(0, limits.issuerKeys);
  if (found.length > 0) return { keys: found };
  throw new Failure("conflict", `${new URL(url).host} publishes no keys that sign`);
}

/** Shared secrets are not keys of an issuer. */
function isSigningKey(key: unknown): key is JSONWebKeySet["keys"][number] {
  if (!isObject(key)) return false;
  return ["RSA", "EC", "OKP"].some((type) => key["kty"] === type) && key["use"] !== "enc";
}

/** Returns the address of the keys that an issuer publishes. */
async function discover(url: string, endpoints: IssuerReader["tokenEndpoints"]): Promise<string> {
  const at = `${url.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const { issuer, jwks_uri: jwksUri } = await readObject(at, endpoints);
  if (issuer === url && typeof jwksUri === "string" && URL.canParse(jwksUri)) return jwksUri;
  throw new Failure("conflict", `${at} does not describe the issuer ${url}`);
}

async function readObject(
  url: string,
  endpoints: IssuerReader["tokenEndpoints"],
): Promise<JsonObject> {
  const { status, body } = await endpoints.get(url);
  if (status === 200) return body;
  const code = isTemporaryStatus(status) ? "unavailable" : "conflict";
  throw new Failure(code, `${new URL(url).host} answers ${status} for its keys`);
}
