// Area api-keys: create, list and delete API keys. The secret is returned once, when the key is created.
import {
  createApiKey,
  deleteApiKey,
  getApiKey,
  listApiKeys,
  updateApiKey,
} from "../../../api/api-keys.ts";
import { Failure, invariant } from "../../../core/errors.ts";
import { authorize, type CredentialLimits } from "../../../core/operation/authorize.ts";
import { handle, handleList, type OperationHandler } from "../shared/operation-handler.ts";
import type { Account } from "../../accounts/account.ts";
import { insertApiKey, setApiKeyLimits } from "../../security/api-keys.ts";
import { keyLimits, refuseWiderLimits } from "../../security/key-limits.ts";
import { requireResourcePermission } from "../../security/authorize-call.ts";
import type { Principal } from "../../security/principal.ts";
import { requirePermission } from "../../security/require-permission.ts";
import { changedLimits, refuseUnknownDeployments } from "./credential-limits.ts";
import { pageOfBatch } from "../shared/pagination.ts";
import { fieldError } from "../shared/field-error.ts";
import { toFlag, toTimestamp } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import type { Db, Row } from "../../store/schema.ts";
import { isInternalUser } from "../../store/sql-conditions.ts";

/** The handlers of this area. */
export const apiKeys: readonly OperationHandler[] = [
  handleList(listApiKeys, async (call) => {
    const all = call.db.selectFrom("api_keys").selectAll();
    const found = managesAll(call.principal, "ApiKeysRead")
      ? all
      : all.where("owner_user_id", "=", call.principal.userId);
    return pageOfBatch(call, keyset(found, "api_keys.id"), (rows) => showKeys(call.db, rows));
  }),
  handle(createApiKey, async ({ db, body, principal, now, account }) => {
    const { name, ownerUserId } = body;
    const owner = ownerUserId ?? principal.userId;
    if (owner !== principal.userId) requirePermission(principal, "ApiKeysManage", []);
    await requireKeyOwner(db, owner, await account());
    const limits = changedLimits({}, body);
    refuseWiderLimits(principal.limits, limits);
    await refuseUnreachable({ db, principal }, limits.deployments ?? []);
    const { id, secret } = await insertApiKey(db, {
      name,
      ownerUserId: owner,
      limits,
      isBootstrap: false,
      isDisabled: body.isDisabled ?? false,
      createdAt: toTimestamp(now()),
    });
    return { ...(await readKey(db, id)), token: secret.reveal() };
  }),
  handle(getApiKey, async ({ db, params, principal }) => {
    await requireOwnKey(db, params.id, { principal, action: "ApiKeysRead" });
    return readKey(db, params.id);
  }),
  handle(updateApiKey, async ({ db, params, body, principal }) => {
    await requireOwnKey(db, params.id, { principal, action: "ApiKeysManage" });
    const { name, isDisabled } = body;
    const { deploymentIds, permissions, states, ...before } = await readKey(db, params.id);
    const current = changedLimits({}, { deploymentIds, permissions, states });
    const limits = changedLimits(current, body);
    const isLimited = Object.keys(limits).length > 0 || isDisabled === true;
    if (isLimited) await refuseLimitedOperatorKey(db, params.id);
    if (!isUnlimited(limits) || isDisabled === true) await guardLastAdministratorKey(db, params.id);
    if (isDisabled === false && before.isDisabled)
      requirePermission(principal, "ApiKeysManage", []);
    const changes = {
      ...(name !== undefined && { name }),
      ...(isDisabled !== undefined && { is_disabled: toFlag(isDisabled) }),
    };
    if (Object.keys(changes).length > 0) {
      await db.updateTable("api_keys").set(changes).where("id", "=", params.id).execute();
    }
    if (Object.keys(body).some((member) => member !== "name")) {
      refuseWiderLimits(principal.limits, limits);
      await refuseUnreachable({ db, principal }, body.deploymentIds ?? []);
      await setApiKeyLimits(db, params.id, limits);
    }
    return readKey(db, params.id);
  }),
  handle(deleteApiKey, async ({ db, params, principal }) => {
    await requireOwnKey(db, params.id, { principal, action: "ApiKeysManage" });
    await guardLastAdministratorKey(db, params.id);
    const deleted = await db
      .deleteFrom("api_keys")
      .where("id", "=", params.id)
      .returning("id")
      .executeTakeFirst();
    if (!deleted) throw apiKeyNotFound(params.id);
  }),
];

type KeysAction = "ApiKeysRead" | "ApiKeysManage";

/** Returns whether the caller may perform the action on keys of every user. */
function managesAll(principal: Principal, action: KeysAction): boolean {
  return authorize(principal, action, []) === undefined;
}

