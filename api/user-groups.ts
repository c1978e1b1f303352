// Operations on account-wide groups and their members.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { exactlyOne } from "../core/schema/member-rules.ts";
import { defineOperation } from "../core/operation/operation.ts";
import {
  bulkCreated,
  bulkCreateRules,
  bulkItems,
  strictObject,
  Description,
  GroupName,
  Id,
  LinkedIntegration,
  ManagedBy,
  ScimIntegrationName,
  nullish,
  UserGroup,
} from "./schemas.ts";

const area = "user-groups";
const byId = strictObject({ id: Id });
/** An account-wide group in responses. */
export const AccountGroup = strictObject({
  ...UserGroup.properties,
  managedBy: Type.Optional(ManagedBy),
  scimIntegration: Type.Optional(ScimIntegrationName),
});
const NewGroup = strictObject({ name: GroupName, description: nullish(Description) });

/** List account groups. */
export const listUserGroups = defineOperation({
  id: "listUserGroups",
  area,
  method: "GET",
  path: "/api/v1/user-groups",
  summary: "List account groups",
  description:
    "Returns groups, newest first. `search` matches a case-insensitive substring of the name.",
  source: "public",
  effect: "read",
  permission: { action: "DirectoryRead", scope: "account" },
  query: strictObject({ search: Type.Optional(Type.String({ maxLength: 255 })) }),
  answer: AccountGroup,
  list: "cursor",
  selectable: true,
});

/** Delete an account group. */
export const deleteGroup = defineOperation({
  id: "deleteGroup",
  area,
  method: "DELETE",
  path: "/api/v1/groups/{id}",
  summary: "Delete an account group",
  description:
    "Deletes the group and its memberships, even when the group is in use. Returns 409 when an identity provider manages it.",
  source: "public",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  params: byId,
  errorCodes: ["not_found", "conflict"],
});

/** Create an account group. */
export const createUserGroup = defineOperation({
  id: "createUserGroup",
  area,
  method: "POST",
  path: "/api/v1/user-groups",
  summary: "Create an account group",
  description: "Returns 409 when the name is already in use in the account.",
  source: "proposed",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  body: NewGroup,
  answer: AccountGroup,
  errorCodes: ["conflict"],
});

/** Create account groups in bulk. */
export const createUserGroups = defineOperation({
  id: "createUserGroups",
  area,
  method: "POST",
  path: "/api/v1/user-groups/bulk",
  summary: "Create account groups in bulk",
  description: bulkCreateRules,
  source: "proposed",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  body: strictObject({
    groups: bulkItems(NewGroup, "Groups"),
  }),
  answer: bulkCreated(AccountGroup),
});

/** Get an account group. */
export const getUserGroup = defineOperation({
  id: "getUserGroup",
  area,
  method: "GET",
  path: "/api/v1/user-groups/{id}",
  summary: "Get an account group",
  description: "Returns one group.",
  source: "proposed",
  effect: "read",
  permission: { action: "DirectoryRead", scope: "account" },
  params: byId,
  answer: AccountGroup,
  errorCodes: ["not_found"],
});

/** Update an account group. */
export const updateUserGroup = defineOperation({
  id: "updateUserGroup",
  area,
  method: "PATCH",
  path: "/api/v1/user-groups/{id}",
  summary: "Update an account group",
  description:
    "Omitted members are kept; `null` or an empty string clears the description. Returns 409 when the name is already in use, and when an identity provider manages the name; and 403 when a key with chosen permissions sets `scimIntegration`.",
  source: "proposed",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  params: byId,
  body: strictObject({
    name: Type.Optional(GroupName),
    description: nullish(Description),
    scimIntegration: nullish(LinkedIntegration),
  }),
  answer: AccountGroup,
  errorCodes: ["not_found", "conflict"],
});

/** Delete an account group. */
export const deleteUserGroup = defineOperation({
  id: "deleteUserGroup",
  area,
  method: "DELETE",
  path: "/api/v1/user-groups/{id}",
  summary: "Delete an account group",
  description: "Deletes the group and its memberships. Same as `deleteGroup`.",
  source: "proposed",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  params: byId,
  errorCodes: ["not_found", "conflict"],
});

const Member = strictObject({
  id: Id,
  username: Type.String(),
  email: Type.Optional(Type.String()),
  isExternal: Type.Boolean({
    description: "Whether the member is an external user of an embed tenant.",
  }),
});
const Members = Type.Array(
  strictObject(
    {
      userId: nullish(Id),
      email: nullish(Type.String({ minLength: 1, maxLength: 254 })),
    },
    { rules: [exactlyOne("userId", "email")] },
  ),
  { minItems: 1, maxItems: limits.members },
);
const members = {
  area,
  path: "/api/v1/user-groups/{id}/users",
  source: "proposed",
  params: byId,
} as const;

/** List an account group's members. */
export const listUserGroupUsers = defineOperation({
  ...members,
  errorCodes: ["not_found"],
  id: "listUserGroupUsers",
  method: "GET",
  summary: "List an account group's members",
  description: "Returns all members of the group, including external users, newest first.",
  effect: "read",
  permission: { action: "UsersRead", scope: "account" },
  answer: Member,
  list: "cursor",
});

/** Add members to an account group. */
export const addUserGroupUsers = defineOperation({
  ...members,
  errorCodes: ["not_found", "conflict"],
  id: "addUserGroupUsers",
  method: "POST",
  summary: "Add members to an account group",
  description:
    "Adds users of the account to a group. Each member has exactly one of `userId` and `email`. When a user does not exist, no member is added. Returns 409 when an identity provider manages the group.",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  repeatable: true,
  body: strictObject({ members: Members }),
  answer: strictObject({ addedMembers: Type.Array(Member), unchangedMembers: Type.Array(Member) }),
});

/** Remove members from an account group. */
export const removeUserGroupUsers = defineOperation({
  ...members,
  errorCodes: ["not_found", "conflict"],
  id: "removeUserGroupUsers",
  method: "DELETE",
  summary: "Remove members from an account group",
  description:
    "Users that are not in the group, or do not exist, are ignored. Returns 409 when an identity provider manages the group.",
  effect: "write",
  permission: { action: "UsersManage", scope: "account" },
  body: strictObject({ members: Members }),
});
