// EmbedTenantSetup: a component that declares an embed tenant with its groups, attributes, users, dashboards and a notification.
import { defineComponent } from "../core/kind/component.ts";
import { dashboardEmbedAccess } from "./dashboard-embed-access.ts";
import { embedGroup } from "./embed-group.ts";
import { embedTenant } from "./embed-tenant.ts";
import { embedUser } from "./embed-user.ts";
import { embedUserAttribute } from "./embed-user-attribute.ts";
import { notification } from "./notification.ts";
import { notificationEmbedRecipient } from "./notification-embed-recipient.ts";

/** The EmbedTenantSetup component. */
export const embedTenantSetup = defineComponent({
  name: "EmbedTenantSetup",
  doc: "A customer of signed embedding: the embed tenant, its groups, attributes and users, the workbooks whose dashboards it may view, and a notification with its recipients. Groups and attributes are maps by name, users and recipients maps by `externalId`, and `access` is a map by the workbook's slug.",
  parts: [
    { name: "tenant", kind: embedTenant, cardinality: "one", doc: "The embed tenant." },
    {
      name: "groups",
      kind: embedGroup,
      cardinality: "each",
      doc: "Groups of the tenant, by name.",
    },
    {
      name: "attributes",
      kind: embedUserAttribute,
      cardinality: "each",
      doc: "Attributes of the tenant, by name.",
    },
    {
      name: "users",
      kind: embedUser,
      cardinality: "each",
      doc: "Users of the tenant, by `externalId`.",
    },
    {
      name: "access",
      kind: dashboardEmbedAccess,
      cardinality: "each",
      mapKey: "workbook",
      doc: "Workbooks whose published dashboards the tenant may view, by slug.",
    },
    {
      name: "notification",
      kind: notification,
      cardinality: "optional",
      doc: "A scheduled delivery to users of the tenant.",
    },
    {
      name: "recipients",
      kind: notificationEmbedRecipient,
      cardinality: "each",
      doc: "Recipients of the notification, by `externalId`.",
    },
  ],
  examples: [
    {
      title: "A customer with two groups and a weekly report",
      name: "acme",
      inputs: {
        tenant: { name: "acme-stores", displayName: "Acme Stores" },
        groups: { directors: { description: "See every store." }, managers: {} },
        attributes: { store: { type: "string", displayName: "Store", defaultValue: "none" } },
        users: { "jane-4711": { displayName: "Jane Doe", tenantGroups: ["managers"] } },
        access: { "sales-overview": { deployment: "production" } },
        notification: {
          deployment: "production",
          workbook: "sales-overview",
          schedule: "0 7 * * 1",
          timezone: "Europe/Berlin",
        },
        recipients: {
          "jane-4711": {
            email: "jane@acme.example",
            tenantGroups: ["managers"],
            tenantUserAttributes: [{ name: "store", value: "Berlin" }],
          },
        },
      },
    },
  ],
});
