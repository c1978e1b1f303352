// What can be wished of an EmbedUser, and what the service reports of it.
import { Type, type Static } from "typebox";
import { AttributeValue, GroupNames, Id, Timestamp, Picture } from "../api/schemas.ts";
import { field } from "../core/traits.ts";
import { attributeValues } from "./attribute-values.ts";
import { lowercaseTrimmed, embedTenantField, provisioner } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

/** Lowercase, no white space at either end, and not the reserved user's. */
const externalIdPattern = `^(?!${provisioner}$)${lowercaseTrimmed}$`;

/** The wish. */
export const spec = Type.Object({
  embedTenant: embedTenantField,
  externalId: field(Type.String({ minLength: 1, maxLength: 255, pattern: externalIdPattern }), {
    doc: `Stable id in your own system: lowercase, trimmed. \`${provisioner}\` is reserved.`,
    onChange: "replace",
  }),
  email: Type.Optional(
    field(Type.String({ maxLength: 254, format: "email" }), {
      doc: "Where notifications go.",
      neverCleared: true,
    }),
  ),
  displayName: Type.Optional(
    field(Type.String({ minLength: 1, maxLength: 255 }), {
      doc: "Name beside the avatar.",
      neverCleared: true,
    }),
  ),
  picture: Type.Optional(
    field(Picture, {
      doc: "Absolute http(s) address of the avatar; the viewer's browser loads it.",
      neverCleared: true,
      writeOnly: true,
    }),
  ),
  groups: Type.Optional(
    field(GroupNames, {
      doc: "Account-wide groups it is in; an empty list leaves all.",
      order: "set",
      refersTo: "UserGroup",
      neverCleared: true,
      writeOnly: true,
    }),
  ),
  tenantGroups: Type.Optional(
    field(GroupNames, {
      doc: "Groups of its tenant it is in; an empty list leaves all.",
      order: "set",
      refersTo: "EmbedGroup",
      within: { embedTenant: "embedTenant" },
      neverCleared: true,
    }),
  ),
  userAttributes: Type.Optional(
    field(attributeValues(AttributeValue, { refersTo: "UserAttribute" }), {
      doc: "Values of account-wide attributes; `null` clears one, one left out is kept.",
      order: "set",
      neverCleared: true,
      writeOnly: true,
    }),
  ),
});

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;

/** What the service reports. */
export const status = statusSchema({
  id: Id,
  username: Type.String(),
  createdAt: Type.Optional(Timestamp),
  lastLogin: Type.Optional(Timestamp),
});
