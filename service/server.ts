// A running service: its store, its application and its listener, from start to graceful stop.
import { isIP, isIPv6 } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { destination, type Logger, pino } from "pino";
import { openapi } from "../api/openapi.ts";
import { Failure, invariant } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { type Source, sources } from "../core/operation.ts";
import type { Secret } from "../core/secret.ts";
import {
  accountFinder,
  type AccountGround,
  type AccountsDeclaration,
  closeAll,
  isAccountName,
  openAll,
  type OpenAccount,
  openSingle,
} from "./accounts.ts";
import type { Behaviour } from "./area.ts";
import { behaviours as everything } from "./areas/index.ts";
import type { AccountOptions } from "./bootstrap.ts";
import { buildApp } from "./http/app.ts";
import { defaultRates, makeRateLimiter, type Rates } from "./http/rate-limit.ts";
import type { Db } from "./store/schema.ts";
import { loadCatalogue } from "./versions.ts";

/** What a server offers: all of it, or only what public facts or the specification alone show. */
export const surfaces = ["full", "public", "specification"] as const;

/** One of the surfaces. */
export type Surface = (typeof surfaces)[number];

/** How much a server logs to standard error. */
export const logLevels = ["off", "error", "warn", "info"] as const;

/** One of the log levels. */
export type LogLevel = (typeof logLevels)[number];

/** How a server is to run. */
export interface ServerOptions {
  /** A folder, made where it is missing; `:memory:`, which keeps nothing; or the `postgres://` URL of a database. */
  readonly data: string;
  /** The schema of the one account in a database; each of several has one by its name. */
  readonly schema?: string;
  /** The file of the secret key of a server on a database; the same key for all servers of the database. */
  readonly secretKeyFile?: string;
  /** Beyond loopback TLS or a trusted proxy is needed. Left out it is 127.0.0.1. */
  readonly host?: string;
  /** 0 or left out for any free one. */
  readonly port?: number;
  readonly surface?: Surface;
  /** Settings of the one account; not together with `accounts`. */
  readonly account?: AccountOptions;
  /** Several accounts, each found by its host. */
  readonly accounts?: AccountsDeclaration;
  /** Requests in a window; what is left out is as the limits say, 0 is without a limit. */
  readonly rates?: Partial<Rates>;
  /** Ranges of addresses of proxies, whose `X-Forwarded-For`, `-Host` and `-Proto` count. */
  readonly trustedProxies?: readonly string[];
  /** Time between being told to stop and refusing new requests, for whoever balances the load to notice. */
  readonly stopDelayMs?: number;
  readonly log?: LogLevel;
  /** A file with more platform versions, put over the catalogue that comes with the service. */
  readonly versions?: string;
  /** Holds every answer against its declared schema. */
  readonly checkAnswers?: boolean;
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number;
  /** What is served instead of the whole API. */
  readonly behaviours?: readonly Behaviour[];
}

/** A server that answers. */
export interface RunningServer {
  readonly url: string;
  /** An administrator's key that reaches everything in the first account. */
  readonly adminKey: Secret;
  /** The store of the first account. */
  readonly db: Db;
  /** All accounts, at least one. */
  readonly accounts: readonly OpenAccount[];
  /** Answers what has begun, for as long as the limits allow, and lets go of everything. */
  close(): Promise<void>;
}

