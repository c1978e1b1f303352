// The three envelopes of a list as one kind of page, and walking them to the end within bounds.
import { Failure } from "../core/errors.ts";
import { canonical, isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import type { Operation, Page, PageInfo } from "../core/operation.ts";
import { type RequestDescription, unexpectedAnswer } from "./answer.ts";
import { checkItems } from "./validate-answer.ts";

/** A page, and the query that asks for the next one. */
export interface OpenedPage extends Page<unknown> {
  readonly next: JsonObject | undefined;
}

/** Opens the envelope that `operation` declares and checks its items. Fails with `unexpected_answer`. */
export function openEnvelope(
  operation: Operation,
  asked: RequestDescription,
  body: JsonValue | undefined,
): OpenedPage {
  const opened = unwrapEnvelope(operation, asked, body);
  return { ...opened, items: checkItems(operation, asked, opened.items) };
}

function unwrapEnvelope(
  operation: Operation,
  asked: RequestDescription,
  body: JsonValue | undefined,
): OpenedPage {
  if (operation.list === "array") {
    if (!Array.isArray(body)) throw unexpectedAnswer(asked, "the answer is not a list.");
    return { items: body, pageInfo: onlyPage, next: undefined };
  }
  if (!isObject(body)) throw unexpectedAnswer(asked, "the answer is not an object.");
  if (operation.list === "transitional" && body["items"] === undefined)
    return offsetPage(asked, body);
  const { items } = body;
  if (!Array.isArray(items)) throw unexpectedAnswer(asked, "/items is not a list.");
  const pageInfo = pageInfoOf(body["pageInfo"]);
  if (pageInfo === undefined) throw unexpectedAnswer(asked, "/pageInfo is not one.");
  const { hasNextPage, endCursor } = pageInfo;
  if (hasNextPage && endCursor === undefined) {
    throw unexpectedAnswer(asked, "/pageInfo/endCursor is missing though there is a next page.");
  }
  return { items, pageInfo, next: hasNextPage ? { after: endCursor } : undefined };
}

const onlyPage: PageInfo = { hasNextPage: false, hasPreviousPage: false };

/** `null` cursors are as good as none; undefined where it is no page info. */
function pageInfoOf(value: JsonValue | undefined): PageInfo | undefined {
  if (!isObject(value)) return undefined;
  const { hasNextPage, hasPreviousPage = false, startCursor, endCursor } = value;
  if (typeof hasNextPage !== "boolean" || typeof hasPreviousPage !== "boolean") return undefined;
  if (!isCursor(startCursor) || !isCursor(endCursor)) return undefined;
  return {
    hasNextPage,
    hasPreviousPage,
    ...(typeof startCursor === "string" ? { startCursor } : {}),
    ...(typeof endCursor === "string" ? { endCursor } : {}),
  };
}

function isCursor(value: JsonValue | undefined): value is string | null | undefined {
  return value === undefined || value === null || typeof value === "string";
}

/** The deprecated envelope by itself, as servers answer that do not know cursors yet. */
function offsetPage(asked: RequestDescription, body: JsonObject): OpenedPage {
  const { data, pagination } = body;
  if (!Array.isArray(data)) throw unexpectedAnswer(asked, "/items is missing.");
  const { total, offset } = isObject(pagination) ? pagination : {};
  if (typeof total !== "number" || typeof offset !== "number") {
    throw unexpectedAnswer(asked, "/pagination is not one.");
  }
  const end = offset + data.length;
  const hasNextPage = end < total && data.length > 0;
  return {
    items: data,
    pageInfo: { hasNextPage, hasPreviousPage: offset > 0 },
    next: hasNextPage ? { offset: end, limit: limits.pageMax } : undefined,
  };
}

/** Every item, page after page; `read` gets the paging query. A cursor that comes twice, or pages without end, fail with `unexpected_answer`. */
export async function allItems(
  operation: Operation,
  read: (query: JsonObject) => Promise<OpenedPage>,
): Promise<readonly unknown[]> {
  const first = operation.list === "array" ? {} : { first: limits.pageMax };
  const items: unknown[] = [];
  const seen = new Set<string>();
  let query: JsonObject = first;
  for (let pages = 0; pages < limits.pagesMax; pages++) {
    const page = await read(query);
    for (const item of page.items) items.push(item);
    if (page.next === undefined) return items;
    const cursor = canonical(page.next);
    if (seen.has(cursor))
      throw endlessListFailure(operation, "a page leads back to an earlier one");
    seen.add(cursor);
    query = page.next["after"] === undefined ? page.next : { ...first, ...page.next };
  }
  throw endlessListFailure(operation, `there are more than ${limits.pagesMax} pages`);
}

function endlessListFailure({ summary, method, path }: Operation, what: string): Failure {
  return new Failure("unexpected_answer", `${summary} (${method} ${path}): ${what}.`);
}
