// Pages of lists, newest first, by opaque cursors that are bound to their list or by offset.
import { Failure, invariant } from "../../../core/errors.ts";
import { canonical, type JsonValue } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { PageInfo, RequestShape } from "../../../core/operation/operation.ts";
import type { Call, ListPage } from "./operation-handler.ts";
import { idAt, invalidCursor, type PageSource, type PageWindow } from "../../store/keyset.ts";

/** Page size for requests with `offset` but without `limit`. */
const defaultOffsetPageSize = 20;

/** Returns the page that the call requests. `item` converts a row to its API form. */
export async function pageOf<R extends RequestShape, Row, Item>(
  call: Call<R>,
  source: PageSource<Row>,
  item: (row: Row) => Item,
): Promise<ListPage<Item>> {
  return pageOfBatch(call, source, async (rows) => rows.map((row) => item(row)));
}

/**
 * Returns the page that the call requests. Converts all rows together, for conversions that read from the store. See
 * {@link pageOf}.
 */
export async function pageOfBatch<R extends RequestShape, Row, Item>(
  call: Call<R>,
  whole: PageSource<Row>,
  items: (rows: readonly Row[]) => Promise<readonly Item[]>,
): Promise<ListPage<Item>> {
  const source = selectedPart(call, whole);
  const list = listSignature(call);
  const window = pageWindow(call, list);
  const filled = await collectPage(source, window, items);
  const total = call.operation.list === "transitional" ? await source.count() : undefined;
  const hasPreviousPage =
    window.after === undefined
      ? Math.min(window.offset ?? 0, total ?? 0) > 0
      : await source.hasUpTo(window.after);
  const [first, last] = [filled.positions[0], filled.positions.at(-1)];
  const ends =
    first !== undefined && last !== undefined
      ? { startCursor: encodeCursor(list, first), endCursor: encodeCursor(list, last) }
      : {};
  const pageInfo: PageInfo = { hasNextPage: filled.hasNextPage, hasPreviousPage, ...ends };
  const page = { items: filled.items, pageInfo };
  return total === undefined ? page : { ...page, total };
}

/** Returns the part of a list that the call selects by IDs. */
function selectedPart<Row>(
  { operation, query }: Pick<Call, "operation" | "query">,
  whole: PageSource<Row>,
): PageSource<Row> {
  const { id: ids } = query as { readonly id?: readonly number[] };
  if (!operation.selectable || ids === undefined) return whole;
  const source = whole.select?.(ids);
  invariant(source !== undefined, `the rows of ${operation.id} cannot be selected`);
  return source;
}

interface CollectedPage<Item> {
  readonly items: readonly Item[];
  /** The positions of the rows behind the items. */
  readonly positions: readonly string[];
  readonly hasNextPage: boolean;
}

/**
 * Reads the items of a page: the requested number, or fewer if they exceed the byte limit, but at least one. Reads a
 * few rows at a time to bound memory to one page plus one batch.
 */
async function collectPage<Row, Item>(
  source: PageSource<Row>,
  window: PageWindow,
  items: (rows: readonly Row[]) => Promise<readonly Item[]>,
): Promise<CollectedPage<Item>> {
  const filled = { items: [] as Item[], positions: [] as string[] };
  let place: Omit<PageWindow, "count"> = window;
  for (let bytes = 0; ;) {
    const left = window.count - filled.positions.length;
    const count = Math.min(left, source.rowsPerQuery ?? limits.rowsPerQuery);
    // One extra row shows whether there is a next page.
    const read = await source.read({ ...place, count: count + 1 });
    const rows = read.slice(0, count);
    const turned = await items(rows);
    invariant(turned.length === rows.length, "a page whose rows do not match its items");
    for (const [index, row] of rows.entries()) {
      const item = turned[index] as Item;
      bytes += Buffer.byteLength(JSON.stringify(item));
      if (bytes > limits.pageBytes && filled.positions.length > 0)
        return { ...filled, hasNextPage: true };
      filled.items.push(item);
      filled.positions.push(source.positionOf(row));
    }
    const last = rows.at(-1);
    // An empty page has no next page; otherwise a client would never stop.
    if (last === undefined || read.length <= count) return { ...filled, hasNextPage: false };
    if (filled.positions.length === window.count) return { ...filled, hasNextPage: true };
    place = { after: source.positionOf(last) };
  }
}

/** Pages over rows in memory, newest first. */
export function inMemorySource<Row extends { id: number }>(rows: readonly Row[]): PageSource<Row> {
  return {
    read: async ({ after, offset = 0, count }) => {
      const last = after === undefined ? Infinity : idAt(after);
      return rows.filter(({ id }) => id < last).slice(offset, offset + count);
    },
    hasUpTo: async (position) => rows.some((row) => row.id >= idAt(position)),
    count: async () => rows.length,
    positionOf: ({ id }) => String(id),
  };
}

/** Returns a list without paging: all items on one page. */
export function singlePage<Item>(items: readonly Item[]): ListPage<Item> {
  return { items, pageInfo: { hasNextPage: false, hasPreviousPage: false } };
}

/** Returns the requested page size, within the limits. */
export function pageSize({ paging, operation }: Pick<Call, "paging" | "operation">): number {
  const { defaultSize: unasked, max } = operation.page ?? {
    defaultSize: limits.pageDefault,
    max: limits.pageMax,
  };
  if (paging.first !== undefined) return Math.min(paging.first, max);
  if (paging.limit !== undefined) return Math.min(paging.limit, max);
  return paging.offset === undefined ? unasked : defaultOffsetPageSize;
}

function pageWindow(call: Pick<Call, "paging" | "operation">, list: string): PageWindow {
  const { first, after, offset, limit } = call.paging;
  if ((first ?? after) !== undefined && (offset ?? limit) !== undefined) {
    throw new Failure(
      "invalid",
      "first and after cannot be combined with offset and limit; use first and after",
    );
  }
  const count = pageSize(call);
  if (after !== undefined) return { after: decodeCursor(after, list), count };
  return offset === undefined ? { count } : { offset, count };
}

/** Identifies a list: the operation with its parameters and filters, in this account. */
function listSignature({ operation, params, query, tokens }: Call): string {
  const { first: _f, after: _a, offset: _o, limit: _l, ...filters } = query as QueryFilters;
  const text = canonical([operation.id, params as JsonValue, filters]);
  return tokens.shortHmac(text);
}

type QueryFilters = Readonly<Record<string, JsonValue>>;

function encodeCursor(list: string, position: string): string {
  return Buffer.from(`${list}.${position}`).toString("base64url");
}

function decodeCursor(text: string, list: string): string {
  const [mark = "", ...position] = Buffer.from(text, "base64url").toString().split(".");
  if (position.length === 0) throw invalidCursor();
  if (mark !== list) {
    throw new Failure(
      "invalid",
      "after is a cursor of another list; omit after when you change the list or its filters",
    );
  }
  return position.join(".");
}
