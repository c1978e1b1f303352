// Reads lists and objects for a run and caches them. Concurrent reads share one request.
import type { ReadOnlyClient } from "../client/types.ts";
import { isFailure } from "../core/errors.ts";
import { canonical, type JsonObject } from "../core/json.ts";
import type { Reader } from "../core/kind.ts";
import { limits } from "../core/limits.ts";
import type { AnyInput, Operation, RequestShape } from "../core/operation.ts";

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
}

/** A reader for one run over a client that cannot write. Its failures are not kept. */
export function createCachedReader(
  client: ReadOnlyClient,
  { knownTexts, ...options }: CachedReaderOptions = {},
): CachedReader {
  const answers = new Map<string, Map<string, Promise<unknown>>>();
  const shared = (
    operation: ReadOperation,
    input: unknown,
    read: () => Promise<unknown>,
  ): Promise<unknown> => {
    const cached = answers.get(operation.id) ?? new Map<string, Promise<unknown>>();
    answers.set(operation.id, cached);
    const key = canonical(input as JsonObject);
    const known = cached.get(key);
    if (known !== undefined) return known;
    const answer = read().catch((error: unknown) => {
      if (cached.get(key) === answer) cached.delete(key);
      throw error;
    });
    cached.set(key, answer);
    return answer;
  };
  const all = (operation: ReadOperation, input: unknown): Promise<unknown> =>
    shared(operation, input, () => listed(operation, input));
  const listed = (operation: ReadOperation, input: unknown, most?: number) =>
    client
      .all<ReadOperation>(operation, input as AnyInput, { ...options, most })
      .catch((error: unknown) => {
        if (isFailure(error, "not_found") && hasParent(operation)) return [];
        throw error;
      });
  return {
    all: async (operation, input) => (await all(operation, input)) as readonly never[],
    allWithin: async (pages, operation, input) => {
      const isRead = answers.get(operation.id)?.has(canonical(input as JsonObject)) === true;
      if (isRead || pages === Number.POSITIVE_INFINITY)
        return (await all(operation, input)) as readonly never[];
      const most = pages * limits.pageMax;
      const items = await shared(operation, { ...(input as JsonObject), most }, () =>
        listed(operation, input, most + 1),
      );
      const found = items as readonly never[];
      return found.length > most ? undefined : found;
    },
    one: async (operation, input) =>
      (await shared(operation, input, () =>
        client
          .call<ReadOperation>(operation, input as AnyInput, options)
          .catch((error: unknown) => {
            if (isFailure(error, "not_found")) return undefined;
            throw error;
          }),
      )) as never,
    knownText: (hash) => knownTexts?.get(hash),
    invalidate: (operations) => {
      if (operations === undefined) answers.clear();
      else for (const { id } of operations) answers.delete(id);
    },
  };
}

/** Returns whether a list belongs to a parent that may not exist. A path without parameters belongs to the account. */
function hasParent(operation: ReadOperation): boolean {
  return operation.path.includes("{");
}