/** Throws `not_found` for a key of another user, unless the caller may perform the action on keys of every user. */
async function requireOwnKey(
  db: Db,
  id: number,
  { principal, action }: { principal: Principal; action: KeysAction },
): Promise<void> {
  if (managesAll(principal, action)) return;
  const key = await db
    .selectFrom("api_keys")
    .select("id")
    .where("id", "=", id)
    .where("owner_user_id", "=", principal.userId)
    .executeTakeFirst();
  if (!key) throw apiKeyNotFound(id);
}

/** Throws `invalid` for unknown deployments, and `forbidden` for those that the caller cannot read. */
async function refuseUnreachable(
  actor: { readonly db: Db; readonly principal: Principal },
  deployments: readonly number[],
): Promise<void> {
  await refuseUnknownDeployments(actor.db, deployments);
  if (managesAll(actor.principal, "ApiKeysManage")) return;
  for (const id of new Set(deployments)) {
    await requireResourcePermission(actor, "DeploymentRead", { type: "deployment", id });
  }
}

function isUnlimited({ deployments, actions }: CredentialLimits): boolean {
  return deployments === undefined && actions === undefined;
}

/** Throws `forbidden` if no unscoped key of an active administrator would remain without this one. */
async function guardLastAdministratorKey(db: Db, id: number): Promise<void> {
  // Write the account row to serialize concurrent checks. Otherwise each could count on the other's key.
  await db
    .updateTable("account")
    .set((eb) => ({ name: eb.ref("name") }))
    .execute();
  const keys = await db
    .selectFrom("api_keys")
    .innerJoin("users", "users.id", "api_keys.owner_user_id")
    .select("api_keys.id")
    .where("api_keys.is_scoped", "=", 0)
    .where("api_keys.permissions", "is", null)
    .where("users.is_admin", "=", 1)
    .where("users.is_deactivated", "=", 0)
    .where("api_keys.is_disabled", "=", 0)
    .limit(2)
    .execute();
  if (keys.length > 1 || keys[0]?.id !== id) return;
  throw new Failure(
    "forbidden",
    "this is the last unscoped key of an administrator; create another one first",
  );
}

async function readKey(db: Db, id: number) {
  const row = await db.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
  if (!row) throw apiKeyNotFound(id);
  const [key] = await showKeys(db, [row]);
  invariant(key, "an existing key cannot be shown");
  return key;
}

function apiKeyNotFound(id: number): Failure {
  return new Failure("not_found", `there is no API key ${id}`);
}

/** Converts keys to their API form. Reads the scopes of all keys in one query. */
async function showKeys(db: Db, rows: readonly Row<"api_keys">[]) {
  const ids = rows.filter(({ is_scoped }) => is_scoped === 1).map(({ id }) => id);
  const scopes =
    ids.length === 0
      ? []
      : await db
          .selectFrom("api_key_deployments")
          .selectAll()
          .where("api_key_id", "in", ids)
          .orderBy("deployment_id")
          .execute();
  const byKey = Map.groupBy(scopes, ({ api_key_id }) => api_key_id);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    ownerUserId: row.owner_user_id,
    deploymentIds:
      row.is_scoped === 1
        ? (byKey.get(row.id) ?? []).map(({ deployment_id }) => deployment_id)
        : null,
    ...storedLimits(row),
    isDisabled: row.is_disabled === 1,
    createdAt: row.created_at,
  }));
}

function storedLimits(row: Row<"api_keys">) {
  const { actions, states } = keyLimits(row);
  return { permissions: actions ? [...actions] : null, states: states ? [...states] : null };
}

/**
 * Rejects owners who may not hold a key. External users cannot: they sign in through sessions. A deactivated user can:
 * the key works once the user is reactivated.
 */
async function requireKeyOwner(db: Db, id: number, { personalKeys }: Account): Promise<void> {
  const owner = await db
    .selectFrom("users")
    .select("is_admin")
    .where("id", "=", id)
    .where(isInternalUser)
    .executeTakeFirst();
  if (!owner) {
    throw fieldError("ownerUserId", [
      "invalid",
      `there is no user ${id} to own the key; use the id of an existing user`,
    ]);
  }
  if (owner.is_admin === 1 || personalKeys) return;
  throw new Failure(
    "forbidden",
    `user ${id} is not an administrator, and this account does not allow personal keys; choose an administrator`,
    { remedy: "Or enable personal keys in the tenant settings." },
  );
}

/** Throws `forbidden` for the operator's key, which must stay unlimited: the server looks it up again when it restarts. */
async function refuseLimitedOperatorKey(db: Db, id: number): Promise<void> {
  const key = await db
    .selectFrom("api_keys")
    .select("is_bootstrap")
    .where("id", "=", id)
    .executeTakeFirst();
  if (!key) throw apiKeyNotFound(id);
  if (key.is_bootstrap !== 1) return;
  throw new Failure(
    "forbidden",
    "the operator's key always has all permissions; create another key instead",
  );
}
