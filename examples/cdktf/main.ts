// Harbour Analytics in typed constructs: `node main.ts` writes cdktf.out/stacks/harbour, which Terraform applies
// without changes. It declares the same objects as examples/quickstart.

/* oxlint-disable no-new -- a construct adds itself to its scope when it is created */
import { readFileSync } from "node:fs";
import { App, TerraformOutput, TerraformStack } from "cdktf";
import {
  AllTenantsEmbedAccess,
  DataModel,
  Deployment,
  EmbedGroup,
  EmbedTenant,
  EmbedUser,
  EmbedUserAttribute,
  EnvironmentVariable,
  Notification,
  NotificationEmbedRecipient,
  SvcProvider,
  UserAttribute,
  UserGroup,
  Workbook,
} from "svc-as-code/cdktf";

const app = new App();
const stack = new TerraformStack(app, "harbour");
// The address and the key come from SVC_API_URL and SVC_API_KEY.
new SvcProvider(stack, "svc");

const region = new UserAttribute(stack, "region", {
  name: "region",
  type: "string",
  displayName: "Sales region",
  description: "Rows of other regions are hidden from the viewer.",
});
new UserAttribute(stack, "cost-centres", {
  name: "cost_centres",
  type: "number_array",
  displayName: "Cost centres",
  description: "Cost centres whose figures the viewer may see.",
});
const readers = new UserGroup(stack, "dashboard-readers", {
  name: "Dashboard readers",
  description: "May open every published dashboard.",
}).reference;
const explorers = new UserGroup(stack, "explorers", {
  name: "Explorers",
  description: "May ask questions of their own.",
}).reference;

const sales = new Deployment(stack, "sales", {
  name: "harbour-sales",
  region: "aws-eu-central-1",
  release: { channel: "release" },
});
const deployment = sales.reference;
// The data model and its data are files of the quickstart.
const folder = new URL("../quickstart/sales/", import.meta.url);
const sources = [
  "model/cubes/orders.yml",
  "model/cubes/stores.yml",
  "model/views/week.yml",
  "seeds/orders.csv",
  "seeds/stores.csv",
].map((name) => [name, readFileSync(new URL(name, folder), "utf8")]);
new DataModel(stack, "sales-model", {
  deployment,
  files: Object.fromEntries(sources),
});
new EnvironmentVariable(stack, "currency", {
  deployment,
  name: "REPORTING_CURRENCY",
  value: "EUR",
});
const week = new Workbook(stack, "week", {
  deployment,
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
new AllTenantsEmbedAccess(stack, "week-for-customers", {
  deployment,
  workbook: week.reference,
});
const mondays = new Notification(stack, "mondays", {
  deployment,
  workbook: week.reference,
  schedule: "0 7 * * 1",
  timezone: "Europe/Berlin",
  notificationFormat: "pdf",
});

const northwind = new EmbedTenant(stack, "northwind", {
  name: "northwind",
  displayName: "Northwind Stores",
}).reference;
const managers = new EmbedGroup(stack, "northwind-managers", {
  embedTenant: northwind,
  name: "store-managers",
  description: "See the figures of their own store. Questions go to support@harbour.example.",
}).reference;
const directors = new EmbedGroup(stack, "northwind-directors", {
  embedTenant: northwind,
  name: "directors",
  description: "See every store.",
}).reference;
new EmbedUserAttribute(stack, "northwind-store", {
  embedTenant: northwind,
  name: "store",
  type: "string",
  displayName: "Store",
  defaultValue: "none",
});
new EmbedUser(stack, "northwind-ada", {
  embedTenant: northwind,
  externalId: "ada-1001",
  email: "ada@northwind.example",
  displayName: "Ada Marsh",
  groups: [readers],
  tenantGroups: [managers],
  userAttributes: [{ name: region.reference, value: "north" }],
});
new EmbedUser(stack, "northwind-tom", {
  embedTenant: northwind,
  externalId: "tom-1002",
  email: "tom@northwind.example",
  displayName: "Tom Reyes",
  groups: [readers, explorers],
  tenantGroups: [directors, managers],
});
new NotificationEmbedRecipient(stack, "mondays-tom", {
  deployment,
  notification: mondays.reference,
  embedTenant: northwind,
  externalId: "tom-1002",
  email: "tom@northwind.example",
});

const bluewater = new EmbedTenant(stack, "bluewater", {
  name: "bluewater-lines",
  displayName: "Bluewater Lines",
}).reference;
const dispatch = new EmbedGroup(stack, "bluewater-dispatch", {
  embedTenant: bluewater,
  name: "dispatch",
  description: "Plans the week's sailings.",
}).reference;
new EmbedUserAttribute(stack, "bluewater-vessels", {
  embedTenant: bluewater,
  name: "vessels",
  type: "string_array",
  displayName: "Vessels",
  description: "Vessels whose voyages the viewer may see.",
});
new EmbedUser(stack, "bluewater-ines", {
  embedTenant: bluewater,
  externalId: "ines-7",
  email: "ines@bluewater.example",
  displayName: "Inês Duarte",
  tenantGroups: [dispatch],
});

new TerraformOutput(stack, "address", { value: sales.deploymentUrl });
app.synth();
