// Operations on the account's own users.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { userRoles } from "../core/operation/permission-actions.ts";
import { field, oneOf, optionalForClient } from "../core/schema/traits.ts";
import { CurrentRights } from "./permission-schemas.ts";
import {
  strictObject,
  GroupNames,
  Id,
  nullish,
  Timestamp,
  Picture,
  Name,
  DisplayName,
  LinkedIntegration,
  ManagedBy,
  ScimIntegrationName,
} from "./schemas.ts";

const common = { area: "users" } as const;
const byId = strictObject({ id: Id });

/** The names of a user's roles. */
export const DefaultRoles = Type.Array(oneOf(userRoles), {
  minItems: 1,
  maxItems: userRoles.length,
});

/** Settings of a user. */
export const UserSettings = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "Settings that the user chose: any object. The service keeps it for pages and programs.",
});

/** The security context of a user. */
export const SecurityContext = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "Security context of the user's queries: any object. A token with a context of its own has that one instead.",
});

/** A password of a user. */
export const Password = field(
  Type.String({ minLength: limits.passwordMin, maxLength: limits.passwordMax }),
  {
    doc: "Password for the sign-in pages. Setting it ends the user's browser sessions and OAuth tokens. Only administrators may set it; it is never returned.",
    sensitive: true,
    writeOnly: true,
  },
);

const externalIdDoc = "ID of the user at the identity provider, by which SCIM finds the user.";

/** ID of one of the account's own users at the identity provider. */
export const DirectoryId = Type.String({
  minLength: 1,
  maxLength: 255,
  description: externalIdDoc,
});

/** The name of a theme. */
export const EmbedTheme = Type.String({
  minLength: 1,
  maxLength: 255,
  description:
    "Mode of the account's theme on pages that embed content for the user, such as `dark`. The `embedTheme` of a session takes precedence.",
});

const shown = {
  username: optionalForClient(Type.String()),
  isAdmin: optionalForClient(Type.Boolean()),
  defaultRoles: optionalForClient(DefaultRoles),
  isDeactivated: optionalForClient(
    Type.Boolean({
      description:
        "Whether the user is deactivated. A deactivated user's keys and sessions are rejected.",
    }),
  ),
  title: Type.Optional(Type.String()),
  externalId: Type.Optional(Type.String({ description: externalIdDoc })),
  settings: Type.Optional(UserSettings),
  securityContext: Type.Optional(SecurityContext),
  embedTheme: Type.Optional(Type.String()),
  groups: optionalForClient(
    Type.Array(Type.String(), {
      description:
        "Names of the user's account-wide groups, sorted. For the caller's own user, also those of its embed tenant, as `system:tenant:{tenant}:{group}`; a session of creator mode has these only.",
    }),
  ),
  managedBy: Type.Optional(ManagedBy),
  scimIntegration: Type.Optional(ScimIntegrationName),
  createdAt: optionalForClient(Timestamp),
  updatedAt: Type.Optional(Timestamp),
  lastLogin: Type.Optional(Timestamp),
};
const known = {
  id: Id,
  email: Type.String(),
  firstName: Type.Optional(Type.String()),
  picture: Type.Optional(Type.String()),
};

const User = strictObject({ ...known, ...shown });

/** List the account's own users. External users are listed with their embed tenant. */
export const listUsers = defineOperation({
  ...common,
  id: "listUsers",
  method: "GET",
  path: "/api/v1/users",
  summary: "List users",
  description:
    "Returns the account's own users, newest first. Callers who are not administrators get only the ID, email, first name and picture of each user.",
  source: "public",
  unlisted: true,
  effect: "read",
  permission: { action: "DirectoryRead", scope: "account" },
  query: strictObject({ search: Type.Optional(Type.String({ maxLength: 255 })) }),
  answer: strictObject({ ...known, ...Type.Partial(strictObject(shown)).properties }),
  list: "cursor",
});

/** The type of the credential of a request. */
const CurrentCredential = strictObject(
  {
    type: field(Type.Enum(["api-key", "access-token", "workload-token", "embed-token"]), {
      doc: "API key, access token of a sign-in, token that a pipeline exchanged, or token of an embed session.",
    }),
    name: Type.Optional(
      field(Type.String(), {
        doc: "Name of the API key, or of the workload trust with the subject of the token.",
      }),
    ),
    expiresAt: Type.Optional(
      field(Timestamp, { doc: "End of the access token. Omitted for a credential without one." }),
    ),
  },
  { description: "The credential of the request." },
);

/** Get the current user. */
export const getCurrentUser = defineOperation({
  ...common,
  id: "getCurrentUser",
  method: "GET",
  path: "/api/v1/users/me",
  crossOrigin: true,
  summary: "Get the current user",
  description: "Returns the user that the credential belongs to, and what the credential permits.",
  source: "public",
  unlisted: true,
  effect: "read",
  permission: "self",
  answer: strictObject({
    ...User.properties,
    permissions: optionalForClient(CurrentRights),
    credential: optionalForClient(CurrentCredential),
  }),
});

/** Update the settings of the current user. */
export const updateUserSettings = defineOperation({
  ...common,
  id: "updateUserSettings",
  method: "PATCH",
  path: "/api/v1/users/me/settings",
  summary: "Update your settings",
  description:
    "Merges the members into the settings of the caller; `null` removes a member. Returns 404 for external users.",
  source: "public",
  effect: "write",
  repeatable: true,
  permission: "self",
  body: UserSettings,
  answer: User,
  errorCodes: ["not_found"],
});

