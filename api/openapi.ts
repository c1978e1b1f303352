// Builds the OpenAPI 3.1 document of the API from the operations that a server offers.
import { upperFirst } from "../core/text/naming.ts";
import { Type, type TObject, type TSchema } from "typebox";
import { canonical, isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { type ErrorCode, errorCodes } from "../core/errors.ts";
import { memoizePerObject } from "../core/memoize.ts";
import type { Envelope, Operation } from "../core/operation/operation.ts";
import { costsByItems, itemsPerCost } from "../core/operation/operation-cost.ts";
import {
  idempotencyKeyHeader,
  idempotencyKeyMaxLength,
  idempotencyKeyPattern,
  idempotentReplayedHeader,
  takesIdempotencyKey,
} from "./idempotency.ts";
import {
  type MemberRule,
  memberRulesKeyword,
  ruleSchema,
  rulesOf,
} from "../core/schema/member-rules.ts";
import { withDocumentedRule } from "../core/schema/traits.ts";
import { exampleOf } from "./examples.ts";
import { statusOf } from "./problems.ts";
import { withTextRule } from "./text-rule.ts";
import * as shared from "./schemas.ts";

/** Position of a page in its list. */
export const PageInfo = shared.strictObject({
  hasNextPage: Type.Boolean(),
  hasPreviousPage: Type.Boolean(),
  startCursor: Type.Optional(Type.String()),
  endCursor: Type.Optional(Type.String()),
});

const errorMembers = {
  error: Type.String(),
  message: Type.String({ description: "The same text as `error`." }),
  statusCode: Type.Integer(),
  code: Type.String({ description: "Machine-readable error code, one of a fixed list." }),
  details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
};

/** Body of every error response. */
export const ErrorBody = shared.strictObject(errorMembers);

/** Body of the error response for a locked state. Contains the members of the lock, as Terraform's `http` backend expects. */
export const LockedBody = Type.Object(shared.strictObject(errorMembers).properties, {
  description: "Contains the members of the current lock in addition to the message.",
});

/** Body of every error response of SCIM (RFC 7644, section 3.12). */
const ScimErrorBody = shared.strictObject({
  schemas: Type.Array(Type.String(), { description: "URNs of the schemas." }),
  status: Type.String({ description: "The HTTP status." }),
  scimType: Type.Optional(Type.String({ description: "Detail of a status of 400 or 409." })),
  detail: Type.String({ description: "The message." }),
});

const count = Type.Integer({ minimum: 0 });

const envelopes: Readonly<Record<Envelope, (item: TSchema) => TSchema>> = {
  array: (item) => Type.Array(item),
  cursor: (item) => shared.strictObject({ items: Type.Array(item), pageInfo: PageInfo }),
  transitional: (item) =>
    shared.strictObject({
      items: Type.Array(item),
      pageInfo: PageInfo,
      data: Type.Array(item, { deprecated: true, description: "The same page as `items`." }),
      pagination: shared.strictObject(
        { total: count, offset: count, limit: count },
        { deprecated: true, description: "Use `pageInfo`." },
      ),
      count,
      totalCount: count,
    }),
};

/** Returns the schema of an operation's response body, including the list envelope; undefined if there is no body. */
export const answerSchema = memoizePerObject((operation: Operation): TSchema | undefined => {
  const { schema } = operation.answer;
  return schema && operation.list ? envelopes[operation.list](schema) : schema;
});

/**
 * Returns the OpenAPI 3.1 document of `operations`, in their order. Operations that public documents do not list carry
 * `x-svc-unlisted`. `keyed` is false for a server that
 * ignores idempotency keys.
 */
export function openapi(
  operations: readonly Operation[],
  { keyed = true }: { readonly keyed?: boolean } = {},
): JsonObject {
  const components = new Components();
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of operations) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = describe(operation, {
      components,
      idempotencyKeys: keyed,
    });
  }
  const areas = operations.map(({ area }) => area);
  return {
    openapi: "3.1.0",
    info: {
      title: "svc API",
      version: "1.0.0",
      description:
        "Manages the deployments of an account with their data models, content and notifications; its users, groups, roles and policies; and signed embedding. " +
        "Each call takes `x-cost` of the quota of its user and of the account, and 1 more for each `x-cost-items` items of the lists of its body. The headers `RateLimit-Policy` and `RateLimit` show the remaining quota. " +
        "A list in a query repeats its parameter, as `name=` or `name[]=`.",
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }],
    tags: [...new Set(areas.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components.schemas(),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "`Authorization: Bearer <key or token>`",
        },
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description: "`Authorization: Api-Key <key>`",
        },
        ...(operations.some(({ basicAuth: byPassword }) => byPassword === true) && {
          basic: {
            type: "http",
            scheme: "basic",
            description: "An API key as the password, with any user name.",
          },
        }),
      },
    },
  };
}

