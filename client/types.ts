// The types of the client, derived from the operations, with a read-only part.
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
} from "../core/operation/operation.ts";
import type { Secret } from "../core/secret.ts";
import type { ApiDiscovery, DiscoveryCache } from "./api-discovery.ts";
import type { RequestRate } from "./request-rate.ts";

/** Options of one call. */
export interface CallOptions {
  /** Cancels waiting and retries. A write in flight is completed, so that its outcome is known. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the call is made even if the client's own signal canceled all others. Set for calls that remove what was made. */
  readonly isCleanup?: true;
  /** Maximum attempts of this call, including the first. Defaults to the client's maximum. */
  readonly attempts?: number | undefined;
}

/** Calls of operations with the effect `E`. They fail only with a `Failure`. */
export interface Calls<E extends Effect> {
  /** Origin of the server, such as `https://acme.example.com`. */
  readonly origin: string;
  /** Maximum number of parallel calls. */
  readonly concurrency: number;
  /** Calls an operation that is not a list and returns the validated response; undefined if there is none. */
  call<O extends Operation<RequestShape, unknown, E>>(
    operation: O,
    input: Input<RequestOf<O>>,
    options?: CallOptions,
  ): Promise<AnswerOf<O>>;
  /** Reads one page of a list. */
  page<O extends Operation<RequestShape, unknown, E>>(
    operation: O,
    input: Input<RequestOf<O>> & { readonly query?: Paging },
    options?: CallOptions,
  ): Promise<Page<AnswerOf<O>>>;
  /** Reads all items of a list, page by page, or the first ones. A function is asked after each page how many. */
  all<O extends Operation<RequestShape, unknown, E>>(
    operation: O,
    input: Input<RequestOf<O>>,
    options?: CallOptions & { readonly most?: number | (() => number) | undefined },
  ): Promise<readonly AnswerOf<O>[]>;
}

/** A client that rejects write operations, by type and at run time. */
export interface ReadOnlyClient extends Calls<"read"> {
  readonly mayWrite: false;
}

/** A raw request to a path. */
export interface RawRequest {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: JsonValue | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The response of a raw request: JSON, other text except HTML, or undefined if empty. */
export interface RawAnswer {
  readonly status: number;
  readonly body: JsonValue | undefined;
  /** The body as it arrived, for files. */
  readonly content: Buffer;
}

/** Statistics of a client. */
export interface Stats {
  /** Requests sent, including retries. */
  readonly calls: number;
  /** Retries. */
  readonly retries: number;
  /** Bytes of all response bodies. */
  readonly bytes: number;
}

/** Event after each attempt. */
export interface RequestEvent {
  /** The operation's ID; undefined for a raw request. */
  readonly operation: string | undefined;
  readonly method: string;
  /** Path with parameter values, without the query. */
  readonly path: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Status; undefined if no response arrived. */
  readonly status: number | undefined;
  /** Error code of a failed attempt. */
  readonly failure: ErrorCode | undefined;
  readonly ms: number;
  readonly bytes: number;
}

/** Event before a long pause. */
export interface WaitEvent {
  readonly seconds: number;
  /** Whether the server requested the pause. */
  readonly serverRequested: boolean;
  /** Status of the response; omitted if no response arrived. */
  readonly status?: number;
  /** Whether the request timed out. Without it and without a status, the connection failed. */
  readonly timedOut?: boolean;
  /** Next attempt and maximum number of attempts; omitted for a pause because of an exhausted rate limit. */
  readonly attempt?: number;
  readonly attempts?: number;
}

/** How a credential is renewed: as the requests of the client are sent. */
export interface RenewalOptions {
  /** Cancels it. */
  readonly signal: AbortSignal;
  /** Maximum attempts, including the first. */
  readonly attempts: number;
  /** First pause between attempts, which doubles, in milliseconds. */
  readonly retryFirstMs: number;
}

/** Returns a credential in place of one that the server refused as expired, or the first one. Fails if there is none. */
export type RenewCredential = (
  used: Secret | undefined,
  options: RenewalOptions,
) => Promise<Secret>;

/** Options of a client. */
export interface ClientOptions {
  /** Origin of the server: https, or http on loopback. */
  readonly url: string;
  readonly credential: Secret | undefined;
  /** Where the credential comes from, such as `from SVC_API_KEY`, for the message if the server refuses it. */
  readonly credentialOrigin?: string | undefined;
  /**
   * Called before the first request if `credential` is undefined, and once for a request that is refused with status
   * 401, which is then sent again.
   */
  readonly renewCredential?: RenewCredential | undefined;
  /** Authentication scheme; `bare` for none. Defaults to `Api-Key` for keys that start with `sk-`, otherwise to `Bearer`. */
  readonly scheme?: "bearer" | "api-key" | "bare" | undefined;
  /** Prefix of the paths of all operations, such as `/deployments/sales`. */
  readonly basePath?: string | undefined;
  /** Maximum number of parallel calls. */
  readonly concurrency?: number | undefined;
  /** Maximum requests per second, or a rate that other clients share. Unlimited by default. */
  readonly requestsPerSecond?: number | RequestRate | undefined;
  /** Maximum attempts of one request, including the first. */
  readonly attempts?: number | undefined;
  /** Maximum attempts of a write, including the first. Defaults to the maximum of all requests. */
  readonly writeAttempts?: number | undefined;
  /** First pause between attempts, which doubles, in milliseconds. */
  readonly retryFirstMs?: number | undefined;
  /** Timeout of one attempt, including the whole response. */
  readonly timeoutMs?: number | undefined;
  /** Cancels all calls of the client, as {@link CallOptions.signal} cancels one. */
  readonly signal?: AbortSignal | undefined;
  readonly userAgent?: string | undefined;
  /** Keeps the operations that the server offers for later processes. */
  readonly discoveryCache?: DiscoveryCache | undefined;
  /** PEM of the certificate authorities to trust instead of the default ones. */
  readonly ca?: string | undefined;
  /** Allows http to any host, which sends the credential in clear text. Use it only in a trusted network. */
  readonly allowHttp?: boolean | undefined;
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  readonly onWait?: ((event: WaitEvent) => void) | undefined;
}

/** A client for one server with one credential and one throttle. */
export interface Client extends Calls<Effect> {
  readonly mayWrite: true;
  /** The read-only part of this client. */
  readonly reader: ReadOnlyClient;
  readonly stats: Stats;
  request(method: Method, path: string, request?: RawRequest): Promise<RawAnswer>;
  /** Returns the operations that the server offers. Reads them once. Fails with `not_offered` if the server has no OpenAPI document. */
  discoverApi(): Promise<ApiDiscovery>;
  /** Creates a client of another address, with another credential and the other settings of this one. Close it too. */
  at(address: Pick<ClientOptions, "url" | "credential" | "scheme" | "basePath">): Client;
  /** Closes the connections after calls in flight are complete. */
  close(): Promise<void>;
}

/** Header values by lowercase name. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** An HTTP request. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

/** A complete response. */
export interface ReceivedAnswer {
  readonly answered: true;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** No usable response. `sent` is false only if no byte of the request can have reached the server. */
export interface NoAnswer {
  readonly answered: false;
  readonly sent: boolean;
  readonly reason: "connection" | "timeout" | "aborted" | "too_large";
  readonly cause: unknown;
}

/** The result of one exchange. Never an exception. */
export type Exchange = ReceivedAnswer | NoAnswer;