/** Get a user. */
export const getUser = defineOperation({
  ...common,
  id: "getUser",
  method: "GET",
  path: "/api/v1/users/{id}",
  summary: "Get a user",
  description: "Returns one of the account's own users.",
  source: "proposed",
  effect: "read",
  permission: { action: "UsersRead", scope: "account" },
  params: byId,
  answer: User,
  errorCodes: ["not_found"],
});

/** Create a user. */
export const createUser = defineOperation({
  ...common,
  id: "createUser",
  method: "POST",
  path: "/api/v1/users",
  summary: "Create a user",
  description:
    "A user without `defaultRoles` has the role AIBIViewer. Returns 409 when the username, the email or the external ID is already in use in the account, and 403 when a key with chosen permissions sets `isAdmin`, `defaultRoles` or `password`.",
  source: "public",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  body: strictObject({
    email: Type.String({ maxLength: 254, format: "email" }),
    username: Name,
    firstName: nullish(DisplayName),
    isAdmin: nullish(Type.Boolean()),
    defaultRoles: nullish(DefaultRoles),
    picture: nullish(Picture),
    externalId: nullish(DirectoryId),
    password: nullish(Password),
    settings: nullish(UserSettings),
  }),
  answer: User,
  errorCodes: ["conflict"],
});

/** Update a user. */
export const updateUser = defineOperation({
  ...common,
  id: "updateUser",
  method: "PUT",
  path: "/api/v1/users/{id}",
  summary: "Update a user",
  description:
    "Omitted members are kept; `null` or an empty string clears a text. The username and the email cannot be changed. Returns 403 when callers deactivate themselves, when no active administrator would remain, or when a key with chosen permissions sets `isAdmin`, `defaultRoles`, `password` or `scimIntegration`; and 409 for changes of the first name, title, picture, password or state of a user that an identity provider manages.",
  source: "public",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  params: byId,
  body: strictObject({
    firstName: nullish(DisplayName),
    title: nullish(DisplayName),
    picture: nullish(Picture),
    isAdmin: nullish(Type.Boolean()),
    isDeactivated: nullish(Type.Boolean()),
    defaultRoles: nullish(DefaultRoles),
    password: nullish(Password),
    securityContext: nullish(SecurityContext),
    settings: nullish(UserSettings),
    embedTheme: nullish(EmbedTheme),
    scimIntegration: nullish(LinkedIntegration),
  }),
  answer: User,
  errorCodes: ["not_found", "conflict"],
});

/** Delete a user with its API keys, memberships, attribute values, sessions and subscriptions. */
export const deleteUser = defineOperation({
  ...common,
  id: "deleteUser",
  method: "DELETE",
  path: "/api/v1/users/{id}",
  summary: "Delete a user",
  description:
    "Deletes the user with its API keys, memberships and attribute values. Returns 400 when callers delete themselves, 403 for the last active administrator, and 409 when an identity provider manages the user.",
  source: "public",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  params: byId,
  errorCodes: ["not_found", "conflict"],
});

/** Activate, deactivate or delete users. */
export const bulkUsers = defineOperation({
  ...common,
  id: "bulkUsers",
  method: "POST",
  path: "/api/v1/users/bulk",
  summary: "Activate, deactivate or delete users",
  description:
    "Applies the action to each user, under the rules of `updateUser` and `deleteUser`. The call continues when a user fails and reports each failure in `failed`.",
  source: "public",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  body: strictObject({
    action: oneOf(["DEACTIVATE", "ACTIVATE", "DELETE"]),
    userIds: Type.Array(Id, { minItems: 1, maxItems: limits.bulkUsers }),
  }),
  answer: strictObject({
    action: Type.String(),
    succeeded: Type.Array(Id),
    failed: Type.Array(
      strictObject({
        userId: Id,
        error: strictObject({ status: Type.Integer(), message: Type.String() }),
      }),
    ),
  }),
});

/** Set a user's groups. */
export const setUserGroups = defineOperation({
  ...common,
  id: "setUserGroups",
  method: "PUT",
  path: "/api/v1/users/{id}/groups",
  summary: "Set a user's groups",
  description:
    "Replaces the user's account-wide groups. Returns 409 when an identity provider manages a group that the user would join or leave.",
  source: "proposed",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  params: byId,
  body: strictObject({ groups: GroupNames }),
  answer: User,
  errorCodes: ["not_found", "conflict"],
});

/** Create a link with which a user sets a password. An earlier link of the user stops working. */
export const createPasswordLink = defineOperation({
  ...common,
  id: "createPasswordLink",
  method: "POST",
  path: "/api/v1/users/{id}/password-link",
  summary: "Create a link to set a user's password",
  description:
    "Invites a user to sign in, or lets one replace a forgotten password. The link works once, for three days. Setting " +
    "the password ends the user's browser sessions and OAuth tokens. Only administrators may create links: a link is " +
    "as powerful as its user.",
  source: "proposed",
  effect: "write",
  permission: { action: "All", scope: "account" },
  params: byId,
  answer: strictObject({
    url: Type.String({ description: "The link. It is shown once." }),
    expiresAt: Type.String({ format: "date-time", description: "When the link stops working." }),
  }),
  errorCodes: ["not_found", "conflict"],
});
