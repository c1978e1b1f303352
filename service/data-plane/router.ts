// Serves the addresses of deployments with a separate application, which has no routes and accepts no credentials of
// the API.
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Failure, invariant } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Operation } from "../../core/operation/operation.ts";
import type { DeploymentRouter } from "../http/app.ts";
import { accountOrigin } from "../http/request/account-origin.ts";
import { collectRoutes, methodNotAllowed } from "../http/allowed-methods.ts";
import { allowOtherOrigins, answerPreflight, isPreflight } from "../http/cross-origin.ts";
import { createFastify, type FastifyParts, setDefaultHeaders } from "../http/fastify.ts";
import type { Health } from "../http/health.ts";
import {
  type AdmissionOptions,
  makeRequestAdmission,
  unknownHost,
} from "../http/request/request-admission.ts";
import { type RequestContext, requestContextOf } from "../http/request/request-context.ts";
import type { Principal } from "../security/principal.ts";
import { identifyForQueries } from "../security/query-principal.ts";
import type { LogLines } from "../areas/logs/log-lines.ts";
import {
  type DeploymentAddress,
  type HostDirectory,
  splitDeployment,
  splitEnvironment,
} from "./address.ts";
import { type Environment, findDeployment, readEnvironment } from "./environment.ts";
import type { EnvironmentAnswer, EnvironmentHandler } from "./environment-call.ts";
import { environmentHandlers } from "./operations.ts";
import type { QueryService } from "./query-service.ts";
import type { RequestLog } from "./request-log.ts";
import { tokenIn } from "./token.ts";

/** The parts of a router. */
export interface RouterOptions
  extends
    Omit<FastifyParts, "certificates" | "requestIdOf">,
    Pick<AdmissionOptions, "limiter" | "load"> {
  readonly directory: HostDirectory;
  readonly health: Health;
  /** Throws if the server cannot serve now. */
  readonly requireReady: () => Promise<void>;
  readonly queries: QueryService;
  readonly requestLog: RequestLog;
}

/** A request for the address of a deployment. */
interface RoutedRequest extends DeploymentAddress {
  /** The request as the server received it. */
  readonly received: FastifyRequest;
  readonly branchName: string | undefined;
}

type Routed = WeakMap<IncomingMessage, RoutedRequest>;

/** Creates the router. */
export async function createDeploymentRouter(options: RouterOptions): Promise<DeploymentRouter> {
  const routed: Routed = new WeakMap();
  const app = buildEnvironmentApp(options, routed);
  await app.ready();
  return {
    async route(request, reply) {
      const found = await findAddress(options.directory, request);
      if (found === undefined) return false;
      const { branch, path } = splitEnvironment(found.path);
      const { raw } = request;
      routed.set(raw, { ...found, received: request, branchName: branch });
      request.deploymentRoute = "deployment";
      reply.hijack();
      raw.url = path;
      app.routing(raw, reply.raw);
      return true;
    },
  };
}

/** Finds the deployment of a request by its host, or by its path below an account. */
async function findAddress(
  directory: HostDirectory,
  { host, url }: FastifyRequest,
): Promise<(DeploymentAddress & { readonly path: string }) | undefined> {
  const below = splitDeployment(url);
  const account = below && directory.findAccount(host);
  if (below && account) {
    return { account, deployment: { label: below.label }, by: "path", path: below.path };
  }
  const byHost = await directory.findDeployment(host);
  return byHost && { ...byHost, path: url };
}

function buildEnvironmentApp(options: RouterOptions, routed: Routed): FastifyInstance {
  const routedOf = ({ raw }: Pick<FastifyRequest, "raw">): RoutedRequest => {
    const found = routed.get(raw);
    invariant(found, "a request for no deployment");
    return found;
  };
  const admission = makeRequestAdmission({
    ...options,
    findAccount: (request) => routedOf(request).account,
  });
  const requestIdOf = (raw: IncomingMessage): string => routedOf({ raw }).received.id;
  const app = createFastify({ ...options, certificates: undefined, requestIdOf }, admission);
  const findPath = collectRoutes(app);
  app.addHook("onRequest", async (request, reply) => {
    setDefaultHeaders(request, reply);
    allowOtherOrigins(reply);
    if (!request.is404) return undefined;
    admission.resolveAccount(request);
    const path = findPath(request.url);
    // Browsers ask before each call, without a credential. The quota of an address does not suffice for its viewers.
    if (path && isPreflight(request)) return answerPreflight(reply, ["GET", "POST"]);
    admission.count(request, reply);
    await requireDeployment(routedOf(request));
    const refused = methodNotAllowed(request, reply, path?.methods);
    if (refused !== undefined) throw refused;
    return undefined;
  });
  app.setNotFoundHandler(() => {
    throw new Failure("unknown_route", "there is no such operation at the address of a deployment");
  });
  for (const handler of environmentHandlers) {
    addEnvironmentRoute(app, handler, { ...options, admission, routedOf });
  }
  return app;
}

interface RouteParts {
  readonly admission: ReturnType<typeof makeRequestAdmission>;
  readonly routedOf: (request: FastifyRequest) => RoutedRequest;
  readonly requireReady: () => Promise<void>;
  readonly queries: QueryService;
  readonly requestLog: RequestLog;
}

