// Harbour Analytics in typed constructs: `node main.ts` writes cdktf.out/stacks/harbour, which Terraform applies
// without changes. It declares the same objects as examples/quickstart.

/* oxlint-disable no-new -- a construct adds itself to its scope when it is created */
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
new DataModel(stack, "sales-model", {
  deployment,
  files: {
    "model/cubes/orders.yml": `cubes:
  - name: orders
    sql_table: orders
    description: One row for each order of a store.
    joins:
      - name: stores
        relationship: many_to_one
        sql: "{CUBE}.store_id = {stores.id}"
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: status, sql: status, type: string }
      - { name: ordered_at, sql: ordered_at, type: time }
      - { name: region, sql: "{stores.region}", type: string }
    measures:
      - { name: count, type: count }
      - { name: revenue, type: sum, sql: amount }
    # Policies of cubes apply wherever a cube is read, in each view and dashboard: a viewer sees the rows of the region that
    # the session names. An administrator sees all, and so do Northwind's directors.
    access_policy:
      - role: admin
      - group: system:tenant:northwind:directors
      - group: "*"
        row_level:
          filters: [{ member: region, operator: equals, values: ["{userAttributes.region}"] }]
`,
    "model/cubes/stores.yml": `cubes:
  - name: stores
    sql_table: stores
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: name, sql: name, type: string }
      - { name: region, sql: region, type: string }
    access_policy:
      - role: admin
      - group: system:tenant:northwind:directors
      - group: "*"
        row_level:
          filters: [{ member: region, operator: equals, values: ["{userAttributes.region}"] }]
`,
    "model/views/week.yml": `views:
  - name: week
    description: What the dashboard of the week shows.
    cubes:
      - join_path: orders
        includes: [count, revenue, status, ordered_at]
      - join_path: orders.stores
        includes: [region]
`,
    "seeds/orders.csv": `id,store_id,status,amount,ordered_at
1,1,paid,120.50,2026-01-05 09:12:00
2,1,paid,80.00,2026-01-05 16:40:00
3,2,open,45.25,2026-01-06 11:05:00
4,3,paid,310.00,2026-01-07 08:30:00
5,2,paid,99.90,2026-01-08 13:55:00
6,3,returned,60.00,2026-01-09 10:20:00
7,1,paid,150.00,2026-01-10 17:45:00
8,3,open,75.35,2026-01-11 12:00:00
9,2,paid,20.00,2026-01-12 09:00:00
`,
    "seeds/stores.csv": `id,name,region
1,Bergen,north
2,Oslo,north
3,Porto,south
`,
  },
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
    description: "Orders and revenue of the first full week of the year.",
    allowEmbed: true,
    widgets: [
      {
        id: "headline",
        type: "TEXT",
        position: { x: 0, y: 0, w: 9, h: 2 },
        config: {
          text: "# The first full week of 2026\n\nStatus filters the orders that both charts count.",
        },
      },
      {
        id: "status",
        type: "FILTER",
        position: { x: 9, y: 0, w: 3, h: 2 },
        config: { member: "week.status", title: "Status" },
      },
      {
        id: "revenue-by-region",
        type: "CHART",
        position: { x: 0, y: 2, w: 6, h: 6 },
        config: {
          title: "Revenue and orders by region",
          chart: "bar",
          query: {
            measures: ["week.revenue", "week.count"],
            dimensions: ["week.region"],
            timeDimensions: [
              { dimension: "week.ordered_at", dateRange: ["2026-01-05", "2026-01-11"] },
            ],
          },
        },
      },
      {
        id: "orders-by-day",
        type: "CHART",
        position: { x: 6, y: 2, w: 6, h: 6 },
        config: {
          title: "Orders by day",
          chart: "line",
          query: {
            measures: ["week.count"],
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
