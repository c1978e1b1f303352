// Reads lists and objects for a run and caches them. Concurrent reads share one request.
import type { ApiDiscovery } from "../client/api-discovery.ts";
import type { ReadOnlyClient } from "../client/types.ts";
import { isFailure } from "../core/errors.ts";
import { canonical, type JsonObject } from "../core/json.ts";
import type { Reader } from "../core/kind/kind.ts";
import type { AnyInput, Operation, RequestShape } from "../core/operation/operation.ts";
import { type SharedList, sharedList } from "./shared-list.ts";

type ReadOperation = Operation<RequestShape, unknown, "read">;

/** A reader with a cache. */
export interface CachedReader extends Reader {
  /** Removes the responses of these operations, or all, from the cache. */
  invalidate(operations?: readonly Pick<Operation, "id">[]): void;
}

/** Options of {@link createCachedReader}. */
export interface CachedReaderOptions {
  readonly signal?: AbortSignal | undefined;
  /** Texts by hash that need not be read. */
  readonly knownTexts?: ReadonlyMap<string, string> | undefined;
  /** Tells which lists the server can select items of; none without it. */
  readonly apiDiscovery?: Pick<ApiDiscovery, "takesQuery"> | undefined;
}

/** A reader for one run over a client that cannot write. Its failures are not kept. */
export function createCachedReader(
  client: ReadOnlyClient,
  { knownTexts, apiDiscovery, ...options }: CachedReaderOptions = {},
): CachedReader {
  const lists = cacheByOperation<SharedList>();
  const answers = cacheByOperation<Promise<unknown>>();
  const read = (operation: ReadOperation, input: AnyInput, most: () => number = allItems) =>
    client.all<ReadOperation>(operation, input, { ...options, most }).catch((error: unknown) => {
      if (isFailure(error, "not_found") && hasParent(operation)) return [];
      throw error;
    });
  const listOf = (operation: ReadOperation, input: unknown): SharedList =>
    lists.get(operation, input, () =>
      sharedList({
        first: (most) => read(operation, input as AnyInput, most),
        selected: (id) => {
          const { query, ...place } = input as AnyInput;
          return read(operation, { ...place, query: { ...query, id } });
        },
      }),
    );
  const canSelect = (operation: ReadOperation): boolean =>
    operation.selectable && apiDiscovery?.takesQuery(operation, "id") === true;
  const one = (operation: ReadOperation, input: unknown): Promise<unknown> =>
    answers.get(operation, input, (forget) =>
      client.call<ReadOperation>(operation, input as AnyInput, options).catch((error: unknown) => {
        if (isFailure(error, "not_found")) return undefined;
        forget();
        throw error;
      }),
    );
  return {
    all: async (operation, input, ids) =>
      (await (ids !== undefined && canSelect(operation)
        ? listOf(operation, input).select(ids)
        : listOf(operation, input).within(Number.POSITIVE_INFINITY))) as readonly never[],
    allWithin: async (pages, operation, input) =>
      (await listOf(operation, input).within(pages)) as readonly never[] | undefined,
    one: async (operation, input) => (await one(operation, input)) as never,
    knownText: (hash) => knownTexts?.get(hash),
    invalidate: (operations) => {
      lists.invalidate(operations);
      answers.invalidate(operations);
    },
  };
}

const allItems = (): number => Number.POSITIVE_INFINITY;

interface OperationCache<Value> {
  /** Returns the cached value for an input; `make` creates it. If `make` calls `forget`, the value is not kept. */
  get(operation: ReadOperation, input: unknown, make: (forget: () => void) => Value): Value;
  invalidate: CachedReader["invalidate"];
}

function cacheByOperation<Value>(): OperationCache<Value> {
  const values = new Map<string, Map<string, Value>>();
  return {
    get: ({ id }, input, make) => {
      const cached = values.get(id) ?? new Map<string, Value>();
      values.set(id, cached);
      const key = canonical(input as JsonObject);
      const known = cached.get(key);
      if (known !== undefined) return known;
      const value = make(() => {
        if (cached.get(key) === value) cached.delete(key);
      });
      cached.set(key, value);
      return value;
    },
    invalidate: (operations) => {
      if (operations === undefined) values.clear();
      else for (const { id } of operations) values.delete(id);
    },
  };
}

/** Returns whether a list belongs to a parent that may not exist. A path without parameters belongs to the account. */
function hasParent(operation: ReadOperation): boolean {
  return operation.path.includes("{");
}
