// Area workload-trusts: the OIDC tokens of CI systems that can be exchanged for tokens of this API.
import {
  createWorkloadTrust,
  deleteWorkloadTrust,
  getWorkloadTrust,
  listWorkloadTrusts,
  updateWorkloadTrust,
} from "../../../api/workload-trusts.ts";
import { changedColumns, toTimestamp } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import { refuseWiderLimits } from "../../security/key-limits.ts";
import { changedLimits, refuseUnknownDeployments } from "../api-keys/credential-limits.ts";
import { handle, handleList, type OperationHandler } from "../shared/operation-handler.ts";
import { pageOf } from "../shared/pagination.ts";
import {
  insertTrust,
  readTrust,
  refuseOpenTrust,
  refuseTakenName,
  requireOwner,
  showTrust,
  trustColumns,
  trustNotFound,
} from "./trusts.ts";

/** The handlers of this area. */
export const workloadTrusts: readonly OperationHandler[] = [
  handleList(listWorkloadTrusts, async (call) => {
    const trusts = call.db.selectFrom("workload_trusts").selectAll();
    return pageOf(call, keyset(trusts, "workload_trusts.id"), showTrust);
  }),
  handle(createWorkloadTrust, async ({ db, body, principal, now }) => {
    const owner = body.ownerUserId ?? principal.userId;
    await requireOwner(db, owner);
    const limits = changedLimits({}, body);
    refuseWiderLimits(principal.limits, limits);
    await refuseUnknownDeployments(db, limits.deployments ?? []);
    const columns = { ...trustColumns(body), owner_user_id: owner };
    return showTrust(await insertTrust(db, { body, columns }, toTimestamp(now())));
  }),
  handle(getWorkloadTrust, async ({ db, params }) => showTrust(await readTrust(db, params.id))),
  handle(updateWorkloadTrust, async ({ db, params, body, principal, now }) => {
    const { id } = params;
    const row = await readTrust(db, id);
    const current = showTrust(row);
    const { issuer = current.issuer, claims = current.claims } = body;
    refuseOpenTrust({ issuer, claims });
    if (body.name !== undefined) await refuseTakenName(db, body.name, id);
    const { deploymentIds, permissions, states } = current;
    const had = changedLimits({}, { deploymentIds, permissions, states });
    // A caller who changes the accepted tokens also decides who gets these permissions.
    refuseWiderLimits(principal.limits, changedLimits(had, body));
    await refuseUnknownDeployments(db, body.deploymentIds ?? []);
    const columns = changedColumns(row, trustColumns(body));
    if (Object.keys(columns).length === 0) return current;
    await db
      .updateTable("workload_trusts")
      .set({ ...columns, updated_at: toTimestamp(now()) })
      .where("id", "=", id)
      .execute();
    await db.deleteFrom("oauth_records").where("trust_id", "=", id).execute();
    return showTrust(await readTrust(db, id));
  }),
  handle(deleteWorkloadTrust, async ({ db, params }) => {
    const deleted = await db
      .deleteFrom("workload_trusts")
      .where("id", "=", params.id)
      .returning("id")
      .executeTakeFirst();
    if (!deleted) throw trustNotFound(params.id);
  }),
];
