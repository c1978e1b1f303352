// Making API keys: random secrets, of which only a hash stays.
import { randomBytes } from "node:crypto";
import { invariant } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";
import { secretHash } from "./principal.ts";
import { flag } from "./store/codec.ts";
import type { Db } from "./store/schema.ts";

/** What a new key is to be. */
export interface NewKey {
  readonly name: string;
  readonly ownerUserId: number;
  /** The deployments it reaches; `null` for all. */
  readonly deploymentIds: readonly number[] | null;
  readonly isBootstrap: boolean;
  readonly createdAt: string;
}

/** Characters of a secret that are shown to tell keys apart. */
const prefixLength = 7;

/** Stores a new key and returns its secret, which nothing can show again. */
export async function mintKey(db: Db, key: NewKey): Promise<{ id: number; secret: Secret }> {
  const secret = `sk-${randomBytes(32).toString("base64url")}`;
  const made = await db
    .insertInto("api_keys")
    .values({
      name: key.name,
      prefix: secret.slice(0, prefixLength),
      secret_hash: secretHash(secret),
      owner_user_id: key.ownerUserId,
      is_scoped: flag(key.deploymentIds !== null),
      is_bootstrap: flag(key.isBootstrap),
      created_at: key.createdAt,
    })
    .returning("id")
    .executeTakeFirst();
  invariant(made, "a stored key has no id");
  const reach = [...new Set(key.deploymentIds)];
  if (reach.length > 0) {
    await db
      .insertInto("api_key_deployments")
      .values(reach.map((id) => ({ api_key_id: made.id, deployment_id: id })))
      .execute();
  }
  return { id: made.id, secret: new Secret(secret) };
}
