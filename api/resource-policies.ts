// Operations on the policies of single objects: the actions of users and groups on them.
import { Type } from "typebox";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import {
  contentPolicyTypes,
  namedPolicyTypes,
  policyActions,
  policyTypeNamed,
  policyTypes,
} from "../core/operation/permission-actions.ts";
import { documentedRule, field, oneOf, optionalForClient } from "../core/schema/traits.ts";
import { PermissionActionName } from "./permission-schemas.ts";
import { deploymentScope, Id, nullish, strictObject } from "./schemas.ts";

const area = "resource-policies";
const base = "/api/v1/resource-policies";

const resourceId = field(Id, { doc: "ID of the object." });

/** An object in requests, by type and ID. */
const named = {
  resourceType: field(oneOf(namedPolicyTypes), {
    doc: "Type of the object. `ReportFolder` is the same as `Folder`.",
  }),
  resourceId,
};

const UserPolicy = strictObject({
  userId: Type.Optional(Id),
  action: PermissionActionName,
  email: Type.Optional(Type.String()),
  firstName: Type.Optional(Type.String()),
  picture: Type.Optional(Type.String()),
});
const GroupPolicy = strictObject({
  groupId: Id,
  action: PermissionActionName,
  name: Type.Optional(Type.String()),
  userCount: Type.Optional(Type.Integer({ minimum: 0 })),
});
/** Where an inherited policy is set. */
const source = {
  source: optionalForClient(
    strictObject(
      { resourceType: field(oneOf(policyTypes), { doc: "Type of the object." }), resourceId },
      { description: "Object that the policy is set on." },
    ),
  ),
  sourceFolder: Type.Optional(strictObject({ id: Id, name: Type.String() })),
};

/** The policies of an object. */
export const ResourcePolicies = strictObject({
  userPolicies: Type.Array(UserPolicy),
  groupPolicies: Type.Array(GroupPolicy),
  inheritedUserPolicies: Type.Array(strictObject({ ...UserPolicy.properties, ...source })),
  inheritedGroupPolicies: Type.Array(strictObject({ ...GroupPolicy.properties, ...source })),
});

/** Get the policies of an object. */
export const getResourcePolicies = defineOperation({
  id: "getResourcePolicies",
  area,
  method: "GET",
  path: base,
  summary: "Get the policies of an object",
  description:
    "Returns the policies on the object, and those that it inherits from its folders, its workbook and its deployment. A user policy without `userId` is for all of the account's own users. Whoever may manage the object may read and set its policies.",
  source: "public",
  unlisted: true,
  effect: "read",
  permission: { action: "ResourcePoliciesManage", scope: { resource: "query" }, readAll: true },
  query: strictObject(named),
  answer: ResourcePolicies,
  errorCodes: ["not_found"],
});

/** Rights on any object of a deployment: the answer has those that the caller manages. */
const anyObject = { folder: "any", workbook: "any", dashboard: "any", report: "any" } as const;

/** List the policies of the objects of a deployment. */
export const listResourcePolicies = defineOperation({
  id: "listResourcePolicies",
  area,
  method: "GET",
  path: "/api/v1/deployments/{deploymentId}/resource-policies",
  summary: "List the policies of the objects of a deployment",
  description:
    "Returns each object of the type that the caller may manage, newest first, with the policies that are set on it, also if there are none. Only published dashboards are listed. Inherited policies are left out.",
  source: "proposed",
  effect: "read",
  permission: {
    action: ["FolderManage", "WorkbookManage", "ReportManage"],
    scope: { ...deploymentScope, ...anyObject },
    readAll: true,
  },
  params: strictObject({ deploymentId: Id }),
  query: strictObject({
    resourceType: field(oneOf(contentPolicyTypes), { doc: "Type of the objects." }),
  }),
  answer: strictObject({
    resourceId,
    userPolicies: Type.Array(UserPolicy),
    groupPolicies: Type.Array(GroupPolicy),
  }),
  list: "cursor",
  errorCodes: ["not_found"],
});

const write = {
  area,
  method: "PUT",
  source: "public",
  unlisted: true,
  effect: "write",
  permission: { action: "ResourcePoliciesManage", scope: { resource: "body" } },
  errorCodes: ["not_found"],
} as const;

const rules = `A subject has at most one policy on an object; without \`action\`, or with \`null\`, it is removed. An object can have ${limits.resourcePolicies} policies. The action must be one of the object's type.`;

/** The actions that a policy on an object of each type can grant. */
const actionRule = {
  anyOf: namedPolicyTypes.map((type) => ({
    properties: {
      resourceType: { const: type },
      action: { enum: [null, ...policyActions(policyTypeNamed(type))] },
    },
  })),
};

/** Set the policy of a user on an object. */
export const setUserPolicy = defineOperation({
  ...write,
  id: "setUserPolicy",
  path: `${base}/user`,
  summary: "Set the policy of a user on an object",
  description: `Without \`userId\`, sets the policy of all of the account's own users. ${rules}`,
  body: documentedRule(
    strictObject({ ...named, userId: nullish(Id), action: nullish(PermissionActionName) }),
    actionRule,
  ),
});

/** Set the policy of a group on an object. */
export const setGroupPolicy = defineOperation({
  ...write,
  id: "setGroupPolicy",
  path: `${base}/group`,
  summary: "Set the policy of a group on an object",
  description: `The group is account-wide, or of an embed tenant. ${rules}`,
  body: documentedRule(
    strictObject({ ...named, groupId: Id, action: nullish(PermissionActionName) }),
    actionRule,
  ),
});
