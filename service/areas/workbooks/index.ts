// Area workbooks: workbooks of a deployment, and the dashboards that are published from them.
import {
  createWorkbook,
  deleteWorkbook,
  getWorkbook,
  listWorkbooks,
  publishDashboard,
  saveDashboardDraft,
  setDashboardEmbedding,
  updateWorkbook,
  upsertWorkbook,
} from "../../../api/workbooks.ts";
import { Failure } from "../../../core/errors.ts";
import { behave, behaveList, type Behaviour } from "../../area.ts";
import { pageOfMany } from "../../paging.ts";
import { flag, moment } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import { publish, publishedByPublicId, saveDraft, showDashboard } from "./dashboards.ts";
import {
  changeWorkbook,
  dropWorkbook,
  insertWorkbook,
  putWorkbook,
  requireDeployment,
  selectWorkbooks,
  showWorkbook,
  showWorkbooks,
  workbookOf,
} from "./workbooks.ts";

/** What the operations of the area do. */
export const workbooks: readonly Behaviour[] = [
  behaveList(listWorkbooks, async (call) => {
    const { deploymentId } = call.params;
    await requireDeployment(call.db, deploymentId);
    const found = keyset(selectWorkbooks(call.db, deploymentId), "workbooks.id");
    return pageOfMany(call, found, (rows) => showWorkbooks(call.db, rows));
  }),
  behave(createWorkbook, async ({ db, params, body, now }) =>
    showWorkbook(db, await insertWorkbook(db, { ...params, ...body, at: moment(now()) })),
  ),
  behave(getWorkbook, async ({ db, params }) => showWorkbook(db, await workbookOf(db, params))),
  behave(updateWorkbook, async ({ db, params, body, now }) =>
    showWorkbook(db, await changeWorkbook(db, params, { body, at: moment(now()) })),
  ),
  behave(upsertWorkbook, async ({ db, params, body, now }) =>
    showWorkbook(db, await putWorkbook(db, { params, body, at: moment(now()) })),
  ),
  behave(deleteWorkbook, async ({ db, params }) => dropWorkbook(db, params)),
  behave(saveDashboardDraft, async ({ db, params, body, now }) => {
    const workbook = await workbookOf(db, params);
    return showDashboard(await saveDraft(db, workbook, { ...body, at: moment(now()) }));
  }),
  behave(publishDashboard, async ({ db, params, body, now }) => {
    const workbook = await workbookOf(db, params);
    return showDashboard(await publish(db, workbook, { body, at: moment(now()) }));
  }),
  behave(setDashboardEmbedding, async ({ db, params, body, principal }) => {
    const { publicId } = params;
    const dashboard = await publishedByPublicId(db, publicId);
    const reach = principal.deploymentIds;
    if (reach && !reach.has(dashboard.deployment_id)) {
      throw new Failure(
        "forbidden",
        "this credential does not reach the dashboard's deployment; use a key whose scope holds it",
      );
    }
    await db
      .updateTable("dashboards")
      .set({ allow_embed: flag(body.allowEmbed) })
      .where("id", "=", dashboard.id)
      .execute();
    return { publicId, allowEmbed: body.allowEmbed };
  }),
];
