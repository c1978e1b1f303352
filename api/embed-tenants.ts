// Operations on embed tenants: the customers of signed embedding, with their groups, attributes and external users.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { exactlyOne } from "../core/schema/member-rules.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { optionalForClient } from "../core/schema/traits.ts";
import {
  bulkCreated,
  bulkCreateRules,
  bulkItems,
  strictObject,
  EmbedAttributeType,
  EmbedTenantName,
  EmbedTenantPath,
  EmbedUser,
  ExternalId,
  Description,
  GroupName,
  Id,
  LookupName,
  nullish,
  Timestamp,
  UserGroup,
  UserProfile,
  GroupNames,
} from "./schemas.ts";

const area = "embed-tenants";
const common = { area, requiresApiKey: true } as const;
const base = "/api/v1/embed-tenants";
const tenant = `${base}/{embedTenantName}` as const;
const name = EmbedTenantPath.properties;
const groupPath = strictObject({ ...name, id: Id });
const EmbedTenant = strictObject({
  id: Id,
  name: Type.String(),
  userCount: optionalForClient(Type.Integer({ minimum: 0 })),
  displayName: Type.Optional(Type.String()),
  createdAt: Type.Optional(Timestamp),
});

/** List embed tenants. */
export const listEmbedTenants = defineOperation({
  ...common,
  id: "listEmbedTenants",
  method: "GET",
  path: base,
  summary: "List embed tenants",
  description:
    "Returns embed tenants, newest first. `search` matches a case-insensitive substring of the name or display name.",
  source: "public",
  effect: "read",
  permission: { action: "EmbedTenantsRead", scope: "account" },
  query: strictObject({ search: Type.Optional(Type.String({ maxLength: 255 })) }),
  answer: EmbedTenant,
  list: "cursor",
});

/** Delete an embed tenant and its contents. */
export const deleteEmbedTenant = defineOperation({
  ...common,
  id: "deleteEmbedTenant",
  method: "DELETE",
  path: tenant,
  summary: "Delete an embed tenant and its contents",
  description:
    "Deletes the embed tenant with its groups, attributes and external users. Succeeds when no such tenant exists; fails when the name differs from an existing one only in case.",
  source: "public",
  effect: "write",
  permission: { action: "EmbedTenantsManage", scope: "account" },
  params: EmbedTenantPath,
});

/** List an embed tenant's groups. */
export const listEmbedTenantGroups = defineOperation({
  ...common,
  id: "listEmbedTenantGroups",
  method: "GET",
  path: `${tenant}/groups`,
  summary: "List an embed tenant's groups",
  description: "Returns the embed tenant's groups, newest first.",
  source: "specification",
  effect: "read",
  permission: { action: "EmbedTenantsRead", scope: "account" },
  params: EmbedTenantPath,
  answer: UserGroup,
  list: "cursor",
  selectable: true,
  errorCodes: ["not_found"],
});

const NewGroup = strictObject({ name: GroupName, description: nullish(Description) });

/** Create a group in an embed tenant. */
export const createEmbedTenantGroup = defineOperation({
  ...common,
  id: "createEmbedTenantGroup",
  method: "POST",
  path: `${tenant}/groups`,
  summary: "Create a group in an embed tenant",
  description:
    "The embed tenant must exist. Returns 409 when the name is already in use in the tenant.",
  source: "public",
  effect: "write",
  permission: { action: "EmbedTenantsManage", scope: "account" },
  params: EmbedTenantPath,
  body: NewGroup,
  answer: UserGroup,
  errorCodes: ["not_found", "conflict"],
});

/** Create groups in an embed tenant in bulk. */
export const createEmbedTenantGroups = defineOperation({
  ...common,
  id: "createEmbedTenantGroups",
  method: "POST",
  path: `${tenant}/groups/bulk`,
  summary: "Create groups in an embed tenant in bulk",
  description: `The embed tenant must exist. ${bulkCreateRules}`,
  source: "proposed",
  effect: "write",
  permission: { action: "EmbedTenantsManage", scope: "account" },
  params: EmbedTenantPath,
  body: strictObject({
    groups: bulkItems(NewGroup, "Groups"),
  }),
  answer: bulkCreated(UserGroup),
  errorCodes: ["not_found"],
});

