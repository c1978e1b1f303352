// One route for each operation, all with the same handler: find the account, authenticate, authorise, validate, behave, render.
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { idempotentReplayedHeader } from "../../api/idempotency.ts";
import { answerSchema } from "../../api/openapi.ts";
import { Failure, invariant } from "../../core/errors.ts";
import type { ExtensionMethod, Method, Operation } from "../../core/operation.ts";
import { readAccount } from "../accounts/account.ts";
import type { OperationHandler, Call } from "../areas/operation-handler.ts";
import type { Db } from "../store/schema.ts";
import { inTransaction } from "../store/transaction.ts";
import { authenticate, authorise, authoriseTarget } from "./authorise.ts";
import { bodyLimit } from "./body-limit.ts";
import { coerce, refuseInvalidPercentEncoding } from "./coerce.ts";
import type { RequestAdmission } from "./request-admission.ts";
import { type RequestContext, requestContextOf } from "./request-context.ts";
import { idempotencyKeyOf, type WriteResult } from "./idempotency.ts";
import { render } from "./response-envelope.ts";
import { check, mismatchMessage } from "./validate.ts";

/** The path of an operation as Fastify writes it. */
export function routePath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** Under which methods and paths an operation is served. */
export function servedRoutes({
  method,
  path,
  alias: also,
}: Operation): readonly { readonly method: Method | ExtensionMethod; readonly path: string }[] {
  return [{ method, path }, ...(also === undefined ? [] : [also])];
}

/** Adds the routes of one behaviour; `gate` finds the account and counts who calls. */
export function addRoute(
  app: FastifyInstance,
  behaviour: OperationHandler,
  gate: RequestAdmission,
): void {
  for (const { method, path } of servedRoutes(behaviour.operation)) {
    const { id, verbatim } = behaviour.operation;
    app.route({
      method,
      url: routePath(path),
      config: { operation: id, keepsText: verbatim === true },
      ...routeHandlers(behaviour, gate),
    });
  }
}

function routeHandlers(
  behaviour: OperationHandler,
  gate: RequestAdmission,
): Pick<RouteOptions, "bodyLimit" | "onRequest" | "handler"> {
  const { operation } = behaviour;
  return {
    bodyLimit: bodyLimit(operation),
    onRequest: async (request, reply) => {
      request.operationId = operation.id;
      gate.resolveAccount(request);
      const ground = requestContextOf(request);
      const { authorization } = request.headers;
      try {
        request.principal = await authenticate(operation, authorization, ground);
      } finally {
        gate.count(request, reply);
      }
      authorise(operation, request.principal);
    },
    handler: async (request, reply) => respond(behaviour, request, reply),
  };
}

async function respond(
  behaviour: OperationHandler,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { operation } = behaviour;
  const ground = requestContextOf(request);
  const call = buildCall(operation, request, ground);
  const { result, replayed } = await execute(behaviour, call, { request, ground });
  if (replayed) reply.header(idempotentReplayedHeader, "true");
  reply.code(operation.answer.status);
  if (operation.answer.schema === undefined) return reply.send();
  if (typeof result === "string") return reply.type("application/json; charset=utf-8").send(result);
  const body = render(call, result);
  if (ground.checkAnswers) requireDeclaredResponse(operation, body);
  return body;
}

function buildCall(operation: Operation, request: FastifyRequest, ground: RequestContext): Call {
  const { principal } = request;
  invariant(principal, "a call without a caller");
  refuseInvalidPercentEncoding(request.url);
  const params = coerce(operation.params, request.params);
  const query = coerce(operation.query, request.query);
  const body = normalizeBody(operation, request.body);
  authoriseTarget(operation, principal, { params, body });
  validate(operation, { params, query, body }, request.bodyBytes);
  return {
    tokens: ground.tokens,
    catalogue: ground.catalogue,
    sealer: ground.sealer,
    now: ground.now,
    description: ground.description,
    operation,
    params,
    query,
    body,
    bodyText: request.bodyText,
    paging: query,
    principal,
    db: ground.db,
    account: () => readAccount(ground.db),
  };
}

/** `null` for a body is no body; an operation without one passes over an empty object. */
function normalizeBody(operation: Operation, sent: unknown): unknown {
  const body = sent ?? undefined;
  if (operation.body !== undefined || body === undefined) return body;
  if (typeof body === "object" && !Array.isArray(body) && Object.keys(body).length === 0) {
    return undefined;
  }
  throw new Failure("invalid", "this operation takes no body; send none");
}

interface RequestParts {
  readonly params: object;
  readonly query: object;
  readonly body: unknown;
}

function validate(
  operation: Operation,
  { params, query, body }: RequestParts,
  bytes: number,
): void {
  const parts = [
    { name: "path", schema: operation.params, value: params },
    { name: "query", schema: operation.query, value: query },
  ];
  // What declares nothing and was given nothing need not be checked, nor its schema compiled.
  const given = parts.filter(
    ({ schema, value }) =>
      Object.keys(schema.properties).length > 0 || Object.keys(value).length > 0,
  );
  if (operation.body === undefined) return check(given, bytes);
  if (body === undefined) {
    if (operation.bodyOptional) return check(given, bytes);
    throw new Failure("invalid", "the body is missing; send a JSON object");
  }
  return check([...given, { name: "body", schema: operation.body, value: body }], bytes);
}

async function execute(
  { operation, run, finish }: OperationHandler,
  call: Call,
  { request, ground }: { request: FastifyRequest; ground: RequestContext },
): Promise<{ result: unknown; replayed: boolean }> {
  const work = (tx: Db) => run({ ...call, db: tx, account: () => readAccount(tx) });
  const { db, idempotency } = ground;
  const write = async (): Promise<WriteResult> => {
    const key = idempotency && idempotencyKeyOf(operation, request.headers);
    if (idempotency && key !== undefined) return idempotency.runOnce(db, { key, call }, work);
    return { draft: await inTransaction(db, work), replayed: false };
  };
  const { draft, replayed } =
    operation.effect === "write" ? await write() : { draft: await run(call), replayed: false };
  return { result: finish ? await finish(draft, call) : draft, replayed };
}

function requireDeclaredResponse(operation: Operation, body: unknown): void {
  const schema = answerSchema(operation);
  const wrong = schema && mismatchMessage(schema, body);
  invariant(wrong === undefined, `${operation.id} answers what it does not declare: ${wrong}`);
}
