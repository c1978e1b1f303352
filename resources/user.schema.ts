// What can be wished of a User, and what the service reports of it.
import { Type, type Static } from "typebox";
import { GroupNames, StoredAttributeValue, Id, Timestamp, Name, Picture } from "../api/schemas.ts";
import { field } from "../core/traits.ts";
import { attributeValues } from "./attribute-values.ts";
import { statusSchema } from "./status-schema.ts";

const text = Type.String({ minLength: 1, maxLength: 255 });

/** The wish. */
export const spec = Type.Object({
  email: field(Type.String({ maxLength: 254, format: "email", pattern: "^[^A-Z]+$" }), {
    doc: "Email, in lower case, unique in the account.",
    onChange: "replace",
  }),
  username: field(Name, {
    doc: "Name to sign in with, unique in the account.",
    onChange: "replace",
  }),
  firstName: Type.Optional(field(text, { doc: "Name as others see it." })),
  title: Type.Optional(field(text, { doc: "What the user does." })),
  picture: Type.Optional(field(Picture, { doc: "Absolute http(s) address of the avatar." })),
  isAdmin: Type.Optional(
    field(Type.Boolean(), {
      doc: "Administrators may do everything; others read. The account's last active one stays.",
      neverCleared: true,
    }),
  ),
  isDeactivated: Type.Optional(
    field(Type.Boolean(), {
      doc: "Keys and sessions of the user are refused. Nobody deactivates themselves.",
      neverCleared: true,
    }),
  ),
  groups: Type.Optional(
    field(GroupNames, {
      doc: "The account's groups that the user is in, and no others; an empty list leaves all.",
      order: "set",
      refersTo: "UserGroup",
      neverCleared: true,
    }),
  ),
  userAttributes: Type.Optional(
    field(attributeValues(StoredAttributeValue, { refersTo: "UserAttribute" }), {
      doc: "Values of the account's attributes, and no others; an empty list clears all.",
      order: "set",
      neverCleared: true,
    }),
  ),
});

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;

/** What the service reports. */
export const status = statusSchema({
  id: Id,
  createdAt: Type.Optional(Timestamp),
  lastLogin: Type.Optional(Timestamp),
});
