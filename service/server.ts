// A running service: its store, its application and its listener, from start to graceful stop.
import { isIP, isIPv6 } from "node:net";
import type { FastifyInstance } from "fastify";
import { destination, type Logger, pino } from "pino";
import { openapi } from "../api/openapi.ts";
import { Failure } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { type Source, sources } from "../core/operation.ts";
import type { Secret } from "../core/secret.ts";
import type { Behaviour } from "./area.ts";
import { behaviours as everything } from "./areas/index.ts";
import { type AccountOptions, bootstrap, operatorKey } from "./bootstrap.ts";
import { buildApp } from "./http/app.ts";
import { makeIdempotency } from "./http/idempotency.ts";
import { makeSeal } from "./seal.ts";
import { freshKey, keyOf } from "./secret-key.ts";
import type { Db } from "./store/schema.ts";
import { openSqlite, type OpenStore } from "./store/sqlite.ts";
import { makeTokens } from "./tokens.ts";
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
  /** A folder, made where it is missing; or `:memory:`, which keeps nothing. */
  readonly data: string;
  /** Loopback only: anything else needs TLS. Left out it is 127.0.0.1. */
  readonly host?: string;
  /** 0 or left out for any free one. */
  readonly port?: number;
  readonly surface?: Surface;
  readonly account?: AccountOptions;
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
  /** An administrator's key that reaches everything. */
  readonly adminKey: Secret;
  /** The store beneath it. */
  readonly db: Db;
  /** Answers what has begun, for as long as the limits allow, and lets go of everything. */
  close(): Promise<void>;
}

/**
 * Starts a service and returns once it answers. Fails with `refused` for an address beyond loopback, `locked` where the
 * folder is in use, `usage` for a bad option or catalogue, `unavailable` where it cannot listen.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { data, host = "127.0.0.1", port = 0, account = {}, now = Date.now } = options;
  refuseOptions(host, account);
  const catalogue = loadCatalogue(options.versions);
  const folder = data === ":memory:" ? undefined : data;
  const store = await openSqlite(data);
  try {
    await bootstrap(store.db, account, { catalogue, now: new Date(now()) });
    const adminKey = await operatorKey(store.db, folder, new Date(now()));
    const health = { stopping: false };
    const root = folder === undefined ? freshKey() : keyOf(folder);
    const seal = makeSeal(root);
    const { keyed, ...offered } = offer(options);
    const app = buildApp({
      db: store.db,
      tokens: makeTokens(root, now),
      seal,
      catalogue,
      now: () => new Date(now()),
      health,
      log: logger(options.log ?? "off"),
      checkAnswers: options.checkAnswers ?? false,
      webFront: (options.surface ?? "full") !== "full",
      idempotency: keyed ? makeIdempotency(seal) : undefined,
      ...offered,
    });
    await listen(app, host, port);
    const close = once(async () => {
      health.stopping = true;
      await stop(app, store);
    });
    return { url: urlOf(app, host), adminKey, db: store.db, close };
  } catch (error) {
    await store.close();
    throw error;
  }
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

function refuseOptions(host: string, { name, externalUserLimit = 0 }: AccountOptions): void {
  const isLoopback = isIP(host) === 4 ? host.startsWith("127.") : /^(?:localhost|::1)$/.test(host);
  if (!isLoopback) {
    throw new Failure("refused", `plain HTTP is served on loopback only, and ${host} is not`, {
      remedy: "Listen on 127.0.0.1 and let a proxy on the same machine speak TLS to the world.",
    });
  }
  // Sessions that name no embed tenant belong to one of the account's name.
  if (name !== undefined && !/^(?=.{5,36}$)[a-z][a-z0-9-]*[a-z0-9]$/.test(name)) {
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

async function stop(app: FastifyInstance, store: OpenStore): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), limits.drainMs);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
    await store.close();
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
