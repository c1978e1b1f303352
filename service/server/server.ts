// Runs the service: store, application and listener, from start to graceful stop.
import { join } from "node:path";
import { isIP } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { destination, type Logger, pino } from "pino";
import { openapi } from "../../api/openapi.ts";
import { Failure, invariant } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { memoizePerObject } from "../../core/memoize.ts";
import { sources } from "../../core/operation/operation.ts";
import type { Secret } from "../../core/secret.ts";
import { startGitElsewhere } from "../../git/command.ts";
import {
  type AccountEnvironment,
  type AccountsDeclaration,
  closeAllAccounts,
  hostsOf,
  isAccountName,
  openAllAccounts,
  type OpenAccount,
  openSingleAccount,
  folderOf,
} from "./accounts.ts";
import type { OperationHandler } from "../areas/shared/operation-handler.ts";
import { handlers as everything } from "../areas/index.ts";
import type { AccountOptions } from "./bootstrap.ts";
import { type ApplicationOptions, buildApp } from "../http/app.ts";
import type { QueryService } from "../data-plane/query-service.ts";
import type { WebSocketTimes } from "../data-plane/web-socket-connection.ts";
import { serveWebSockets } from "../data-plane/web-sockets.ts";
import type { SmtpOptions } from "../delivery/mailer.ts";
import { createDeliveryTools } from "../delivery/tools.ts";
import type { RollupOptions } from "../rollups/rollups.ts";
import { createViewLog } from "../areas/usage-analytics/view-log.ts";
import { createRequestLog } from "../data-plane/request-log.ts";
import { createDeploymentRouter } from "../data-plane/router.ts";
import { createHostDirectory } from "./host-directory.ts";
import { validateProxyRanges } from "../http/request/transport-security.ts";
import { defaultRateLimits, makeRateLimiter, type RateLimits } from "../http/request/rate-limit.ts";
import { JsonDocument } from "../areas/shared/json-document.ts";
import type { RemotePolicy } from "../git/remote-policy.ts";
import type { GithubApp } from "../git/github.ts";
import { createTokenEndpoints } from "../git/token-endpoint.ts";
import { createRemotes } from "../git/remote.ts";
import { createReadiness, type Health } from "../http/health.ts";
import { makeLoadShedder } from "../http/request/load-shedding.ts";
import { assertPortFree, defaultHost, drainAndClose, listen } from "./listen.ts";
import { jobListener, startBackgroundJobs } from "./background-jobs.ts";
import { createSeedCheck } from "../engine/check-seeds.ts";
import { createCompiler } from "../model/compiler.ts";
import { entryFile } from "../model/entry-file.ts";
import type { MetricsListener } from "../http/metrics.ts";
import { defaultSchema } from "../store/stores.ts";
import type { LogLevel, Surface } from "./option-values.ts";
import { openStores } from "../store/open.ts";
import type { Db } from "../store/schema.ts";
import type { OnStatement } from "../store/timing.ts";
import { type CertificateFiles, readCertificates, watchCertificates } from "../security/tls.ts";
import { loadCatalogue } from "../accounts/version-catalogue.ts";

export { type Surface, surfaces } from "./option-values.ts";

