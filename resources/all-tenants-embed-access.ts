// AllTenantsEmbedAccess: all embed tenants may view the published dashboard of a workbook.
import { Type, type Static } from "typebox";
import { setEmbedAccess } from "../api/embed-dashboards.ts";
import { Id } from "../api/schemas.ts";
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
    doc: "Workbook whose published dashboard all embed tenants may view.",
    refersTo: "Workbook",
    within: { deployment: "deployment" },
    onChange: "replace",
  }),
});

const all = { allEmbedUsers: true } as const;

/** The AllTenantsEmbedAccess resource type. */
export const allTenantsEmbedAccess = defineKind(
  {
    name: "AllTenantsEmbedAccess",
    plural: "all-tenants-embed-accesses",
    recordedAs: "embed-access",
    doc: "Access of all embed tenants to the published dashboard of a workbook. It includes later tenants. Embed sessions of their users view the dashboard if its `allowEmbed` is true too. It is independent of DashboardEmbedAccess, the access of one tenant.",
    shape: "link",
    key: ["deployment", "workbook"],
    scope: ["deployment", "workbook"],
    limit: embedAccessLimit,
    spec,
    status: statusSchema({ deploymentId: Id, workbookId: Id }),
    examples: [
      {
        title: "All customers view the sales overview",
        name: "sales-overview-for-all",
        spec: { deployment: "production", workbook: "sales-overview" },
        variations: {},
      },
    ],
  },
  (bind) => ({
    observe: observeEmbedAccess<Static<typeof spec>>(
      ({ allEmbedUsers }, { scope: { deployment = "", workbook = "" }, place }) =>
        allEmbedUsers.enabled
          ? [{ id: String(place.workbookId), spec: { deployment, workbook }, status: { ...place } }]
          : [],
    ),
    create: [
      bind.perObject(
        setEmbedAccess,
        (_, ids) => ({ params: ids, body: { ...all, action: "read" as const } }),
        { prerequisite: workbookIds },
      ),
    ],
    update: [],
    delete: [
      bind.perObject(setEmbedAccess, ({ live }) => ({
        params: liveIds(live),
        body: { ...all, action: "none" as const },
      })),
    ],
  }),
);
