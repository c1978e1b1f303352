// Which ways a subject needs for a verb on one server, and what that costs: shared by estimating and by carrying out.
import {
  type Capability,
  isMissing,
  type Missing,
  portionsOf,
  type Uncovered,
} from "../core/capability.ts";
import { Failure } from "../core/errors.ts";
import type { Kind, Subject, Way } from "../core/kind.ts";
import type { Operation } from "../core/operation.ts";
import type { Placed } from "./batches.ts";

/** What can be done to objects. */
export type Verb = "create" | "update" | "delete";

/** One way and the subjects that need it, each told only of the fields that this way is to write. */
export interface Round {
  readonly way: Way;
  readonly placed: readonly Placed[];
}

/** The rounds of a verb in the order in which they run; subjects that no way can serve are in none of them. */
export interface Routes {
  readonly rounds: readonly Round[];
  /** By the subject's index. */
  readonly failures: ReadonlyMap<number, Failure>;
  /** Indices of subjects that need no call. */
  readonly idle: readonly number[];
}

type Step = readonly [way: Way, changed: ReadonlySet<string>];

/** Finds the rounds of `verb` for these subjects; on a create, the first round makes the objects. */
export function routesOf(
  kind: Kind,
  verb: Verb,
  given: { readonly capability: Capability; readonly subjects: readonly Subject[] },
): Routes {
  const rounds = new Map<Way, Placed[]>();
  const failures = new Map<number, Failure>();
  const idle: number[] = [];
  for (const [index, subject] of given.subjects.entries()) {
    const steps = stepsOf(kind, verb, { ...given, subject });
    if (steps instanceof Failure) failures.set(index, steps);
    else if (steps.length === 0) idle.push(index);
    else
      for (const [way, changed] of steps) place(way, { index, subject: { ...subject, changed } });
  }
  const order: readonly Way[] = [...kind.life[verb], ...kind.life.update];
  return {
    rounds: [...rounds]
      .map(([way, placed]) => ({ way, placed }))
      .toSorted((one, other) => order.indexOf(one.way) - order.indexOf(other.way)),
    failures,
    idle,
  };

  function place(way: Way, placed: Placed): void {
    const members = rounds.get(way);
    if (members === undefined) rounds.set(way, [placed]);
    else members.push(placed);
  }
}

function stepsOf(
  kind: Kind,
  verb: Verb,
  { capability, subject }: { capability: Capability; subject: Subject },
): readonly Step[] | Failure {
  if (verb === "create") return creationSteps(kind, capability, subject);
  if (verb === "update") return updateSteps(kind, capability, subject);
  const way = capability.delete;
  return isMissing(way) ? cannot(kind, verb, way) : [[way, subject.changed]];
}

function creationSteps(
  kind: Kind,
  { create }: Capability,
  { spec, changed }: Subject,
): readonly Step[] | Failure {
  if (isMissing(create)) return cannot(kind, "create", create);
  const { way, rest } = create;
  const given = [...changed].filter((name) => spec[name] !== undefined && spec[name] !== null);
  const wanted = given.filter((name) => create.uncovered.includes(name));
  if (wanted.length > 0) return cannotSet(kind, wanted, []);
  const left = given.filter((name) => way.covers !== undefined && !way.covers.includes(name));
  return [[way, changed], ...portionsOf(rest, left)];
}

function updateSteps(
  kind: Kind,
  capability: Capability,
  { spec, changed }: Subject,
): readonly Step[] | Failure {
  const cleared = new Set([...changed].filter((name) => (spec[name] ?? null) === null));
  const ways = capability.update(changed, cleared);
  if (!isUncovered(ways)) return [...portionsOf(ways, [...changed], cleared)];
  return ways.reason === undefined
    ? cannotSet(kind, ways.uncovered, ways.needs)
    : cannot(kind, "update", { missing: ways.needs, reason: ways.reason });
}

function isUncovered(ways: readonly Way[] | Uncovered): ways is Uncovered {
  return "uncovered" in ways;
}

function cannot(kind: Kind, verb: Verb, { missing, reason }: Missing): Failure {
  const why = reason ?? `this server does not offer ${named(missing)}`;
  return new Failure("not_offered", `Cannot ${verb} ${kind.name}: ${why}.`);
}

function cannotSet(kind: Kind, fields: readonly string[], needs: readonly Operation[]): Failure {
  const helps = needs.length === 0 ? "" : ` It would take ${named(needs)}.`;
  const names = fields.join(", ");
  return new Failure("not_offered", `This server cannot set ${names} of ${kind.name}.${helps}`);
}

function named(operations: readonly Operation[]): string {
  return operations.map(({ method, path }) => `${method} ${path}`).join(" or ");
}
