// Area workbooks: the workbooks of a deployment and their published dashboards.
import {
  createWorkbook,
  deleteWorkbook,
  duplicateWorkbook as duplicateOperation,
  getWorkbook,
  listWorkbooks,
  publishDashboard,
  saveDashboardDraft,
  setDashboardEmbedding,
  updateWorkbook,
  upsertWorkbook,
} from "../../../api/workbooks.ts";
import { handle, handleList, type OperationHandler } from "../shared/operation-handler.ts";
import { pageOfBatch } from "../shared/pagination.ts";
import { toFlag, toTimestamp } from "../../store/codec.ts";
import { permittedRows, requireResourcePermission } from "../../security/authorize-call.ts";
import { requirePermission } from "../../security/require-permission.ts";
import { keyset } from "../../store/keyset.ts";
import { requireDeployment } from "../../store/deployments.ts";
import { writeStampOf } from "../folders/folders.ts";
import { requireMove, requirePlacement } from "../folders/placement.ts";
import {
  publish,
  readPublishedDashboard,
  saveDraft,
  showDashboard,
  touchWorkbook,
} from "./dashboards.ts";
import { duplicateWorkbook } from "./duplicate.ts";
import {
  changeWorkbook,
  dropWorkbook,
  findBySlug,
  insertWorkbook,
  putWorkbook,
  selectWorkbooks,
  showWorkbook,
  showWorkbooks,
  readWorkbook,
} from "./workbooks.ts";

/** The handlers of this area. */
export const workbooks: readonly OperationHandler[] = [
  handleList(listWorkbooks, async (call) => {
    const { deploymentId } = call.params;
    await requireDeployment(call.db, deploymentId);
    const permitted = await permittedRows(call, {
      type: "workbook",
      deploymentId,
      action: "WorkbookRead",
    });
    const all = selectWorkbooks(call.db, deploymentId);
    const found = permitted ? all.where(permitted) : all;
    return pageOfBatch(call, keyset(found, "workbooks.id"), (rows) => showWorkbooks(call.db, rows));
  }),
  handle(createWorkbook, async (call) => {
    const { db, params, body } = call;
    await requirePlacement(call, {
      type: "workbook",
      deploymentId: params.deploymentId,
      folderId: body.folderId ?? null,
    });
    return showWorkbook(
      db,
      await insertWorkbook(db, { ...params, ...body, by: writeStampOf(call) }),
    );
  }),
  handle(getWorkbook, async ({ db, params }) => showWorkbook(db, await readWorkbook(db, params))),
  handle(updateWorkbook, async (call) => {
    const { db, params, body, now } = call;
    const workbook = await readWorkbook(db, params);
    await requireMove(call, workbook.id, {
      type: "workbook",
      deploymentId: params.deploymentId,
      folderId: body.folderId ?? undefined,
    });
    if (body.slug != null && body.slugTakeover === true) {
      const holder = (await findBySlug(db, params.deploymentId, body.slug)) ?? workbook;
      const target = { type: "workbook", id: holder.id } as const;
      await requireResourcePermission(call, "WorkbookEdit", target);
    }
    return showWorkbook(db, await changeWorkbook(db, params, { body, at: toTimestamp(now()) }));
  }),
  handle(upsertWorkbook, async (call) => {
    const { db, params, body } = call;
    const { deploymentId } = params;
    const known = await findBySlug(db, deploymentId, params.slug);
    const placement = { type: "workbook", deploymentId } as const;
    if (known) {
      await requireResourcePermission(call, "WorkbookEdit", { type: "workbook", id: known.id });
      await requireMove(call, known.id, { ...placement, folderId: body.folderId ?? undefined });
    } else await requirePlacement(call, { ...placement, folderId: body.folderId ?? null });
    return showWorkbook(db, await putWorkbook(db, { params, body, by: writeStampOf(call) }));
  }),
  handle(duplicateOperation, async (call) => {
    const { db, params } = call;
    const { folder_id: folderId } = await readWorkbook(db, params);
    await requirePlacement(call, {
      type: "workbook",
      deploymentId: params.deploymentId,
      folderId,
    });
    return showWorkbook(db, await duplicateWorkbook(call, params, writeStampOf(call)));
  }),
  handle(deleteWorkbook, async ({ db, params }) => dropWorkbook(db, params)),
  handle(saveDashboardDraft, async (call) => {
    const { db, params, body, now } = call;
    const workbook = await readWorkbook(db, params);
    return showDashboard(await saveDraft(call, workbook, { ...body, at: toTimestamp(now()) }));
  }),
  handle(publishDashboard, async (call) => {
    const { db, params, body, now, principal } = call;
    if (body.allowEmbed === true) {
      const target = { type: "deployment", id: String(params.deploymentId) } as const;
      requirePermission(principal, "EmbedDashboardManage", [target]);
    }
    const workbook = await readWorkbook(db, params);
    return showDashboard(await publish(call, workbook, { body, at: toTimestamp(now()) }));
  }),
  handle(setDashboardEmbedding, async ({ db, params, body, principal, now }) => {
    const { publicId } = params;
    const dashboard = await readPublishedDashboard(db, publicId);
    requirePermission(principal, "EmbedDashboardManage", [
      { type: "deployment", id: String(dashboard.deployment_id) },
    ]);
    await db
      .updateTable("dashboards")
      .set({ allow_embed: toFlag(body.allowEmbed) })
      .where("id", "=", dashboard.id)
      .execute();
    await touchWorkbook(db, dashboard.workbook_id, toTimestamp(now()));
    return { publicId, allowEmbed: body.allowEmbed };
  }),
];
