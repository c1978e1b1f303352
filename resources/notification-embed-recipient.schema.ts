// What can be wished of a NotificationEmbedRecipient, and what the service reports of it.
import { Type, type Static } from "typebox";
import { AttributeValue, EmbedTenantName, GroupNames, Id } from "../api/schemas.ts";
import { field } from "../core/traits.ts";
import { attributeValues } from "./attribute-values.ts";
import { lowercaseTrimmed } from "./codec.ts";
import { notificationFields } from "./notification-recipient.codec.ts";
import { statusSchema } from "./status-schema.ts";

/** Lowercase, no white space at either end. */
const externalIdPattern = `^${lowercaseTrimmed}$`;

const tenantValues = attributeValues(AttributeValue, {
  refersTo: "EmbedUserAttribute",
  within: { embedTenant: "embedTenant" },
});

const hidden = { neverCleared: true, writeOnly: true } as const;

/** The wish. */
export const spec = Type.Object({
  ...notificationFields,
  embedTenant: field(EmbedTenantName, {
    doc: "The tenant of the external user.",
    refersTo: "EmbedTenant",
    onChange: "replace",
  }),
  externalId: field(Type.String({ minLength: 1, maxLength: 255, pattern: externalIdPattern }), {
    doc: "The external user's id in your own system; the user is made where there is none.",
    onChange: "replace",
  }),
  email: Type.Optional(
    field(Type.String({ maxLength: 254, format: "email" }), {
      doc: "Where to deliver, where neither the user's own email nor the `externalId` says so. It becomes the user's own.",
      neverCleared: true,
    }),
  ),
  groups: Type.Optional(
    field(GroupNames, {
      doc: "Account-wide groups that it is rendered with; with `tenantGroups` they are all there are.",
      order: "set",
      refersTo: "UserGroup",
      ...hidden,
    }),
  ),
  tenantGroups: Type.Optional(
    field(GroupNames, {
      doc: "Groups of its tenant that it is rendered with.",
      order: "set",
      refersTo: "EmbedGroup",
      within: { embedTenant: "embedTenant" },
      ...hidden,
    }),
  ),
  userAttributes: Type.Optional(
    field(attributeValues(AttributeValue, { refersTo: "UserAttribute" }), {
      doc: "Values of account-wide attributes that it is rendered with; with `tenantUserAttributes` they are all there are.",
      order: "set",
      ...hidden,
    }),
  ),
  tenantUserAttributes: Type.Optional(
    field(tenantValues, {
      doc: "Values of its tenant's attributes that it is rendered with.",
      order: "set",
      ...hidden,
    }),
  ),
  securityContext: Type.Optional(
    field(Type.Record(Type.String(), Type.Unknown()), {
      doc: "Security context of its queries: any object.",
      ...hidden,
    }),
  ),
});

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;

/** What the service reports. */
export const status = statusSchema({
  deploymentId: Id,
  notificationId: Id,
  userId: Id,
});
