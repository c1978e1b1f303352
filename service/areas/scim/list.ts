// Lists of resources: filters, order and pages (RFC 7644, section 3.4.2). An index narrows the resources that a filter
// is evaluated on; without an index, all resources are read in batches.
import { parseId } from "../../../api/schemas.ts";
import { setImmediate as yieldTurn } from "node:timers/promises";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { resolveAttribute, type ResourceType } from "../../scim/attributes.ts";
import { type Filter, filterTest, parseFilter } from "../../scim/filter.ts";
import { filterPaths } from "../../scim/paths.ts";
import { projectionOf, type Projection } from "../../scim/projection.ts";
import { scimError } from "../../scim/scim-error.ts";
import { groupStore } from "./group-store.ts";
import type { Narrowing, ResourceStore, StoredResource } from "./resource-store.ts";
import { type ScimCall, scimBase } from "./scim-call.ts";
import { emailKey, userStore } from "./user-store.ts";

/** The parameters of a list. */
export interface Search {
  readonly filter?: string;
  readonly sortBy?: string;
  readonly sortOrder?: string;
  readonly startIndex?: number;
  readonly count?: number;
  readonly attributes?: string;
  readonly excludedAttributes?: string;
}

/** Resources of one page; also the default. */
export const pageMax = 1000;
const pageDefault = 100;

/** Resources that a search sorts. */
const sortedMax = 20_000;

/** Resources that one query reads for a filter. */
const batchSize = 500;

interface Page {
  readonly total: number;
  readonly resources: readonly JsonObject[];
}

/** Returns a page of resources of one type. Throws `invalidFilter`, `invalidPath` or `tooMany`. */
export async function listResources(
  call: ScimCall,
  store: ResourceStore,
  search: Search,
): Promise<JsonObject> {
  const window = windowOf(search);
  const projection = projectionOf(store.type, search);
  const page = await readPage(call, store, { search, window, projection });
  return listResponse(page, window.start);
}

/** Returns a page of users, then groups. A type without an attribute of the filter has no matching resources. */
export async function listAll(call: ScimCall, search: Search): Promise<JsonObject> {
  const window = windowOf(search);
  let { start, count } = window;
  let total = 0;
  const resources: JsonObject[] = [];
  if (search.filter !== undefined) parseFilter(search.filter);
  for (const store of [userStore, groupStore]) {
    if (!concerns(store.type, search)) continue;
    const projection = projectionOf(store.type, search);
    const page = await readPage(call, store, { search, window: { start, count }, projection });
    total += page.total;
    resources.push(...page.resources);
    count -= page.resources.length;
    start = Math.max(1, start - page.total);
  }
  return listResponse({ total, resources }, window.start);
}

function concerns(type: ResourceType, { filter, sortBy }: Search): boolean {
  const paths = [...(filter === undefined ? [] : pathsOf(parseFilter(filter))), sortBy ?? "id"];
  return paths.every((path) => resolveAttribute(type, path) !== undefined);
}

