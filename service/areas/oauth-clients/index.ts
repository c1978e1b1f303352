// Area oauth-clients: programs to which the account's users give access.
import {
  createOAuthClient,
  deleteOAuthClient,
  getOAuthClient,
  listOAuthClients,
  updateOAuthClient,
} from "../../../api/oauth-clients.ts";
import { refuseWiderLimits } from "../../security/key-limits.ts";
import { changedColumns, toJson, toTimestamp } from "../../store/codec.ts";
import { handle, handleList, type OperationHandler } from "../shared/operation-handler.ts";
import { singlePage } from "../shared/pagination.ts";
import {
  clientColumns,
  clientLimits,
  readClient,
  refuseConflict,
  requireGrant,
  secretColumn,
  showClient,
} from "./clients.ts";

/** The handlers of this area. */
export const oauthClients: readonly OperationHandler[] = [
  handleList(listOAuthClients, async ({ db }) => {
    const rows = await db.selectFrom("oauth_clients").selectAll().orderBy("id").execute();
    return singlePage(rows.map(showClient));
  }),
  handle(createOAuthClient, async ({ db, body, principal, sealer, now }) => {
    await refuseConflict(db, body.clientId);
    const at = toTimestamp(now());
    const { clientId: client_id, name, clientSecret } = body;
    const row = await db
      .insertInto("oauth_clients")
      .values({
        redirect_uris: toJson([]),
        allows_devices: 0,
        ...clientColumns(body),
        ...secretColumn(sealer, { client_id, sealed_secret: null }, clientSecret),
        client_id,
        name,
        created_at: at,
        updated_at: at,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    requireGrant(row);
    refuseWiderLimits(principal.limits, clientLimits(row));
    return showClient(row);
  }),
  handle(getOAuthClient, async ({ db, params }) => showClient(await readClient(db, params.id))),
  handle(updateOAuthClient, async ({ db, params: { id }, body, principal, sealer, now }) => {
    const current = await readClient(db, id);
    const columns = changedColumns(current, {
      ...clientColumns(body),
      ...secretColumn(sealer, current, body.clientSecret),
    });
    const row = { ...current, ...columns };
    requireGrant(row);
    // A caller who changes the redirect addresses or the secret can get the tokens of the client.
    refuseWiderLimits(principal.limits, clientLimits(row));
    const { name: _, ...rights } = columns;
    if (Object.keys(columns).length === 0) return showClient(current);
    const updated_at = toTimestamp(now());
    await db
      .updateTable("oauth_clients")
      .set({ ...columns, updated_at })
      .where("id", "=", id)
      .execute();
    if (Object.keys(rights).length > 0) {
      await db.deleteFrom("oauth_records").where("client_row_id", "=", id).execute();
    }
    return showClient({ ...row, updated_at });
  }),
  handle(deleteOAuthClient, async ({ db, params }) => {
    await readClient(db, params.id);
    await db.deleteFrom("oauth_clients").where("id", "=", params.id).execute();
  }),
];
