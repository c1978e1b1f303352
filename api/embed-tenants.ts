// Area embed-tenants: tenants of signed embedding with their groups, attributes and external users.
import { Type } from "typebox";
import { limits } from "../core/limits.ts";
import { defineOperation } from "../core/operation.ts";
import { optionalForClient } from "../core/traits.ts";
import {
  strictObject,
  EmbedAttributeType,
  EmbedTenantName,
  EmbedTenantPath,
  EmbedUser,
  ExternalId,
  Description,
  GroupName,
  Id,
  nullish,
  Timestamp,
  UserGroup,
  UserProfile,
  GroupNames,
} from "./schemas.ts";

const area = "embed-tenants";
const common = { area, access: "admin", requiresApiKey: true, scope: "account" } as const;
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
  description: "Newest first; `search` is a case-insensitive part of the name or display name.",
  source: "public",
  effect: "read",
  query: strictObject({ search: Type.Optional(Type.String({ maxLength: 255 })) }),
  answer: EmbedTenant,
  list: "cursor",
});

/** Delete an embed tenant and everything inside. */
export const deleteEmbedTenant = defineOperation({
  ...common,
  id: "deleteEmbedTenant",
  method: "DELETE",
  path: tenant,
  summary: "Delete an embed tenant and everything inside",
  description:
    "Takes everything inside with it; an unknown one is fine, one that differs only in case is not.",
  source: "public",
  effect: "write",
  params: EmbedTenantPath,
});

/** List an embed tenant's groups. */
export const listEmbedTenantGroups = defineOperation({
  ...common,
  id: "listEmbedTenantGroups",
  method: "GET",
  path: `${tenant}/groups`,
  summary: "List an embed tenant's groups",
  description: "The embed tenant's groups, newest first.",
  source: "specification",
  effect: "read",
  params: EmbedTenantPath,
  answer: UserGroup,
  list: "cursor",
  errorCodes: ["not_found"],
});

/** Create a group in an embed tenant. */
export const createEmbedTenantGroup = defineOperation({
  ...common,
  id: "createEmbedTenantGroup",
  method: "POST",
  path: `${tenant}/groups`,
  summary: "Create a group in an embed tenant",
  description: "The tenant has to exist; a taken name is a conflict.",
  source: "public",
  effect: "write",
  params: EmbedTenantPath,
  body: strictObject({ name: GroupName, description: nullish(Description) }),
  answer: UserGroup,
  errorCodes: ["not_found", "conflict"],
});

/** Get a group of an embed tenant. */
export const getEmbedTenantGroup = defineOperation({
  ...common,
  id: "getEmbedTenantGroup",
  method: "GET",
  path: `${tenant}/groups/{id}`,
  summary: "Get a group of an embed tenant",
  description: "One group of an embed tenant.",
  source: "public",
  effect: "read",
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
  description: "The name cannot change; an empty description or `null` clears it.",
  source: "public",
  effect: "write",
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
  description: "Unconditional: memberships go with it.",
  source: "specification",
  effect: "write",
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
  description: "The external users in a group of an embed tenant, newest first.",
  source: "public",
  effect: "read",
  params: groupPath,
  answer: EmbedUser,
  list: "cursor",
  errorCodes: ["not_found"],
});

const Members = Type.Array(
  strictObject({ externalId: nullish(ExternalId), embedUserId: nullish(Id) }),
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
    "Every member is named by exactly one id and has to exist; nothing is written when one does not.",
  source: "public",
  effect: "write",
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
  description: "Members that are not in the group, or do not exist, are passed over.",
  source: "public",
  effect: "write",
  params: groupPath,
  body: strictObject({ members: Members }),
  errorCodes: ["not_found"],
});

/** The state an external user is to have: omitted members are kept, group lists replace memberships. */
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
    "Creates the tenant and the user where they are missing; `groups` are account-wide, `tenantGroups` the tenant's.",
  source: "public",
  effect: "write",
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
  description: "The embed tenant's external users, newest first.",
  source: "public",
  effect: "read",
  params: EmbedTenantPath,
  answer: EmbedUser,
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
  description: "As provisioning one, for up to 100; a failure of one does not touch the others.",
  source: "public",
  effect: "write",
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

/** Delete an external user. */
export const deleteEmbedUser = defineOperation({
  ...common,
  id: "deleteEmbedUser",
  method: "DELETE",
  path: `${tenant}/users/{id}`,
  summary: "Delete an external user",
  description: "Deletes the external user with memberships, attribute values and sessions.",
  source: "proposed",
  effect: "write",
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
  description: "The embed tenant's attribute definitions, newest first.",
  source: "specification",
  effect: "read",
  params: EmbedTenantPath,
  answer: EmbedUserAttribute,
  list: "cursor",
  errorCodes: ["not_found"],
});

/** Delete an embed tenant's attribute. */
export const deleteEmbedTenantUserAttribute = defineOperation({
  ...common,
  id: "deleteEmbedTenantUserAttribute",
  method: "DELETE",
  path: `${tenant}/user-attributes/{id}`,
  summary: "Delete an embed tenant's attribute",
  description: "Deletes the definition and every value of it.",
  source: "specification",
  effect: "write",
  params: groupPath,
  errorCodes: ["not_found"],
});
