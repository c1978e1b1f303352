// Operations of SCIM 2.0 (RFC 7643 and 7644): an identity provider creates, updates and removes users and groups.
import { defineOperation } from "../core/operation/operation.ts";
import {
  BulkInput,
  BulkResponse,
  byId,
  GroupInput,
  listQuery,
  ListResponse,
  oneQuery,
  open,
  PatchInput,
  Resource,
  schemas,
  search,
  SearchInput,
  UserInput,
} from "./scim-schemas.ts";

const base = "/api/scim/v2";
/** Identity providers add their own parameters to every request, such as the flag in the address that Entra ID gets. */
const common = { area: "scim", protocol: "scim", query: open({}) } as const;
const specified = { ...common, source: "specification" } as const;
const standard = { ...common, source: "public" } as const;
const reads = { effect: "read", permission: { action: "ScimRead", scope: "account" } } as const;
const writes = { effect: "write", permission: { action: "ScimManage", scope: "account" } } as const;

/** List users. */
export const listScimUsers = defineOperation({
  ...specified,
  ...reads,
  id: "listScimUsers",
  method: "GET",
  path: `${base}/Users`,
  summary: "List users through SCIM",
  description:
    "Returns the users that match `filter`. Filters by `eq` on `userName`, `externalId`, `id` and `emails` use an index.",
  query: listQuery,
  answer: ListResponse,
});

/** Create a user. */
export const createScimUser = defineOperation({
  ...standard,
  ...writes,
  id: "createScimUser",
  method: "POST",
  path: `${base}/Users`,
  summary: "Create a user through SCIM",
  description: "Returns 409 if the user name or the primary email is in use.",
  query: oneQuery,
  body: UserInput,
  status: 201,
  answer: Resource,
  errorCodes: ["conflict"],
});

/** Get a user. */
export const getScimUser = defineOperation({
  ...standard,
  ...reads,
  id: "getScimUser",
  method: "GET",
  path: `${base}/Users/{id}`,
  summary: "Get a user through SCIM",
  description: "Returns one of the account's own users.",
  params: byId,
  query: oneQuery,
  answer: Resource,
  errorCodes: ["not_found"],
});

/** Replace a user. */
export const replaceScimUser = defineOperation({
  ...standard,
  ...writes,
  id: "replaceScimUser",
  method: "PUT",
  path: `${base}/Users/{id}`,
  summary: "Replace the attributes of a user through SCIM",
  description: "Attributes that are not given are removed; `active` keeps its value.",
  params: byId,
  query: oneQuery,
  body: UserInput,
  answer: Resource,
  errorCodes: ["not_found", "conflict", "precondition_failed"],
});

/** Change a user. */
export const patchScimUser = defineOperation({
  ...standard,
  ...writes,
  id: "patchScimUser",
  method: "PATCH",
  path: `${base}/Users/{id}`,
  summary: "Change attributes of a user through SCIM",
  description:
    "Adds, replaces and removes attributes. If one change fails, none is made. Deactivating a user ends its keys and sessions immediately.",
  params: byId,
  query: oneQuery,
  body: PatchInput,
  answer: Resource,
  errorCodes: ["not_found", "conflict", "precondition_failed"],
});

/** Delete a user. */
export const deleteScimUser = defineOperation({
  ...standard,
  ...writes,
  id: "deleteScimUser",
  method: "DELETE",
  path: `${base}/Users/{id}`,
  summary: "Delete a user through SCIM",
  description: "Deletes the user with its keys, sessions and memberships.",
  params: byId,
  errorCodes: ["not_found", "precondition_failed"],
});

/** Search users. */
export const searchScimUsers = defineOperation({
  ...standard,
  ...reads,
  id: "searchScimUsers",
  method: "POST",
  repeatable: true,
  path: `${base}/Users/.search`,
  summary: "Search users through SCIM",
  description: "Returns the users that match, as the list does, with the search in the body.",
  body: SearchInput,
  answer: ListResponse,
});

/** List groups. */
export const listScimGroups = defineOperation({
  ...standard,
  ...reads,
  id: "listScimGroups",
  method: "GET",
  path: `${base}/Groups`,
  summary: "List groups through SCIM",
  description:
    "Pages end early when their groups have many members; `excludedAttributes=members` leaves these out.",
  query: listQuery,
  answer: ListResponse,
});

/** Create a group. */
export const createScimGroup = defineOperation({
  ...standard,
  ...writes,
  id: "createScimGroup",
  method: "POST",
  path: `${base}/Groups`,
  summary: "Create a group through SCIM",
  description: "Returns 409 if the name is in use.",
  query: oneQuery,
  body: GroupInput,
  status: 201,
  answer: Resource,
  errorCodes: ["conflict"],
});

/** Get a group. */
export const getScimGroup = defineOperation({
  ...standard,
  ...reads,
  id: "getScimGroup",
  method: "GET",
  path: `${base}/Groups/{id}`,
  summary: "Get a group through SCIM",
  description: "Returns one account-wide group with its members.",
  params: byId,
  query: oneQuery,
  answer: Resource,
  errorCodes: ["not_found"],
});

