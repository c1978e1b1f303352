// One route for each operation, all with the same handler: find the account, authenticate, authorise, validate, behave, render.
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { replayedHeader } from "../../api/idempotency.ts";
import { answerSchema } from "../../api/openapi.ts";
import { Failure, invariant } from "../../core/errors.ts";
import type { ForeignMethod, Method, Operation } from "../../core/operation.ts";
import { readAccount } from "../account.ts";
import type { Behaviour, Call } from "../area.ts";
import type { Db } from "../store/schema.ts";
import { inTransaction } from "../store/transaction.ts";
import { authenticate, authorise, authoriseTarget } from "./authorise.ts";
import { bodyLimit } from "./body-limit.ts";
import { coerce, refuseEncoding } from "./coerce.ts";
import type { Gate } from "./gate.ts";
import { type Ground, groundOf } from "./ground.ts";
import { keyOf, type Written } from "./idempotency.ts";
import { render } from "./render.ts";
import { check, mismatch } from "./validate.ts";

/** The path of an operation as Fastify writes it. */
export function routePath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** Under which methods and paths an operation is served. */
export function spellings({
  method,
  path,
  also,
}: Operation): readonly { readonly method: Method | ForeignMethod; readonly path: string }[] {
  return [{ method, path }, ...(also === undefined ? [] : [also])];
}

/** Adds the routes of one behaviour; `gate` finds the account and counts who calls. */
export function addRoute(app: FastifyInstance, behaviour: Behaviour, gate: Gate): void {
  for (const { method, path } of spellings(behaviour.operation)) {
    const { id, verbatim } = behaviour.operation;
    app.route({
      method,
      url: routePath(path),
      config: { operation: id, keepsText: verbatim === true },
      ...handling(behaviour, gate),
    });
  }
}

function handling(
  behaviour: Behaviour,
  gate: Gate,
): Pick<RouteOptions, "bodyLimit" | "onRequest" | "handler"> {
  const { operation } = behaviour;
  return {
    bodyLimit: bodyLimit(operation),
    onRequest: async (request, reply) => {
      request.operationId = operation.id;
      gate.enter(request);
      const ground = groundOf(request);
      const { authorization } = request.headers;
      try {
        request.principal = await authenticate(operation, authorization, ground);
      } finally {
        gate.count(request, reply);
      }
      authorise(operation, request.principal);
    },
    handler: async (request, reply) => answer(behaviour, request, reply),
  };
}

async function answer(
  behaviour: Behaviour,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { operation } = behaviour;
  const ground = groundOf(request);
  const call = callOf(operation, request, ground);
  const { result, replayed } = await carryOut(behaviour, call, { request, ground });
  if (replayed) reply.header(replayedHeader, "true");
  reply.code(operation.answer.status);
  if (operation.answer.schema === undefined) return reply.send();
  if (typeof result === "string") return reply.type("application/json; charset=utf-8").send(result);
  const body = render(call, result);
  if (ground.checkAnswers) refuseMismatch(operation, body);
  return body;
}

function callOf(operation: Operation, request: FastifyRequest, ground: Ground): Call {
  const { principal } = request;
  invariant(principal, "a call without a caller");
  refuseEncoding(request.url);
  const params = coerce(operation.params, request.params);
  const query = coerce(operation.query, request.query);
  const body = bodyOf(operation, request.body);
  authoriseTarget(operation, principal, { params, body });
  validate(operation, { params, query, body }, request.bodyBytes);
  return {
    tokens: ground.tokens,
    catalogue: ground.catalogue,
    seal: ground.seal,
    now: ground.now,
    description: ground.description,
    operation,
    params,
    query,
    body,
    text: request.bodyText,
    paging: query,
    principal,
    db: ground.db,
    account: () => readAccount(ground.db),
  };
}

/** `null` for a body is no body; an operation without one passes over an empty object. */
function bodyOf(operation: Operation, sent: unknown): unknown {
  const body = sent ?? undefined;
  if (operation.body !== undefined || body === undefined) return body;
  if (typeof body === "object" && !Array.isArray(body) && Object.keys(body).length === 0) {
    return undefined;
  }
  throw new Failure("invalid", "this operation takes no body; send none");
}

interface Parts {
  readonly params: object;
  readonly query: object;
  readonly body: unknown;
}

function validate(operation: Operation, { params, query, body }: Parts, bytes: number): void {
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

async function carryOut(
  { operation, run, finish }: Behaviour,
  call: Call,
  { request, ground }: { request: FastifyRequest; ground: Ground },
): Promise<{ result: unknown; replayed: boolean }> {
  const work = (tx: Db) => run({ ...call, db: tx, account: () => readAccount(tx) });
  const { db, idempotency } = ground;
  const write = async (): Promise<Written> => {
    const key = idempotency && keyOf(operation, request.headers);
    if (idempotency && key !== undefined) return idempotency.once(db, { key, call }, work);
    return { draft: await inTransaction(db, work), replayed: false };
  };
  const { draft, replayed } =
    operation.effect === "write" ? await write() : { draft: await run(call), replayed: false };
  return { result: finish ? await finish(draft, call) : draft, replayed };
}

function refuseMismatch(operation: Operation, body: unknown): void {
  const schema = answerSchema(operation);
  const wrong = schema && mismatch(schema, body);
  invariant(wrong === undefined, `${operation.id} answers what it does not declare: ${wrong}`);
}
