// Creates API keys: random secrets that are stored as hashes.
import { randomBytes } from "node:crypto";
import type { CredentialLimits } from "../../core/operation/authorize.ts";
import { invariant } from "../../core/errors.ts";
import { Secret } from "../../core/secret.ts";
import { secretHash } from "./secret-hash.ts";
import { toFlag, toJson } from "../store/codec.ts";
import type { Db } from "../store/schema.ts";

/** The data of a new key. */
export interface NewApiKey {
  readonly name: string;
  readonly ownerUserId: number;
  readonly limits: CredentialLimits;
  readonly isBootstrap: boolean;
  readonly isDisabled?: boolean;
  readonly createdAt: string;
  /** A random secret if absent. */
  readonly secret?: Secret;
}

/** Number of characters of a secret that identify a key in lists. */
const shownPrefixLength = 7;

/** Generates the secret of a key: 32 random bytes with a recognizable prefix. */
export function apiKeySecret(bytes: Buffer): Secret {
  return new Secret(`sk-${bytes.toString("base64url")}`);
}

/** Stores a new key and returns its secret, which is never shown again. */
export async function insertApiKey(
  db: Db,
  key: NewApiKey,
): Promise<{ id: number; secret: Secret }> {
  const secret = key.secret ?? apiKeySecret(randomBytes(32));
  const text = secret.reveal();
  const created = await db
    .insertInto("api_keys")
    .values({
      name: key.name,
      prefix: text.slice(0, shownPrefixLength),
      secret_hash: secretHash(text),
      owner_user_id: key.ownerUserId,
      is_scoped: toFlag(key.limits.deployments !== undefined),
      ...limitColumns(key.limits),
      is_bootstrap: toFlag(key.isBootstrap),
      is_disabled: toFlag(key.isDisabled === true),
      created_at: key.createdAt,
    })
    .returning("id")
    .executeTakeFirst();
  invariant(created, "a stored key has no id");
  await insertApiKeyScope(db, created.id, key.limits.deployments ?? []);
  return { id: created.id, secret };
}

/** Replaces the limits of a key. */
export async function setApiKeyLimits(db: Db, id: number, limits: CredentialLimits): Promise<void> {
  await db
    .updateTable("api_keys")
    .set({ is_scoped: toFlag(limits.deployments !== undefined), ...limitColumns(limits) })
    .where("id", "=", id)
    .execute();
  await db.deleteFrom("api_key_deployments").where("api_key_id", "=", id).execute();
  await insertApiKeyScope(db, id, limits.deployments ?? []);
}

function limitColumns({ actions, states }: CredentialLimits) {
  return {
    permissions: actions === undefined ? null : toJson([...actions]),
    states: states === undefined ? null : toJson(states.map((one) => ({ ...one }))),
  };
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
