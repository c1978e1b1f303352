// What an area is made of: behaviours, each bound to its operation and typed by it; they know neither HTTP nor SQL dialects.
import { invariant } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Effect, Operation, Page, Paging, RequestShape } from "../../core/operation.ts";
import type { Account } from "../accounts/account.ts";
import type { Principal } from "../security/principal.ts";
import type { Sealer } from "../security/seal.ts";
import type { Db } from "../store/schema.ts";
import type { Tokens } from "../security/tokens.ts";
import type { Catalogue } from "../accounts/version-catalogue.ts";

/** What every behaviour of a server may use. */
export interface Services {
  readonly tokens: Tokens;
  /** The platform versions there are. */
  readonly catalogue: Catalogue;
  /** Seals secrets that must be read again. */
  readonly sealer: Sealer;
  /** The clock. */
  readonly now: () => Date;
  /** The description of what this server offers. */
  readonly description: () => JsonObject;
}

/** One call of an operation: valid, authorised, and inside a transaction where the operation writes. */
export interface Call<R extends RequestShape = RequestShape> extends Services {
  readonly operation: Operation;
  readonly params: R["params"];
  readonly query: R["query"];
  /** `null` members mean the same as missing ones, unless the behaviour gives them a meaning. */
  readonly body: R["body"];
  /** The body as it was sent, where the operation keeps it to the letter; else "". */
  readonly bodyText: string;
  /** Where in a list the caller wants to read; a list gives it to `pageOf`. */
  readonly paging: Paging;
  readonly principal: Principal;
  /** The transaction of a write; the store itself for a read. */
  readonly db: Db;
  /** The account, read when asked for. */
  readonly account: () => Promise<Account>;
}

/** A page of a list; with the number of all its items where the envelope shows that. */
export interface ListPage<Item> extends Page<Item> {
  readonly total?: number;
}

/** An operation and what it does. */
export interface OperationHandler {
  readonly operation: Operation;
  /** Runs inside the transaction of a write; what it throws undoes everything. */
  readonly run: (call: Call) => Promise<unknown>;
  /** Makes the answer from what `run` returned, after the commit. */
  readonly finish: ((draft: unknown, call: Call) => Promise<unknown>) | undefined;
}

/** What an operation does, where it answers with one object or with nothing. Expected failures are thrown as `Failure`. */
export function handle<R extends RequestShape, A, E extends Effect>(
  operation: Operation<R, A, E>,
  run: (call: Call<R>) => Promise<A>,
): OperationHandler {
  invariant(operation.list === undefined, `${operation.id} is a list`);
  return operationHandler(operation, run, undefined);
}

/** As {@link handle}, for an answer that is given to the letter: the text of a JSON object. */
export function handleText<R extends RequestShape, A, E extends Effect>(
  operation: Operation<R, A, E>,
  run: (call: Call<R>) => Promise<string>,
): OperationHandler {
  invariant(operation.verbatim === true, `${operation.id} has an answer of its own`);
  return operationHandler(operation, run, undefined);
}

/** As {@link handle}, for an answer that awaits more than the store: `finish` makes it after the commit. */
export function handleThenFinish<R extends RequestShape, A, E extends Effect, Draft>(
  operation: Operation<R, A, E>,
  run: (call: Call<R>) => Promise<Draft>,
  finish: (draft: Draft, call: Call<R>) => Promise<A>,
): OperationHandler {
  invariant(operation.list === undefined, `${operation.id} is a list`);
  return operationHandler(operation, run, finish);
}

/** What a list does: it answers with a page, which the server puts into the operation's envelope. */
export function handleList<R extends RequestShape, Item, E extends Effect>(
  operation: Operation<R, Item, E>,
  run: (call: Call<R>) => Promise<ListPage<Item>>,
): OperationHandler {
  invariant(operation.list !== undefined, `${operation.id} is not a list`);
  return operationHandler(operation, run, undefined);
}

/** The types of a behaviour end here: the request is checked against the operation's schemas before it runs. */
function operationHandler(operation: unknown, run: unknown, finish: unknown): OperationHandler {
  return {
    operation: operation as Operation,
    run: run as OperationHandler["run"],
    finish: finish as OperationHandler["finish"],
  };
}

/** What is left of a type when its empty members go. */
export type OmitNullish<T> = {
  [K in keyof T as null extends T[K] ? never : undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as null extends T[K] ? K : undefined extends T[K] ? K : never]?: NonNullable<T[K]>;
};

/** The members that are neither `null` nor undefined: how an answer leaves out what is not there. */
export function omitNullish<T extends object>(members: T): OmitNullish<T> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    if (value !== null && value !== undefined) kept[name] = value;
  }
  return kept as OmitNullish<T>;
}
