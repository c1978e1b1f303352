// Harbour Analytics as a Pulumi program, with the same objects as examples/quickstart.
import { readFileSync } from "node:fs";
import * as svc from "svc-as-code/pulumi";

const region = new svc.UserAttribute("region", {
  name: "region",
  type: "string",
  displayName: "Sales region",
  description: "Rows of other regions are hidden from the viewer.",
});
new svc.UserAttribute("cost-centres", {
  name: "cost_centres",
  type: "number_array",
  displayName: "Cost centres",
  description: "Cost centres whose figures the viewer may see.",
});
const readers = new svc.UserGroup("dashboard-readers", {
  name: "Dashboard readers",
  description: "May open every published dashboard.",
});
const explorers = new svc.UserGroup("explorers", {
  name: "Explorers",
  description: "May ask questions of their own.",
});

const sales = new svc.Deployment("sales", {
  name: "harbour-sales",
  region: "aws-eu-central-1",
  release: { channel: "release" },
});
// The data model and its data are files of the quickstart.
const folder = new URL("../../quickstart/sales/", import.meta.url);
const sources = [
  "model/cubes/orders.yml",
  "model/cubes/stores.yml",
  "model/views/week.yml",
  "seeds/orders.csv",
  "seeds/stores.csv",
].map((name) => [name, readFileSync(new URL(name, folder), "utf8")]);
new svc.DataModel("sales-model", {
  deployment: sales.name,
  files: Object.fromEntries(sources),
});
new svc.EnvironmentVariable("currency", {
  deployment: sales.name,
  name: "REPORTING_CURRENCY",
  value: "EUR",
});
const week = new svc.Workbook("week", {
  deployment: sales.name,
  slug: "the-week",
  name: "The week",
  dashboard: {
    title: "The week",
    description: "Orders and revenue of the stores, up to the first full week of 2026.",
    theme: { primaryColor: "#0f766e" },
    allowEmbed: true,
    widgets: [
      {
        id: "status",
        type: "FILTER",
        position: { x: 0, y: 0, w: 3, h: 2 },
        config: { member: "week.status", title: "Status" },
      },
      {
        id: "revenue",
        type: "CHART",
        position: { x: 0, y: 2, w: 3, h: 4 },
        config: {
          title: "Revenue of the week",
          chart: "number",
          formats: { "week.revenue": "$,.0f" },
          query: {
            measures: ["week.revenue"],
            timeDimensions: [
              {
                dimension: "week.ordered_at",
                granularity: "week",
                dateRange: ["2025-11-17", "2026-01-11"],
              },
            ],
          },
        },
      },
      {
        id: "orders",
        type: "CHART",
        position: { x: 0, y: 6, w: 3, h: 4 },
        config: {
          title: "Orders of the week",
          chart: "number",
          query: {
            measures: ["week.count"],
            timeDimensions: [
              {
                dimension: "week.ordered_at",
                granularity: "week",
                dateRange: ["2025-11-17", "2026-01-11"],
              },
            ],
          },
        },
      },
      {
        id: "by-week",
        type: "CHART",
        position: { x: 3, y: 0, w: 9, h: 10 },
        config: {
          title: "Revenue and average order",
          chart: "bar",
          y: [
            { member: "week.revenue", format: "$,.0f", color: "#0f766e" },
            {
              member: "week.average",
              type: "line",
              axis: "right",
              format: "$,.0f",
              color: "#d97706",
            },
          ],
          axes: { right: { min: 0 } },
          query: {
            measures: ["week.revenue", "week.average"],
            timeDimensions: [
              {
                dimension: "week.ordered_at",
                granularity: "week",
                dateRange: ["2025-11-17", "2026-01-11"],
              },
            ],
          },
        },
      },
      {
        id: "by-store",
        type: "CHART",
        position: { x: 0, y: 10, w: 7, h: 7 },
        config: {
          title: "Stores this week",
          chart: "table",
          totals: true,
          columns: [
            "week.store",
            "week.region",
            "week.count",
            { member: "week.revenue", format: "$,.0f" },
            { member: "week.unpaid", title: "Not paid yet", format: "$,.0f" },
          ],
          conditions: [
            { member: "week.revenue", scale: "bars" },
            { member: "week.unpaid", operator: "gt", value: 200, color: "#b42318", bold: true },
          ],
          query: {
            measures: ["week.count", "week.revenue", "week.unpaid"],
            dimensions: ["week.store", "week.region"],
            timeDimensions: [
              { dimension: "week.ordered_at", dateRange: ["2026-01-05", "2026-01-11"] },
            ],
            order: { "week.revenue": "desc" },
          },
        },
      },
      {
        id: "by-day",
        type: "CHART",
        position: { x: 7, y: 10, w: 5, h: 7 },
        config: {
          title: "Revenue by day and region",
          chart: "area",
          colors: ["#0f766e", "#d97706"],
          query: {
            measures: ["week.revenue"],
            dimensions: ["week.region"],
            timeDimensions: [
              {
                dimension: "week.ordered_at",
                granularity: "day",
                dateRange: ["2026-01-05", "2026-01-11"],
              },
            ],
          },
        },
      },
    ],
  },
});
new svc.AllTenantsEmbedAccess("week-for-customers", {
  deployment: sales.name,
  workbook: week.slug,
});
const mondays = new svc.Notification("mondays", {
  deployment: sales.name,
  workbook: week.slug,
  schedule: "0 7 * * 1",
  timezone: "Europe/Berlin",
  notificationFormat: "pdf",
});

