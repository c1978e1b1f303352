// Tells an object that is gone from one that the credential may not read: the service leaves it out of its lists.
import { Failure } from "../core/errors.ts";
import { readableKey } from "../core/kind/identity.ts";
import type { Kind, Reader, ScopeKey } from "../core/kind/kind.ts";
import {
  isInListed,
  leavesOut,
  type Refusal,
  refusalOfOthers,
  type RequestParts,
} from "../core/operation/authorize.ts";
import type { Operation } from "../core/operation/operation.ts";
import { rightsOf } from "./credential.ts";

/** An object that was not found. */
export interface MissingObject {
  readonly kind: Kind;
  readonly scope: ScopeKey;
  /** Its natural key; undefined if only its ID is known. */
  readonly key: string | undefined;
}

/**
 * Returns why it is unknown whether an object exists that was not found in its collection: a failure with the code
 * `out_of_scope` if the credential may not read every object there, or every object that could contain it; undefined
 * if the object does not exist. A server that does not expose the rights of the credential hides nothing.
 */
export async function hiddenFailure(
  missing: MissingObject,
  reader: Reader,
): Promise<Failure | undefined> {
  const lists = missing.kind.bindings.observe.needs.filter(leavesOut);
  const rights = lists.length === 0 ? undefined : await rightsOf(reader);
  if (rights === undefined) return undefined;
  const refusals = (operation: Operation, request: RequestParts) =>
    refusalOfOthers(rights, operation, request) ?? [];
  if (lists.flatMap((list) => refusals(list, {})).length === 0) return undefined;
  const reads = await readsOf(missing, reader);
  const [refusal] = reads
    // What is read inside of a listed object shows that the list has the one that matters.
    .filter(({ operation: list }) => !reads.some((one) => isInListed(list, one)))
    .flatMap(({ operation, request }) => refusals(operation, request));
  return refusal && outOfScope(missing, refusal);
}

/** Fails with `out_of_scope` if an object that was not found may exist. */
export async function requireGone(missing: MissingObject, reader: Reader): Promise<void> {
  const failure = await hiddenFailure(missing, reader);
  if (failure !== undefined) throw failure;
}

interface Read {
  readonly operation: Operation;
  readonly request: RequestParts;
}

/** Returns what reading the collection reads. A reader that has just read it repeats no request. */
async function readsOf({ kind, scope }: MissingObject, reader: Reader): Promise<readonly Read[]> {
  const reads: Read[] = [];
  const record = (operation: unknown, request: unknown): void =>
    void reads.push({ operation: operation as Operation, request: request as RequestParts });
  const recorder: Reader = {
    all: async (operation, input) => {
      record(operation, input);
      return reader.all(operation, input);
    },
    allWithin: async (pages, operation, input) => {
      record(operation, input);
      return reader.allWithin(pages, operation, input);
    },
    one: async (operation, input) => {
      record(operation, input);
      return reader.one(operation, input);
    },
    knownText: (hash) => reader.knownText(hash),
  };
  await kind.bindings.observe.read(recorder, scope, new Set(kind.key));
  return reads;
}

function outOfScope({ kind, key }: MissingObject, { action, cause }: Refusal): Failure {
  const problem =
    cause === "deployments"
      ? "the credential is limited to some deployments"
      : `the credential lacks the permission ${action} for all that could contain it`;
  const object = key === undefined ? `this ${kind.name}` : `${kind.name} ${readableKey(key)}`;
  return new Failure("out_of_scope", `${object} may exist, but is out of scope: ${problem}`, {
    remedy: "Use a credential that may read the object. Nothing was changed or forgotten.",
  });
}