/** Returns the form of a list in responses. */
export function listResponse({ total, resources }: Page, start = 1): JsonObject {
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: total,
    startIndex: start,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

interface Window {
  /** Position of the first resource, from 1. */
  readonly start: number;
  readonly count: number;
}

function windowOf({ startIndex = 1, count = pageDefault }: Search): Window {
  return { start: Math.max(1, startIndex), count: Math.min(pageMax, Math.max(0, count)) };
}

interface PageRequest {
  readonly search: Search;
  readonly window: Window;
  readonly projection: Projection;
}

async function readPage(call: ScimCall, store: ResourceStore, request: PageRequest): Promise<Page> {
  const { search, window, projection } = request;
  const base = scimBase(call);
  const found =
    search.filter === undefined && search.sortBy === undefined
      ? await storedPage(call, store, window)
      : await searchedPage(call, store, { search, window });
  const isWhole = !projection.includes(store.costly) || found.page.length === 0;
  const complete = isWhole
    ? found.page
    : await store.attach(call.db, found.page, { base, whole: false });
  return {
    total: found.total,
    resources: complete.map(({ resource }) => projection.apply(resource)),
  };
}

interface FoundPage {
  readonly total: number;
  readonly page: readonly StoredResource[];
}

/** The page of a list without filter and order: the store counts and skips. */
async function storedPage(
  { db, ...call }: ScimCall,
  store: ResourceStore,
  { start, count }: Window,
): Promise<FoundPage> {
  const total = await store.count(db);
  if (count === 0 || start > total) return { total, page: [] };
  return { total, page: await store.read(db, scimBase(call), { offset: start - 1, count }) };
}

async function searchedPage(
  call: ScimCall,
  store: ResourceStore,
  { search, window: { start, count } }: Pick<PageRequest, "search" | "window">,
): Promise<FoundPage> {
  const sort = sortOf(store.type, search);
  const page: StoredResource[] = [];
  const sorted: { readonly key: string | undefined; readonly id: number }[] = [];
  let total = 0;
  for await (const found of matching(call, store, search)) {
    total += 1;
    if (sort !== undefined) sorted.push({ key: sort.keyOf(found.resource), id: found.id });
    else if (total >= start && page.length < count) page.push(found);
    if (sorted.length > sortedMax) {
      throw scimError(
        "tooMany",
        `more than ${sortedMax} resources match; filter them, or do not sort`,
      );
    }
  }
  if (sort === undefined) return { total, page };
  const ids = sorted
    .toSorted(sort.compare)
    .slice(start - 1, start - 1 + count)
    .map(({ id }) => id);
  if (ids.length === 0) return { total, page: [] };
  const read = await store.read(call.db, scimBase(call), { ids, count: ids.length });
  const byId = new Map(read.map((one) => [one.id, one]));
  return { total, page: ids.flatMap((id) => byId.get(id) ?? []) };
}

/** Yields the resources that a filter matches, by ascending ID. */
async function* matching(
  call: ScimCall,
  store: ResourceStore,
  { filter }: Search,
): AsyncGenerator<StoredResource> {
  const parsed = filter === undefined ? undefined : parseFilter(filter);
  const test = parsed === undefined ? () => true : filterTest(parsed, filterPaths(store.type));
  const narrowing = parsed && narrowingOf(store, parsed);
  const only = parsed === undefined ? [] : namedElements(store, parsed);
  const base = scimBase(call);
  let after = 0;
  for (;;) {
    const rows = await store.read(call.db, base, { narrowing, after, count: batchSize });
    const batch =
      only?.length === 0
        ? rows
        : await store.attach(call.db, rows, { base, whole: true, only: only?.flatMap(idsOf) });
    for (const [index, one] of batch.entries()) {
      if (test(one.resource)) yield rows[index] ?? one;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < batchSize) return;
    after = last.id;
    // Other requests run between batches.
    await yieldTurn();
  }
}

/** Returns a condition of the filter that an index can answer; undefined if there is none. */
function narrowingOf(store: ResourceStore, filter: Filter): Narrowing | undefined {
  if (filter.op === "and")
    return filter.filters.map((one) => narrowingOf(store, one)).find((one) => one !== undefined);
  if (filter.op === "element") {
    const inner = conjuncts(filter.filter).find(
      (one) => one.op === "eq" && one.path.toLowerCase() === "value",
    );
    const path = `${filter.path}.value`;
    return inner?.op === "eq" ? narrowingOf(store, { ...inner, path }) : undefined;
  }
  if (filter.op !== "eq" || typeof filter.value !== "string") return undefined;
  const { value } = filter;
  const by = narrowingBy(store, filter.path);
  if (by === "email" && emailKey(value) === undefined) return undefined;
  return by === undefined ? undefined : { by, value };
}

function conjuncts(filter: Filter): readonly Filter[] {
  return filter.op === "and" ? filter.filters.flatMap(conjuncts) : [filter];
}

function narrowingBy(
  { type, nameAttribute, costly }: ResourceStore,
  path: string,
): Narrowing["by"] | undefined {
  const resolved = resolveAttribute(type, path);
  if (
    resolved === undefined ||
    !("attribute" in resolved.found) ||
    resolved.found.extension !== undefined
  )
    return undefined;
  const { name } = resolved.found.attribute;
  const rest = resolved.rest.toLowerCase();
  if (name === costly || name === "emails") {
    if (rest !== "" && rest !== ".value") return undefined;
    return name === "emails" ? "email" : "member";
  }
  if (rest !== "") return undefined;
  if (name === nameAttribute) return "name";
  return name === "id" || name === "externalId" ? name : undefined;
}

/** Returns the paths in a filter outside of brackets. */
function pathsOf(filter: Filter): readonly string[] {
  if ("filters" in filter) return filter.filters.flatMap(pathsOf);
  return filter.op === "not" ? pathsOf(filter.filter) : [filter.path];
}

/**
 * Returns the IDs of the elements of the costly attribute that decide whether a filter matches: none, if it has no
 * condition on the attribute; undefined, if all elements do.
 */
function namedElements(store: ResourceStore, filter: Filter): readonly string[] | undefined {
  if ("filters" in filter) {
    const lists = filter.filters.map((one) => namedElements(store, one));
    return lists.every((list) => list !== undefined) ? lists.flat() : undefined;
  }
  if (filter.op === "not") return namedElements(store, filter.filter);
  const resolved = resolveAttribute(store.type, filter.path);
  const isCostly =
    resolved !== undefined &&
    "attribute" in resolved.found &&
    resolved.found.attribute.name === store.costly;
  if (!isCostly) return [];
  const isValue = /^(?:\.value)?$/i.test(resolved.rest);
  const deciding =
    filter.op === "element"
      ? conjuncts(filter.filter).find((one) => one.op === "eq" && /^value$/i.test(one.path))
      : isValue && (filter.op === "eq" || filter.op === "ne")
        ? filter
        : undefined;
  const value = deciding !== undefined && "value" in deciding ? deciding.value : undefined;
  return typeof value === "string" ? [value] : undefined;
}

function idsOf(text: string): readonly number[] {
  const id = parseId(text);
  return id === undefined ? [] : [id];
}

interface SortKey {
  readonly key: string | undefined;
  readonly id: number;
}

/** Returns the order of a search; undefined for the order of creation. Throws `invalidPath` or `invalidValue`. */
function sortOf(type: ResourceType, { sortBy, sortOrder = "ascending" }: Search) {
  if (sortBy === undefined) return undefined;
  const direction = { ascending: 1, descending: -1 }[sortOrder.toLowerCase()];
  if (direction === undefined)
    throw scimError("invalidValue", "sortOrder must be ascending or descending");
  if (resolveAttribute(type, sortBy) === undefined) {
    throw scimError("invalidPath", `a ${type.name} has no attribute ${JSON.stringify(sortBy)}`);
  }
  const path = filterPaths(type)(sortBy);
  const keyOf = (resource: JsonObject) => {
    const elements = path.elements?.of(resource) ?? [];
    const primary = elements.find((one) => isObject(one) && one["primary"] === true);
    const value: JsonValue | undefined =
      (isObject(primary) ? primary["value"] : undefined) ?? path.valuesOf(resource)[0];
    if (typeof value === "boolean") return String(value);
    if (typeof value !== "string") return undefined;
    return path.caseExact ? value : value.toLowerCase();
  };
  // Resources without a value are last in ascending order, and first in descending order.
  const compare = (a: SortKey, b: SortKey) => {
    const order =
      a.key === b.key ? 0 : a.key === undefined ? 1 : b.key === undefined || a.key < b.key ? -1 : 1;
    return order === 0 ? a.id - b.id : order * direction;
  };
  return { keyOf, compare };
}