/** Returns an area's name as a heading: `Embed tenants`. */
function tagOf(area: string): string {
  return upperFirst(area).replaceAll("-", " ");
}

interface DescribeContext {
  readonly components: Components;
  readonly idempotencyKeys: boolean;
}

function describe(operation: Operation, describing: DescribeContext): JsonObject {
  const { components } = describing;
  const isKeyed = describing.idempotencyKeys && takesIdempotencyKey(operation);
  const { id, area, summary, description, source, permission, bodyOptional } = operation;
  const request =
    operation.body && components.named(`${upperFirst(id)}Request`, operation.body, withTextRule);
  return {
    operationId: id,
    tags: [tagOf(area)],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(permission === "public" ? { security: [] } : {}),
    ...(operation.requiresApiKey === true ? { security: [{ apiKey: [] }] } : {}),
    ...(operation.basicAuth === true ? { security: [{ bearer: [] }, { basic: [] }] } : {}),
    parameters: [
      ...parameters("path", operation.params, components),
      ...parameters("query", operation.query, components),
      ...(isKeyed ? [idempotencyKeyParameter] : []),
    ],
    ...(request && {
      requestBody: {
        required: !bodyOptional,
        content: {
          ...(operation.multipart === true && { "multipart/form-data": { schema: request } }),
          [mediaTypeOf(operation)]: {
            // A body of `null` is treated as absent.
            schema: bodyOptional ? { anyOf: [request, { type: "null" }] } : request,
            example: exampleOf(asJson(operation.body)),
          },
        },
      },
    }),
    responses: responses(operation, components, isKeyed),
    ...parameterRules(operation),
    "x-svc-source": source,
    "x-permission": permission,
    "x-cost": operation.cost,
    ...(costsByItems(operation) && { "x-cost-items": itemsPerCost }),
    ...(operation.unlisted === true ? { "x-svc-unlisted": true } : {}),
  };
}

/** Rules between query parameters, for which OpenAPI has no keyword: sets of which a request may have at most one member, and other rules as text. */
function parameterRules({ query, list }: Operation): JsonObject {
  const rules = rulesOf(query);
  const sets = [
    ...(list === "transitional"
      ? [
          ["first", "after"],
          ["offset", "limit"],
        ]
      : []),
    ...("excludedAttributes" in query.properties ? [["attributes"], ["excludedAttributes"]] : []),
  ];
  return {
    ...(sets.length > 0 && { "x-svc-exclusive-parameters": sets }),
    ...(rules.length > 0 && { "x-svc-parameter-rules": rules.map(({ message }) => message) }),
  };
}

function parameters(place: "path" | "query", schema: TObject, components: Components): JsonValue[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, ...rest } = withTextRule(plain(property));
    return {
      name,
      in: place,
      required: required.has(name),
      ...(description === undefined ? {} : { description }),
      schema: components.sharedOrInline(rest),
      ...(place === "path" ? { example: exampleOf(rest, name) } : {}),
    };
  });
}

const idempotencyKeyParameter: JsonObject = {
  name: idempotencyKeyHeader,
  in: "header",
  required: false,
  description:
    "A unique value for each request, such as a UUID in double quotes. A request that repeats a key within 24 hours is not executed again: " +
    `it returns the first response, with \`${idempotentReplayedHeader}: true\`.`,
  schema: {
    type: "string",
    minLength: 1,
    maxLength: idempotencyKeyMaxLength,
    pattern: idempotencyKeyPattern,
  },
};

/** Errors of any request: its URL or headers can be too long, and the server can be busy. */
const failuresOfAll = [
  "uri_too_long",
  "rate_limited",
  "head_too_large",
  "internal",
  "unavailable",
] as const;

