// What a client is: typed by the operations themselves, with a reading half that no writing operation fits.
import type { ErrorCode } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import type {
  AnswerOf,
  Effect,
  Input,
  Method,
  Operation,
  Page,
  Paging,
  RequestOf,
  RequestShape,
} from "../core/operation.ts";
import type { Secret } from "../core/secret.ts";
import type { ApiDiscovery } from "./api-discovery.ts";

/** What one call may be told beside its input. */
export interface CallOptions {
  /** Stops waiting and pauses; a write that is on its way is let end, so that its outcome stays known. */
  readonly signal?: AbortSignal | undefined;
}

/** Calls of operations whose effect is `E`. Every failure is a `Failure`. */
export interface Calls<E extends Effect> {
  /** Address of the server, such as `https://acme.example.com`. */
  readonly origin: string;
  /** Calls in flight at once. */
  readonly concurrency: number;
  /** One call of an operation that is not a list; resolves to its valid answer, `undefined` where it has none. */
  call<O extends Operation<RequestShape, unknown, E>>(
    operation: O,
    input: Input<RequestOf<O>>,
    options?: CallOptions,
  ): Promise<AnswerOf<O>>;
  /** One page of a list, whatever its envelope. */
  page<O extends Operation<RequestShape, unknown, E>>(
    operation: O,
    input: Input<RequestOf<O>> & { readonly query?: Paging },
    options?: CallOptions,
  ): Promise<Page<AnswerOf<O>>>;
  /** Every item of a list, page after page. */
  all<O extends Operation<RequestShape, unknown, E>>(
    operation: O,
    input: Input<RequestOf<O>>,
    options?: CallOptions,
  ): Promise<readonly AnswerOf<O>[]>;
}

/** A client that cannot write: not by its type, and it refuses at run time too. */
export interface ReadOnlyClient extends Calls<"read"> {
  readonly mayWrite: false;
}

/** A bare request, for people who know the path. */
export interface RawRequest {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: JsonValue | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Its answer: JSON, the text of anything else but HTML, or undefined where there is none. */
export interface RawAnswer {
  readonly status: number;
  readonly body: JsonValue | undefined;
}

/** What a client has done so far. */
export interface Stats {
  /** Requests sent, every attempt counted. */
  readonly calls: number;
  /** Those of them that repeated another. */
  readonly retries: number;
  /** Bytes of the answers' bodies. */
  readonly bytes: number;
}

/** Told after every attempt. */
export interface RequestEvent {
  /** The operation's id; undefined for a bare request. */
  readonly operation: string | undefined;
  readonly method: string;
  /** With its parameters, without its query. */
  readonly path: string;
  /** From 1. */
  readonly attempt: number;
  /** Undefined where no answer came. */
  readonly status: number | undefined;
  /** What kept the answer from coming or made it useless on the way. */
  readonly failure: ErrorCode | undefined;
  readonly ms: number;
  readonly bytes: number;
}

/** Told before a pause that is long enough for a person to wonder. */
export interface WaitEvent {
  readonly seconds: number;
  /** The server asked for it. */
  readonly serverRequested: boolean;
  /** What the server answered; left out where no answer came. */
  readonly status?: number;
  /** No answer came in time; else, without a status, there was no connection that held. */
  readonly timedOut?: boolean;
  /** The attempt that follows, of as many; left out where nothing failed, and calls wait for a spent allowance to be renewed. */
  readonly attempt?: number;
  readonly attempts?: number;
}

/** How a client is made. */
export interface ClientOptions {
  /** The server's origin: https, or http on loopback. */
  readonly url: string;
  readonly credential: Secret | undefined;
  /** `Bearer`, or `Api-Key` for keys that start with `sk-`, unless it is given. */
  readonly scheme?: "bearer" | "api-key" | undefined;
  /** Calls in flight at once. */
  readonly concurrency?: number | undefined;
  /** Undefined is as fast as the server allows. */
  readonly requestsPerSecond?: number | undefined;
  /** Attempts of one request, the first included. */
  readonly attempts?: number | undefined;
  /** For one attempt with its whole answer. */
  readonly timeoutMs?: number | undefined;
  /** Stops every call of this client, as {@link CallOptions.signal} does for one. */
  readonly signal?: AbortSignal | undefined;
  readonly userAgent?: string | undefined;
  /** PEM of the certificate authorities to trust instead of the well-known ones. */
  readonly ca?: string | undefined;
  /** Sends the credential in clear text over http to any host: only inside a trusted network. */
  readonly allowHttp?: boolean | undefined;
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  readonly onWait?: ((event: WaitEvent) => void) | undefined;
}

/** Talks to one server with one credential, through one gate. */
export interface Client extends Calls<Effect> {
  readonly mayWrite: true;
  /** The same client, unable to write. */
  readonly reader: ReadOnlyClient;
  readonly stats: Stats;
  request(method: Method, path: string, request?: RawRequest): Promise<RawAnswer>;
  /** What the server says it offers; read once. Fails with `not_offered` where it has no description. */
  discoverApi(): Promise<ApiDiscovery>;
  /** Ends its connections; calls in flight are let end. */
  close(): Promise<void>;
}
