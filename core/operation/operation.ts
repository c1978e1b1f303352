// The declaration of an API operation, from which routes, OpenAPI, client types and commands are derived.
import { Type, type Static, type TObject, type TSchema } from "typebox";
import { limits } from "../limits/limits.ts";
import { cursorPattern } from "../text/text-patterns.ts";
import { documentedRule } from "../schema/traits.ts";
import type { ErrorCode } from "../errors.ts";
import type { PermissionAction, ResourceKind } from "./permission-actions.ts";

/** Sources of operations. A server can be limited to the operations of the first ones. */
export const sources = ["specification", "public", "proposed"] as const;

/** Source of an operation: the specification, public facts about the product, or this project's own design. */
export type Source = (typeof sources)[number];

/** HTTP methods of the API. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Methods of Terraform's `http` backend protocol, which OpenAPI does not support. */
export const extensionMethods = ["LOCK", "UNLOCK"] as const;

/** One of {@link extensionMethods}. */
export type ExtensionMethod = (typeof extensionMethods)[number];

/** Whether an operation changes anything. A read-only client accepts only `read`. */
export type Effect = "read" | "write";

/** The member of a request that names an object. */
export type RequestField = `${"params" | "query" | "body"}.${string}`;

/**
 * The object that an operation concerns: the whole `account`, the one that a member of the request names with the
 * objects that contain it, or the one that `resourceType` and `resourceId` of the query or body name. `any` concerns
 * several or unknown objects: the handler returns and changes only permitted ones.
 */
export type PermissionScope =
  | "account"
  | ({ readonly deployment: RequestField | "any" } & {
      readonly [Type in Exclude<ResourceKind, "deployment">]?: RequestField | "any";
    })
  | { readonly state: RequestField | "any" }
  | { readonly resource: "query" | "body" };

/**
 * The permission that an operation needs: an action on an object, or one of several; `self` for any valid credential;
 * `public` for none.
 */
export type Permission =
  | "public"
  | "self"
  | {
      readonly action: PermissionAction | readonly PermissionAction[];
      readonly scope: PermissionScope;
      /** The action without which the answer has only the caller's own objects. */
      readonly others?: PermissionAction;
      /** The operation only reads, although no action is for that: a credential with `ReadAll` may call it for its user. */
      readonly readAll?: true;
    };

/** Returns the actions of which an operation needs one; none if it needs no permission. */
export function actionsOf({
  permission,
}: Pick<Operation, "permission">): readonly PermissionAction[] {
  if (typeof permission === "string") return [];
  const { action } = permission;
  return typeof action === "string" ? [action] : action;
}

/** Envelope of a list: cursors, cursors with the deprecated offset members, or a plain array. */
export type Envelope = "cursor" | "transitional" | "array";