/**
 * Starts a service and returns once it answers. Fails with `refused` for plain HTTP beyond loopback, `locked` where a folder
 * is in use, `usage` for a bad option, catalogue or certificate, `unavailable` where it cannot listen or the database does
 * not answer.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host = "127.0.0.1", port = 0, now = Date.now, stopDelayMs = 0 } = options;
  refuseOptions(options);
  const log = logger(options.log ?? "off");
  const offered = offer(options);
  const accounts = await openAccounts(options, offered);
  try {
    const health = { draining: false, stopping: false };
    const app = buildApp({
      accountOn: accountFinder(accounts),
      stores: accounts.map(({ db }) => db),
      limiter: makeRateLimiter({ ...defaultRates, ...options.rates }, now),
      trustedProxies: options.trustedProxies ?? [],
      tls: undefined,
      health,
      log,
      webFront: (options.surface ?? "full") !== "full",
      behaviours: offered.behaviours,
    });
    await listen(app, host, port);
    const close = once(async () => {
      health.draining = true;
      if (stopDelayMs > 0) await pause(stopDelayMs);
      health.stopping = true;
      await stop(app, accounts);
    });
    const [first] = accounts;
    invariant(first, "a server without an account");
    return { url: urlOf(app, host), adminKey: first.adminKey, db: first.db, accounts, close };
  } catch (error) {
    await closeAll(accounts);
    throw error;
  }
}

function openAccounts(
  options: ServerOptions,
  { description, keyed }: { description: () => JsonObject; keyed: boolean },
): Promise<readonly OpenAccount[]> {
  const { data, accounts, account = {}, now = Date.now, schema, secretKeyFile } = options;
  const on: AccountGround = {
    data,
    ...(schema === undefined ? {} : { schema }),
    ...(secretKeyFile === undefined ? {} : { secretKeyFile }),
    shared: {
      catalogue: loadCatalogue(options.versions),
      now: () => new Date(now()),
      description,
    },
    checkAnswers: options.checkAnswers ?? false,
    keyed,
    now,
  };
  return accounts === undefined
    ? openSingle(account, on).then((one) => [one])
    : openAll(accounts, on);
}

/** The behaviours up to the surface's source, and the description of exactly those. */
function offer({ surface = "full", behaviours = everything }: ServerOptions): {
  behaviours: readonly Behaviour[];
  description: () => JsonObject;
  keyed: boolean;
} {
  const furthest: Source = surface === "full" ? "proposed" : surface;
  // Neither the specification nor public facts show idempotency keys.
  const keyed = surface === "full";
  const offered = behaviours.filter(
    ({ operation }) => sources.indexOf(operation.source) <= sources.indexOf(furthest),
  );
  let description: JsonObject | undefined;
  return {
    behaviours: offered,
    keyed,
    description: () => {
      const operations = offered.map(({ operation }) => operation);
      return (description ??= openapi(operations, { keyed }));
    },
  };
}

function refuseOptions({ host = "127.0.0.1", account = {}, ...options }: ServerOptions): void {
  const { name, externalUserLimit = 0 } = account;
  const isLocal = isIP(host) === 4 ? host.startsWith("127.") : /^(?:localhost|::1)$/.test(host);
  if (!isLocal && (options.trustedProxies ?? []).length === 0) {
    throw new Failure("refused", `plain HTTP is served on loopback only, and ${host} is not`, {
      remedy:
        "Give a certificate with --tls-cert and --tls-key, or name the proxies that speak TLS with --trusted-proxy.",
    });
  }
  // Sessions that name no embed tenant belong to one of the account's name.
  if (name !== undefined && !isAccountName(name)) {
    throw new Failure("usage", `${JSON.stringify(name)} cannot be an account's name`, {
      remedy: "Use 5 to 36 lowercase letters, digits and hyphens, beginning with a letter.",
    });
  }
  const isCount = Number.isInteger(externalUserLimit) && externalUserLimit >= 0;
  if (!isCount || externalUserLimit >= 2 ** 31) {
    throw new Failure("usage", "the limit of external users must be from 0 to 2147483647");
  }
}

function logger(level: LogLevel): Logger {
  if (level === "off") return pino({ enabled: false });
  return pino({ level, base: null }, destination({ fd: 2, sync: true }));
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port, listenTextResolver: () => "" });
  } catch (cause) {
    await app.close();
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new Failure("unavailable", `cannot listen on ${host} port ${port}: ${code}`, {
      cause,
      remedy: "Choose another port, or 0 for any free one.",
    });
  }
}

function urlOf(app: FastifyInstance, host: string): string {
  const address = app.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

async function stop(app: FastifyInstance, accounts: readonly OpenAccount[]): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), limits.drainMs);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
    await closeAll(accounts);
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