/** Get a group of an embed tenant. */
export const getEmbedTenantGroup = defineOperation({
  ...common,
  id: "getEmbedTenantGroup",
  method: "GET",
  path: `${tenant}/groups/{id}`,
  summary: "Get a group of an embed tenant",
  description: "Returns one group of an embed tenant.",
  source: "public",
  effect: "read",
  permission: { action: "EmbedTenantsRead", scope: "account" },
  params: groupPath,
  answer: UserGroup,
  errorCodes: ["not_found"],
});

/** Update a group of an embed tenant. */
export const updateEmbedTenantGroup = defineOperation({
  ...common,
  id: "updateEmbedTenantGroup",
  method: "PATCH",
  path: `${tenant}/groups/{id}`,
  summary: "Update a group of an embed tenant",
  description:
    "Updates the description; an empty string or `null` clears it. The name cannot be changed.",
  source: "public",
  effect: "write",
  permission: { action: "EmbedTenantsManage", scope: "account" },
  params: groupPath,
  body: strictObject({ description: nullish(Description) }),
  answer: UserGroup,
  errorCodes: ["not_found"],
});

/** Delete a group of an embed tenant. */
export const deleteEmbedTenantGroup = defineOperation({
  ...common,
  id: "deleteEmbedTenantGroup",
  method: "DELETE",
  path: `${tenant}/groups/{id}`,
  summary: "Delete a group of an embed tenant",
  description: "Deletes the group and its memberships, even when the group is in use.",
  source: "specification",
  effect: "write",
  permission: { action: "EmbedTenantsManage", scope: "account" },
  params: groupPath,
  errorCodes: ["not_found"],
});

/** List the members of an embed tenant's group. */
export const listEmbedTenantGroupUsers = defineOperation({
  ...common,
  id: "listEmbedTenantGroupUsers",
  method: "GET",
  path: `${tenant}/groups/{id}/users`,
  summary: "List the members of an embed tenant's group",
  description: "Returns the external users in the group, newest first.",
  source: "public",
  effect: "read",
  permission: { action: "EmbedTenantsRead", scope: "account" },
  params: groupPath,
  answer: EmbedUser,
  list: "cursor",
  errorCodes: ["not_found"],
});

const Members = Type.Array(
  strictObject(
    { externalId: nullish(LookupName), embedUserId: nullish(Id) },
    { rules: [exactlyOne("externalId", "embedUserId")] },
  ),
  {
    minItems: 1,
    maxItems: limits.members,
  },
);

/** Add members to an embed tenant's group. */
export const addEmbedTenantGroupUsers = defineOperation({
  ...common,
  id: "addEmbedTenantGroupUsers",
  method: "POST",
  path: `${tenant}/groups/{id}/users`,
  summary: "Add members to an embed tenant's group",
  description:
    "Each member has exactly one of `externalId` and `embedUserId`. When a user does not exist, no member is added.",
  source: "public",
  effect: "write",
  permission: { action: "EmbedTenantsManage", scope: "account" },
  repeatable: true,
  params: groupPath,
  body: strictObject({ members: Members }),
  answer: strictObject({
    addedMembers: Type.Array(EmbedUser),
    unchangedMembers: Type.Array(EmbedUser),
  }),
  errorCodes: ["not_found"],
});

/** Remove members from an embed tenant's group. */
export const removeEmbedTenantGroupUsers = defineOperation({
  ...common,
  id: "removeEmbedTenantGroupUsers",
  method: "DELETE",
  path: `${tenant}/groups/{id}/users`,
  summary: "Remove members from an embed tenant's group",
  description: "Users that are not in the group, or do not exist, are ignored.",
  source: "public",
  effect: "write",
  permission: { action: "EmbedTenantsManage", scope: "account" },
  params: groupPath,
  body: strictObject({ members: Members }),
  errorCodes: ["not_found"],
});

/** Desired state of an external user. Omitted members are kept; group lists replace memberships. */
export const ProvisionedUser = strictObject({
  externalId: ExternalId,
  email: nullish(Type.String({ maxLength: 254, format: "email" })),
  userProfile: nullish(UserProfile),
  groups: nullish(GroupNames),
  tenantGroups: nullish(GroupNames),
});

const NewTenantPath = strictObject({ embedTenantName: EmbedTenantName });

/** Provision an external user. */
export const provisionEmbedUser = defineOperation({
  ...common,
  id: "provisionEmbedUser",
  method: "POST",
  path: `${tenant}/user`,
  summary: "Provision an external user",
  description:
    "Creates or updates the user; creates the embed tenant if it does not exist. `groups` are account-wide; `tenantGroups` belong to the tenant.",
  source: "public",
  effect: "write",
  permission: { action: "EmbedTenantsManage", scope: "account" },
  repeatable: true,
  params: NewTenantPath,
  body: ProvisionedUser,
  answer: EmbedUser,
  errorCodes: ["limit_reached"],
});