/** The parts of a valid request. */
export interface RequestShape {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** An operation. `types` carries the types and is never set at run time. */
export interface Operation<
  Request extends RequestShape = RequestShape,
  Answer = unknown,
  E extends Effect = Effect,
> {
  /** Unique ID in camelCase: OpenAPI's `operationId`. */
  readonly id: string;
  /** Area in kebab-case: OpenAPI's tag. */
  readonly area: string;
  readonly method: Method;
  /** Path with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly source: Source;
  /** Servers may offer the operation without listing it in their OpenAPI document, so its absence there proves nothing. */
  readonly unlisted?: boolean;
  readonly effect: E;
  /** Whether the request can be sent again safely after a lost response. */
  readonly repeatable: boolean;
  readonly permission: Permission;
  /** Whether the operation requires an API key: documented with the `Api-Key` scheme; embed tokens are rejected. */
  readonly requiresApiKey?: boolean;
  /** Whether browsers may call it from pages of other origins, as embedded pages do. */
  readonly crossOrigin?: boolean;
  /** Whether HTTP Basic with an API key as the password is accepted too, for programs that support only Basic. */
  readonly basicAuth?: boolean;
  /** An additional route for Terraform's `http` backend protocol. */
  readonly alias?: { readonly method: ExtensionMethod; readonly path: string };
  /** Whether the body or the response is a JSON object of the caller that must be preserved unchanged. */
  readonly verbatim?: boolean;
  /** The protocol that defines bodies, media types and errors; the API's own by default. */
  readonly protocol?: "scim";
  /** Whether the body is sent as `multipart/form-data`: objects as JSON text, and base64 members as files. */
  readonly multipart?: boolean;
  /** Media type of the response, if it is not JSON; those that a file may have. */
  readonly contentType?: "text/csv" | "application/x-ndjson" | FileTypes;
  /**
   * False if the audit log leaves the operation out: it changes only the position of a client, such as a lease. Otherwise
   * the types of objects that it leaves out.
   */
  readonly audited?: false | { readonly except: readonly string[] };
  readonly params: TObject;
  readonly query: TObject;
  readonly body: TSchema | undefined;
  /** Whether the body can be omitted. */
  readonly bodyOptional: boolean;
  readonly answer: { readonly status: 200 | 201 | 202 | 204; readonly schema: TSchema | undefined };
  /** Envelope, for lists. The response schema then describes one item. */
  readonly list: Envelope | undefined;
  /** Page sizes, for lists that do not use the default ones. */
  readonly page: PageBounds | undefined;
  /** Whether the query of a list can select items by their IDs. */
  readonly selectable: boolean;
  /** The cost of a call in rate limits, besides the items of its lists: 1 for a simple read or write. */
  readonly cost: number;
  /** Error codes in addition to the codes of every operation. */
  readonly errorCodes: readonly ErrorCode[];
  readonly types?: { readonly request: Request; readonly answer: Answer };
}

/** Media types of a response that is a file. */
export type FileTypes = readonly ("image/png" | "application/pdf")[];

/** Default and maximum page size. */
export interface PageBounds {
  readonly defaultSize: number;
  readonly max: number;
}

interface Declaration<
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
  A extends TSchema,
  E extends Effect,
> {
  id: string;
  area: string;
  method: Method;
  path: string;
  summary: string;
  description?: string;
  source: Source;
  unlisted?: boolean;
  effect: E;
  repeatable?: boolean;
  permission: Permission;
  requiresApiKey?: boolean;
  crossOrigin?: boolean;
  basicAuth?: boolean;
  alias?: { readonly method: ExtensionMethod; readonly path: string };
  verbatim?: boolean;
  multipart?: boolean;
  contentType?: "text/csv" | "application/x-ndjson" | FileTypes;
  audited?: Exclude<Operation["audited"], undefined>;
  protocol?: "scim";
  params?: P;
  query?: Q;
  body?: B;
  bodyOptional?: boolean;
  status?: 200 | 201 | 202 | 204;
  answer?: A;
  list?: Envelope;
  page?: PageBounds;
  selectable?: true;
  cost?: number;
  errorCodes?: readonly ErrorCode[];
}

const emptyObject = Type.Object({}, { additionalProperties: false });

/**
 * Declares an operation. `repeatable` defaults to `true` for GET, PUT, PATCH and DELETE. With `list`, `answer`
 * is the schema of one item, and the paging query is added, with `selectable` also the IDs.
 */
export function defineOperation<
  E extends Effect,
  P extends TObject = typeof emptyObject,
  Q extends TObject = typeof emptyObject,
  B extends TSchema = TSchema,
  A extends TSchema = TSchema,
>(
  declared: Declaration<P, Q, B, A, E>,
): Operation<{ params: Static<P>; query: Static<Q>; body: Static<B> }, Static<A>, E> {
  const { body, bodyOptional, answer, status, list, ...rest } = declared;
  return Object.freeze({
    ...rest,
    repeatable: declared.repeatable ?? declared.method !== "POST",
    params: declared.params ?? emptyObject,
    query: withListQuery(declared.query ?? emptyObject, declared),
    body,
    bodyOptional: bodyOptional ?? false,
    answer: { status: status ?? (answer === undefined ? 204 : 200), schema: answer },
    list,
    page: declared.page,
    selectable: declared.selectable ?? false,
    cost: declared.cost ?? 1,
    errorCodes: declared.errorCodes ?? [],
  });
}

const cursorQuery = {
  first: Type.Optional(
    Type.Integer({ minimum: 1, description: "Maximum number of items on the page." }),
  ),
  after: Type.Optional(
    documentedRule(
      Type.String({ minLength: 1, description: "`pageInfo.endCursor` of the previous page." }),
      { pattern: cursorPattern },
    ),
  ),
};

const offsetQuery = {
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      deprecated: true,
      description: "Number of items to skip. Not together with `first` or `after`.",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      deprecated: true,
      description: "Maximum number of items. Not together with `first` or `after`.",
    }),
  ),
};

const selectionQuery = {
  id: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: limits.idMax }), {
      maxItems: limits.selectedIds,
      description: "Returns only the items with these IDs.",
    }),
  ),
};

function withListQuery(
  query: TObject,
  { list, selectable }: { list?: Envelope; selectable?: true },
): TObject {
  if (list === undefined || list === "array") return query;
  const paging = list === "cursor" ? cursorQuery : { ...cursorQuery, ...offsetQuery };
  const { type: _type, properties, required: _required, ...keywords } = query;
  return Type.Object(
    { ...properties, ...(selectable && selectionQuery), ...paging },
    { additionalProperties: false, ...keywords },
  );
}

/** Paging parameters of a list. */
export interface Paging {
  readonly first?: number;
  readonly after?: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** Position of a page in its list. Cursors are opaque. */
export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor?: string;
  readonly endCursor?: string;
}

/** One page of a list, independent of its envelope. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly pageInfo: PageInfo;
}

/** The request type of an operation. */
export type RequestOf<O> = O extends Operation<infer R> ? R : never;

/** The response type of an operation; the item type for a list. */
export type AnswerOf<O> = O extends Operation<RequestShape, infer A> ? A : never;

type RequestPart<Name extends string, T> = unknown extends T
  ? unknown
  : {} extends T
    ? { readonly [K in Name]?: T }
    : { readonly [K in Name]: T };

/** The input of a call. Parts that can be empty are optional. */
export type Input<R extends RequestShape> = RequestPart<"params", R["params"]> &
  RequestPart<"query", R["query"]> &
  RequestPart<"body", R["body"]>;

/** The input of an operation of unknown type. */
export interface AnyInput {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}
