// Reads lists and objects for a run and caches them. Concurrent reads share one request.
import type { ReadOnlyClient } from "../client/types.ts";
import { isFailure } from "../core/errors.ts";
import { canonical, type JsonObject } from "../core/json.ts";
import type { Reader } from "../core/kind.ts";
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
  return {
    all: async (operation, input) =>
      (await shared(operation, input, () =>
        client.all<ReadOperation>(operation, input as AnyInput, options).catch((error: unknown) => {
          if (isFailure(error, "not_found") && hasParent(operation)) return [];
          throw error;
        }),
      )) as readonly never[],
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
