// Operations on the roles that administrators define, and the users who have them.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import {
  hasObjects,
  isGrantable,
  permissionActions,
  resourceTypes,
} from "../core/operation/permission-actions.ts";
import { documentedRule, field, oneOf } from "../core/schema/traits.ts";
import { PermissionActions } from "./permission-schemas.ts";
import { Id, Name, nullish, strictObject, Timestamp } from "./schemas.ts";
import { policyObjectPattern } from "../core/text/text-patterns.ts";

const area = "roles";
const base = "/api/v1/roles";
const one = `${base}/{roleId}` as const;
const byId = strictObject({ roleId: Id });
const read = { action: "RolesRead", scope: "account" } as const;
const manage = { action: "RolesManage", scope: "account" } as const;

const typesOfObjects = resourceTypes.filter((type) => type !== "Global" && hasObjects(type));

/** A permission of a role: actions on all objects of a type, or on some. */
export const RolePolicy = strictObject({
  resourceType: field(oneOf(resourceTypes), {
    doc: "Type of the objects; `Global` for the whole account. `ReportFolder` is the same as `Folder`. No operation has objects of the types `Agent`, `AgentSpace` and `ChatThread` yet, so policies on them are refused.",
  }),
  actions: field(PermissionActions, {
    doc: "Permission actions. Actions that only administrators have cannot be granted.",
    order: "set",
  }),
  resources: field(
    Type.Union([
      Type.Literal("All"),
      Type.Array(Type.String({ pattern: policyObjectPattern }), {
        minItems: 1,
        maxItems: limits.roleResources,
      }),
    ]),
    { doc: "IDs of the objects, or `All`. A list with `All` is the same as `All`." },
  ),
});

const actions = { items: { enum: permissionActions.filter(isGrantable) } };

/** The policies of a role in a request. */
export const RolePolicies = Type.Array(
  documentedRule(RolePolicy, {
    anyOf: [
      { properties: { resourceType: { const: "Global" }, resources: { const: "All" }, actions } },
      { properties: { resourceType: { enum: typesOfObjects }, actions } },
    ],
  }),
  { maxItems: limits.rolePolicies },
);

/** The description of a role. */
export const RoleDescription = Type.String({ maxLength: 255 });

/** A role in responses. */
export const Role = strictObject({
  id: Id,
  name: Type.String(),
  description: Type.Optional(Type.String()),
  policies: Type.Array(RolePolicy),
  userCount: Type.Optional(Type.Integer({ minimum: 0 })),
  createdAt: Type.Optional(Timestamp),
  updatedAt: Type.Optional(Timestamp),
});

const rules = `Names of built-in roles are refused. All policies of a role can have ${limits.roleResources} IDs together. Returns 403 when a key with chosen permissions grants an action that it lacks.`;

/** List roles. */
export const listRoles = defineOperation({
  id: "listRoles",
  area,
  method: "GET",
  path: base,
  summary: "List roles",
  description: "Returns the roles that administrators defined, newest first.",
  source: "public",
  effect: "read",
  permission: read,
  query: strictObject({ search: Type.Optional(Type.String({ maxLength: 255 })) }),
  answer: Role,
  list: "cursor",
  selectable: true,
});

/** Create a role. */
export const createRole = defineOperation({
  id: "createRole",
  area,
  method: "POST",
  path: base,
  summary: "Create a role",
  description: `Returns 409 when the name is already in use, in any case. ${rules}`,
  source: "public",
  effect: "write",
  permission: manage,
  body: strictObject({ name: Name, description: nullish(RoleDescription), policies: RolePolicies }),
  answer: Role,
  errorCodes: ["conflict"],
});

/** Get a role. */
export const getRole = defineOperation({
  id: "getRole",
  area,
  method: "GET",
  path: one,
  summary: "Get a role",
  description: "Returns one role with its policies.",
  source: "public",
  effect: "read",
  permission: read,
  params: byId,
  answer: Role,
  errorCodes: ["not_found"],
});

/** Update a role. */
export const updateRole = defineOperation({
  id: "updateRole",
  area,
  method: "PUT",
  path: one,
  summary: "Update a role",
  description: `Omitted members are kept. \`policies\` replaces all policies; \`null\` or an empty string clears the description. ${rules}`,
  source: "public",
  effect: "write",
  permission: manage,
  params: byId,
  body: strictObject({
    name: Type.Optional(Name),
    description: nullish(RoleDescription),
    policies: Type.Optional(RolePolicies),
  }),
  answer: Role,
  errorCodes: ["not_found", "conflict"],
});

/** Delete a role. */
export const deleteRole = defineOperation({
  id: "deleteRole",
  area,
  method: "DELETE",
  path: one,
  summary: "Delete a role",
  description: "Deletes the role. Users who have it lose what it grants.",
  source: "public",
  effect: "write",
  permission: manage,
  params: byId,
  errorCodes: ["not_found"],
});

const assignment = {
  area,
  path: `${one}/users/{userId}`,
  source: "public",
  effect: "write",
  permission: manage,
  params: strictObject({ roleId: Id, userId: Id }),
  errorCodes: ["not_found"],
} as const;

/** Assign a role to a user. */
export const assignRole = defineOperation({
  ...assignment,
  id: "assignRole",
  method: "PUT",
  summary: "Assign a role to a user",
  description: `The user must be one of the account's own, and can have ${limits.rolesOfUser} roles in addition to built-in ones. Returns 403 when a key with chosen permissions assigns a role with an action that it lacks.`,
});

/** Remove a role from a user. */
export const unassignRole = defineOperation({
  ...assignment,
  id: "unassignRole",
  method: "DELETE",
  summary: "Remove a role from a user",
  description: "A user without the role is ignored.",
});

/** List the users who have a role. */
export const listRoleUsers = defineOperation({
  id: "listRoleUsers",
  area,
  method: "GET",
  path: `${one}/users`,
  summary: "List the users who have a role",
  description: "Returns the users, newest first.",
  source: "proposed",
  effect: "read",
  permission: read,
  params: byId,
  answer: strictObject({ id: Id, username: Type.String(), email: Type.Optional(Type.String()) }),
  list: "cursor",
  errorCodes: ["not_found"],
});