/** Server options. */
export interface ServerOptions {
  /** A data folder; `:memory:`, which stores nothing; or the `postgres://` URL of a database. */
  readonly data: string;
  /** True to fail instead of creating an account in an empty folder or schema. */
  readonly existing?: boolean;
  /** The schema of a single account in a database. Each of several accounts has its own. */
  readonly schema?: string;
  /** The secret key file for a database; every server of the database needs the same key. */
  readonly secretKeyFile?: string;
  /** Most connections to a database; 20 by default. */
  readonly databaseConnections?: number;
  /** The listen address, 127.0.0.1 by default. Other machines need TLS or a trusted proxy. */
  readonly host?: string;
  /** The port; 0 or absent for any free port. */
  readonly port?: number;
  readonly surface?: Surface;
  /** Settings of the single account; excludes `accounts`. */
  readonly account?: AccountOptions;
  /** Several accounts, each found by its host. */
  readonly accounts?: AccountsDeclaration;
  /** Rate limits; absent members have their default, and 0 means no limit. */
  readonly rates?: Partial<RateLimits>;
  /** Address ranges of proxies whose `X-Forwarded-For`, `-Host` and `-Proto` headers are trusted. */
  readonly trustedProxies?: readonly string[];
  /** TLS certificates, selected by the client's host name, otherwise the first. Plain HTTP if absent. */
  readonly tls?: readonly [CertificateFiles, ...CertificateFiles[]];
  /** Port of the metrics listener on loopback, 0 for any free port. No metrics if absent. */
  readonly metricsPort?: number;
  /** Time between the stop request and rejecting new requests, so that load balancers can react. */
  readonly stopDelayMs?: number;
  /** Time for which idle connections then stay open, for requests that are on their way; 0 by default. */
  readonly idleGraceMs?: number;
  readonly log?: LogLevel;
  /** False to run no background jobs. */
  readonly jobs?: boolean;
  /** A file with additional platform versions, merged into the built-in catalogue. */
  readonly versions?: string;
  /** Validates every response against its declared schema. */
  readonly checkAnswers?: boolean;
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number;
  /** The monotonic clock of limits and probes, in milliseconds. */
  readonly monotonicNow?: () => number;
  /** Replaces times of WebSocket connections. */
  readonly webSocketTimes?: Partial<WebSocketTimes>;
  /** Git remotes that may be reached in addition to public addresses. */
  readonly gitRemotes?: RemotePolicy;
  /** Hosts of databases of deployments that may have private addresses, and may be reached without TLS. */
  readonly databaseHosts?: readonly string[];
  /** Megabytes of all files of pre-aggregations; 0 to build none. */
  readonly rollupMegabytes?: number;
  /** The SMTP server that sends notifications. */
  readonly smtp?: SmtpOptions;
  /** The address at which people reach the server, for the links in mails. Accounts with hosts replace its host by their own. */
  readonly publicUrl?: string;
  /** The GitHub App through which accounts connect repositories. */
  readonly githubApp?: GithubApp | undefined;
  /** Replaces the handlers of the whole API. */
  readonly handlers?: readonly OperationHandler[];
}

/** A running server. */
export interface RunningServer {
  readonly url: string;
  /** An unscoped administrator key of the first account. */
  readonly adminKey: Secret;
  /** The store of the first account. */
  readonly db: Db;
  /** All accounts, at least one. */
  readonly accounts: readonly OpenAccount[];
  /** The URL of the metrics, if they are on. */
  readonly metricsUrl: string | undefined;
  /** Reloads the certificates from their files; logs a warning if there are none. */
  reloadCertificate(): void;
  /** Finishes running requests within the time limit and closes everything. */
  close(): Promise<void>;
}

/**
 * Starts a server and returns once it accepts requests. Throws `refused` for plain HTTP beyond loopback, `locked` if
 * the folder is in use, `usage` for an invalid option, catalogue or certificate, and `unavailable` if it cannot listen
 * or the database does not answer.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  validateOptions(options);
  startGitElsewhere(entryFile("../../git/starter-process.ts", import.meta.url));
  const { tls: files } = options;
  const certificates = files && readCertificates(files);
  const opened: Closable[] = [];
  try {
    const metrics = await startMetrics(options);
    if (metrics) opened.push(metrics);
    await assertPortFree(options);
    const offered = servedApi(options);
    const onStatement: OnStatement | undefined =
      metrics && ((kind, seconds) => metrics.statement(kind, seconds));
    const stores = await openStores(options.data, {
      onStatement,
      connections: options.databaseConnections,
    });
    opened.push(stores);
    const log = createLogger(options.log ?? "off");
    const warn = (message: string): void => log.warn(message);
    const delivery = createDeliveryTools({ ...options, rollups: rollupOptionsOf(options) });
    opened.push(delivery);
    const accounts = await openAccounts(options, { ...offered, stores, warn, delivery });
    opened.push({ close: () => closeAllAccounts(accounts) });
    if (options.jobs !== false) {
      const watch = jobListener(log, metrics);
      const { schema = defaultSchema } = options;
      const jobs = await startBackgroundJobs(`${schema}_jobs`, { stores, accounts, watch });
      opened.push({ close: () => jobs.stop() });
      // Before the jobs, which wait for the work that they began.
      opened.push({
        close: async () => void (await Promise.all(accounts.map((account) => account.stopWork()))),
      });
    }
    const health = { draining: false, stopping: false };
    const { handlers } = offered;
    const { queries } = delivery;
    const parts = { accounts, health, certificates, metrics, log, handlers, queries };
    const app = await createApplication(options, parts);
    const url = await listen(app, options);
    opened.push({ close: () => drainAndClose(app, options) });
    const { trustedProxies = [], webSocketTimes } = options;
    const times = { ...limits, ...webSocketTimes };
    opened.push(serveWebSockets(app, { times, trustedProxies }));
    const watch =
      files && certificates && watchCertificates(app.server, { certificates, files, log });
    if (watch) opened.push(watch);
    return {
      ...firstAccount(accounts),
      url,
      accounts,
      metricsUrl: metrics?.url,
      reloadCertificate: watch
        ? () => watch.reload()
        : () => warn("there is no certificate to reload; other settings need a restart"),
      close: once(() => stop(opened, health, options)),
    };
  } catch (error) {
    await closeInReverse(opened);
    throw error;
  }
}

/** Returns the options of pre-aggregations. In memory and with a database, their files last as long as the server. */
function rollupOptionsOf({ data, rollupMegabytes, now = Date.now }: ServerOptions): RollupOptions {
  const folder = folderOf(data);
  return {
    // No account has this name.
    folder: folder === undefined ? undefined : join(folder, "rollup_files"),
    megabytes: rollupMegabytes ?? limits.rollupMegabytes,
    now,
  };
}

