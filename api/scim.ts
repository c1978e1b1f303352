// Operations of SCIM 2.0 (RFC 7643 and 7644): an identity provider creates, updates and removes users and groups.
import { Type, type TSchema } from "typebox";
import { defineOperation } from "../core/operation.ts";
import { field } from "../core/traits.ts";

const base = "/api/scim/v2";
const common = { area: "scim", protocol: "scim" } as const;
const specified = { ...common, source: "specification" } as const;
const standard = { ...common, source: "public" } as const;
const reads = { effect: "read", permission: { action: "ScimRead", scope: "account" } } as const;
const writes = { effect: "write", permission: { action: "ScimManage", scope: "account" } } as const;

/** Identity providers send members that the service does not know, in any case, and booleans as text. */
function open<P extends Record<string, TSchema>>(properties: P, description?: string) {
  return Type.Object(properties, {
    additionalProperties: true,
    ...(description === undefined ? {} : { description }),
  });
}

const text = (doc: string, maxLength = 4096) =>
  Type.Optional(field(Type.String({ maxLength }), { doc }));
const free = (doc: string, example: unknown) =>
  Type.Optional(Type.Unknown({ description: doc, examples: [example] }));

const selection = {
  attributes: text("Comma-separated attributes to return."),
  excludedAttributes: text("Comma-separated attributes to leave out."),
};

const search = {
  filter: text('Filter, such as `userName eq "ann"`.'),
  sortBy: text("Attribute to sort by; the order of creation by default.", 255),
  sortOrder: text("`ascending` or `descending`.", 16),
  startIndex: Type.Optional(
    Type.Integer({ description: "Position of the first resource, from 1." }),
  ),
  count: Type.Optional(Type.Integer({ description: "Maximum number of resources, at most 1000." })),
};

const byId = Type.Object(
  { id: Type.String({ minLength: 1, maxLength: 255, description: "ID of the resource." }) },
  { additionalProperties: false },
);

/** Unknown parameters are ignored: identity providers add their own. */
const listQuery = open({ ...search, ...selection });
const oneQuery = open(selection);

const Meta = open(
  {
    resourceType: Type.String({ description: "Type of the resource." }),
    created: Type.Optional(Type.String({ description: "When the resource was created." })),
    lastModified: Type.Optional(Type.String({ description: "When it was changed last." })),
    location: Type.String({ description: "Address of the resource." }),
    version: Type.Optional(
      Type.String({ description: "Version of the resource: its entity tag." }),
    ),
  },
  "What the service knows of the resource.",
);

const schemas = Type.Array(Type.String(), { description: "URNs of the schemas." });
const Resource = open({
  schemas,
  id: Type.Optional(Type.String({ description: "ID of the resource." })),
  meta: Type.Optional(Meta),
});

const ListResponse = open({
  schemas,
  totalResults: Type.Integer({ minimum: 0, description: "Number of matching resources." }),
  startIndex: Type.Optional(
    Type.Integer({ minimum: 1, description: "Position of the first resource." }),
  ),
  itemsPerPage: Type.Optional(
    Type.Integer({ minimum: 0, description: "Number of resources on the page." }),
  ),
  Resources: Type.Optional(Type.Array(Resource, { description: "The resources." })),
});

const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";
const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group";
const messages = "urn:ietf:params:scim:api:messages:2.0";

const UserInput = open(
  {
    userName: free("Name that identifies the user; required.", "ann@example.com"),
    schemas: free("The schemas of the resource.", [userSchema]),
    externalId: free("ID of the user at the identity provider.", "00u1"),
    name: free("The parts of the name.", { givenName: "Ann", familyName: "Lee" }),
    displayName: free("The name that is shown.", "Ann Lee"),
    emails: free("Email addresses.", [{ value: "ann@example.com", type: "work", primary: true }]),
    active: free("Whether the user may use the account; a text is accepted too.", true),
  },
  "A user as RFC 7643 describes it. Attributes that the service does not know are ignored.",
);

const GroupInput = open(
  {
    displayName: free("Name of the group; required.", "Sales"),
    schemas: free("The schemas of the resource.", [groupSchema]),
    externalId: free("ID of the group at the identity provider.", "00g1"),
    members: free("The users in the group.", [{ value: "1" }]),
  },
  "A group as RFC 7643 describes it.",
);

const PatchInput = open(
  {
    Operations: free("The changes, in order.", [
      { op: "replace", path: "externalId", value: "00u1" },
    ]),
    schemas: free("The schema of the message.", [`${messages}:PatchOp`]),
  },
  "A patch as RFC 7644, section 3.5.2 describes it.",
);

const SearchInput = open(
  {
    ...search,
    schemas: free("The schema of the message.", [`${messages}:SearchRequest`]),
    attributes: free("Attributes to return.", ["userName"]),
    excludedAttributes: free("Attributes to leave out.", ["members"]),
  },
  "A search as RFC 7644, section 3.4.3 describes it.",
);

const BulkInput = open(
  {
    Operations: free("The operations.", [
      { method: "POST", path: "/Users", bulkId: "1", data: { userName: "bo@example.com" } },
    ]),
    failOnErrors: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: "Number of errors after which the rest is not tried.",
      }),
    ),
    schemas: free("The schema of the message.", [`${messages}:BulkRequest`]),
  },
  "Several operations in one request, as RFC 7644, section 3.7 describes it.",
);

const BulkResponse = open({
  schemas,
  Operations: Type.Array(
    open({
      method: Type.String({ description: "Method of the operation." }),
      status: Type.String({ description: "HTTP status of the operation." }),
    }),
    { description: "The outcomes, in the order of the request." },
  ),
});

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
    "Adds, replaces and removes attributes. If one change fails, none is made. Deactivating a user ends its keys and sessions at once.",
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
  description: "Members stay if `members` is not given.",
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
  description: "Deletes the group. Its members stay.",
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
  description: "Returns the user that the API key belongs to.",
  query: oneQuery,
  answer: Resource,
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
