// Workbook: a workbook of a deployment, known by its slug, with the dashboard that is published from it.
import { getDeployments } from "../api/deployments.ts";
import {
  deleteWorkbook,
  getWorkbook,
  listWorkbooks,
  publishDashboard,
  updateWorkbook,
  upsertWorkbook,
} from "../api/workbooks.ts";
import { defineKind, observed, type Subject } from "../core/kind.ts";
import { changes, deploymentIdOf, deploymentIds, idOf, present } from "./codec.ts";
import { dashboardSpec, isNamed, type Named, publication, workbooksOf } from "./workbook.codec.ts";
import { type Spec, spec, status } from "./workbook.spec.ts";

const own = ["deployment", "slug", "name", "meta"];

function paramsOf(subject: Subject<Spec>) {
  return { deploymentId: Number(subject.live?.status["deploymentId"]), workbookId: idOf(subject) };
}

/** Made by its slug; its dashboard is no kind of its own, as the API publishes it through the workbook and under its ids. */
export const workbook = defineKind(
  {
    name: "Workbook",
    plural: "workbooks",
    doc: "A workbook of a deployment, with the dashboard that is published from it. Deleting it deletes the dashboard and its notifications.",
    shape: "item",
    key: ["deployment", "slug"],
    scope: ["deployment"],
    cascades: true,
    spec,
    status,
    examples: [
      {
        title: "A dashboard that customers see",
        name: "sales-overview",
        spec: {
          deployment: "production",
          slug: "sales-overview",
          name: "Sales overview",
          meta: { team: "analytics" },
          dashboard: {
            title: "Sales overview",
            description: "Orders and revenue, by store.",
            allowEmbed: true,
            widgets: [
              {
                id: "headline",
                type: "TEXT",
                position: { x: 0, y: 0, w: 12, h: 2 },
                config: { text: "Sales" },
              },
            ],
          },
        },
        variations: {
          slug: "sales",
          name: "Sales",
          meta: { team: "sales", reviewed: true },
          dashboard: { title: "Sales", allowEmbed: false },
        },
      },
    ],
  },
  (way) => ({
    observe: observed<Spec>({
      cost: "perParent",
      needs: [getDeployments, listWorkbooks],
      read: async (reader, { deployment = "" }) => {
        const found = await workbooksOf(reader, deployment);
        return (found?.workbooks ?? []).map((one) => seen(deployment, one));
      },
      byId: {
        needs: [getWorkbook],
        read: async (reader, workbookId, { scope: { deployment = "" } }) => {
          const deploymentId = (await deploymentIds.read(reader)).get(deployment);
          if (deploymentId === undefined) return undefined;
          const one = await reader.one(getWorkbook, { params: { deploymentId, workbookId } });
          return one && isNamed(one) ? seen(deployment, one) : undefined;
        },
      },
    }),
    create: [
      way.each(
        upsertWorkbook,
        ({ spec: { deployment, slug, name, meta } }, ids) => ({
          params: { deploymentId: deploymentIdOf(ids, deployment), slug },
          body: present({ name, meta }),
        }),
        { given: deploymentIds, covers: own },
      ),
    ],
    update: [
      way.each(
        updateWorkbook,
        (subject) => {
          const { meta, ...rest } = changes(subject, ["slug", "name", "meta"]);
          const replaced = meta === undefined ? {} : { meta: meta ?? {} };
          return { params: paramsOf(subject), body: { ...rest, ...replaced } };
        },
        { covers: own },
      ),
      way.each(
        publishDashboard,
        (subject) => {
          const params = paramsOf(subject);
          const { workbookId } = params;
          const dashboard = publication(subject.spec.dashboard, subject.live?.spec.dashboard);
          return { params, body: { workbookId, ...dashboard } };
        },
        { covers: ["dashboard"] },
      ),
    ],
    delete: [way.each(deleteWorkbook, (subject) => ({ params: paramsOf(subject) }))],
  }),
);

function seen(deployment: string, one: Named) {
  return {
    id: String(one.id),
    spec: present({
      deployment,
      slug: one.slug,
      name: one.name,
      meta: one.meta,
      dashboard: dashboardSpec(one),
    }),
    status: present({
      id: one.id,
      deploymentId: one.deploymentId,
      dashboardId: one.publishedDashboard?.id,
      publicId: one.publishedDashboard?.publicId,
    }),
  };
}