type ApplicationParts = Pick<
  ApplicationOptions,
  "health" | "certificates" | "metrics" | "log" | "handlers"
> & { readonly accounts: readonly OpenAccount[]; readonly queries: QueryService };

/** Creates the application of the API and of the addresses of deployments. */
async function createApplication(
  { rates, surface = "full", ...options }: ServerOptions,
  { accounts, health, log, queries, ...parts }: ApplicationParts,
): Promise<FastifyInstance> {
  const { monotonicNow: now = () => performance.now() } = options;
  const { trustedProxies = [] } = options;
  const shared = {
    trustedProxies,
    health,
    log,
    load: makeLoadShedder(),
    limiter: makeRateLimiter({ ...defaultRateLimits, ...rates }, now),
    requireReady: createReadiness({
      stores: accounts.map(({ db }) => db),
      folder: folderOf(options.data),
      health,
      now,
    }),
  };
  const directory = createHostDirectory(accounts, now);
  const requestLog = createRequestLog((error) =>
    log.warn({ err: error }, "log lines were not stored"),
  );
  const app = buildApp({
    ...shared,
    ...parts,
    findAccount: ({ host }) => directory.findAccount(host),
    deploymentRouter: await createDeploymentRouter({ ...shared, queries, requestLog, directory }),
    webFront: surface !== "full",
  });
  return app.addHook("onClose", async () => {
    await requestLog.close();
    for (const { requestContext } of accounts) await requestContext.views.close();
  });
}

/** Stops serving after the stop delay, then closes everything. */
async function stop(
  opened: readonly Closable[],
  health: Health,
  { stopDelayMs = 0 }: ServerOptions,
): Promise<void> {
  health.draining = true;
  // Without a delay the listener closes in this turn: clients of closed connections must not reach its queue again.
  if (stopDelayMs > 0) await pause(stopDelayMs);
  health.stopping = true;
  await closeInReverse(opened);
}

function firstAccount([first]: readonly OpenAccount[]): Pick<RunningServer, "adminKey" | "db"> {
  invariant(first, "a server without an account");
  return { adminKey: first.adminKey, db: first.db };
}

/** Loads the metrics module only if metrics are on. */
async function startMetrics({ metricsPort }: ServerOptions): Promise<MetricsListener | undefined> {
  if (metricsPort === undefined) return undefined;
  return (await import("../http/metrics.ts")).startMetricsListener(metricsPort);
}

interface Closable {
  close(): Promise<void>;
}

/** Closes in reverse order of opening. */
async function closeInReverse(opened: readonly Closable[]): Promise<void> {
  for (const one of opened.toReversed()) await one.close();
}

