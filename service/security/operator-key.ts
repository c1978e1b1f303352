// The operator's own API key: stored in a file of the data folder, or derived from the secret key on a shared database.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import { Secret } from "../../core/secret.ts";
import { readPrivate, writePrivate } from "../store/private-files.ts";
import { apiKeySecret, insertApiKey } from "./api-keys.ts";
import { secretHash } from "./secret-hash.ts";
import { makeSealer } from "./seal.ts";
import { sealPrefixes } from "./sealed-columns.ts";
import { deriveKey, type KeyRing } from "./secret-key.ts";
import { toFlag, toTimestamp } from "../store/codec.ts";
import type { Db } from "../store/schema.ts";
import { isInternalUser } from "../store/sql-conditions.ts";
import { inTransaction } from "../store/transaction.ts";

/**
 * Returns the operator's unscoped administrator key from `admin-key.json` in the data folder, mode 0600. Creates a new
 * key if the file is missing or its key was deleted. Without a folder it always creates a new key.
 */
export async function ensureOperatorKey(
  db: Db,
  data: string | undefined,
  now: Date,
): Promise<Secret> {
  const path = data === undefined ? undefined : join(data, "admin-key.json");
  const kept = path === undefined ? undefined : parseKeyFile(readPrivate(path));
  if (kept !== undefined && (await isActiveAdminKey(db, kept))) return kept;
  const secret = await inTransaction(db, async (tx) => {
    await deleteOperatorKey(tx);
    return createOperatorKey(tx, now);
  });
  if (path !== undefined) writePrivate(path, `${JSON.stringify({ apiKey: secret.reveal() })}\n`);
  return secret;
}

/**
 * Moves an account of a shared database to the current key, and returns the operator's unscoped administrator key. The
 * key is derived from the secret key and a salt in the database, so every server knows it and stores nothing. Replaces
 * it if it was deleted or the account was under the earlier key; servers that know only the earlier key can no longer
 * write. Throws `refused` if the account is under an unknown key.
 */
export async function ensureSharedOperatorKey(db: Db, ring: KeyRing, now: Date): Promise<Secret> {
  return inTransaction(db, async (tx) => {
    const held = await readKeyState(tx);
    const root = findRootKey(held, ring);
    if (root === undefined) throw wrongSecretKeyError();
    const known = deriveOperatorKey(ring.current, held.salt);
    if (root === ring.current && held.hash === secretHash(known.reveal())) {
      if (held.prefix === null) await storeKeyState(tx, { seal_prefix: makeSealer(root).prefix });
      if (!(await isActiveAdminKey(tx, known))) await reassignOperatorKey(tx, now);
      return known;
    }
    await deleteOperatorKey(tx);
    const salt = randomBytes(16).toString("hex");
    await storeKeyState(tx, { operator_salt: salt, seal_prefix: makeSealer(ring.current).prefix });
    return createOperatorKey(tx, now, deriveOperatorKey(ring.current, salt));
  });
}

/**
 * Binds the account of a data folder to its secret key, on the first start with this key ring. Throws `refused` if the
 * account is bound to another key, or has secrets that none of the keys decrypts.
 */
export async function bindSecretKey(db: Db, ring: KeyRing): Promise<void> {
  const known = [ring.current, ...ring.earlier].map((root) => makeSealer(root).prefix);
  await inTransaction(db, async (tx) => {
    const { prefix } = await readKeyState(tx);
    if (prefix !== null && known.includes(prefix)) return;
    const sealedUnder = prefix === null ? await sealPrefixes(tx) : [prefix];
    if (!sealedUnder.every((one) => known.includes(one))) throw wrongSecretKeyError();
    await storeKeyState(tx, { seal_prefix: makeSealer(ring.current).prefix });
  });
}

/**
 * Binds the account of a data folder to the current key. Returns true if it was bound to another key. In that case it
 * deletes the operator's key, because users of the earlier secret key may know it, and the next start creates another
 * one.
 */
export async function bindToCurrentKey(db: Db, { current }: KeyRing): Promise<boolean> {
  const seal_prefix = makeSealer(current).prefix;
  return inTransaction(db, async (tx) => {
    const { prefix } = await readKeyState(tx);
    if (prefix === seal_prefix) return false;
    await storeKeyState(tx, { seal_prefix });
    if (prefix === null) return false;
    await deleteOperatorKey(tx);
    return true;
  });
}

/** Returns true if the account depends on a secret key that exists already. */
export async function isBoundToKey(db: Db): Promise<boolean> {
  const { prefix, hash } = await readKeyState(db);
  return prefix !== null || hash !== undefined;
}

