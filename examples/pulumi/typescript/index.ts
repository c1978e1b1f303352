// Northwind Stores as a Pulumi program: where its dashboards run, its tenant with groups and people, and a weekly mail.
import * as svc from "svc-as-code/pulumi";

const sales = new svc.Deployment("sales", {
  name: "harbour-sales",
  region: "aws-eu-central-1",
  release: { channel: "release" },
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
    description: "Orders and revenue of the last seven days.",
    allowEmbed: true,
    widgets: [
      {
        id: "headline",
        type: "TEXT",
        position: { x: 0, y: 0, w: 12, h: 2 },
        config: { text: "Last seven days" },
      },
    ],
  },
});

const mondays = new svc.Notification("mondays", {
  deployment: sales.name,
  workbook: week.slug,
  schedule: "0 7 * * 1",
  timezone: "Europe/Berlin",
  notificationFormat: "pdf",
});

// A tenant is provisioned through a session, which needs a deployment.
const northwind = new svc.EmbedTenant(
  "northwind",
  { name: "northwind", displayName: "Northwind Stores" },
  { dependsOn: sales },
);

const directors = new svc.EmbedGroup("directors", {
  embedTenant: northwind.name,
  name: "directors",
  description: "See every store.",
});

const tom = new svc.EmbedUser("tom", {
  embedTenant: northwind.name,
  externalId: "tom-1002",
  email: "tom@northwind.example",
  displayName: "Tom Reyes",
  tenantGroups: [directors.name],
});

new svc.NotificationEmbedRecipient("mondays-tom", {
  deployment: sales.name,
  notification: mondays.key,
  embedTenant: northwind.name,
  externalId: tom.externalId,
  email: "tom@northwind.example",
});

/** Where the dashboards are. */
export const address = sales.deploymentUrl;
