// DashboardEmbedAccess: an embed tenant that may view the published dashboard of a workbook.
import { Type, type Static } from "typebox";
import { getDeployments } from "../api/deployments.ts";
import { getEmbedAccess, setEmbedAccess } from "../api/embed-dashboards.ts";
import { EmbedTenantName, Id } from "../api/schemas.ts";
import { listWorkbooks, WorkbookSlug } from "../api/workbooks.ts";
import { defineKind, defineObserve } from "../core/kind.ts";
import { field } from "../core/traits.ts";
import { deploymentField } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";
import { workbookIds } from "./workbook.codec.ts";

const spec = Type.Object({
  deployment: deploymentField,
  workbook: field(WorkbookSlug, {
    doc: "Workbook whose published dashboard the embed tenant may view.",
    refersTo: "Workbook",
    within: { deployment: "deployment" },
    onChange: "replace",
  }),
  embedTenant: field(EmbedTenantName, {
    doc: "Embed tenant that gets the access.",
    refersTo: "EmbedTenant",
    cascadeDelete: true,
    onChange: "replace",
  }),
});

/** The DashboardEmbedAccess resource type. */
export const dashboardEmbedAccess = defineKind(
  {
    name: "DashboardEmbedAccess",
    plural: "dashboard-embed-accesses",
    doc: "Access of an embed tenant to the published dashboard of a workbook. Embed sessions of its users view the dashboard if its `allowEmbed` is true too. For all embed tenants, use AllTenantsEmbedAccess.",
    shape: "link",
    key: ["deployment", "workbook", "embedTenant"],
    scope: ["deployment", "workbook"],
    spec,
    status: statusSchema({ deploymentId: Id, workbookId: Id }),
    examples: [
      {
        title: "A customer views the sales overview",
        name: "acme-sales-overview",
        spec: { deployment: "production", workbook: "sales-overview", embedTenant: "acme" },
        variations: { embedTenant: "globex" },
      },
    ],
  },
  (bind) => ({
    observe: defineObserve<Static<typeof spec>>({
      cost: "perParent",
      needs: [getDeployments, listWorkbooks, getEmbedAccess],
      read: async (reader, scope) => {
        const { deployment = "", workbook = "" } = scope;
        const ids = await workbookIds.read(reader, scope);
        const access = ids && (await reader.one(getEmbedAccess, { params: ids }));
        return (access?.tenants ?? []).map(({ embedTenantName: embedTenant }) => ({
          id: `${ids?.workbookId}/${embedTenant}`,
          spec: { deployment, workbook, embedTenant },
          status: { ...ids },
        }));
      },
    }),
    create: [
      bind.perObject(
        setEmbedAccess,
        ({ spec: { embedTenant } }, ids) => ({
          params: ids,
          body: { embedTenantName: embedTenant, action: "read" as const },
        }),
        { prerequisite: workbookIds },
      ),
    ],
    update: [],
    delete: [
      bind.perObject(setEmbedAccess, ({ spec: { embedTenant }, live }) => ({
        params: {
          deploymentId: Number(live?.status["deploymentId"]),
          workbookId: Number(live?.status["workbookId"]),
        },
        body: { embedTenantName: embedTenant, action: "none" as const },
      })),
    ],
  }),
);