/** The state of the secret key of an account in a database. */
export interface AccountKeyState {
  /** Null until the first server that supports it has started. */
  readonly prefix: string | null;
  readonly salt: string | null;
  /** The hash of the operator's key, if there is one. */
  readonly hash: string | undefined;
}

/**
 * Returns the key of the ring that the account is under; undefined if none matches. An account that stores nothing is
 * under the current key.
 */
export function findRootKey(
  { prefix, salt, hash }: AccountKeyState,
  ring: KeyRing,
): Secret | undefined {
  const roots = [ring.current, ...ring.earlier];
  if (prefix !== null) return roots.find((root) => makeSealer(root).prefix === prefix);
  if (hash === undefined) return ring.current;
  return roots.find((root) => secretHash(deriveOperatorKey(root, salt).reveal()) === hash);
}

async function readKeyState(tx: Db): Promise<AccountKeyState> {
  const account = await tx
    .selectFrom("account")
    .select(["operator_salt", "seal_prefix"])
    .executeTakeFirstOrThrow();
  const key = await tx
    .selectFrom("api_keys")
    .select("secret_hash")
    .where("is_bootstrap", "=", 1)
    .executeTakeFirst();
  return { prefix: account.seal_prefix, salt: account.operator_salt, hash: key?.secret_hash };
}

function deriveOperatorKey(root: Secret, salt: string | null): Secret {
  return apiKeySecret(deriveKey(root, `operator ${salt}`));
}

async function storeKeyState(
  tx: Db,
  values: { readonly operator_salt?: string; readonly seal_prefix: string },
): Promise<void> {
  await tx.updateTable("account").set(values).execute();
}

async function deleteOperatorKey(tx: Db): Promise<void> {
  await tx.deleteFrom("api_keys").where("is_bootstrap", "=", 1).execute();
}

/** Reassigns the operator's key to another administrator if its owner is no longer an administrator. */
async function reassignOperatorKey(tx: Db, now: Date): Promise<void> {
  await tx
    .updateTable("api_keys")
    .set({ owner_user_id: await ensureOperatorUser(tx, toTimestamp(now)), is_disabled: 0 })
    .where("is_bootstrap", "=", 1)
    .execute();
}

function wrongSecretKeyError(): Failure {
  return new Failure("refused", "the secret key is not the one of this database", {
    remedy:
      "Put back the key file that belongs to the database: every server of a database needs the same one.",
  });
}

async function createOperatorKey(tx: Db, now: Date, secret?: Secret): Promise<Secret> {
  const created = await insertApiKey(tx, {
    name: "operator",
    ownerUserId: await ensureOperatorUser(tx, toTimestamp(now)),
    limits: {},
    isBootstrap: true,
    createdAt: toTimestamp(now),
    ...(secret === undefined ? {} : { secret }),
  });
  return created.secret;
}

/** Returns the oldest active administrator, and creates one if the account has none. */
async function ensureOperatorUser(tx: Db, createdAt: string): Promise<number> {
  const admin = await tx
    .selectFrom("users")
    .select("id")
    .where("is_admin", "=", 1)
    .where("is_deactivated", "=", 0)
    .where(isInternalUser)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  if (admin) return admin.id;
  const name = `operator-${createdAt.replace(/\D/g, "")}`;
  const created = await tx
    .insertInto("users")
    .values({
      username: name,
      name_key: name.toLowerCase(),
      email: `${name}@svc.localhost`,
      email_key: `${name}@svc.localhost`,
      is_admin: toFlag(true),
      is_external: toFlag(false),
      created_at: createdAt,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return created.id;
}

function parseKeyFile(text: string | undefined): Secret | undefined {
  if (text === undefined) return undefined;
  try {
    const kept = JSON.parse(text) as JsonValue;
    const key = isObject(kept) ? kept["apiKey"] : undefined;
    return typeof key === "string" ? new Secret(key) : undefined;
  } catch {
    // An incomplete file counts as missing: a new key replaces it.
    return undefined;
  }
}

async function isActiveAdminKey(db: Db, key: Secret): Promise<boolean> {
  const found = await db
    .selectFrom("api_keys")
    .innerJoin("users", "users.id", "api_keys.owner_user_id")
    .select("api_keys.id")
    .where("secret_hash", "=", secretHash(key.reveal()))
    .where("api_keys.is_disabled", "=", 0)
    .where("users.is_admin", "=", 1)
    .where("users.is_deactivated", "=", 0)
    .executeTakeFirst();
  return found !== undefined;
}