/** List an embed tenant's external users. */
export const listEmbedUsers = defineOperation({
  ...common,
  id: "listEmbedUsers",
  method: "GET",
  path: `${tenant}/users`,
  summary: "List an embed tenant's external users",
  description: "Returns the embed tenant's external users, newest first.",
  source: "public",
  effect: "read",
  permission: { action: "EmbedTenantsRead", scope: "account" },
  params: EmbedTenantPath,
  answer: strictObject({
    ...EmbedUser.properties,
    tenantGroups: optionalForClient(
      Type.Array(Type.String(), {
        description: "Names of the user's groups in the embed tenant, sorted.",
      }),
    ),
  }),
  list: "cursor",
  errorCodes: ["not_found"],
});

/** Provision external users in bulk. */
export const provisionEmbedUsers = defineOperation({
  ...common,
  id: "provisionEmbedUsers",
  method: "POST",
  path: `${tenant}/users`,
  summary: "Provision external users in bulk",
  description:
    "Creates or updates up to 100 users. The call continues when a user fails and reports each failure in `failed`.",
  source: "public",
  effect: "write",
  permission: { action: "EmbedTenantsManage", scope: "account" },
  repeatable: true,
  params: NewTenantPath,
  body: strictObject({
    users: Type.Array(ProvisionedUser, { minItems: 1, maxItems: limits.bulkUsers }),
  }),
  answer: strictObject({
    succeeded: Type.Array(EmbedUser),
    failed: Type.Array(
      strictObject({
        externalId: Type.String(),
        error: strictObject({ status: Type.Integer(), message: Type.String() }),
      }),
    ),
  }),
  errorCodes: ["limit_reached"],
});

/** Create external users in bulk. */
export const createEmbedUsers = defineOperation({
  ...common,
  id: "createEmbedUsers",
  method: "POST",
  path: `${tenant}/users/bulk`,
  summary: "Create external users in bulk",
  description: `Also creates the embed tenant if it does not exist. ${bulkCreateRules}`,
  source: "proposed",
  effect: "write",
  permission: { action: "EmbedTenantsManage", scope: "account" },
  params: NewTenantPath,
  body: strictObject({
    users: bulkItems(ProvisionedUser, "Users"),
  }),
  answer: bulkCreated(EmbedUser),
  errorCodes: ["limit_reached"],
});

/** Delete an external user. */
export const deleteEmbedUser = defineOperation({
  ...common,
  id: "deleteEmbedUser",
  method: "DELETE",
  path: `${tenant}/users/{id}`,
  summary: "Delete an external user",
  description: "Deletes the external user with its memberships, attribute values and sessions.",
  source: "proposed",
  effect: "write",
  permission: { action: "EmbedTenantsManage", scope: "account" },
  params: groupPath,
  errorCodes: ["not_found"],
});

const EmbedUserAttribute = strictObject({
  id: Id,
  name: Type.String(),
  type: EmbedAttributeType,
  displayName: Type.Optional(Type.String()),
  defaultValue: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
});

/** List an embed tenant's attributes. */
export const listEmbedTenantUserAttributes = defineOperation({
  ...common,
  id: "listEmbedTenantUserAttributes",
  method: "GET",
  path: `${tenant}/user-attributes`,
  summary: "List an embed tenant's attributes",
  description: "Returns the embed tenant's attribute definitions, newest first.",
  source: "specification",
  effect: "read",
  permission: { action: "EmbedTenantsRead", scope: "account" },
  params: EmbedTenantPath,
  answer: EmbedUserAttribute,
  list: "cursor",
  selectable: true,
  errorCodes: ["not_found"],
});

/** Delete an embed tenant's attribute. */
export const deleteEmbedTenantUserAttribute = defineOperation({
  ...common,
  id: "deleteEmbedTenantUserAttribute",
  method: "DELETE",
  path: `${tenant}/user-attributes/{id}`,
  summary: "Delete an embed tenant's attribute",
  description: "Deletes the attribute definition and all its values.",
  source: "specification",
  effect: "write",
  permission: { action: "EmbedTenantsManage", scope: "account" },
  params: groupPath,
  errorCodes: ["not_found"],
});
