// The operator's own key: kept in a file of the data folder, or made from the secret key where several servers share a database.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import { Secret } from "../../core/secret.ts";
import { readPrivate, writePrivate } from "../store/private-files.ts";
import { apiKeySecret, insertApiKey } from "./api-keys.ts";
import { secretHash } from "./principal.ts";
import { makeSealer } from "./seal.ts";
import { deriveKey, type KeyRing } from "./secret-key.ts";
import { toFlag, toTimestamp } from "../store/codec.ts";
import type { Db } from "../store/schema.ts";
import { isInternalUser } from "../store/sql-conditions.ts";
import { inTransaction } from "../store/transaction.ts";

/**
 * The operator's unscoped administrator key. It is kept in `admin-key.json` of the data folder, mode 0600; where that file
 * is missing, or its key was deleted, a new key takes the place of the old one. Without a folder a new key is made.
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
    await tx.deleteFrom("api_keys").where("is_bootstrap", "=", 1).execute();
    return createOperatorKey(tx, now);
  });
  if (path !== undefined) writePrivate(path, `${JSON.stringify({ apiKey: secret.reveal() })}\n`);
  return secret;
}

/**
 * Puts an account of a database, which several servers share, under the current of their keys, and answers the operator's
 * unscoped administrator key: made from the secret key and a salt of the database, so that each server knows it and nothing has
 * to be kept. Where it was deleted, or the account was under the earlier key, another takes its place; servers that know only
 * the earlier one can write nothing from then on. Fails with `refused` where the account is under a key that is not here.
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
    await tx.deleteFrom("api_keys").where("is_bootstrap", "=", 1).execute();
    const salt = randomBytes(16).toString("hex");
    await storeKeyState(tx, { operator_salt: salt, seal_prefix: makeSealer(ring.current).prefix });
    return createOperatorKey(tx, now, deriveOperatorKey(ring.current, salt));
  });
}

/** What an account of a database shows of the secret key that it is under. */
export interface AccountKeyState {
  /** Null where no server that knew of it has started since. */
  readonly prefix: string | null;
  readonly salt: string | null;
  /** Of the operator's key, where there is one. */
  readonly hash: string | undefined;
}

/** The key of the ring that the account is under; undefined for none of them. An account that shows nothing is under the current one. */
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

/** The operator's key goes to another administrator once its owner is none any more. */
async function reassignOperatorKey(tx: Db, now: Date): Promise<void> {
  await tx
    .updateTable("api_keys")
    .set({ owner_user_id: await ensureOperatorUser(tx, toTimestamp(now)) })
    .where("is_bootstrap", "=", 1)
    .execute();
}

function wrongSecretKeyError(): Failure {
  return new Failure("refused", "the secret key is not the one that this database is used with", {
    remedy: "Give every server of the database the same key file, and restore it with a backup.",
  });
}

async function createOperatorKey(tx: Db, now: Date, secret?: Secret): Promise<Secret> {
  const minted = await insertApiKey(tx, {
    name: "operator",
    ownerUserId: await ensureOperatorUser(tx, toTimestamp(now)),
    deploymentIds: null,
    isBootstrap: true,
    createdAt: toTimestamp(now),
    ...(secret === undefined ? {} : { secret }),
  });
  return minted.secret;
}

/** The oldest active administrator, or a new one where the account has none left. */
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
  const made = await tx
    .insertInto("users")
    .values({
      username: name,
      email: `${name}@svc.localhost`,
      email_key: `${name}@svc.localhost`,
      is_admin: toFlag(true),
      is_external: toFlag(false),
      created_at: createdAt,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return made.id;
}

function parseKeyFile(text: string | undefined): Secret | undefined {
  if (text === undefined) return undefined;
  try {
    const kept = JSON.parse(text) as JsonValue;
    const key = isObject(kept) ? kept["apiKey"] : undefined;
    return typeof key === "string" ? new Secret(key) : undefined;
  } catch {
    // A torn file is as good as none: a new key takes its place.
    return undefined;
  }
}

async function isActiveAdminKey(db: Db, key: Secret): Promise<boolean> {
  const found = await db
    .selectFrom("api_keys")
    .innerJoin("users", "users.id", "api_keys.owner_user_id")
    .select("api_keys.id")
    .where("secret_hash", "=", secretHash(key.reveal()))
    .where("users.is_admin", "=", 1)
    .where("users.is_deactivated", "=", 0)
    .executeTakeFirst();
  return found !== undefined;
}
