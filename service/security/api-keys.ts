// Making API keys: random secrets, of which only a hash stays.
import { randomBytes } from "node:crypto";
import { invariant } from "../../core/errors.ts";
import { Secret } from "../../core/secret.ts";
import { secretHash } from "./principal.ts";
import { toFlag } from "../store/codec.ts";
import type { Db } from "../store/schema.ts";

/** What a new key is to be. */
export interface NewApiKey {
  readonly name: string;
  readonly ownerUserId: number;
  /** The deployments it reaches; `null` for all. */
  readonly deploymentIds: readonly number[] | null;
  readonly isBootstrap: boolean;
  readonly createdAt: string;
  /** A random one where left out. */
  readonly secret?: Secret;
}

/** Characters of a secret that are shown to tell keys apart. */
const shownPrefixLength = 7;

/** The secret of a key: 32 bytes that nobody can guess, recognisable by their beginning. */
export function apiKeySecret(bytes: Buffer): Secret {
  return new Secret(`sk-${bytes.toString("base64url")}`);
}

/** Stores a new key and returns its secret, which nothing can show again. */
export async function insertApiKey(
  db: Db,
  key: NewApiKey,
): Promise<{ id: number; secret: Secret }> {
  const secret = key.secret ?? apiKeySecret(randomBytes(32));
  const text = secret.reveal();
  const made = await db
    .insertInto("api_keys")
    .values({
      name: key.name,
      prefix: text.slice(0, shownPrefixLength),
      secret_hash: secretHash(text),
      owner_user_id: key.ownerUserId,
      is_scoped: toFlag(key.deploymentIds !== null),
      is_bootstrap: toFlag(key.isBootstrap),
      created_at: key.createdAt,
    })
    .returning("id")
    .executeTakeFirst();
  invariant(made, "a stored key has no id");
  await insertApiKeyScope(db, made.id, key.deploymentIds ?? []);
  return { id: made.id, secret };
}

/** Makes the key reach just these deployments, or all with `null`. */
export async function setApiKeyScope(
  db: Db,
  id: number,
  deploymentIds: readonly number[] | null,
): Promise<void> {
  await db
    .updateTable("api_keys")
    .set({ is_scoped: toFlag(deploymentIds !== null) })
    .where("id", "=", id)
    .execute();
  await db.deleteFrom("api_key_deployments").where("api_key_id", "=", id).execute();
  await insertApiKeyScope(db, id, deploymentIds ?? []);
}

async function insertApiKeyScope(
  db: Db,
  keyId: number,
  deploymentIds: readonly number[],
): Promise<void> {
  const reach = [...new Set(deploymentIds)];
  if (reach.length === 0) return;
  await db
    .insertInto("api_key_deployments")
    .values(reach.map((id) => ({ api_key_id: keyId, deployment_id: id })))
    .execute();
}
