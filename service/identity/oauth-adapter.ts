// The store of the OAuth library: one row for each record, found by hashes, with its payload encrypted.
import { type Adapter, type AdapterPayload, errors } from "oidc-provider";
import { limits } from "../../core/limits/limits.ts";
import { oauthRecordSealContext } from "../security/sealed-columns.ts";
import { secretHash } from "../security/secret-hash.ts";
import { toTimestamp } from "../store/codec.ts";
import type { Db, Row } from "../store/schema.ts";
import { inTransaction } from "../store/transaction.ts";
import { clientRowId } from "./oauth-clients.ts";
import type { OAuthStore } from "./oauth-store.ts";

/** Records of sign-ins that were started at an identity provider. */
export const externalSignInModel = "ExternalSignIn";

/** Records that exist before a user signs in, so that anyone can create them. */
const pendingModels = ["DeviceCode", externalSignInModel, "Interaction"];

/** Records whose key is a credential. Their payload does not contain it. */
const credentialModels = ["AccessToken", "AuthorizationCode", "DeviceCode", "RefreshToken"];

/** Creates the adapter of one type of record. */
export function oauthAdapter(store: OAuthStore, model: string): Adapter {
  const { db, now } = store;
  const find = async (column: "key_hash" | "code_hash", value: string, jti?: string) => {
    const row = await db
      .selectFrom("oauth_records")
      .selectAll()
      .where("model", "=", model)
      .where(column, "=", secretHash(value))
      .executeTakeFirst();
    return row && { ...readPayload(store, row), ...(jti !== undefined && { jti }) };
  };
  return {
    upsert: (id, payload, seconds = limits.authorizationSeconds) =>
      upsert(store, { model, id, payload, seconds }),
    find: (id) => find("key_hash", id, id),
    findByUid: (uid) => find("code_hash", uid),
    // Users approve devices through device-approval.ts, which needs no device code.
    findByUserCode: async () => undefined,
    async consume(id) {
      const consumed = await inTransaction(db, (tx) =>
        tx
          .updateTable("oauth_records")
          .set({ consumed_at: toTimestamp(now()) })
          .where("model", "=", model)
          .where("key_hash", "=", secretHash(id))
          .where("consumed_at", "is", null)
          .returning("id")
          .executeTakeFirst(),
      );
      if (consumed) return;
      const { grantId } = (await find("key_hash", id)) ?? {};
      if (grantId !== undefined) await revokeGrant(db, grantId);
      throw new errors.InvalidGrant("the token or code was already used");
    },
    async destroy(id) {
      await inTransaction(db, (tx) =>
        tx
          .deleteFrom("oauth_records")
          .where("model", "=", model)
          .where("key_hash", "=", secretHash(id))
          .execute(),
      );
    },
    revokeByGrantId: (grantId) => revokeGrant(db, grantId),
  };
}

/** Deletes a grant with its tokens and codes. */
async function revokeGrant(db: Db, grantId: string): Promise<void> {
  await inTransaction(db, (tx) =>
    tx.deleteFrom("oauth_records").where("grant_id", "=", grantId).execute(),
  );
}

/** Returns the payload of a record. */
export function readPayload({ sealer }: OAuthStore, row: Row<"oauth_records">): AdapterPayload {
  const text = sealer.open(row.sealed_payload, oauthRecordSealContext(row));
  const payload = JSON.parse(text) as AdapterPayload;
  if (row.consumed_at === null) return payload;
  return { ...payload, consumed: Math.floor(Date.parse(row.consumed_at) / 1000) };
}

/** Returns the columns that hold a payload. */
export function payloadColumns(
  { sealer }: Pick<OAuthStore, "sealer">,
  { model, key_hash }: Pick<Row<"oauth_records">, "model" | "key_hash">,
  payload: AdapterPayload,
) {
  const { accountId, scope, grantId } = payload;
  return {
    user_id: typeof accountId === "string" && accountId !== "" ? Number(accountId) : null,
    grant_id: (model === "Grant" ? payload.jti : grantId) ?? null,
    scope: typeof scope === "string" ? scope : null,
    sealed_payload: sealer.seal(
      JSON.stringify(storedPayload(model, payload)),
      oauthRecordSealContext({ model, key_hash }),
    ),
  };
}

function storedPayload(model: string, payload: AdapterPayload): AdapterPayload {
  if (!credentialModels.includes(model)) return payload;
  const { jti: _jti, userCode: _userCode, ...stored } = payload;
  return stored;
}

interface NewRecord {
  readonly model: string;
  readonly id: string;
  readonly payload: AdapterPayload;
  readonly seconds: number;
}

async function upsert(
  store: OAuthStore,
  { model, id, payload, seconds }: NewRecord,
): Promise<void> {
  const { db, now } = store;
  const record = { model, key_hash: secretHash(id) };
  const code = payload.userCode ?? payload.uid;
  const stored = {
    ...payloadColumns(store, record, payload),
    code_hash: code === undefined ? null : secretHash(code),
    expires_at: toTimestamp(now().getTime() + seconds * 1000),
  };
  await inTransaction(db, async (tx) => {
    if (pendingModels.includes(model)) await refuseTooMany(tx, model, now());
    const columns = { ...stored, client_row_id: await clientRowId(tx, clientIdOf(payload)) };
    await tx
      .insertInto("oauth_records")
      .values({ ...record, ...columns, poll_seconds: limits.devicePollSeconds })
      .onConflict((conflict) => conflict.columns(["key_hash", "model"]).doUpdateSet(columns))
      .execute();
  });
}

/** Returns the client of a record. A sign-in that waits for a user has it only in the request. */
function clientIdOf({ clientId, params }: AdapterPayload): string | undefined {
  const id = clientId ?? params?.["client_id"];
  return typeof id === "string" ? id : undefined;
}

/** Throws if too many records wait for users, because more would only fill the database. */
async function refuseTooMany(tx: Db, model: string, now: Date): Promise<void> {
  const waiting = await tx
    .selectFrom("oauth_records")
    .select("id")
    .where("expires_at", ">", toTimestamp(now))
    .where("model", "=", model)
    .where("user_id", "is", null)
    .orderBy("expires_at")
    .offset(limits.pendingAuthorizations)
    .limit(1)
    .executeTakeFirst();
  if (!waiting) return;
  throw new errors.TemporarilyUnavailable("too many sign-ins wait for users; try again later");
}
