// Spec and status schemas of NotificationEmbedRecipient.
import { Type, type Static } from "typebox";
import { AttributeValue, EmbedTenantName, GroupNames, Id } from "../api/schemas.ts";
import { memberRulesKeyword, notBoth } from "../core/schema/member-rules.ts";
import { field } from "../core/schema/traits.ts";
import { attributeValues } from "./attribute-values.ts";
import { notificationFields } from "./notification-recipient.codec.ts";
import { statusSchema } from "./status-schema.ts";
import { externalIdPattern } from "../core/text/text-patterns.ts";

const tenantValues = attributeValues(AttributeValue, {
  refersTo: "EmbedUserAttribute",
  within: { embedTenant: "embedTenant" },
});

const hidden = { whenOmitted: "clear", writeOnly: true } as const;

/** All names of a recipient are of the account, or all of its embed tenant. */
const oneCatalogue = (["groups", "userAttributes"] as const).flatMap((own) =>
  (["tenantGroups", "tenantUserAttributes"] as const).map((tenant) =>
    notBoth(own, tenant, "all names are of the account, or all of the embed tenant"),
  ),
);

/** The spec schema. */
export const spec = Type.Object(
  {
    ...notificationFields,
    embedTenant: field(EmbedTenantName, {
      doc: "Embed tenant of the external user.",
      refersTo: "EmbedTenant",
      onChange: "replace",
    }),
    externalId: field(Type.String({ minLength: 1, maxLength: 255, pattern: externalIdPattern }), {
      doc: "The external user's ID in your own system. The user is created if it does not exist.",
      onChange: "replace",
    }),
    email: Type.Optional(
      field(Type.String({ maxLength: 254, format: "email" }), {
        doc: "Email address that the external user gets if the `externalId` is not one. `EmbedUser` owns the address: svc sends it only when this field changes, and does not compare it.",
        neverCleared: true,
        writeOnly: true,
      }),
    ),
    groups: Type.Optional(
      field(GroupNames, {
        doc: "Account-wide groups that the dashboard is rendered with, instead of the user's own. If the embed tenant has groups and attributes of all these names, they mean those. Removing the list leaves no groups: only a new recipient has the user's own.",
        order: "set",
        refersTo: "UserGroup",
        ...hidden,
      }),
    ),
    tenantGroups: Type.Optional(
      field(GroupNames, {
        doc: "Groups of the embed tenant that the dashboard is rendered with, instead of the user's own.",
        order: "set",
        refersTo: "EmbedGroup",
        within: { embedTenant: "embedTenant" },
        ...hidden,
      }),
    ),
    userAttributes: Type.Optional(
      field(attributeValues(AttributeValue, { refersTo: "UserAttribute" }), {
        doc: "Values of account-wide attributes that the dashboard is rendered with, instead of the user's own.",
        order: "set",
        ...hidden,
      }),
    ),
    tenantUserAttributes: Type.Optional(
      field(tenantValues, {
        doc: "Values of the embed tenant's attributes that the dashboard is rendered with, instead of the user's own.",
        order: "set",
        ...hidden,
      }),
    ),
    securityContext: Type.Optional(
      field(Type.Record(Type.String(), Type.Unknown()), {
        doc: "Security context of the dashboard's queries: any object. svc clears only a value that it set; `{}` clears any.",
        ...hidden,
      }),
    ),
  },
  { [memberRulesKeyword]: oneCatalogue },
);

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;

/** The status schema. */
export const status = statusSchema({
  deploymentId: Id,
  notificationId: Id,
  userId: Id,
});
