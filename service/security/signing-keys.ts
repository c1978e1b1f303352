// The keys that sign OIDC tokens: generated on first use, replaced when old, and published until their tokens expire.
import { createPrivateKey, generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { SignJWT, type JWTPayload } from "jose";
import { limits } from "../../core/limits/limits.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Sealer } from "./seal.ts";
import { signingKeySealContext } from "./sealed-columns.ts";
import { fromJson, toJson, toTimestamp } from "../store/codec.ts";
import type { Db, Row } from "../store/schema.ts";

const makeKeyPair = promisify(generateKeyPair);

/** A key pair that is not stored yet. */
export interface NewKey {
  readonly kid: string;
  readonly publicJwk: JsonObject;
  /** PEM. */
  readonly privateKey: string;
}

/** Returns the key that signs now; undefined if there is none, or it is too old. */
export async function currentKey(db: Db, now: Date): Promise<Row<"signing_keys"> | undefined> {
  return db
    .selectFrom("signing_keys")
    .selectAll()
    .where("retired_at", "is", null)
    .where("created_at", ">", toTimestamp(now.getTime() - limits.signingKeyMs))
    .orderBy("id", "desc")
    .executeTakeFirst();
}

/** Generates a key pair. */
export async function makeKey(): Promise<NewKey> {
  const { publicKey, privateKey } = await makeKeyPair("rsa", { modulusLength: 2048 });
  const { kty, n, e } = publicKey.export({ format: "jwk" });
  const kid = randomBytes(12).toString("base64url");
  return {
    kid,
    publicJwk: { kty: kty ?? "RSA", kid, use: "sig", alg: "RS256", n: n ?? "", e: e ?? "" },
    privateKey: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  };
}

/** Stores a key and retires the earlier ones. Returns the key of a concurrent call, if there is one. */
export async function storeKey(
  db: Db,
  newKey: NewKey,
  { sealer, now }: { sealer: Sealer; now: Date },
): Promise<Row<"signing_keys">> {
  // Writing the account's row makes concurrent calls wait for each other.
  await db
    .updateTable("account")
    .set((eb) => ({ name: eb.ref("name") }))
    .execute();
  const known = await currentKey(db, now);
  if (known) return known;
  const at = toTimestamp(now);
  await db
    .updateTable("signing_keys")
    .set({ retired_at: at })
    .where("retired_at", "is", null)
    .execute();
  return db
    .insertInto("signing_keys")
    .values({
      kid: newKey.kid,
      public_jwk: toJson(newKey.publicJwk),
      sealed_private_key: sealer.seal(newKey.privateKey, signingKeySealContext(newKey)),
      created_at: at,
      retired_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns the public keys: the current one, and retired ones whose tokens may be valid. */
export async function publishedKeys(db: Db, now: Date): Promise<readonly JsonObject[]> {
  const since = toTimestamp(now.getTime() - limits.retiredKeyMs);
  const rows = await db
    .selectFrom("signing_keys")
    .select("public_jwk")
    .where((eb) => eb.or([eb("retired_at", "is", null), eb("retired_at", ">", since)]))
    .orderBy("id", "desc")
    .limit(limits.publishedKeys)
    .execute();
  return rows.map(({ public_jwk }) => fromJson(public_jwk) as JsonObject);
}

/** Returns the private key in PEM. */
export function openSigningKey(key: Row<"signing_keys">, sealer: Sealer): string {
  return sealer.open(key.sealed_private_key, signingKeySealContext(key));
}

/** Signs a token. */
export async function signToken(
  key: Row<"signing_keys">,
  claims: JWTPayload,
  sealer: Sealer,
): Promise<string> {
  const pem = openSigningKey(key, sealer);
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: key.kid })
    .sign(createPrivateKey(pem));
}
