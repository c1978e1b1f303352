// Area users: who belongs to the account, who of them is an administrator, and who may come in at all.
import { Type } from "typebox";
import { limits } from "../core/limits.ts";
import { defineOperation } from "../core/operation.ts";
import { oneOf, optionalForClient } from "../core/traits.ts";
import {
  strictObject,
  GroupNames,
  Id,
  nullish,
  Timestamp,
  Picture,
  Name,
  DisplayName,
} from "./schemas.ts";

const common = { area: "users", access: "admin", scope: "account" } as const;
const byId = strictObject({ id: Id });

const shown = {
  username: optionalForClient(Type.String()),
  isAdmin: optionalForClient(Type.Boolean()),
  isDeactivated: optionalForClient(
    Type.Boolean({ description: "The user's keys and sessions are refused." }),
  ),
  title: Type.Optional(Type.String()),
  groups: optionalForClient(
    Type.Array(Type.String(), { description: "Names of the account's groups, sorted." }),
  ),
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

/** The account's own users, newest first; external users are listed with their embed tenant. */
export const listUsers = defineOperation({
  ...common,
  id: "listUsers",
  method: "GET",
  path: "/api/v1/users",
  summary: "List users",
  description:
    "Administrators see each user as a whole, others what names a user: id, email, first name and picture. The other members are our own addition.",
  source: "public",
  unlisted: true,
  effect: "read",
  access: "user",
  query: strictObject({ search: Type.Optional(Type.String({ maxLength: 255 })) }),
  answer: strictObject({ ...known, ...Type.Partial(strictObject(shown)).properties }),
  list: "cursor",
});

/** Get the current user. */
export const getCurrentUser = defineOperation({
  ...common,
  id: "getCurrentUser",
  method: "GET",
  path: "/api/v1/users/me",
  summary: "Get the current user",
  description: "The user that the credential belongs to.",
  source: "public",
  unlisted: true,
  effect: "read",
  access: "user",
  scope: "open",
  answer: User,
});

/** Get a user. */
export const getUser = defineOperation({
  ...common,
  id: "getUser",
  method: "GET",
  path: "/api/v1/users/{id}",
  summary: "Get a user",
  description: "One of the account's own users.",
  source: "proposed",
  effect: "read",
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
  description: "User names and emails are unique in an account.",
  source: "public",
  effect: "write",
  body: strictObject({
    email: Type.String({ maxLength: 254, format: "email" }),
    username: Name,
    firstName: nullish(DisplayName),
    isAdmin: nullish(Type.Boolean()),
    picture: nullish(Picture),
  }),
  answer: User,
  errorCodes: ["conflict"],
});

/** Omitted members are kept; a text of `null`, or an empty one, is cleared. Neither name nor email can change. */
export const updateUser = defineOperation({
  ...common,
  id: "updateUser",
  method: "PUT",
  path: "/api/v1/users/{id}",
  summary: "Update a user",
  description:
    "Nobody deactivates themselves, and the last active administrator stays one: both are 403.",
  source: "public",
  effect: "write",
  params: byId,
  body: strictObject({
    firstName: nullish(DisplayName),
    title: nullish(DisplayName),
    picture: nullish(Picture),
    isAdmin: nullish(Type.Boolean()),
    isDeactivated: nullish(Type.Boolean()),
  }),
  answer: User,
  errorCodes: ["not_found"],
});

/** Takes keys, memberships, attribute values, sessions and subscriptions along. */
export const deleteUser = defineOperation({
  ...common,
  id: "deleteUser",
  method: "DELETE",
  path: "/api/v1/users/{id}",
  summary: "Delete a user",
  description: "Deleting oneself is 400, deleting the last active administrator 403.",
  source: "public",
  effect: "write",
  params: byId,
  errorCodes: ["not_found"],
});

/** Activate, deactivate or delete users. */
export const bulkUsers = defineOperation({
  ...common,
  id: "bulkUsers",
  method: "POST",
  path: "/api/v1/users/bulk",
  summary: "Activate, deactivate or delete users",
  description:
    "One after the other, each under the rules of updating or deleting one; a failure of one does not touch the others.",
  source: "public",
  effect: "write",
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
  description: "The user is in exactly these groups of the account afterwards.",
  source: "proposed",
  effect: "write",
  params: byId,
  body: strictObject({ groups: GroupNames }),
  answer: User,
  errorCodes: ["not_found"],
});
