// Workbook: a workbook of a deployment, identified by its slug, with its published dashboard.
import { getDeployments } from "../api/deployments.ts";
import { moveWorkspaceItem } from "../api/workspace.ts";
import {
  deleteWorkbook,
  getWorkbook,
  listWorkbooks,
  publishDashboard,
  updateWorkbook,
  upsertWorkbook,
} from "../api/workbooks.ts";
import { checkDashboard } from "../charts/index.ts";
import { isObject } from "../core/json.ts";
import { defineKind, defineObserve, type ObjectWrite } from "../core/kind/kind.ts";
import { changedFields, deploymentIdOf, deploymentIds, idOf, definedMembers } from "./codec.ts";
import { chartWarnings } from "./chart-warnings.ts";
import { dashboardCheck } from "./dashboard-check.ts";
import { folderPlace } from "./folder.codec.ts";
import {
  dashboardSpec,
  hasSlug,
  type WorkbookWithSlug,
  publishInput,
  workbooksOf,
  workbooksWithoutSlug,
} from "./workbook.codec.ts";
import { examples } from "./workbook.example.ts";
import { type Spec, spec, status } from "./workbook.schema.ts";

const workbookFields = ["deployment", "slug", "name", "meta"];

function paramsOf(subject: ObjectWrite<Spec>) {
  return { deploymentId: Number(subject.live?.status["deploymentId"]), workbookId: idOf(subject) };
}

/** The Workbook resource type. The dashboard is part of it, because the API publishes dashboards through workbooks. */
export const workbook = defineKind(
  {
    name: "Workbook",
    plural: "workbooks",
    doc: "A workbook of a deployment, with its published dashboard. Its slug identifies it; a workbook without one cannot be declared. Deleting it deletes the dashboard and its notifications.",
    shape: "item",
    key: ["deployment", "slug"],
    scope: ["deployment"],
    cascades: true,
    spec,
    status,
    check: dashboardCheck,
    offlineErrors: ({ dashboard }) =>
      isObject(dashboard)
        ? checkDashboard(dashboard).map((one) => ({ ...one, path: `/dashboard${one.path}` }))
        : [],
    offlineWarnings: chartWarnings,
    examples,
  },
  (bind) => ({
    observe: defineObserve<Spec>({
      cost: "perParent",
      items: listWorkbooks,
      needs: [getDeployments, listWorkbooks],
      read: async (reader, { deployment = "" }) => {
        const found = await workbooksOf(reader, deployment);
        return (found?.workbooks ?? []).map((one) => toObserved(deployment, one));
      },
      unidentified: workbooksWithoutSlug,
      byId: {
        needs: [getWorkbook],
        read: async (reader, workbookId, { scope: { deployment = "" } }) => {
          const deploymentId = (await deploymentIds.read(reader)).get(deployment);
          if (deploymentId === undefined) return undefined;
          const one = await reader.one(getWorkbook, { params: { deploymentId, workbookId } });
          return one && hasSlug(one) ? toObserved(deployment, one) : undefined;
        },
      },
    }),
    create: [
      bind.perObject(
        upsertWorkbook,
        ({ spec: { deployment, slug, name, meta } }, ids) => ({
          params: { deploymentId: deploymentIdOf(ids, deployment), slug },
          body: definedMembers({ name, meta }),
        }),
        { prerequisite: deploymentIds, covers: workbookFields },
      ),
    ],
    update: [
      bind.perObject(
        updateWorkbook,
        (subject) => {
          const { meta, ...rest } = changedFields(subject, ["slug", "name", "meta"]);
          const replaced = meta === undefined ? {} : { meta: meta ?? {} };
          return { params: paramsOf(subject), body: { ...rest, ...replaced } };
        },
        { covers: workbookFields },
      ),
      bind.perObject(
        moveWorkspaceItem,
        (subject, { deploymentId, folderId }) => ({
          params: { deploymentId },
          body: { type: "WORKBOOK" as const, id: idOf(subject), folderId },
        }),
        { prerequisite: folderPlace("folder"), covers: ["folder"] },
      ),
      bind.perObject(
        publishDashboard,
        (subject) => {
          const params = paramsOf(subject);
          const { workbookId } = params;
          const dashboard = publishInput(subject.spec.dashboard, subject.live?.spec.dashboard);
          return { params, body: { workbookId, ...dashboard } };
        },
        { covers: ["dashboard"] },
      ),
    ],
    delete: [bind.perObject(deleteWorkbook, (subject) => ({ params: paramsOf(subject) }))],
  }),
);

function toObserved(deployment: string, one: WorkbookWithSlug) {
  return {
    id: String(one.id),
    spec: definedMembers({
      deployment,
      slug: one.slug,
      name: one.name,
      folder: one.folderPath?.at(-1)?.name,
      meta: one.meta,
      dashboard: dashboardSpec(one),
    }),
    status: definedMembers({
      id: one.id,
      deploymentId: one.deploymentId,
      dashboardId: one.publishedDashboard?.id,
      publicId: one.publishedDashboard?.publicId,
    }),
  };
}
