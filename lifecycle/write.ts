// Runs the rounds of a verb over many subjects; a create also looks up what it must know before it can go on.
import { type ErrorCode, Failure, isFailure } from "../core/errors.ts";
import { keyOf, scopeOf, scopeText } from "../core/identity.ts";
import type { Kind, ScopeKey } from "../core/kind.ts";
import type { Placed } from "./batches.ts";
import { type Carrier, carryOut } from "./carry.ts";
import { observe, type Observed } from "./observe.ts";
import type { SharedReader } from "./reader.ts";
import type { Round, Verb } from "./routes.ts";
import type { Tally } from "./tally.ts";

/** The rounds of a verb, what carries them out, and where their results go. */
export interface Work {
  readonly carrier: Carrier;
  readonly tally: Tally;
  readonly rounds: readonly Round[];
}

/** Updates or deletes. A subject that fails in one round is left out of the later ones. */
export async function writeAll(verb: Verb, { carrier, tally, rounds }: Work): Promise<void> {
  const last = new Map(rounds.flatMap((round) => round.placed.map(({ index }) => [index, round])));
  for (const round of rounds) {
    const placed = round.placed.filter(({ index }) => tally.isOpen(index));
    await carryOut(carrier, { way: round.way, placed }, ({ index }, failure) => {
      const gone = verb === "delete" && isFailure(failure, "not_found");
      // The rounds that follow a create are about objects that it has made.
      if (failure !== undefined && !gone) tally.finish(index, failure, verb === "create");
      else if (last.get(index) === round) tally.finish(index);
    });
  }
}

/** After these nobody knows whether the object was made. */
const uncertain: ReadonlySet<ErrorCode> = new Set([
  "unknown_outcome",
  "unexpected_answer",
  "timeout",
]);

/** Creates in the first round; the others set what it could not, on the objects as they are then seen. */
export async function createAll(kind: Kind, reader: SharedReader, work: Work): Promise<void> {
  const { carrier, tally, rounds } = work;
  const [first, ...rest] = rounds;
  if (first === undefined) return;
  const more = new Map(rest.flatMap(({ placed }) => placed.map((one) => [one.index, one])));
  const doubtful = new Map<Placed, Failure>();
  await carryOut(carrier, first, (placed, failure, minted) => {
    if (minted !== undefined) tally.mint(placed.index, minted);
    if (failure !== undefined && uncertain.has(failure.code)) doubtful.set(placed, failure);
    else if (failure !== undefined || !more.has(placed.index)) tally.finish(placed.index, failure);
  });

  const open = [...more.values()].filter(({ index }) => tally.isOpen(index));
  const seen = await look(kind, reader, [...doubtful.keys(), ...open]);
  for (const [{ index, subject }, failure] of doubtful) {
    const made = !(seen instanceof Failure) && seen.byKey.has(keyOf(kind, subject.spec));
    if (made && kind.mints !== undefined) tally.finish(index, lostSecret(kind, failure), true);
    else if (!made || !more.has(index)) tally.finish(index, made ? undefined : failure);
  }
  await writeAll("create", { carrier, tally, rounds: withLive(kind, rest, { seen, tally }) });
}

/** The object is there, and of no use: the answer that was lost held its secret, which nothing shows again. */
function lostSecret(kind: Kind, cause: Failure): Failure {
  return new Failure(
    "unknown_outcome",
    `The server made the ${kind.name}, but its answer with the secret was lost.`,
    { cause, remedy: "delete the object and make another one" },
  );
}

/** The collections of these subjects as they are now. */
async function look(
  kind: Kind,
  reader: SharedReader,
  placed: readonly Placed[],
): Promise<Observed | Failure> {
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
  rounds: readonly Round[],
  { seen, tally }: { seen: Observed | Failure; tally: Tally },
): readonly Round[] {
  return rounds.map(({ way, placed }) => ({
    way,
    placed: placed.flatMap(({ index, subject }) => {
      if (!tally.isOpen(index)) return [];
      const live = seen instanceof Failure ? undefined : seen.byKey.get(keyOf(kind, subject.spec));
      if (live !== undefined) return [{ index, subject: { ...subject, live } }];
      tally.finish(index, seen instanceof Failure ? seen : unseen(kind), true);
      return [];
    }),
  }));
}

function unseen(kind: Kind): Failure {
  return new Failure(
    "unexpected_answer",
    `The server made the ${kind.name} but does not list it, so the rest of it cannot be set.`,
  );
}

/** The collections that these subjects are in, each once. */
export function scopesOf(kind: Kind, placed: readonly Placed[]): readonly ScopeKey[] {
  const scopes = placed.map(({ subject }) => scopeOf(kind, subject.spec));
  return [...new Map(scopes.map((scope) => [scopeText(scope), scope])).values()];
}