function responses(operation: Operation, components: Components, isKeyed: boolean): JsonObject {
  const { status } = operation.answer;
  const schema = answerSchema(operation);
  const body = schema && components.named(`${upperFirst(operation.id)}Answer`, schema);
  const error = (codes: readonly string[]): JsonObject => {
    if (operation.protocol === "scim") return components.named("ScimError", ScimErrorBody);
    return codes.includes("locked")
      ? components.named("Locked", LockedBody)
      : components.named("Error", ErrorBody);
  };
  const mediaType = mediaTypeOf(operation);
  const isPublic = operation.permission === "public";
  const codes = ["invalid", ...(isPublic ? [] : ["unauthenticated", "forbidden"])];
  if (operation.body !== undefined) codes.push("too_large");
  if (isKeyed) codes.push("conflict", "in_progress", "key_reused");
  const failures = [...codes, ...operation.errorCodes, ...failuresOfAll] as const;
  const byStatus = Map.groupBy(failures, (code) => String(statusOf(code as "invalid")));
  const responsesByStatus = [...byStatus].toSorted(([left], [right]) => left.localeCompare(right));
  return {
    [String(status)]: {
      description: operation.summary,
      ...(body && {
        content: Object.fromEntries(
          [operation.contentType ?? mediaType]
            .flat()
            .map((type) => [type, { schema: body, example: exampleOf(asJson(schema)) }]),
        ),
      }),
    },
    ...Object.fromEntries(
      responsesByStatus.map(([number, names]) => [
        number,
        {
          description: [...new Set(names)].map(codeDescription).join("; "),
          content: {
            [mediaType]: { schema: error(names) },
            // If the headers are too large to be parsed, the operation is unknown.
            ...(names.includes("head_too_large") && {
              "application/json": { schema: components.named("Error", ErrorBody) },
            }),
          },
        },
      ]),
    ),
  };
}

function mediaTypeOf({ protocol }: Operation): string {
  return protocol === "scim" ? "application/scim+json" : "application/json";
}

function codeDescription(code: string): string {
  return `\`${code}\`: ${errorCodes[code as ErrorCode]}`;
}

/** Collects named schemas. An object schema that equals a shared one becomes a reference to it. */
class Components {
  readonly #found = new Map<string, JsonObject>();
  /** References by name: all operations share the same error schemas. */
  readonly #named = new Map<string, { readonly schema: TSchema; readonly reference: JsonObject }>();
  readonly #shared: ReadonlyMap<string, string>;

  constructor() {
    const named: Readonly<Record<string, unknown>> = { ...shared, PageInfo };
    this.#shared = new Map(
      Object.entries(named)
        .filter((entry): entry is [string, JsonObject] => isObject(entry[1] as JsonValue))
        .filter(([, schema]) => schema["type"] === "object")
        .map(([name, schema]) => [canonical(plain(schema)), name]),
    );
  }

  /**
   * Returns a reference to `schema` under `name`, or under its shared name if it has one. `withRule` adds keywords that
   * only the document has.
   */
  named(
    name: string,
    schema: TSchema,
    withRule: (schema: JsonObject) => JsonObject = (unchanged) => unchanged,
  ): JsonObject {
    const known = this.#named.get(name);
    if (known?.schema === schema) return known.reference;
    const placed = this.sharedOrInline(withRule(plain(schema)));
    const isShared = isObject(placed) && "$ref" in placed;
    if (!isShared) this.#found.set(name, placed as JsonObject);
    const reference = isShared ? placed : { $ref: `#/components/schemas/${name}` };
    this.#named.set(name, { schema, reference });
    return reference;
  }

  /** Returns `schema` with each shared object schema replaced by a reference. */
  sharedOrInline(schema: JsonValue): JsonValue {
    if (Array.isArray(schema)) return schema.map((item: JsonValue) => this.sharedOrInline(item));
    if (!isObject(schema)) return schema;
    // Only object schemas are shared; comparing every schema at every depth would be slow.
    if (schema["type"] !== "object") return this.#members(schema);
    const { description, ...bare } = schema;
    const whole = this.#shared.get(canonical(schema));
    const [name, own] =
      whole === undefined ? [this.#shared.get(canonical(bare)), bare] : [whole, schema];
    if (name === undefined) return this.#members(schema);
    if (!this.#found.has(name)) this.#found.set(name, this.#members(own));
    const $ref = `#/components/schemas/${name}`;
    return own === schema || description === undefined ? { $ref } : { $ref, description };
  }

  /** Returns all named schemas, sorted by name. */
  schemas(): JsonObject {
    return Object.fromEntries(
      [...this.#found].toSorted(([left], [right]) => (left < right ? -1 : 1)),
    );
  }

  #members(schema: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(schema).map(([key, value]) => [key, this.sharedOrInline(value ?? null)]),
    );
  }
}

/** Returns a schema as plain JSON, without the non-enumerable properties of TypeBox. */
function asJson(schema: unknown): JsonObject {
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}

/** Returns a schema as plain JSON, with the rules between its members as JSON Schema. */
function plain(schema: unknown): JsonObject {
  return withRules(asJson(schema)) as JsonObject;
}

function withRules(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => withRules(item));
  if (!isObject(value)) return value;
  const { [memberRulesKeyword]: rules = [], ...rest } = withDocumentedRule(value);
  const all = Object.entries(rest).map(([key, one]) => [key, withRules(one ?? null)]);
  const allOf = (rules as MemberRule[]).map(ruleSchema).filter((rule) => rule !== undefined);
  return { ...(Object.fromEntries(all) as JsonObject), ...(allOf.length > 0 && { allOf }) };
}
