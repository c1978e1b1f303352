// Runs the steps of a verb. A create observes the created objects before it runs the following updates.
import { type ErrorCode, Failure, isFailure } from "../core/errors.ts";
import { keyOf, scopeOf, scopeText } from "../core/identity.ts";
import type { Kind, ScopeKey } from "../core/kind.ts";
import { type StepContext, executeStep } from "./execute.ts";
import { observe, type ObservedObjects } from "./observe.ts";
import type { CachedReader } from "./reader.ts";
import type { IndexedWrite, WriteStep, Verb } from "./steps.ts";
import type { ResultCollector } from "./results.ts";
import { existingFailure, notListedFailure, upsertFailure, type UpsertedWrite } from "./upserts.ts";

/** The steps of a verb with their execution context and result collector. */
export interface WriteWork {
  readonly context: StepContext;
  readonly results: ResultCollector;
  readonly steps: readonly WriteStep[];
}

/** Updates or deletes objects. A write that fails in one step is skipped in later ones. */
export async function writeAll(verb: Verb, { context, results, steps }: WriteWork): Promise<void> {
  const last = new Map(steps.flatMap((step) => step.writes.map(({ index }) => [index, step])));
  for (const step of steps) {
    const writes = step.writes.filter(({ index }) => results.isPending(index));
    await executeStep(context, { ...step, writes }, ({ index }, failure) => {
      const gone = verb === "delete" && isFailure(failure, "not_found");
      // The steps after a create update objects that exist.
      if (failure !== undefined && !gone) results.finish(index, failure, verb === "create");
      else if (last.get(index) === step) results.finish(index);
    });
  }
}

/** Errors after which it is unknown whether the object was created. */
const uncertainErrorCodes: ReadonlySet<ErrorCode> = new Set([
  "unknown_outcome",
  "unexpected_answer",
  "timeout",
]);

/** Creates objects in the steps that create. The following steps update the created objects. */
export async function createAll(kind: Kind, reader: CachedReader, work: WriteWork): Promise<void> {
  const { context, results, steps } = work;
  const rest = steps.filter(({ creates }) => !creates);
  const more = new Map(rest.flatMap(({ writes }) => writes.map((one) => [one.index, one])));
  const doubtful = new Map<IndexedWrite, Failure>();
  const upserted: UpsertedWrite[] = [];
  for (const step of await withoutExisting(kind, reader, work)) {
    await executeStep(context, step, (write, failure, generatedSecret) => {
      if (generatedSecret !== undefined) results.addSecret(write.index, generatedSecret);
      if (failure !== undefined && uncertainErrorCodes.has(failure.code))
        doubtful.set(write, failure);
      else if (failure !== undefined) results.finish(write.index, failure);
      else if (step.binding.upserts !== undefined)
        upserted.push({ ...write, emptyFields: step.binding.upserts });
      else if (!more.has(write.index)) results.finish(write.index);
    });
  }

  const open = [...more.values()].filter(({ index }) => results.isPending(index));
  const toRead = [...doubtful.keys(), ...upserted, ...open];
  const observed = await observeScopes(kind, reader, toRead);
  for (const [{ index, write }, failure] of doubtful) {
    const exists = !(observed instanceof Failure) && observed.byKey.has(keyOf(kind, write.spec));
    if (exists && kind.generatedSecret !== undefined)
      results.finish(index, lostSecretFailure(kind, failure), true);
    else if (!exists || !more.has(index)) results.finish(index, exists ? undefined : failure);
  }
  for (const one of upserted) {
    const failure = upsertFailure(kind, one, observed);
    if (failure !== undefined || !more.has(one.index))
      results.finish(one.index, failure, !isFailure(failure, "conflict"));
  }
  await writeAll("create", {
    context,
    results,
    steps: withLive(kind, rest, { observed, results }),
  });
}

/** Returns the steps that create, without the upserts of objects that exist now: those fail with `conflict`. */
async function withoutExisting(
  kind: Kind,
  reader: CachedReader,
  { results, steps }: WriteWork,
): Promise<readonly WriteStep[]> {
  const creating = steps.filter(({ creates }) => creates);
  const upserts = creating.filter(({ binding }) => binding.upserts !== undefined);
  if (upserts.length === 0) return creating;
  const observed = await observeScopes(
    kind,
    reader,
    upserts.flatMap(({ writes }) => writes),
  );
  for (const { index, write } of upserts.flatMap(({ writes }) => writes)) {
    if (observed instanceof Failure) results.finish(index, observed);
    else if (observed.byKey.has(keyOf(kind, write.spec)))
      results.finish(index, existingFailure(kind, write.spec));
  }
  return creating.map((step) => ({
    ...step,
    writes: step.writes.filter(({ index }) => results.isPending(index)),
  }));
}

/** Returns the failure of a create whose response, with the generated secret, was lost. The object exists but is unusable. */
function lostSecretFailure(kind: Kind, cause: Failure): Failure {
  return new Failure(
    "unknown_outcome",
    `The server created the ${kind.name}, but the response with its secret was lost.`,
    { cause, remedy: "Delete the object and create it again." },
  );
}

/** Observes the collections of these writes again. */
async function observeScopes(
  kind: Kind,
  reader: CachedReader,
  writes: readonly IndexedWrite[],
): Promise<ObservedObjects | Failure> {
  reader.invalidate();
  try {
    return await observe(kind, scopesOf(kind, writes), { reader, interest: new Set(kind.key) });
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Adds the observed object to each write. Writes whose object is missing fail. */
function withLive(
  kind: Kind,
  steps: readonly WriteStep[],
  { observed, results }: { observed: ObservedObjects | Failure; results: ResultCollector },
): readonly WriteStep[] {
  return steps.map(({ writes, ...step }) => ({
    ...step,
    writes: writes.flatMap(({ index, write }) => {
      if (!results.isPending(index)) return [];
      const live =
        observed instanceof Failure ? undefined : observed.byKey.get(keyOf(kind, write.spec));
      if (live !== undefined) return [{ index, write: { ...write, live } }];
      results.finish(index, observed instanceof Failure ? observed : notListedFailure(kind), true);
      return [];
    }),
  }));
}

/** Returns the distinct collections of these writes. */
export function scopesOf(kind: Kind, writes: readonly IndexedWrite[]): readonly ScopeKey[] {
  const scopes = writes.map(({ write }) => scopeOf(kind, write.spec));
  return [...new Map(scopes.map((scope) => [scopeText(scope), scope])).values()];
}