function openAccounts(
  options: ServerOptions,
  {
    description,
    idempotencyEnabled: keyed,
    stores,
    warn,
    delivery,
  }: Omit<ServedApi, "handlers"> & Pick<AccountEnvironment, "stores" | "warn" | "delivery">,
): Promise<readonly OpenAccount[]> {
  const { data, accounts, account = {}, now = Date.now, schema, secretKeyFile } = options;
  const policy = options.gitRemotes ?? { folders: [], privateHosts: [] };
  const on: AccountEnvironment = {
    data,
    stores,
    warn,
    delivery,
    ...(schema === undefined ? {} : { schema }),
    ...(secretKeyFile === undefined ? {} : { secretKeyFile }),
    compiler: createCompiler(createSeedCheck()),
    shared: {
      catalogue: loadCatalogue(options.versions, now),
      remotes: createRemotes(policy),
      views: createViewLog(() => warn("views of content were not counted")),
      tokenEndpoints: createTokenEndpoints(policy),
      now: () => new Date(now()),
      description,
      isAccountHost: accountHosts(accounts),
    },
    githubApp: options.githubApp,
    publicUrl: options.publicUrl,
    checkAnswers: options.checkAnswers ?? false,
    existing: options.existing ?? false,
    idempotencyEnabled: keyed,
    now,
  };
  return accounts === undefined
    ? openSingleAccount(account, on).then((one) => [one])
    : openAllAccounts(accounts, on);
}

/** Returns whether a host belongs to a declared account, or is below one that does. */
function accountHosts(declared: AccountsDeclaration | undefined): (host: string) => boolean {
  const { host: parent, accounts } = declared ?? { host: "", accounts: [] };
  const hosts = accounts.flatMap((account) => hostsOf(account, parent));
  return (host) => hosts.some((own) => host === own || host.endsWith(`.${own}`));
}

interface ServedApi {
  readonly handlers: readonly OperationHandler[];
  readonly description: () => JsonDocument;
  readonly idempotencyEnabled: boolean;
}

/** OpenAPI documents by surface, built once per process. */
const descriptions = new Map<Surface, JsonDocument>();

/**
 * Returns the handlers of each smaller surface. Servers with the same operations share the values derived from the
 * list.
 */
const offeredHandlers = memoizePerObject((handlers: readonly OperationHandler[]) => {
  const upTo = (last: (typeof sources)[number]): readonly OperationHandler[] =>
    handlers.filter(({ operation }) => sources.indexOf(operation.source) <= sources.indexOf(last));
  return { specification: upTo("specification"), public: upTo("public") };
});

/** Returns the handlers of the surface and the OpenAPI document of exactly these. */
function servedApi({ surface = "full", handlers = everything }: ServerOptions): ServedApi {
  // Neither the specification nor public documentation has idempotency keys.
  const keyed = surface === "full";
  const offered = surface === "full" ? handlers : offeredHandlers(handlers)[surface];
  const described = handlers === everything ? descriptions : new Map<Surface, JsonDocument>();
  return {
    handlers: offered,
    idempotencyEnabled: keyed,
    description: () => {
      const known = described.get(surface);
      if (known !== undefined) return known;
      const operations = offered.map(({ operation }) => operation);
      const document = new JsonDocument(openapi(operations, { keyed }));
      described.set(surface, document);
      return document;
    },
  };
}

function validateOptions({ host = defaultHost, account = {}, ...options }: ServerOptions): void {
  const { name, externalUserLimit = 0 } = account;
  const isLocal = isIP(host) === 4 ? host.startsWith("127.") : /^(?:localhost|::1)$/.test(host);
  validateProxyRanges(options.trustedProxies ?? []);
  if (!isLocal && options.tls === undefined && (options.trustedProxies ?? []).length === 0) {
    throw new Failure(
      "refused",
      `plain HTTP is served on loopback only, and ${host} is not a loopback address`,
      {
        remedy:
          "Pass a certificate with --tls-cert and --tls-key, or the proxies that terminate TLS with --trusted-proxy.",
      },
    );
  }
  // The account name is also the name of the default embed tenant.
  if (name !== undefined && !isAccountName(name)) {
    throw new Failure("usage", `${JSON.stringify(name)} is not a valid account name`, {
      remedy: "Use 5 to 36 lowercase letters, digits and hyphens, beginning with a letter.",
    });
  }
  const isCount = Number.isInteger(externalUserLimit) && externalUserLimit >= 0;
  if (!isCount || externalUserLimit >= 2 ** 31) {
    throw new Failure("usage", "the limit of external users must be from 0 to 2147483647");
  }
}

function createLogger(level: LogLevel): Logger {
  if (level === "off") return pino({ enabled: false });
  return pino({ level, base: null }, destination({ fd: 2, sync: true }));
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
