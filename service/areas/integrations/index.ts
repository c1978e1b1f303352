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
import { limits } from "../../../core/limits.ts";
import { authorizationSealContext } from "../../security/sealed-columns.ts";
import { toTimestamp } from "../../store/codec.ts";
import {
  type Call,
  handle,
  handleList,
  handlePrepared,
  type OperationHandler,
} from "../operation-handler.ts";
import { singlePage } from "../pagination.ts";
import {
  configOf,
  integrationColumns,
  openSecret,
  readIntegration,
  refuseConflict,
  refuseMovedSecret,
  sealSecret,
  showIntegration,
} from "./integrations.ts";
import {
  openTokens,
  type ProviderTokens,
  readAuthorization,
  readToken,
  recordRefusal,
  requestTokens,
  showToken,
  startAuthorization,
  storeTokens,
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
    if (body.clientSecret == null) refuseMovedSecret(row, body.tokenUrl);
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
      const row = await readToken(call.db, ownerOf(call));
      const integration = await readIntegration(call.db, call.params.integrationId);
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
      const open = await readAuthorization(call.db, ownerOf(call), { state, now: call.now() });
      const code_verifier = call.sealer.open(open.sealed_verifier, authorizationSealContext(open));
      const { redirect_uri } = integration;
      const form = { grant_type: "authorization_code", code, redirect_uri, code_verifier };
      return requestTokens(integration, form, call);
    },
    run: async (call, tokens) => {
      const { db, sealer, now, body } = call;
      const open = await readAuthorization(db, ownerOf(call), { state: body.state, now: now() });
      await db.deleteFrom("oauth_authorizations").where("id", "=", open.id).execute();
      return storeTokens(db, ownerOf(call), { tokens, sealer, now: now() });
    },
    finish: async (row, { now }) => showToken(row, now()),
  }),
  handlePrepared(issueUserOAuthToken, {
    prepare: (call) => freshTokens(call),
    run: async (call, fresh) => {
      const { db, sealer, now } = call;
      if (fresh.failure) {
        await recordRefusal(db, fresh.row, { message: fresh.failure.message, now: now() });
        return fresh;
      }
      if (fresh.isNew) {
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

type Fresh = { readonly row: Awaited<ReturnType<typeof readToken>> } & (
  | { readonly failure: Failure }
  | { readonly failure?: undefined; readonly tokens: ProviderTokens; readonly isNew: boolean }
);

/** Returns the tokens of the caller, refreshed if the access token is about to expire; or why they cannot be. */
async function freshTokens(
  call: OwnerCall & Pick<Call, "db" | "sealer" | "now" | "tokenEndpoints">,
): Promise<Fresh> {
  const row = await readToken(call.db, ownerOf(call));
  const { accessToken, refreshToken } = openTokens(row, call.sealer);
  const soon = toTimestamp(call.now().getTime() + limits.oauthRefreshMs);
  const expiresAt = row.access_expires_at ?? undefined;
  if (row.status === "ACTIVE" && (expiresAt === undefined || expiresAt > soon)) {
    return { row, tokens: { accessToken, ...(expiresAt && { expiresAt }) }, isNew: false };
  }
  if (refreshToken === undefined) {
    throw new Failure("conflict", "the token has expired; start a new authorization");
  }
  const integration = await readIntegration(call.db, row.integration_id);
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
