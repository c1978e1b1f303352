// Operations on the account's own users.
import { Type } from "typebox";
import { limits } from "../core/limits.ts";
import { defineOperation } from "../core/operation.ts";
import { userRoles } from "../core/permission-actions.ts";
import { field, oneOf, optionalForClient } from "../core/traits.ts";
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
  ManagedBy,
} from "./schemas.ts";

const common = { area: "users" } as const;
const byId = strictObject({ id: Id });

/** The names of a user's roles. */
export const DefaultRoles = Type.Array(oneOf(userRoles), {
  minItems: 1,
  maxItems: userRoles.length,
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
  groups: optionalForClient(
    Type.Array(Type.String(), { description: "Names of the user's account-wide groups, sorted." }),
  ),
  managedBy: Type.Optional(ManagedBy),
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

/** What the credential of a request is. */
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
    "A user without `defaultRoles` has the role AIBIViewer. Returns 409 when the username or email is already in use in the account, and 403 when a key with chosen permissions sets `isAdmin` or `defaultRoles`.",
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
    "Omitted members are kept; `null` or an empty string clears a text. The username and the email cannot be changed. Returns 403 when callers deactivate themselves, when no active administrator would remain, or when a key with chosen permissions sets `isAdmin` or `defaultRoles`; and 409 for changes of the first name, title, picture or state of a user that an identity provider manages.",
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
