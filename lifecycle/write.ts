// Runs the rounds of a verb over many subjects; a create also looks up what it must know before it can go on.
import { type ErrorCode, Failure, isFailure } from "../core/errors.ts";
import { keyOf, scopeOf, scopeText } from "../core/identity.ts";
import type { Kind, ScopeKey } from "../core/kind.ts";
import type { IndexedWrite } from "./batches.ts";
import { type StepContext, executeStep } from "./execute.ts";
import { observe, type ObservedObjects } from "./observe.ts";
import type { CachedReader } from "./reader.ts";
import type { WriteStep, Verb } from "./steps.ts";
import type { ResultCollector } from "./results.ts";

/** The rounds of a verb, what carries them out, and where their results go. */
export interface WriteWork {
  readonly context: StepContext;
  readonly results: ResultCollector;
  readonly steps: readonly WriteStep[];
}

/** Updates or deletes. A subject that fails in one round is left out of the later ones. */
export async function writeAll(
  verb: Verb,
  { context: carrier, results: tally, steps: rounds }: WriteWork,
): Promise<void> {
  const last = new Map(rounds.flatMap((round) => round.writes.map(({ index }) => [index, round])));
  for (const round of rounds) {
    const placed = round.writes.filter(({ index }) => tally.isPending(index));
    await executeStep(carrier, { binding: round.binding, writes: placed }, ({ index }, failure) => {
      const gone = verb === "delete" && isFailure(failure, "not_found");
      // The rounds that follow a create are about objects that it has made.
      if (failure !== undefined && !gone) tally.finish(index, failure, verb === "create");
      else if (last.get(index) === round) tally.finish(index);
    });
  }
}

/** After these nobody knows whether the object was made. */
const uncertainErrorCodes: ReadonlySet<ErrorCode> = new Set([
  "unknown_outcome",
  "unexpected_answer",
  "timeout",
]);

/** Creates in the first round; the others set what it could not, on the objects as they are then seen. */
export async function createAll(kind: Kind, reader: CachedReader, work: WriteWork): Promise<void> {
  const { context: carrier, results: tally, steps: rounds } = work;
  const [first, ...rest] = rounds;
  if (first === undefined) return;
  const more = new Map(rest.flatMap(({ writes: placed }) => placed.map((one) => [one.index, one])));
  const doubtful = new Map<IndexedWrite, Failure>();
  await executeStep(carrier, first, (placed, failure, minted) => {
    if (minted !== undefined) tally.addSecret(placed.index, minted);
    if (failure !== undefined && uncertainErrorCodes.has(failure.code))
      doubtful.set(placed, failure);
    else if (failure !== undefined || !more.has(placed.index)) tally.finish(placed.index, failure);
  });

  const open = [...more.values()].filter(({ index }) => tally.isPending(index));
  const seen = await observeScopes(kind, reader, [...doubtful.keys(), ...open]);
  for (const [{ index, write: subject }, failure] of doubtful) {
    const made = !(seen instanceof Failure) && seen.byKey.has(keyOf(kind, subject.spec));
    if (made && kind.generatedSecret !== undefined)
      tally.finish(index, lostSecretFailure(kind, failure), true);
    else if (!made || !more.has(index)) tally.finish(index, made ? undefined : failure);
  }
  await writeAll("create", {
    context: carrier,
    results: tally,
    steps: withLive(kind, rest, { seen, tally }),
  });
}

/** The object is there, and of no use: the answer that was lost held its secret, which nothing shows again. */
function lostSecretFailure(kind: Kind, cause: Failure): Failure {
  return new Failure(
    "unknown_outcome",
    `The server made the ${kind.name}, but its answer with the secret was lost.`,
    { cause, remedy: "delete the object and make another one" },
  );
}

/** The collections of these subjects as they are now. */
async function observeScopes(
  kind: Kind,
  reader: CachedReader,
  placed: readonly IndexedWrite[],
): Promise<ObservedObjects | Failure> {
  reader.invalidate();
  try {
    return await observe(kind, scopesOf(kind, placed), { reader, interest: new Set(kind.key) });
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** The rounds over subjects that hold the object as it is seen; who is not seen fails. */
function withLive(
  kind: Kind,
  rounds: readonly WriteStep[],
  { seen, tally }: { seen: ObservedObjects | Failure; tally: ResultCollector },
): readonly WriteStep[] {
  return rounds.map(({ binding, writes }) => ({
    binding,
    writes: writes.flatMap(({ index, write }) => {
      if (!tally.isPending(index)) return [];
      const live = seen instanceof Failure ? undefined : seen.byKey.get(keyOf(kind, write.spec));
      if (live !== undefined) return [{ index, write: { ...write, live } }];
      tally.finish(index, seen instanceof Failure ? seen : notListedFailure(kind), true);
      return [];
    }),
  }));
}

function notListedFailure(kind: Kind): Failure {
  return new Failure(
    "unexpected_answer",
    `The server made the ${kind.name} but does not list it, so the rest of it cannot be set.`,
  );
}

/** The collections that these subjects are in, each once. */
export function scopesOf(kind: Kind, placed: readonly IndexedWrite[]): readonly ScopeKey[] {
  const scopes = placed.map(({ write: subject }) => scopeOf(kind, subject.spec));
  return [...new Map(scopes.map((scope) => [scopeText(scope), scope])).values()];
}
