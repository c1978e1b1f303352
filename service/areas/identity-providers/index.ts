// Area identity-providers: the OpenID Connect providers where the account's users sign in.
import {
  createIdentityProvider,
  deleteIdentityProvider,
  getIdentityProvider,
  listIdentityProviders,
  updateIdentityProvider,
} from "../../../api/identity-providers.ts";
import { Failure } from "../../../core/errors.ts";
import type { Principal } from "../../security/principal.ts";
import { changedColumns, toJson, toTimestamp } from "../../store/codec.ts";
import { fieldError } from "../shared/field-error.ts";
import { handle, handleList, type OperationHandler } from "../shared/operation-handler.ts";
import { singlePage } from "../shared/pagination.ts";
import {
  providerColumns,
  readProvider,
  refuseConflict,
  sealProviderSecret,
  showProvider,
} from "./providers.ts";

/** The handlers of this area. */
export const identityProviders: readonly OperationHandler[] = [
  handleList(listIdentityProviders, async ({ db, origin }) => {
    const rows = await db.selectFrom("identity_providers").selectAll().orderBy("id").execute();
    return singlePage(rows.map((row) => showProvider(row, origin().url)));
  }),
  handle(createIdentityProvider, async ({ db, body, principal, sealer, now, origin }) => {
    requireNoLimits(principal);
    await refuseConflict(db, body.name);
    const at = toTimestamp(now());
    const { name, issuer, clientId: client_id, clientSecret } = body;
    const row = await db
      .insertInto("identity_providers")
      .values({
        claims: toJson([]),
        ...providerColumns(body),
        name,
        issuer,
        client_id,
        sealed_secret: sealProviderSecret(sealer, { issuer, secret: clientSecret }),
        created_at: at,
        updated_at: at,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return showProvider(row, origin().url);
  }),
  handle(getIdentityProvider, async ({ db, params, origin }) =>
    showProvider(await readProvider(db, params.id), origin().url),
  ),
  handle(updateIdentityProvider, async (call) => {
    const { db, params, body, principal, sealer, now, origin } = call;
    requireNoLimits(principal);
    const current = await readProvider(db, params.id);
    if (body.name !== undefined) await refuseConflict(db, body.name, params.id);
    const { issuer = current.issuer, clientSecret } = body;
    if (issuer !== current.issuer && clientSecret === undefined) {
      const text = "the stored clientSecret is for another issuer; send clientSecret with issuer";
      throw fieldError("clientSecret", ["invalid", text]);
    }
    const columns = changedColumns(current, {
      ...providerColumns(body),
      ...(clientSecret !== undefined && {
        sealed_secret: sealProviderSecret(sealer, { issuer, secret: clientSecret }, current),
      }),
    });
    const { display_name: _, ...trust } = columns;
    if (Object.keys(columns).length === 0) return showProvider(current, origin().url);
    const updated_at = toTimestamp(now());
    await db
      .updateTable("identity_providers")
      .set({ ...columns, updated_at })
      .where("id", "=", params.id)
      .execute();
    if (Object.keys(trust).length > 0) {
      for (const table of ["browser_sessions", "oauth_records"] as const) {
        await db.deleteFrom(table).where("provider_id", "=", params.id).execute();
      }
    }
    return showProvider({ ...current, ...columns, updated_at }, origin().url);
  }),
  handle(deleteIdentityProvider, async ({ db, params, principal }) => {
    requireNoLimits(principal);
    await readProvider(db, params.id);
    await db.deleteFrom("identity_providers").where("id", "=", params.id).execute();
  }),
];

/** Throws `forbidden` for a credential with limits, which could give itself all rights of any user. */
function requireNoLimits({ limits }: Pick<Principal, "limits">): void {
  if (Object.keys(limits).length === 0) return;
  const text =
    "identity providers sign users in with all their rights, so a credential with limits cannot set them; use an administrator's unlimited key";
  throw new Failure("forbidden", text);
}
