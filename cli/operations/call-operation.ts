// Calls the operation of a command: lists are read to the end, or to the limit of the command line.
import type { Client } from "../../client/types.ts";
import { membersOf } from "../../core/kind/fields.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Operation, Page } from "../../core/operation/operation.ts";
import { type CommandRequest, isScimList, type Outcome } from "./command.ts";

/** A request, and how many items of a list are read. */
type LimitedRequest = CommandRequest & { readonly limit: number | undefined };

/** Calls an operation. Lists are read to the end or to the limit, unless the request names a page. */
export async function callOperation(
  client: Client,
  operation: Operation,
  request: LimitedRequest,
): Promise<Outcome> {
  if (isScimList(operation)) return { answer: await scimList(client, operation, request) };
  const { query, limit } = request;
  if (operation.list === undefined) {
    const answer = await callOnce(client, operation, request);
    return { answer: answer ?? { success: true } };
  }
  const input = inputOf(request);
  if (query["first"] !== undefined || (query["after"] !== undefined && limit === undefined)) {
    const { items, pageInfo } = (await client.page(operation, input)) as Page<JsonValue>;
    return { answer: { items: [...items], pageInfo: { ...pageInfo } } };
  }
  // One more than the limit says whether there are more.
  const most = limit === undefined ? undefined : limit + 1;
  const found = (await client.all(operation, input, { most })) as readonly JsonValue[];
  const items = found.slice(0, limit);
  if (operation.list === "array") return { answer: items };
  const hasPreviousPage = query["after"] !== undefined;
  return {
    answer: { items, pageInfo: { hasNextPage: found.length > items.length, hasPreviousPage } },
  };
}

function inputOf({ params, query, body }: CommandRequest): never {
  return { params, query, ...(body !== undefined && { body }) } as never;
}

async function callOnce(
  client: Client,
  operation: Operation,
  request: CommandRequest,
): Promise<JsonValue | undefined> {
  return (await client.call(operation, inputOf(request))) as JsonValue | undefined;
}

/** Reads a list of SCIM, page by page, unless the request names one. Returns one page with all resources. */
async function scimList(
  client: Client,
  operation: Operation,
  request: LimitedRequest,
): Promise<JsonObject> {
  const part = operation.body === undefined ? "query" : "body";
  const isPaged = membersOf(operation[part] ?? operation.query).some(
    ({ name }) => name === "startIndex",
  );
  const given = request[part] ?? {};
  const { limit } = request;
  const isOnePage = !isPaged || given["count"] !== undefined || given["startIndex"] !== undefined;
  let answer = asObject(await callOnce(client, operation, request));
  const resources = [...resourcesOf(answer)];
  const isComplete = (): boolean =>
    isOnePage ||
    resources.length >= (limit ?? Number.POSITIVE_INFINITY) ||
    resources.length >= Number(answer["totalResults"]);
  while (!isComplete()) {
    const next = { ...given, startIndex: resources.length + 1 };
    answer = asObject(await callOnce(client, operation, { ...request, [part]: next }));
    const more = resourcesOf(answer);
    // Resources that were deleted meanwhile leave the rest empty.
    if (more.length === 0) break;
    resources.push(...more);
  }
  const Resources = resources.slice(0, limit);
  if (isOnePage) return { ...answer, Resources };
  return { ...answer, startIndex: 1, itemsPerPage: Resources.length, Resources };
}

function asObject(answer: JsonValue | undefined): JsonObject {
  return isObject(answer) ? answer : {};
}

function resourcesOf({ Resources = [] }: JsonObject): readonly JsonValue[] {
  return Resources as readonly JsonValue[];
}
