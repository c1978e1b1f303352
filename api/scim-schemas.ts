// Schemas of SCIM messages (RFC 7643 and 7644). Unknown members are allowed.
import { Type, type TSchema } from "typebox";
import { trimmedPattern, unreservedNamePattern } from "../core/text/text-patterns.ts";
import { documentedRule, field } from "../core/schema/traits.ts";

/** Maximum number of operations of a patch. */
export const patchOperationsMax = 1000;

/** Maximum number of operations of a bulk request. */
export const bulkOperationsMax = 1000;

/** Identity providers send members that the service does not know, in any case, and booleans as text. */
export function open<P extends Record<string, TSchema>>(properties: P, description?: string) {
  return Type.Object(properties, {
    additionalProperties: true,
    ...(description === undefined ? {} : { description }),
  });
}

const text = (doc: string, maxLength = 4096) =>
  Type.Optional(field(Type.String({ maxLength }), { doc }));
const free = (doc: string, example: unknown, rule: Readonly<Record<string, unknown>> = {}) =>
  Type.Optional(documentedRule(Type.Unknown({ description: doc, examples: [example] }), rule));

const selection = {
  attributes: text("Comma-separated attributes to return."),
  excludedAttributes: text(
    "Comma-separated attributes to leave out. Not together with `attributes`.",
  ),
};

/** The parameters of a search. */
export const search = {
  filter: text('Filter, such as `userName eq "ann"`.'),
  sortBy: text("Attribute to sort by; the order of creation by default.", 255),
  sortOrder: Type.Optional(
    documentedRule(
      Type.String({ maxLength: 16, description: "`ascending` or `descending`, in any case." }),
      { pattern: "^(?:[Aa][Ss]|[Dd][Ee][Ss])[Cc][Ee][Nn][Dd][Ii][Nn][Gg]$" },
    ),
  ),
  startIndex: Type.Optional(
    Type.Integer({ description: "Position of the first resource, from 1." }),
  ),
  count: Type.Optional(Type.Integer({ description: "Maximum number of resources, at most 1000." })),
};

/** The path parameter of one resource. */
export const byId = Type.Object(
  { id: Type.String({ minLength: 1, maxLength: 255, description: "ID of the resource." }) },
  { additionalProperties: false },
);

/** The parameters of a list. Unknown parameters are ignored: identity providers add their own. */
export const listQuery = open({ ...search, ...selection });
/** The parameters of a read: which attributes are returned. */
export const oneQuery = open(selection);

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

/** The schemas that a message names. */
export const schemas = Type.Array(Type.String(), { description: "URNs of the schemas." });
/** A user or a group as a response has it. */
export const Resource = open({
  schemas,
  id: Type.Optional(Type.String({ description: "ID of the resource." })),
  meta: Type.Optional(Meta),
});

/** A page of resources (RFC 7644, section 3.4.2). */
export const ListResponse = open({
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

/** A user as a request has it. */
export const UserInput = documentedRule(
  open(
    {
      userName: free("Name that identifies the user. A number is a text.", "ann@example.com", {
        type: ["string", "number"],
        minLength: 1,
        maxLength: 255,
        pattern: trimmedPattern,
      }),
      schemas: free("The schemas of the resource.", [userSchema]),
      externalId: free("ID of the user at the identity provider.", "00u1"),
      name: free("The parts of the name.", { givenName: "Ann", familyName: "Lee" }),
      displayName: free("The name that is shown.", "Ann Lee"),
      emails: free("Email addresses.", [{ value: "ann@example.com", type: "work", primary: true }]),
      active: free("Whether the user may use the account; a text is accepted too.", true),
    },
    "A user as RFC 7643 describes it. Attributes that the service does not know are ignored.",
  ),
  { required: ["userName"] },
);

/** A group as a request has it. */
export const GroupInput = documentedRule(
  open(
    {
      displayName: free("Name of the group. A number is a text.", "Sales", {
        type: ["string", "number"],
        minLength: 1,
        maxLength: 100,
        pattern: unreservedNamePattern,
      }),
      schemas: free("The schemas of the resource.", [groupSchema]),
      externalId: free("ID of the group at the identity provider.", "00g1"),
      members: free("The users in the group.", [{ value: "1" }]),
    },
    "A group as RFC 7643 describes it.",
  ),
  { required: ["displayName"] },
);

/** Identity providers send the operators in any case. */
const patchOperations = {
  type: "array",
  minItems: 1,
  maxItems: patchOperationsMax,
  items: {
    type: "object",
    required: ["op"],
    oneOf: [
      {
        required: ["path"],
        properties: {
          op: { type: "string", pattern: "^[rR][eE][mM][oO][vV][eE]$" },
          path: { type: "string" },
        },
      },
      {
        required: ["value"],
        properties: {
          op: { type: "string", pattern: "^(?:[aA][dD][dD]|[rR][eE][pP][lL][aA][cC][eE])$" },
          path: { type: ["string", "null"] },
        },
      },
    ],
  },
};

/** The body of a patch. */
export const PatchInput = documentedRule(
  open(
    {
      Operations: free(
        "The changes, in order.",
        [{ op: "replace", path: "externalId", value: "00u1" }],
        patchOperations,
      ),
      schemas: free("The schema of the message.", [`${messages}:PatchOp`]),
    },
    "A patch as RFC 7644, section 3.5.2 describes it.",
  ),
  { required: ["Operations"] },
);

/** The body of a search. */
export const SearchInput = documentedRule(
  open(
    {
      ...search,
      schemas: free("The schema of the message.", [`${messages}:SearchRequest`]),
      attributes: free("Attributes to return.", ["userName"]),
      excludedAttributes: free("Attributes to leave out.", ["members"]),
    },
    "A search as RFC 7644, section 3.4.3 describes it.",
  ),
  {
    anyOf: ["attributes", "excludedAttributes"].map((name) => ({
      properties: { [name]: { maxLength: 0, maxItems: 0 } },
    })),
  },
);

/** A POST creates a resource, to which other operations refer by `bulkId`. Paths are checked when their operation runs. */
const bulkOperations = {
  type: "array",
  minItems: 1,
  maxItems: bulkOperationsMax,
  items: {
    type: "object",
    required: ["method", "path"],
    properties: {
      method: { type: "string", description: "`POST`, `PUT`, `PATCH` or `DELETE`." },
      path: {
        type: "string",
        description: "`/Users` or `/Groups`, with the ID unless it is a POST.",
      },
      data: { type: "object", description: "The body of the operation." },
    },
    anyOf: [
      { properties: { method: { not: { pattern: "^[pP][oO][sS][tT]$" } } } },
      { required: ["bulkId"], properties: { bulkId: { type: "string" } } },
    ],
  },
};

/** The body of a bulk request. */
export const BulkInput = documentedRule(
  open(
    {
      Operations: free(
        "The operations.",
        [{ method: "POST", path: "/Users", bulkId: "1", data: { userName: "bo@example.com" } }],
        bulkOperations,
      ),
      failOnErrors: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: "Number of errors after which the remaining operations are not run.",
        }),
      ),
      schemas: free("The schema of the message.", [`${messages}:BulkRequest`]),
    },
    "Several operations in one request, as RFC 7644, section 3.7 describes it.",
  ),
  { required: ["Operations"] },
);

/** The body of a bulk response. */
export const BulkResponse = open({
  schemas,
  Operations: Type.Array(
    open({
      method: Type.String({ description: "Method of the operation." }),
      status: Type.String({ description: "HTTP status of the operation." }),
    }),
    { description: "The outcomes, in the order of the request." },
  ),
});
