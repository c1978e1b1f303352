// NotificationEmbedRecipient: an external user who receives a notification, with the context that it is rendered with.
import { addRecipients, removeRecipients } from "../api/notifications.ts";
import { defineKind, defineObserve, type ObjectWrite } from "../core/kind/kind.ts";
import { definedMembers } from "./codec.ts";
import { type Spec, spec, status } from "./notification-embed-recipient.schema.ts";
import {
  recipientReads,
  batchByNotification,
  notificationIds,
  recipientId,
  recipientsIn,
  removeRecipientsInput,
} from "./notification-recipient.codec.ts";
import { addressCheck } from "./recipient-address-check.ts";

/** The NotificationEmbedRecipient resource type. One call subscribes or updates up to 1,000 recipients. */
export const notificationEmbedRecipient = defineKind(
  {
    name: "NotificationEmbedRecipient",
    plural: "notification-embed-recipients",
    recordedAs: "notification-recipients",
    doc: "An external user who receives a notification, with the groups, attributes and security context that the dashboard is rendered with.",
    shape: "entry",
    key: ["deployment", "notification", "embedTenant", "externalId"],
    scope: ["deployment", "notification"],
    createsImplicitly: { kind: "EmbedUser", key: ["embedTenant", "externalId"] },
    sharesFields: {
      kind: "EmbedUser",
      key: ["embedTenant", "externalId"],
      fields: { email: "email" },
    },
    check: addressCheck,
    spec,
    status,
    examples: [
      {
        title: "A store manager receives a weekly report",
        name: "weekly-sales-jane",
        spec: {
          deployment: "production",
          notification: "weekly-sales",
          embedTenant: "acme",
          externalId: "jane-4711",
          email: "jane@acme.example",
          tenantGroups: ["acme-viewers"],
          tenantUserAttributes: [{ name: "acme-store", value: "Berlin" }],
          securityContext: { store: "Berlin" },
        },
        variations: {
          externalId: "jane-4712",
          email: "jane.doe@acme.example",
          tenantGroups: [],
          tenantUserAttributes: [],
          securityContext: { store: "Bremen" },
        },
      },
      {
        title: "A report with the groups and attributes of the account",
        name: "weekly-sales-tom",
        spec: {
          deployment: "production",
          notification: "weekly-sales",
          embedTenant: "acme",
          externalId: "tom-4713",
          email: "tom@acme.example",
          groups: ["analysts"],
          userAttributes: [{ name: "region", value: "EMEA" }],
        },
        variations: {
          groups: [],
          userAttributes: [{ name: "region", value: "APAC" }],
        },
      },
    ],
  },
  (bind) => {
    const add = bind.batched(
      addRecipients,
      { ...batchByNotification, prerequisite: notificationIds },
      (subjects, place) => ({
        params: { ...place },
        body: { recipients: subjects.map(inputOf) },
      }),
    );
    return {
      observe: defineObserve<Spec>({
        cost: "perParent",
        needs: recipientReads,
        read: async (reader, scope) => {
          const { deployment = "", notification = "" } = scope;
          return (await recipientsIn(reader, scope)).flatMap(({ recipient, status: seen }) => {
            const { embedUserId, embedTenantName: embedTenant, externalId } = recipient;
            if (embedUserId == null || embedTenant == null || externalId == null) return [];
            return [
              {
                id: recipientId(seen.notificationId, embedUserId),
                spec: { deployment, notification, embedTenant, externalId },
                status: { ...seen, userId: embedUserId },
              },
            ];
          });
        },
      }),
      create: [add],
      update: [add],
      delete: [
        bind.batched(removeRecipients, batchByNotification, (subjects) =>
          removeRecipientsInput(subjects, "EMBED_USER"),
        ),
      ],
    };
  },
);

/** Returns the request for one recipient. The API takes the groups of the account or of the tenant in one member. */
function inputOf({ spec: desired, changed }: ObjectWrite<Spec>) {
  const { embedTenant: embedTenantName, externalId, email, securityContext } = desired;
  const isChanged = (...fields: readonly string[]) => fields.some((one) => changed.has(one));
  return {
    type: "EMBED_USER" as const,
    embedTenantName,
    externalId,
    // The address belongs to the EmbedUser, so an update of other fields must not set it.
    ...definedMembers({
      email: changed.has("email") ? email : undefined,
      // The API keeps what is omitted or null.
      securityContext: securityContext ?? (isChanged("securityContext") ? {} : undefined),
      groups:
        joined(desired.tenantGroups, desired.groups) ??
        (isChanged("tenantGroups", "groups") ? [] : undefined),
      userAttributes:
        joined(desired.tenantUserAttributes, desired.userAttributes) ??
        (isChanged("tenantUserAttributes", "userAttributes") ? [] : undefined),
    }),
  };
}

function joined<T>(...lists: readonly (readonly T[] | null | undefined)[]): T[] | undefined {
  const given = lists.filter((list) => list != null);
  return given.length === 0 ? undefined : given.flat();
}
