// Converts the three list envelopes to one page type, and reads all pages of a list within limits.
import { Failure } from "../core/errors.ts";
import { canonical, isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import type { Operation, Page, PageInfo } from "../core/operation/operation.ts";
import { type RequestDescription, unexpectedAnswer } from "./answer.ts";
import { checkItems } from "./validate-answer.ts";

/** A page and the query of the next one. */
export interface OpenedPage extends Page<unknown> {
  readonly next: JsonObject | undefined;
}

/** Unwraps the envelope that `operation` declares and validates the items. Fails with `unexpected_answer`. */
export function openEnvelope(
  operation: Operation,
  request: RequestDescription,
  body: JsonValue | undefined,
): OpenedPage {
  const opened = unwrapEnvelope(operation, request, body);
  return { ...opened, items: checkItems(operation, request, opened.items) };
}

function unwrapEnvelope(
  operation: Operation,
  request: RequestDescription,
  body: JsonValue | undefined,
): OpenedPage {
  if (operation.list === "array") {
    if (!Array.isArray(body)) throw unexpectedAnswer(request, "the response is not a list");
    return { items: body, pageInfo: onlyPage, next: undefined };
  }
  if (!isObject(body)) throw unexpectedAnswer(request, "the response is not an object");
  if (operation.list === "transitional" && body["items"] === undefined)
    return offsetPage(request, body);
  const { items } = body;
  if (!Array.isArray(items)) throw unexpectedAnswer(request, "/items is not a list");
  const pageInfo = pageInfoOf(body["pageInfo"]);
  if (pageInfo === undefined) throw unexpectedAnswer(request, "/pageInfo is not valid");
  const { hasNextPage, endCursor } = pageInfo;
  if (hasNextPage && endCursor === undefined) {
    throw unexpectedAnswer(request, "/pageInfo/endCursor is missing although there is a next page");
  }
  return { items, pageInfo, next: hasNextPage ? { after: endCursor } : undefined };
}

const onlyPage: PageInfo = { hasNextPage: false, hasPreviousPage: false };

/** Parses page info, with `null` cursors as missing ones; undefined if it is not valid. */
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

/** Reads the deprecated offset envelope, which servers without cursors return. */
function offsetPage(request: RequestDescription, body: JsonObject): OpenedPage {
  const { data, pagination } = body;
  if (!Array.isArray(data)) throw unexpectedAnswer(request, "/items is missing");
  const { total, offset } = isObject(pagination) ? pagination : {};
  if (typeof total !== "number" || typeof offset !== "number") {
    throw unexpectedAnswer(request, "/pagination is not valid");
  }
  const end = offset + data.length;
  const hasNextPage = end < total && data.length > 0;
  return {
    items: data,
    pageInfo: { hasNextPage, hasPreviousPage: offset > 0 },
    next: hasNextPage ? { offset: end, limit: limits.pageMax } : undefined,
  };
}

/**
 * Reads the items of a list, page by page, and stops after `most` items. A function `most` is called after each page.
 * Fails with `unexpected_answer` for a repeated cursor or too many pages.
 */
export async function allItems(
  operation: Operation,
  read: (query: JsonObject) => Promise<OpenedPage>,
  most: number | (() => number) = Number.POSITIVE_INFINITY,
): Promise<readonly unknown[]> {
  const mostNow = typeof most === "number" ? () => most : most;
  const first = operation.list === "array" ? {} : { first: Math.min(limits.pageMax, mostNow()) };
  const items: unknown[] = [];
  const seen = new Set<string>();
  let query: JsonObject = first;
  for (let pages = 0; pages < limits.pagesMax; pages++) {
    const page = await read(query);
    for (const item of page.items) items.push(item);
    const enough = mostNow();
    if (page.next === undefined || items.length >= enough) return items.slice(0, enough);
    const cursor = canonical(page.next);
    if (seen.has(cursor)) throw endlessListFailure(operation, "the pages form a loop");
    seen.add(cursor);
    query = page.next["after"] === undefined ? page.next : { ...first, ...page.next };
  }
  throw endlessListFailure(operation, `the list has more than ${limits.pagesMax} pages`);
}

function endlessListFailure({ summary, method, path }: Operation, what: string): Failure {
  return new Failure("unexpected_answer", `${summary} (${method} ${path}): ${what}`);
}
