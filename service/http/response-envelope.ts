// Wraps results in the envelope of their operation. Only this module knows the wire format of lists.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { JsonDocument } from "../areas/shared/json-document.ts";
import type { Envelope } from "../../core/operation/operation.ts";
import type { Call, ListPage } from "../areas/shared/operation-handler.ts";
import { pageSize } from "../areas/shared/pagination.ts";

const envelopes: Readonly<
  Record<Envelope, (page: ListPage<unknown>, call: Pick<Call, "paging" | "operation">) => unknown>
> = {
  array: ({ items }) => items,
  cursor: ({ items, pageInfo }) => ({ items, pageInfo }),
  transitional: ({ items, pageInfo, total = items.length }, call) => ({
    items,
    pageInfo,
    data: items,
    pagination: {
      total,
      offset: call.paging.offset ?? 0,
      limit: pageLimit(call, { items, pageInfo }),
    },
    count: items.length,
    totalCount: total,
  }),
};

/** A page may end early because of its byte limit, so offset paging continues from the number of items on it. */
function pageLimit(
  call: Pick<Call, "paging" | "operation">,
  { items, pageInfo }: ListPage<unknown>,
): number {
  return pageInfo.hasNextPage ? items.length : pageSize(call);
}

/** Returns the body of a response. */
export function render(call: Pick<Call, "paging" | "operation">, result: unknown): unknown {
  const { list } = call.operation;
  return list === undefined ? result : envelopes[list](result as ListPage<unknown>, call);
}

/** Sends a document, or 304 if the caller already has it. */
export function sendDocument(
  document: JsonDocument,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.header("etag", document.etag).header("cache-control", "private, no-cache");
  const known = request.headers["if-none-match"]
    ?.split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""));
  if (known?.includes(document.etag) === true || known?.includes("*") === true) {
    return reply.code(304).send();
  }
  return reply.type("application/json; charset=utf-8").send(document.text);
}
