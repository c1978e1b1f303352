// Puts an answer into its operation's envelope: the only place that knows how a list looks on the wire.
import type { Envelope } from "../../core/operation.ts";
import type { Call, Listed } from "../area.ts";
import { pageLength } from "../paging.ts";

const envelopes: Readonly<
  Record<Envelope, (page: Listed<unknown>, call: Pick<Call, "paging" | "operation">) => unknown>
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
      limit: lengthOf(call, { items, pageInfo }),
    },
    count: items.length,
    totalCount: total,
  }),
};

/** A page may end before its length, for its bytes: whoever goes on by offset goes on by what it holds. */
function lengthOf(
  call: Pick<Call, "paging" | "operation">,
  { items, pageInfo }: Listed<unknown>,
): number {
  return pageInfo.hasNextPage ? items.length : pageLength(call);
}

/** The body of an answer. */
export function render(call: Pick<Call, "paging" | "operation">, result: unknown): unknown {
  const { list } = call.operation;
  return list === undefined ? result : envelopes[list](result as Listed<unknown>, call);
}
