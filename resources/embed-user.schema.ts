// Spec and status schemas of EmbedUser.
import { Type, type Static } from "typebox";
import { AttributeValue, GroupNames, Id, Timestamp, Picture } from "../api/schemas.ts";
import { field } from "../core/schema/traits.ts";
import { attributeValues } from "./attribute-values.ts";
import { provisioner } from "../core/text/provisioner.ts";
import { embedTenantField } from "./codec.ts";
import { lastLogin, statusSchema } from "./status-schema.ts";
import { unreservedExternalIdPattern } from "../core/text/text-patterns.ts";

/** The spec schema. */
export const spec = Type.Object({
  embedTenant: embedTenantField,
  externalId: field(
    Type.String({ minLength: 1, maxLength: 255, pattern: unreservedExternalIdPattern }),
    {
      doc: `Stable ID in your own system: lowercase, without surrounding white space. \`${provisioner}\` is reserved.`,
      onChange: "replace",
    },
  ),
  email: Type.Optional(
    field(Type.String({ maxLength: 254, format: "email" }), {
      doc: "Email address that notifications are sent to.",
      neverCleared: true,
    }),
  ),
  displayName: Type.Optional(
    field(Type.String({ minLength: 1, maxLength: 255 }), {
      doc: "Display name.",
      neverCleared: true,
    }),
  ),
  picture: Type.Optional(
    field(Picture, {
      doc: "HTTP or HTTPS URL of the avatar. The viewer's browser loads it.",
      neverCleared: true,
      writeOnly: true,
    }),
  ),
  groups: Type.Optional(
    field(GroupNames, {
      doc: "Account-wide groups of the user. An empty list removes all memberships.",
      order: "set",
      refersTo: "UserGroup",
      neverCleared: true,
      writeOnly: true,
    }),
  ),
  tenantGroups: Type.Optional(
    field(GroupNames, {
      doc: "Groups of the embed tenant that the user is in. An empty list removes all memberships.",
      order: "set",
      refersTo: "EmbedGroup",
      within: { embedTenant: "embedTenant" },
      neverCleared: true,
    }),
  ),
  userAttributes: Type.Optional(
    field(attributeValues(AttributeValue, { refersTo: "UserAttribute" }), {
      doc: "Values of account-wide attributes. `null` clears a value; attributes that are not listed keep their values. A session of the user with `userAttributes` stores other values of the same names.",
      order: "set",
      neverCleared: true,
      writeOnly: true,
    }),
  ),
});

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;

/** The status schema. */
export const status = statusSchema({
  id: Id,
  username: Type.String(),
  createdAt: Type.Optional(Timestamp),
  lastLogin: Type.Optional(lastLogin),
});
