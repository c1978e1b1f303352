// Spec and status schemas of User.
import { Type, type Static } from "typebox";
import {
  GroupNames,
  StoredAttributeValue,
  Id,
  ManagedBy,
  ScimIntegrationName,
  Timestamp,
  Name,
  Picture,
} from "../api/schemas.ts";
import {
  DefaultRoles,
  DirectoryId,
  EmbedTheme,
  Password,
  SecurityContext,
  UserSettings,
} from "../api/users.ts";
import { field } from "../core/schema/traits.ts";
import { attributeValues } from "./attribute-values.ts";
import { lastLogin, statusSchema } from "./status-schema.ts";
import { lowercasePattern } from "../core/text/text-patterns.ts";

const text = Type.String({ minLength: 1, maxLength: 255 });

/** The spec schema. */
export const spec = Type.Object({
  email: field(Type.String({ maxLength: 254, format: "email", pattern: lowercasePattern }), {
    doc: "Email, in lowercase, unique in the account.",
    onChange: "replace",
  }),
  username: field(Name, {
    doc: "Username for sign-in, unique in the account.",
    onChange: "replace",
  }),
  firstName: Type.Optional(field(text, { doc: "Display name.", readOnlyWhileManaged: true })),
  title: Type.Optional(field(text, { doc: "Job title.", readOnlyWhileManaged: true })),
  picture: Type.Optional(
    field(Picture, { doc: "HTTP or HTTPS URL of the avatar.", readOnlyWhileManaged: true }),
  ),
  isAdmin: Type.Optional(
    field(Type.Boolean(), {
      doc: "Whether the user is an administrator. Administrators have all permissions. The last active administrator of an account cannot be demoted.",
      neverCleared: true,
      whenRemoved: { becomes: false },
    }),
  ),
  roles: Type.Optional(
    field(DefaultRoles, {
      doc: "Roles of the user, which grant permissions. Without one, a user has the role AIBIViewer, which reads.",
      order: "set",
      serverChosen: true,
      neverCleared: true,
      whenRemoved: { becomes: ["AIBIViewer"] },
    }),
  ),
  externalId: Type.Optional(
    field(DirectoryId, {
      doc: "ID of the user at the identity provider, by which SCIM finds the user. Unique in the account.",
      onChange: "replace",
    }),
  ),
  password: Type.Optional(
    field(Password, {
      doc: "Password for the sign-in pages. Setting it ends the user's browser sessions and OAuth tokens. Without one, `svc users invite` lets the user set it.",
      sensitive: true,
      writeOnly: true,
      neverCleared: true,
      readOnlyWhileManaged: true,
    }),
  ),
  securityContext: Type.Optional(
    field(SecurityContext, {
      doc: "Security context of the user's queries: any object. A token with a context of its own has that one instead.",
    }),
  ),
  settings: Type.Optional(
    field(UserSettings, {
      doc: "What the user chose: any object, which the service keeps for pages and programs. The value replaces all settings, also those that the user chose.",
    }),
  ),
  embedTheme: Type.Optional(
    field(EmbedTheme, {
      doc: "Mode of the account's theme on pages that embed content for the user, such as `dark`.",
    }),
  ),
  isDeactivated: Type.Optional(
    field(Type.Boolean(), {
      doc: "Whether the user is deactivated. A deactivated user's keys and sessions are rejected. Users cannot deactivate themselves.",
      neverCleared: true,
      readOnlyWhileManaged: true,
    }),
  ),
  groups: Type.Optional(
    field(GroupNames, {
      doc: "Account-wide groups of the user. The list replaces all memberships; an empty list removes them. To declare memberships one by one, omit it and use a GroupMembership for each.",
      order: "set",
      refersTo: "UserGroup",
      neverCleared: true,
    }),
  ),
  userAttributes: Type.Optional(
    field(attributeValues(StoredAttributeValue, { refersTo: "UserAttribute" }), {
      doc: "Values of account-wide attributes. The list replaces all values; an empty list clears them. To declare values one by one, omit it and use a UserAttributeValue for each.",
      order: "set",
      neverCleared: true,
    }),
  ),
});

/** {@link spec} as a type. */
export type Spec = Static<typeof spec>;

/** The status schema. */
export const status = statusSchema({
  id: Id,
  managedBy: Type.Optional(ManagedBy),
  scimIntegration: Type.Optional(ScimIntegrationName),
  createdAt: Type.Optional(Timestamp),
  lastLogin: Type.Optional(lastLogin),
});
