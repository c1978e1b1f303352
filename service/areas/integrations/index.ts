// Area integrations: OAuth integrations, and the tokens that users get from their providers.
import {
  completeUserOAuthToken,
  createOAuthIntegration,
  deleteOAuthIntegration,
  deleteUserOAuthToken,
  getOAuthIntegration,
  getUserOAuthToken,
  initiateUserOAuthToken,
  issueUserOAuthToken,
  listOAuthIntegrations,
  listUserOAuthTokens,
  updateOAuthIntegration,
} from "../../../api/integrations.ts";
import { Failure, isFailure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { Sealer } from "../../security/seal.ts";
import { authorizationSealContext } from "../../security/sealed-columns.ts";
import { toTimestamp } from "../../store/codec.ts";
import {
  type Call,
  handle,
  handleList,
  handlePrepared,
  omitNullish,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { singlePage } from "../shared/pagination.ts";
import {
  addsOrigin,
  configOf,
  dropUserTokens,
  integrationColumns,
  movedSecret,
  openSecret,
  readIntegration,
  refuseConflict,
  sealSecret,
  showIntegration,
} from "./integrations.ts";
import {
  authorizationOver,
  findAuthorization,
  openTokens,
  type ProviderTokens,
  readToken,
  recordRefusal,
  requestTokens,
  showToken,
  startAuthorization,
  storeTokens,
  type UserTokenRow,
} from "./user-tokens.ts";

/** The handlers of this area. */
export const integrations: readonly OperationHandler[] = [
  handleList(listOAuthIntegrations, async ({ db }) => {
    const rows = await db.selectFrom("oauth_integrations").selectAll().orderBy("id").execute();
    return singlePage(rows.map(showIntegration));
  }),
  handle(createOAuthIntegration, async ({ db, body, sealer, now }) => {
    await refuseConflict(db, body.name);
    const at = toTimestamp(now());
    const sealed_secret = sealSecret(sealer, body.clientId, body.clientSecret);
    const row = await db
      .insertInto("oauth_integrations")
      .values({ ...integrationColumns(body), sealed_secret, created_at: at, updated_at: at })
      .returningAll()
      .executeTakeFirstOrThrow();
    return showIntegration(row);
  }),
  handle(getOAuthIntegration, async ({ db, params }) =>
    showIntegration(await readIntegration(db, params.id)),
  ),
  handle(updateOAuthIntegration, async ({ db, params, body, sealer, now }) => {
    const row = await readIntegration(db, params.id);
    await refuseConflict(db, body.name, params.id);
    const isMoved = addsOrigin(row, body);
    if (isMoved && body.clientSecret == null) throw movedSecret();
    if (isMoved) await dropUserTokens(db, params.id);
    const secret = body.clientSecret ?? openSecret(sealer, row);
    await db
      .updateTable("oauth_integrations")
      .set({
        ...integrationColumns(body),
        sealed_secret: sealSecret(sealer, body.clientId, secret),
        updated_at: toTimestamp(now()),
      })
      .where("id", "=", params.id)
      .execute();
    return showIntegration(await readIntegration(db, params.id));
  }),
  handle(deleteOAuthIntegration, async ({ db, params }) => {
    await readIntegration(db, params.id);
    await db.deleteFrom("oauth_integrations").where("id", "=", params.id).execute();
  }),
  handleList(listUserOAuthTokens, async ({ db, principal, now }) => {
    const rows = await db
      .selectFrom("user_oauth_tokens")
      .selectAll()
      .where("user_id", "=", principal.userId)
      .orderBy("id")
      .execute();
    return singlePage(rows.map((row) => showToken(row, now())));
  }),
  handle(getUserOAuthToken, async (call) =>
    showToken(await readToken(call.db, ownerOf(call)), call.now()),
  ),
  handlePrepared(deleteUserOAuthToken, {
    prepare: async (call) => {
      const { integration, row } = await readBoth(call);
      const { revocationUrl } = configOf(integration);
      if (revocationUrl === undefined) return;
      const { accessToken, refreshToken } = openTokens(row, call.sealer);
      const client = { id: integration.client_id, secret: openSecret(call.sealer, integration) };
      const form = { token: refreshToken ?? accessToken };
      try {
        await call.tokenEndpoints.post(revocationUrl, form, client);
      } catch (error) {
        // The token is deleted here even if the provider cannot be reached.
        if (!isFailure(error)) throw error;
      }
    },
    run: async (call) => {
      const { id } = await readToken(call.db, ownerOf(call));
      await call.db.deleteFrom("user_oauth_tokens").where("id", "=", id).execute();
    },
    finish: async () => undefined as never,
  }),
  handle(initiateUserOAuthToken, async ({ db, params, principal, sealer, now }) => {
    const integration = await readIntegration(db, params.integrationId);
    const { userId } = principal;
    const started = { userId, sealer, now: now() };
    return { authorizationUrl: await startAuthorization(db, integration, started) };
  }),
  handlePrepared(completeUserOAuthToken, {
    prepare: async (call) => {
      const integration = await readIntegration(call.db, call.params.integrationId);
      const { code, state } = call.body;
      const open = await findAuthorization(call.db, ownerOf(call), { state, now: call.now() });
      // `run` refuses it, unless the answer of an earlier call is replayed.
      if (open === undefined) return undefined;
      const code_verifier = call.sealer.open(open.sealed_verifier, authorizationSealContext(open));
      const { redirect_uri } = integration;
      const form = { grant_type: "authorization_code", code, redirect_uri, code_verifier };
      return requestTokens(integration, form, call);
    },
    run: async (call, tokens) => {
      const { db, sealer, now, body } = call;
      const open = await findAuthorization(db, ownerOf(call), { state: body.state, now: now() });
      if (open === undefined || tokens === undefined) throw authorizationOver();
      await db.deleteFrom("oauth_authorizations").where("id", "=", open.id).execute();
      const row = await storeTokens(db, ownerOf(call), { tokens, sealer, now: now() });
      return showToken(row, now());
    },
    finish: async (token) => token,
  }),
  handlePrepared(issueUserOAuthToken, {
    prepare: (call) => freshTokens(call),
    run: async (call, fresh) => {
      const { db, sealer, now } = call;
      const row = await readToken(db, ownerOf(call));
      // Another call refreshed the token, or the user authorized again: these tokens are newer.
      if (row.sealed_tokens !== fresh.row.sealed_tokens) {
        return fresh.failure ? { row, tokens: accessOf(row, sealer), isNew: false } : fresh;
      }
      if (fresh.failure) {
        await recordRefusal(db, row, { message: fresh.failure.message, now: now() });
      } else if (fresh.isNew) {
        await storeTokens(db, ownerOf(call), { tokens: fresh.tokens, sealer, now: now() });
      }
      return fresh;
    },
    finish: async (fresh) => {
      if (fresh.failure) throw fresh.failure;
      const { accessToken, expiresAt } = fresh.tokens;
      return { accessToken, ...(expiresAt !== undefined && { expiresAt }) };
    },
  }),
];

type OwnerCall = Pick<Call, "principal"> & { readonly params: { readonly integrationId: number } };

function ownerOf({ principal, params }: OwnerCall) {
  return { userId: principal.userId, integrationId: params.integrationId };
}

/** Reads the integration before the token, because an integration that moves in between ends the token. */
async function readBoth(call: OwnerCall & Pick<Call, "db">) {
  const integration = await readIntegration(call.db, call.params.integrationId);
  return { integration, row: await readToken(call.db, ownerOf(call)) };
}

type Fresh = { readonly row: UserTokenRow } & (
  | { readonly failure: Failure }
  | { readonly failure?: undefined; readonly tokens: ProviderTokens; readonly isNew: boolean }
);

function accessOf(row: UserTokenRow, sealer: Sealer): ProviderTokens {
  const { access_expires_at: expiresAt } = row;
  return { accessToken: openTokens(row, sealer).accessToken, ...omitNullish({ expiresAt }) };
}

/**
 * Returns the tokens of the caller, refreshed if the access token is about to expire; or the reason why they cannot be
 * refreshed.
 */
async function freshTokens(
  call: OwnerCall & Pick<Call, "db" | "sealer" | "now" | "tokenEndpoints">,
): Promise<Fresh> {
  const { integration, row } = await readBoth(call);
  const { refreshToken } = openTokens(row, call.sealer);
  const soon = toTimestamp(call.now().getTime() + limits.oauthRefreshMs);
  const { access_expires_at: expiresAt } = row;
  if (row.status === "ACTIVE" && (expiresAt === null || expiresAt > soon)) {
    return { row, tokens: accessOf(row, call.sealer), isNew: false };
  }
  if (refreshToken === undefined) {
    throw new Failure("conflict", "the token has expired; start a new authorization");
  }
  const form = { grant_type: "refresh_token", refresh_token: refreshToken };
  try {
    const tokens = await requestTokens(integration, form, call);
    // A provider that does not rotate refresh tokens returns none.
    return { row, tokens: { refreshToken, ...tokens }, isNew: true };
  } catch (error) {
    if (isFailure(error, "conflict")) return { row, failure: error };
    throw error;
  }
}
