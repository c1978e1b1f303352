// Serves the operations, all with the same steps: find the account, authenticate, check the permission, validate, handle,
// respond.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { idempotentReplayedHeader } from "../../api/idempotency.ts";
import { answerSchema } from "../../api/openapi.ts";
import { Failure, invariant } from "../../core/errors.ts";
import type { Operation } from "../../core/operation/operation.ts";
import { itemCost } from "../../core/operation/operation-cost.ts";
import { readAccount } from "../accounts/account.ts";
import { runRecorded } from "../areas/audit-logs/record.ts";
import { FileAnswer, HttpAnswer } from "../areas/shared/http-answer.ts";
import { JsonDocument } from "../areas/shared/json-document.ts";
import type { OperationHandler, Call } from "../areas/shared/operation-handler.ts";
import type { Db } from "../store/schema.ts";
import { inTransaction } from "../store/transaction.ts";
import { accountOrigin } from "./request/account-origin.ts";
import { authenticate, checkPermission } from "./authenticate.ts";
import { coerce, refuseInvalidPercentEncoding } from "./coerce.ts";
import type { RequestAdmission } from "./request/request-admission.ts";
import { type RequestContext, requestContextOf } from "./request/request-context.ts";
import { idempotencyKeyOf, type WriteResult } from "./request/idempotency.ts";
import { bodyLimit } from "./request/body-limit.ts";
import { render, sendDocument } from "./response-envelope.ts";
import { check, mismatchMessage } from "./validate.ts";

/** Adds the routes of all operations. */
export function addOperations(
  app: FastifyInstance,
  handlers: readonly OperationHandler[],
  admission: RequestAdmission,
): void {
  for (const handler of handlers) {
    const { operation } = handler;
    const { method, path, alias } = operation;
    for (const served of [{ method, path }, ...(alias === undefined ? [] : [alias])]) {
      app.route({
        method: served.method,
        url: served.path.replaceAll(/\{(\w+)\}/gu, ":$1"),
        bodyLimit: bodyLimit(operation),
        config: { operation },
        onRequest: (request, reply) => admitCall(operation, { admission, request, reply }),
        handler: async (request, reply) => {
          admission.chargeItems(request, reply, itemCost(operation, request.body));
          return respond(handler, request, reply);
        },
      });
    }
  }
}

async function admitCall(
  operation: Operation,
  {
    admission,
    request,
    reply,
  }: {
    readonly admission: RequestAdmission;
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
  },
): Promise<void> {
  request.operationId = operation.id;
  await admission.admit(request, reply);
  const requestContext = requestContextOf(request);
  const { authorization } = request.headers;
  try {
    request.principal = await authenticate(operation, authorization, requestContext);
  } finally {
    admission.count(request, reply, operation.cost);
  }
  // Checks before the body is read. Objects that only the body names are checked afterwards.
  const params = coerce(operation.params, request.params);
  request.params = params;
  const actor = { db: requestContext.db, principal: request.principal };
  await checkPermission(actor, operation, { params });
  admission.reserveBody(request, reply, bodyLimit(operation));
}

async function respond(
  handler: OperationHandler,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { operation } = handler;
  const requestContext = requestContextOf(request);
  const call = await buildCall(operation, request, requestContext);
  const { result, replayed } = await execute(handler, call, { request, requestContext });
  if (replayed) reply.header(idempotentReplayedHeader, "true");
  if (result instanceof HttpAnswer) return sendAnswer(operation, result, { reply, requestContext });
  reply.code(operation.answer.status);
  if (operation.answer.schema === undefined) return reply.send();
  if (result instanceof FileAnswer) {
    const { content, name, type } = result;
    reply.header("content-disposition", `attachment; filename="${name}"`);
    return reply.type(type).send(content);
  }
  if (result instanceof JsonDocument) return sendDocument(result, request, reply);
  if (typeof result === "string") {
    const type = operation.contentType === "text/csv" ? "text/csv" : "application/json";
    return reply.type(`${type}; charset=utf-8`).send(result);
  }
  const body = render(call, result);
  if (requestContext.checkAnswers) requireDeclaredResponse(operation, body);
  return body;
}

