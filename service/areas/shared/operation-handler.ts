// Operation handlers: functions bound to and typed by an operation, independent of HTTP and of the SQL dialect.
import type { checkReportQuery } from "../../../api/reports.ts";
import { invariant } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import type {
  AnswerOf,
  Effect,
  Operation,
  Page,
  Paging,
  RequestShape,
} from "../../../core/operation/operation.ts";
import type { Account } from "../../accounts/account.ts";
import type { AccountOrigin } from "../../accounts/hosts.ts";
import type { Principal } from "../../security/principal.ts";
import type { Github } from "../../git/github.ts";
import type { TokenEndpoints } from "../../git/token-endpoint.ts";
import type { Remotes } from "../../git/remote.ts";
import type { ModelCompiler } from "../../model/compiler.ts";
import type { Sealer } from "../../security/seal.ts";
import type { Db } from "../../store/schema.ts";
import type { FileAnswer } from "./http-answer.ts";
import type { JsonDocument } from "./json-document.ts";
import type { Tokens } from "../../security/tokens.ts";
import type { ViewLog } from "./view-log.ts";
import type { Catalogue } from "../../accounts/version-catalogue.ts";

/** Starts queued builds. */
export interface BuildQueue {
  /** Looks for queued builds now. Never throws. */
  wake(): void;
}

/** Pushes committed changes to the Git remotes of deployments. */
export interface GitPushes {
  /**
   * Pushes the commits of a deployment, if the deployment is connected. Throws `merge_conflict` if the remote changed
   * the same lines of one of the given branches; the commits stay. Retries later if the remote does not answer.
   */
  push(deploymentId: number, branchIds: readonly number[]): Promise<void>;
  /** Pulls and pushes soon. Never throws. */
  wake(deploymentId: number): void;
}

/** Runs syncs of transformation projects. */
export interface SyncQueue {
  /** Looks for syncs to run now. Never throws. */
  wake(): void;
  /** Stops a sync that runs in this process, after its cancellation was stored. */
  cancel(id: number): void;
}

/** Makes exports and sends notifications. */
export interface DeliveryQueue {
  /** The reason why no mail is sent; undefined if mail is sent. */
  readonly unsentReason: string | undefined;
  /** Looks for work now. Never throws. */
  wake(): void;
}

/** Returns the reason why production cannot answer a query, or why this is not known yet; neither if it can. */
export type QueryChecker = (query: {
  readonly deploymentId: number;
  readonly principal: Principal;
  /** JSON. */
  readonly jsonQuery?: string | undefined;
  /** SQL, which counts without JSON. */
  readonly sqlQuery?: string | undefined;
}) => Promise<AnswerOf<typeof checkReportQuery>>;

/** Returns the query of a statement in SQL. Throws `invalid`, `forbidden`, and `conflict` before the first build. */
export type ReadStatement = (text: string) => JsonObject;

/** Returns what translates the SQL of reports for a viewer of production. Throws `unavailable` while the data model is loaded. */
export type StatementReader = (viewer: {
  readonly deploymentId: number;
  readonly principal: Principal;
}) => Promise<ReadStatement>;

/** Services that every handler can use. */
export interface Services {
  readonly tokens: Tokens;
  /** The available platform versions. */
  readonly catalogue: Catalogue;
  /** Encrypts secrets that must be read again. */
  readonly sealer: Sealer;
  /** Compiles data models. */
  readonly compiler: ModelCompiler;
  /** Starts the queued builds of the account. */
  readonly builds: BuildQueue;
  /** Pushes to the Git remotes of the account. */
  readonly gitPushes: GitPushes;
  /** Runs the syncs of the account. */
  readonly syncs: SyncQueue;
  /** Makes the exports and sends the notifications of the account. */
  readonly deliveries: DeliveryQueue;
  /** Checks queries against data models of the account. */
  readonly checkQuery: QueryChecker;
  /** Reads the SQL of reports with data models of the account. */
  readonly statementReader: StatementReader;
  /** Returns why the last builds of a deployment's pre-aggregations failed on this server, by `cube.name`. */
  readonly rollupFailures: (deploymentId: number) => ReadonlyMap<string, string>;
  /** The operator's GitHub App, with the installations of the account; undefined without one. */
  readonly github: Github | undefined;
  /** Access to Git remotes. */
  readonly remotes: Remotes;
  /** Counts views of content. */
  readonly views: ViewLog;
  /** Calls OAuth providers. */
  readonly tokenEndpoints: TokenEndpoints;
  /** The clock. */
  readonly now: () => Date;
  /** Returns whether a host belongs to an account, or is below one that does. */
  readonly isAccountHost: (host: string) => boolean;
  /** The OpenAPI document of this server. */
  readonly description: () => JsonDocument;
}

/** One call of an operation: validated, authorised, and inside a transaction if the operation writes. */
export interface Call<R extends RequestShape = RequestShape> extends Services {
  readonly operation: Operation;
  readonly params: R["params"];
  readonly query: R["query"];
  /** `null` members are equal to absent members unless the handler distinguishes them. */
  readonly body: R["body"];
  /** The headers of the request, for operations that verify a signature. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body exactly as sent, for operations that store it verbatim; otherwise "". */
  readonly bodyText: string;
  /** The requested position in a list. List handlers pass it to `pageOf`. */
  readonly paging: Paging;
  readonly principal: Principal;
  /** Returns the origin at which the caller reaches the account. */
  readonly origin: () => AccountOrigin;
  /** The transaction of a write, or the store for a read. */
  readonly db: Db;
  /** Reads the account. */
  readonly account: () => Promise<Account>;
}