/** Replace a group. */
export const replaceScimGroup = defineOperation({
  ...standard,
  ...writes,
  id: "replaceScimGroup",
  method: "PUT",
  path: `${base}/Groups/{id}`,
  summary: "Replace the attributes of a group through SCIM",
  description: "Members are kept if `members` is not given.",
  params: byId,
  query: oneQuery,
  body: GroupInput,
  answer: Resource,
  errorCodes: ["not_found", "conflict", "precondition_failed"],
});

/** Change a group. */
export const patchScimGroup = defineOperation({
  ...standard,
  ...writes,
  id: "patchScimGroup",
  method: "PATCH",
  path: `${base}/Groups/{id}`,
  summary: "Change attributes or members of a group through SCIM",
  description: "Adds and removes members one by one, or changes other attributes. Returns no body.",
  params: byId,
  query: oneQuery,
  body: PatchInput,
  errorCodes: ["not_found", "conflict", "precondition_failed"],
});

/** Delete a group. */
export const deleteScimGroup = defineOperation({
  ...standard,
  ...writes,
  id: "deleteScimGroup",
  method: "DELETE",
  path: `${base}/Groups/{id}`,
  summary: "Delete a group through SCIM",
  description: "Deletes the group. Its members are kept.",
  params: byId,
  errorCodes: ["not_found", "precondition_failed"],
});

/** Search groups. */
export const searchScimGroups = defineOperation({
  ...standard,
  ...reads,
  id: "searchScimGroups",
  method: "POST",
  repeatable: true,
  path: `${base}/Groups/.search`,
  summary: "Search groups through SCIM",
  description: "Returns the groups that match, as the list does, with the search in the body.",
  body: SearchInput,
  answer: ListResponse,
});

/** Search users and groups. */
export const searchScim = defineOperation({
  ...standard,
  ...reads,
  id: "searchScim",
  method: "POST",
  repeatable: true,
  path: `${base}/.search`,
  summary: "Search users and groups through SCIM",
  description:
    "Returns users, then groups. Resources without an attribute of the filter do not match.",
  body: SearchInput,
  answer: ListResponse,
});

/** Get the user of the credential. */
export const getScimMe = defineOperation({
  ...standard,
  ...reads,
  id: "getScimMe",
  method: "GET",
  path: `${base}/Me`,
  summary: "Get the user of the credential through SCIM",
  description:
    "Returns the user that the API key belongs to. The token of a SCIM integration has none.",
  query: oneQuery,
  answer: Resource,
  errorCodes: ["not_found"],
});

/** Run several operations. */
export const bulkScim = defineOperation({
  ...standard,
  ...writes,
  id: "bulkScim",
  method: "POST",
  path: `${base}/Bulk`,
  summary: "Run several SCIM operations",
  description:
    "Each operation succeeds or fails alone. `bulkId:ID` in a value stands for the resource that another operation of the request creates.",
  body: BulkInput,
  answer: BulkResponse,
});

/** Get the features of the SCIM service. */
export const getScimConfig = defineOperation({
  ...standard,
  ...reads,
  id: "getScimConfig",
  method: "GET",
  path: `${base}/ServiceProviderConfig`,
  summary: "Get the features of the SCIM service",
  description: "Returns which optional features of SCIM the service has.",
  query: open({ filter: search.filter }),
  answer: open({ schemas }),
});

/** List the types of resources. */
export const listScimResourceTypes = defineOperation({
  ...standard,
  ...reads,
  id: "listScimResourceTypes",
  method: "GET",
  path: `${base}/ResourceTypes`,
  summary: "List the types of SCIM resources",
  description: "Returns the types User and Group.",
  query: open({ filter: search.filter }),
  answer: ListResponse,
});

/** Get a type of resource. */
export const getScimResourceType = defineOperation({
  ...standard,
  ...reads,
  id: "getScimResourceType",
  method: "GET",
  path: `${base}/ResourceTypes/{id}`,
  summary: "Get a type of SCIM resource",
  description: "Returns one type of resource by its name.",
  params: byId,
  answer: Resource,
  errorCodes: ["not_found"],
});

/** List the schemas. */
export const listScimSchemas = defineOperation({
  ...standard,
  ...reads,
  id: "listScimSchemas",
  method: "GET",
  path: `${base}/Schemas`,
  summary: "List the schemas of SCIM resources",
  description: "Returns the schemas with their attributes.",
  query: open({ filter: search.filter }),
  answer: ListResponse,
});

/** Get a schema. */
export const getScimSchema = defineOperation({
  ...standard,
  ...reads,
  id: "getScimSchema",
  method: "GET",
  path: `${base}/Schemas/{id}`,
  summary: "Get a schema of SCIM resources",
  description: "Returns one schema by its URN.",
  params: byId,
  answer: Resource,
  errorCodes: ["not_found"],
});