function sendAnswer(
  operation: Operation,
  { status, headers, body }: HttpAnswer,
  { reply, requestContext }: { reply: FastifyReply; requestContext: RequestContext },
): FastifyReply {
  if (requestContext.checkAnswers && body !== undefined) requireDeclaredResponse(operation, body);
  return reply.code(status).headers(headers).send(body);
}

async function buildCall(
  operation: Operation,
  request: FastifyRequest,
  requestContext: RequestContext,
): Promise<Call> {
  const { principal } = request;
  invariant(principal, "a call without a principal");
  refuseInvalidPercentEncoding(request.url);
  // They were coerced before the permission was checked.
  const params = request.params as Record<string, unknown>;
  const query = coerce(operation.query, request.query);
  const body = normalizeBody(operation, request.body);
  if (isNamedByContent(operation)) {
    const actor = { db: requestContext.db, principal };
    await checkPermission(actor, operation, { params, query, body });
  }
  validate(operation, { params, query, body }, request.bodyBytes);
  return {
    ...requestContext,
    headers: request.headers,
    operation,
    params,
    query,
    body,
    bodyText: request.bodyText,
    paging: query,
    principal,
    origin: originOf(requestContext, request),
    account: () => readAccount(requestContext.db),
  };
}

/** Returns a function that finds the origin of the account on first use, and remembers it. */
function originOf({ hosts }: RequestContext, request: FastifyRequest): Call["origin"] {
  let found: ReturnType<Call["origin"]> | undefined;
  return () => (found ??= accountOrigin(hosts, request));
}

/** Returns whether the query or the body names the object that needs the permission. */
function isNamedByContent({ permission }: Operation): boolean {
  if (typeof permission === "string" || permission.scope === "account") return false;
  return Object.values(permission.scope).some((path) => !/^(?:any|params\..*)$/u.test(path));
}

/** A body of `null` counts as no body. An operation without a body ignores an empty object. */
function normalizeBody(operation: Operation, sent: unknown): unknown {
  const body = sent ?? undefined;
  if (operation.body !== undefined || body === undefined) return body;
  if (typeof body === "object" && !Array.isArray(body) && Object.keys(body).length === 0) {
    return undefined;
  }
  throw new Failure("invalid", "this operation takes no body; remove it");
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
  // Skip validation if nothing is declared and nothing was sent; the schema is then never compiled.
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
  { operation, prepare, run, finish }: OperationHandler,
  call: Call,
  { request, requestContext }: { request: FastifyRequest; requestContext: RequestContext },
): Promise<{ result: unknown; replayed: boolean }> {
  const work = (tx: Db, prepared: unknown): Promise<unknown> => {
    const inside = { ...call, db: tx, account: () => readAccount(tx) };
    return runRecorded(inside, (recorded) => run(recorded, prepared));
  };
  const { db, idempotency } = requestContext;
  const write = async (): Promise<WriteResult> => {
    const key = idempotency && idempotencyKeyOf(operation, request.headers);
    const steps = { prepare: prepare && (() => prepare(call)), work };
    if (idempotency && key !== undefined) return idempotency.runOnce(db, { key, call }, steps);
    const prepared = await prepare?.(call);
    return { draft: await inTransaction(db, (tx) => work(tx, prepared)), replayed: false };
  };
  const { draft, replayed } =
    operation.effect === "write"
      ? await write()
      : { draft: await run(call, await prepare?.(call)), replayed: false };
  return { result: finish ? await finish(draft, call) : draft, replayed };
}

function requireDeclaredResponse(operation: Operation, body: unknown): void {
  const schema = answerSchema(operation);
  const wrong = schema && mismatchMessage(schema, body);
  invariant(
    wrong === undefined,
    `${operation.id} returned a response that does not match its schema: ${wrong}`,
  );
}
