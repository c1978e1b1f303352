// Area scim-integrations: identity providers that provision users and groups, each with its own token.
import {
  createScimIntegration,
  deleteScimIntegration,
  getScimIntegration,
  listScimIntegrations,
  rotateScimIntegrationToken,
  updateScimIntegration,
} from "../../../api/scim-integrations.ts";
import { invariant } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { generateScimToken, scimTokenColumns } from "../../security/scim-token.ts";
import { changedColumns, toTimestamp } from "../../store/codec.ts";
import type { Row } from "../../store/schema.ts";
import {
  type Call,
  handle,
  handleList,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { singlePage } from "../shared/pagination.ts";
import {
  dropIntegration,
  integrationColumns,
  readIntegration,
  refuseConflict,
  requireMayProvision,
  showIntegrations,
} from "./integrations.ts";

/** The handlers of this area. */
export const scimIntegrations: readonly OperationHandler[] = [
  handleList(listScimIntegrations, async (call) => {
    const rows = await call.db.selectFrom("scim_integrations").selectAll().orderBy("id").execute();
    return singlePage(await showAll(call, rows));
  }),
  handle(createScimIntegration, async (call) => {
    const { db, body, principal, now } = call;
    requireMayProvision(principal, body);
    await refuseConflict(db, body.name);
    const at = toTimestamp(now());
    const token = generateScimToken();
    const row = await db
      .insertInto("scim_integrations")
      .values({
        provider: "generic",
        is_enabled: 1,
        ...integrationColumns(body),
        name: body.name,
        ...scimTokenColumns(token),
        created_at: at,
        updated_at: at,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return { ...(await showOne(call, row)), token: token.reveal() };
  }),
  handle(getScimIntegration, async (call) =>
    showOne(call, await readIntegration(call.db, call.params.id)),
  ),
  handle(updateScimIntegration, async (call) => {
    const { db, params, body, principal, now } = call;
    const current = await readIntegration(db, params.id);
    requireMayProvision(principal, body);
    if (body.name !== undefined) await refuseConflict(db, body.name, current.id);
    const columns = changedColumns(current, integrationColumns(body));
    if (Object.keys(columns).length === 0) return showOne(call, current);
    return showOne(call, await setColumns(call, current.id, columns, toTimestamp(now())));
  }),
  handle(deleteScimIntegration, async ({ db, params }) => {
    const { id } = await readIntegration(db, params.id);
    await dropIntegration(db, id);
  }),
  handle(rotateScimIntegrationToken, async (call) => {
    const { db, params, body, principal, now } = call;
    const current = await readIntegration(db, params.id);
    requireMayProvision(principal, {});
    const token = generateScimToken();
    const seconds = body.previousTokenSeconds ?? limits.previousScimTokenSeconds;
    const ends = new Date(now().getTime() + seconds * 1000);
    const columns = {
      ...scimTokenColumns(token),
      previous_token_hash: seconds === 0 ? null : current.token_hash,
      previous_token_expires_at: seconds === 0 ? null : toTimestamp(ends),
    };
    const row = await setColumns(call, current.id, columns, toTimestamp(now()));
    return { ...(await showOne(call, row)), token: token.reveal() };
  }),
];

type ShownCall = Pick<Call, "db" | "origin" | "now">;

function showAll({ db, origin, now }: ShownCall, rows: readonly Row<"scim_integrations">[]) {
  return showIntegrations(db, rows, { origin: origin().url, at: toTimestamp(now()) });
}

async function showOne(call: ShownCall, row: Row<"scim_integrations">) {
  const [shown] = await showAll(call, [row]);
  invariant(shown, "an integration is not shown");
  return shown;
}

async function setColumns(
  { db }: Pick<Call, "db">,
  id: number,
  ...[columns, at]: readonly [Partial<Row<"scim_integrations">>, string]
): Promise<Row<"scim_integrations">> {
  return db
    .updateTable("scim_integrations")
    .set({ ...columns, updated_at: at })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