/** A page of a list, with the total number of items if the envelope contains it. */
export interface ListPage<Item> extends Page<Item> {
  readonly total?: number;
}

/** An operation and its handler. */
export interface OperationHandler {
  readonly operation: Operation;
  /**
   * Runs before the transaction of a write, so it may wait for other servers. It must be safe to repeat. A request that
   * repeats an idempotency key does not run it.
   */
  readonly prepare: ((call: Call) => Promise<unknown>) | undefined;
  /** Runs inside the transaction of a write, with the result of `prepare`. An exception rolls everything back. */
  readonly run: (call: Call, prepared: unknown) => Promise<unknown>;
  /** Builds the response from the result of `run`, after the commit. */
  readonly finish: ((draft: unknown, call: Call) => Promise<unknown>) | undefined;
}

/** Creates the handler of an operation that returns one object or nothing. Throw `Failure` for expected errors. */
export function handle<R extends RequestShape, A, E extends Effect>(
  operation: Operation<R, A, E>,
  run: (call: Call<R>) => Promise<A>,
): OperationHandler {
  invariant(operation.list === undefined, `${operation.id} is a list`);
  return operationHandler(operation, { run });
}

/** Creates a handler whose response is sent verbatim: the text of a JSON object. See {@link handle}. */
export function handleText<R extends RequestShape, A, E extends Effect>(
  operation: Operation<R, A, E>,
  run: (call: Call<R>) => Promise<string>,
): OperationHandler {
  invariant(operation.verbatim === true, `${operation.id} has a response schema`);
  return operationHandler(operation, { run });
}

/** Creates a handler whose response is a file. See {@link handle}. */
export function handleFile<R extends RequestShape, A, E extends Effect>(
  operation: Operation<R, A, E>,
  run: (call: Call<R>) => Promise<FileAnswer>,
): OperationHandler {
  invariant(typeof operation.contentType === "object", `${operation.id} returns no file`);
  return operationHandler(operation, { run });
}

/**
 * Creates a handler whose response needs asynchronous work other than the store: `finish` builds it after the commit.
 * See {@link handle}.
 */
export function handleThenFinish<R extends RequestShape, A, E extends Effect, Draft>(
  operation: Operation<R, A, E>,
  run: (call: Call<R>) => Promise<Draft>,
  finish: (draft: Draft, call: Call<R>) => Promise<A>,
): OperationHandler {
  invariant(operation.list === undefined, `${operation.id} is a list`);
  return operationHandler(operation, { run, finish });
}

/** The steps of a write that needs other servers. */
export interface PreparedWork<R extends RequestShape, A, Prepared, Draft> {
  readonly prepare: (call: Call<R>) => Promise<Prepared>;
  readonly run: (call: Call<R>, prepared: Prepared) => Promise<Draft>;
  readonly finish: (draft: Draft, call: Call<R>) => Promise<A>;
}

/** Creates a handler that waits for other servers before and after its transaction. See {@link handle}. */
export function handlePrepared<R extends RequestShape, A, E extends Effect, Prepared, Draft>(
  operation: Operation<R, A, E>,
  work: PreparedWork<R, A, Prepared, Draft>,
): OperationHandler {
  invariant(operation.effect === "write", `${operation.id} is not a write`);
  return operationHandler(operation, work);
}

/** Creates a handler whose response is a document that is serialized once. See {@link handle}. */
export function handleDocument<R extends RequestShape, A, E extends Effect>(
  operation: Operation<R, A, E>,
  run: (call: Call<R>) => Promise<JsonDocument>,
): OperationHandler {
  invariant(operation.effect === "read", `${operation.id} is a write`);
  return operationHandler(operation, { run });
}

/** Creates the handler of a list. It returns a page, which the server wraps in the operation's envelope. */
export function handleList<R extends RequestShape, Item, E extends Effect>(
  operation: Operation<R, Item, E>,
  run: (call: Call<R>) => Promise<ListPage<Item>>,
): OperationHandler {
  invariant(operation.list !== undefined, `${operation.id} is not a list`);
  return operationHandler(operation, { run });
}

/** Erases the types of a handler, because the request is validated against the operation's schemas before it runs. */
function operationHandler(
  operation: unknown,
  { prepare, run, finish }: { prepare?: unknown; run: unknown; finish?: unknown },
): OperationHandler {
  return {
    operation: operation as Operation,
    prepare: prepare as OperationHandler["prepare"],
    run: run as OperationHandler["run"],
    finish: finish as OperationHandler["finish"],
  };
}

/** A type without its empty members. */
export type OmitNullish<T> = {
  [K in keyof T as null extends T[K] ? never : undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as null extends T[K] ? K : undefined extends T[K] ? K : never]?: NonNullable<T[K]>;
};

/** Returns the members that are neither `null` nor undefined. Responses omit empty members. */
export function omitNullish<T extends object>(members: T): OmitNullish<T> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    if (value !== null && value !== undefined) kept[name] = value;
  }
  return kept as OmitNullish<T>;
}