function addEnvironmentRoute(
  app: FastifyInstance,
  { operation, run, scope }: EnvironmentHandler,
  { admission, routedOf, requireReady, queries, requestLog }: RouteParts,
): void {
  const environments = new WeakMap<FastifyRequest, Environment>();
  app.route({
    method: operation.method,
    url: operation.path,
    bodyLimit: limits.bodyBytes,
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      const { received, account, ...address } = routedOf(request);
      received.operationId = operation.id;
      received.deploymentRoute = `deployment ${operation.path}`;
      await admitEnvironment(operation, { admission, request, reply });
      const deployment = await requireDeployment({ ...address, account });
      if (request.principal) requireOwn(request.principal, deployment.id);
      const environment = await readEnvironment(account.db, deployment, address.branchName);
      if (request.principal) requireEnvironment(request.principal, environment, scope);
      admission.reserveBody(request, reply, limits.bodyBytes);
      environments.set(request, environment);
    },
    handler: async (request, reply) => {
      const { account, branchName } = routedOf(request);
      const sent = request.method === "POST" ? request.body : request.query;
      const environment = environments.get(request);
      invariant(environment, "a request without an environment");
      const { status, body, reason } = await run({
        ...environment,
        branchName,
        requireReady,
        queries,
        db: account.db,
        accountId: account.accountId,
        compiler: account.compiler,
        sealer: account.sealer,
        views: account.views,
        now: account.now,
        principal: request.principal,
        signal: signalOf(reply),
        input: isObject(sent) ? sent : {},
        origin: accountOrigin(account.hosts, request),
      });
      if (status >= 400) logProblem(requestLog, { environment, account, body, reason });
      if (body instanceof Readable && typeof operation.contentType === "string") {
        reply.type(operation.contentType);
      }
      return reply.code(status).send(body);
    },
    onResponse: async (request, reply) => {
      const environment = environments.get(request);
      if (environment === undefined || operation.permission === "public") return;
      const { account } = routedOf(request);
      const took = `${Math.round(reply.elapsedTime)} ms`;
      const message = `${operation.method} ${operation.path} ${reply.statusCode} ${took}`;
      logLine(requestLog, { environment, account, container: "api-proxy", message });
    },
  });
}

/** Returns a signal that aborts if the client goes away before it has the response. */
function signalOf({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) left.abort();
  });
  return left.signal;
}

/** The environment of a request, and its account. */
interface Logged {
  readonly environment: Environment;
  readonly account: RequestContext;
}

function logLine(
  log: RequestLog,
  {
    environment,
    account,
    container,
    message,
  }: Logged & Pick<LogLines, "container"> & { readonly message: string },
): void {
  const { id: branchId } = environment.branch;
  log.add(account.db, { branchId, container, at: account.now(), messages: [message] });
}

/** Logs why a query failed. */
function logProblem(
  log: RequestLog,
  { body, reason, ...where }: Logged & Pick<EnvironmentAnswer, "body" | "reason">,
): void {
  const message = reason ?? ("error" in body ? String(body.error) : undefined);
  if (message !== undefined) logLine(log, { ...where, container: "svcjs-server", message });
}

/** Admits and authenticates a request. Health checks need no credential, and are never refused because of overload. */
async function admitEnvironment(
  { permission, cost }: Operation,
  {
    admission,
    request,
    reply,
  }: Pick<RouteParts, "admission"> & { request: FastifyRequest; reply: FastifyReply },
): Promise<void> {
  if (permission === "public") {
    admission.resolveAccount(request);
    return admission.count(request, reply, cost);
  }
  await admission.admit(request, reply);
  try {
    request.principal = await authenticate(request, requestContextOf(request));
  } finally {
    admission.count(request, reply, cost);
  }
}

/** Returns the deployment of an address. Throws `not_found`, or the error for an unknown host. */
async function requireDeployment({ account, deployment: name, by }: DeploymentAddress) {
  const deployment = await findDeployment(account.db, name);
  if (deployment) return deployment;
  if (by === "host") throw unknownHost();
  throw new Failure("not_found", "no deployment has this address");
}

/** Returns the principal of a token, sent bare or after a scheme. Throws `unauthenticated`. */
async function authenticate(
  { headers }: FastifyRequest,
  context: RequestContext,
): Promise<Principal> {
  const sent = headers["x-svc-authorization"] ?? headers.authorization;
  if (sent === undefined) throw new Failure("unauthenticated", "Authorization header isn't set");
  const token = tokenIn(String(sent));
  const principal = token && (await identifyForQueries(context.db, context, token));
  if (principal) return principal;
  throw new Failure("unauthenticated", "Invalid token");
}

function requireOwn({ limits: { deployments }, blockedReason }: Principal, id: number): void {
  if (blockedReason !== undefined) throw new Failure("forbidden", blockedReason);
  if (deployments?.includes(id) === true) return;
  throw new Failure("forbidden", "the token is for another deployment");
}

/** Throws `forbidden` for a token of another environment, or a token whose scopes do not include the operation's. */
function requireEnvironment(
  { environment: { environmentId, scopes } = {}, session }: Principal,
  { branch, deployment }: Environment,
  scope: string | undefined,
): void {
  const isOther =
    (environmentId !== undefined && environmentId !== branch.id) ||
    (session && (session.branchName ?? deployment.deploy_branch_name) !== branch.name);
  if (isOther === true) throw new Failure("forbidden", "the token is for another environment");
  if (scopes === undefined || scope === undefined || scopes.includes(scope)) return;
  throw new Failure("forbidden", `API scope is missing: ${scope}`);
}
