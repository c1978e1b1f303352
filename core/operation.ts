// An operation: one thing the API can be asked to do, declared as data for routes, OpenAPI, client types and commands.
import { Type, type Static, type TObject, type TSchema } from "typebox";
import type { ErrorCode } from "./errors.ts";

/** Where our knowledge of an operation comes from; a server's surface is everything up to one of these. */
export const sources = ["specification", "public", "proposed"] as const;

/** `specification` shows it; `public` facts about the product family show it; `proposed` is our own choice. */
export type Source = (typeof sources)[number];

/** The HTTP methods the API uses. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Methods of a protocol that somebody else fixed; OpenAPI knows none of them. */
export const extensionMethods = ["LOCK", "UNLOCK"] as const;

/** One of {@link extensionMethods}. */
export type ExtensionMethod = (typeof extensionMethods)[number];

/** Whether it changes anything; a client that cannot write accepts only `read`. */
export type Effect = "read" | "write";

/** Who may call it: `anyone` without a credential, any `user`, or a user with the `admin` role. */
export type Access = "anyone" | "user" | "admin";

/**
 * What a key scoped to deployments may do with it: `open` always, `filtered` sees what is in scope, `account` is refused,
 * or only when the named deployment is in scope.
 */
export type Scope =
  | "open"
  | "filtered"
  | "account"
  | { readonly deployment: `${"params" | "body"}.${string}` };

/** The envelope of a list: cursor only, cursor with the deprecated offset envelope beside it, or a bare array. */
export type Envelope = "cursor" | "transitional" | "array";

/** Everything a request carries once it is parsed and valid. */
export interface RequestShape {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** An operation. The types travel in `types`, which never exists at run time. */
export interface Operation<
  Request extends RequestShape = RequestShape,
  Answer = unknown,
  E extends Effect = Effect,
> {
  /** camelCase and unique: OpenAPI's operationId. */
  readonly id: string;
  /** kebab-case name of the area it belongs to; OpenAPI's tag. */
  readonly area: string;
  readonly method: Method;
  /** Path with `{param}` in braces, as the specification writes it. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly source: Source;
  /** Served, but absent from the server's own description; so absence there proves nothing. */
  readonly unlisted?: boolean;
  readonly effect: E;
  /** A lost answer may be met by sending it again without harm. */
  readonly repeatable: boolean;
  readonly access: Access;
  /** Set where an account's API key is asked for: documented with the `Api-Key` scheme, and refused to embed tokens. */
  readonly requiresApiKey?: boolean;
  /** Set where viewers of embedded dashboards have nothing to look for: refused to embed tokens, except administrators'. */
  readonly hiddenFromViewers?: boolean;
  /** Set where HTTP Basic is taken as well, with an API key as its password, for programs that speak nothing else. */
  readonly basicAuth?: boolean;
  /** The same operation as a protocol of somebody else's asks for it; it is served there as well. */
  readonly alias?: { readonly method: ExtensionMethod; readonly path: string };
  /** Set where the body or the answer is a JSON object of the caller's own, which is kept and given back to the letter. */
  readonly verbatim?: boolean;
  readonly scope: Scope;
  readonly params: TObject;
  readonly query: TObject;
  readonly body: TSchema | undefined;
  /** The body may be left out; the schema describes it when it is there. */
  readonly bodyOptional: boolean;
  readonly answer: { readonly status: 200 | 201 | 202 | 204; readonly schema: TSchema | undefined };
  /** Set on lists: the answer's schema then describes one item, and the envelope is added by whoever renders or reads. */
  readonly list: Envelope | undefined;
  /** How long its pages are, where a list has bounds of its own. */
  readonly page: PageBounds | undefined;
  /** Failures it declares beyond those that every operation may answer. */
  readonly errorCodes: readonly ErrorCode[];
  readonly types?: { readonly request: Request; readonly answer: Answer };
}

/** Items on a page when none are asked for, and at most. */
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
  access: Access;
  requiresApiKey?: boolean;
  hiddenFromViewers?: boolean;
  basicAuth?: boolean;
  alias?: { readonly method: ExtensionMethod; readonly path: string };
  verbatim?: boolean;
  scope: Scope;
  params?: P;
  query?: Q;
  body?: B;
  bodyOptional?: boolean;
  status?: 200 | 201 | 202 | 204;
  answer?: A;
  list?: Envelope;
  page?: PageBounds;
  errorCodes?: readonly ErrorCode[];
}

const emptyObject = Type.Object({}, { additionalProperties: false });

/**
 * Declares an operation. `repeatable` is true for GET, PUT, PATCH and DELETE unless said otherwise. With `list`, `answer`
 * is the schema of one item, the paging query is added, and the answer's type is a page of items.
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
    query: withPaging(declared.query ?? emptyObject, list),
    body,
    bodyOptional: bodyOptional ?? false,
    answer: { status: status ?? (answer === undefined ? 204 : 200), schema: answer },
    list,
    page: declared.page,
    errorCodes: declared.errorCodes ?? [],
  });
}

const cursorQuery = {
  first: Type.Optional(Type.Integer({ minimum: 1, description: "Items wanted on this page." })),
  after: Type.Optional(Type.String({ description: "The previous page's `pageInfo.endCursor`." })),
};

const offsetQuery = {
  offset: Type.Optional(
    Type.Integer({ minimum: 0, deprecated: true, description: "Items to pass over." }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 0, deprecated: true, description: "Items wanted." }),
  ),
};

function withPaging(query: TObject, list: Envelope | undefined): TObject {
  if (list === undefined || list === "array") return query;
  const paging = list === "cursor" ? cursorQuery : { ...cursorQuery, ...offsetQuery };
  return Type.Object({ ...query.properties, ...paging }, { additionalProperties: false });
}

/** Paging parameters, for whoever reads or serves a list. */
export interface Paging {
  readonly first?: number;
  readonly after?: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** Where a page lies in its list; cursors are opaque. */
export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor?: string;
  readonly endCursor?: string;
}

/** One page of a list, whatever its envelope was. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly pageInfo: PageInfo;
}

/** The request that an operation takes. */
export type RequestOf<O> = O extends Operation<infer R> ? R : never;

/** The answer that an operation gives; one item of it where it is a list. */
export type AnswerOf<O> = O extends Operation<RequestShape, infer A> ? A : never;

type RequestPart<Name extends string, T> = unknown extends T
  ? unknown
  : {} extends T
    ? { readonly [K in Name]?: T }
    : { readonly [K in Name]: T };

/** What a caller gives: parts that may be empty may be left out. */
export type Input<R extends RequestShape> = RequestPart<"params", R["params"]> &
  RequestPart<"query", R["query"]> &
  RequestPart<"body", R["body"]>;

/** An input whose operation is not known by type; what the machinery passes on. */
export interface AnyInput {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}
