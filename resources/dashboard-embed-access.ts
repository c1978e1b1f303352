// DashboardEmbedAccess: an embed tenant that may view the published dashboard of a workbook.
import { Type, type Static } from "typebox";
import { setEmbedAccess } from "../api/embed-dashboards.ts";
import { EmbedTenantName, Id } from "../api/schemas.ts";
import { WorkbookSlug } from "../api/workbooks.ts";
import { defineKind } from "../core/kind/kind.ts";
import { field } from "../core/schema/traits.ts";
import { deploymentField } from "./codec.ts";
import { embedAccessLimit, liveIds, observeEmbedAccess } from "./embed-access.ts";
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
    recordedAs: "embed-access",
    doc: "Access of an embed tenant to the published dashboard of a workbook. Embed sessions of its users view the dashboard if its `allowEmbed` is true too. For all embed tenants, use AllTenantsEmbedAccess.",
    shape: "link",
    key: ["deployment", "workbook", "embedTenant"],
    scope: ["deployment", "workbook"],
    limit: embedAccessLimit,
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
    observe: observeEmbedAccess<Static<typeof spec>>(
      ({ tenants }, { scope: { deployment = "", workbook = "" }, place }) =>
        tenants.map(({ embedTenantName: embedTenant }) => ({
          id: `${place.workbookId}/${embedTenant}`,
          spec: { deployment, workbook, embedTenant },
          status: { ...place },
        })),
    ),
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
        params: liveIds(live),
        body: { embedTenantName: embedTenant, action: "none" as const },
      })),
    ],
  }),
);