/** Declares a customer. A tenant is provisioned through a session, which needs a deployment. */
function tenant(id: string, name: string, displayName: string): svc.EmbedTenant {
  return new svc.EmbedTenant(id, { name, displayName }, { dependsOn: sales });
}

const northwind = tenant("northwind", "northwind", "Northwind Stores");
const managers = new svc.EmbedGroup("northwind-managers", {
  embedTenant: northwind.name,
  name: "store-managers",
  description: "See the figures of their own store. Questions go to support@harbour.example.",
});
const directors = new svc.EmbedGroup("northwind-directors", {
  embedTenant: northwind.name,
  name: "directors",
  description: "See every store.",
});
new svc.EmbedUserAttribute("northwind-store", {
  embedTenant: northwind.name,
  name: "store",
  type: "string",
  displayName: "Store",
  defaultValue: "none",
});
new svc.EmbedUser("northwind-ada", {
  embedTenant: northwind.name,
  externalId: "ada-1001",
  email: "ada@northwind.example",
  displayName: "Ada Marsh",
  groups: [readers.name],
  tenantGroups: [managers.name],
  userAttributes: [{ name: region.name, value: "north" }],
});
const tom = new svc.EmbedUser("northwind-tom", {
  embedTenant: northwind.name,
  externalId: "tom-1002",
  email: "tom@northwind.example",
  displayName: "Tom Reyes",
  groups: [readers.name, explorers.name],
  tenantGroups: [directors.name, managers.name],
});
new svc.NotificationEmbedRecipient("mondays-tom", {
  deployment: sales.name,
  notification: mondays.key,
  embedTenant: northwind.name,
  externalId: tom.externalId,
  email: "tom@northwind.example",
});

const bluewater = tenant("bluewater", "bluewater-lines", "Bluewater Lines");
const dispatch = new svc.EmbedGroup("bluewater-dispatch", {
  embedTenant: bluewater.name,
  name: "dispatch",
  description: "Plans the week's sailings.",
});
new svc.EmbedUserAttribute("bluewater-vessels", {
  embedTenant: bluewater.name,
  name: "vessels",
  type: "string_array",
  displayName: "Vessels",
  description: "Vessels whose voyages the viewer may see.",
});
new svc.EmbedUser("bluewater-ines", {
  embedTenant: bluewater.name,
  externalId: "ines-7",
  email: "ines@bluewater.example",
  displayName: "Inês Duarte",
  tenantGroups: [dispatch.name],
});

/** The address of the dashboards. */
export const address = sales.deploymentUrl;
