// Which ways a subject needs for a verb on one server, and what that costs: shared by estimating and by carrying out.
import {
  type Capability,
  isUnavailable,
  type UnavailableVerb,
  assignFields,
  type UncoveredFields,
} from "../core/capability.ts";
import { Failure } from "../core/errors.ts";
import type { Kind, ObjectWrite, Binding } from "../core/kind.ts";
import type { Operation } from "../core/operation.ts";
import type { IndexedWrite } from "./batches.ts";

/** What can be done to objects. */
export type Verb = "create" | "update" | "delete";

/** One way and the subjects that need it, each told only of the fields that this way is to write. */
export interface WriteStep {
  readonly binding: Binding;
  readonly writes: readonly IndexedWrite[];
}

/** The rounds of a verb in the order in which they run; subjects that no way can serve are in none of them. */
export interface WriteSteps {
  readonly steps: readonly WriteStep[];
  /** By the subject's index. */
  readonly failures: ReadonlyMap<number, Failure>;
  /** Indices of subjects that need no call. */
  readonly idle: readonly number[];
}

type FieldAssignment = readonly [way: Binding, changed: ReadonlySet<string>];

/** Finds the rounds of `verb` for these subjects; on a create, the first round makes the objects. */
export function writeStepsOf(
  kind: Kind,
  verb: Verb,
  given: { readonly capability: Capability; readonly subjects: readonly ObjectWrite[] },
): WriteSteps {
  const rounds = new Map<Binding, IndexedWrite[]>();
  const failures = new Map<number, Failure>();
  const idle: number[] = [];
  for (const [index, subject] of given.subjects.entries()) {
    const steps = assignmentsOf(kind, verb, { ...given, subject });
    if (steps instanceof Failure) failures.set(index, steps);
    else if (steps.length === 0) idle.push(index);
    else for (const [way, changed] of steps) place(way, { index, write: { ...subject, changed } });
  }
  const order: readonly Binding[] = [...kind.bindings[verb], ...kind.bindings.update];
  return {
    steps: [...rounds]
      .map(([binding, writes]) => ({ binding, writes }))
      .toSorted((one, other) => order.indexOf(one.binding) - order.indexOf(other.binding)),
    failures,
    idle,
  };

  function place(way: Binding, placed: IndexedWrite): void {
    const members = rounds.get(way);
    if (members === undefined) rounds.set(way, [placed]);
    else members.push(placed);
  }
}

function assignmentsOf(
  kind: Kind,
  verb: Verb,
  { capability, subject }: { capability: Capability; subject: ObjectWrite },
): readonly FieldAssignment[] | Failure {
  if (verb === "create") return createAssignments(kind, capability, subject);
  if (verb === "update") return updateAssignments(kind, capability, subject);
  const way = capability.delete;
  return isUnavailable(way) ? unavailableFailure(kind, verb, way) : [[way, subject.changed]];
}

function createAssignments(
  kind: Kind,
  { create }: Capability,
  { spec, changed }: ObjectWrite,
): readonly FieldAssignment[] | Failure {
  if (isUnavailable(create)) return unavailableFailure(kind, "create", create);
  const { binding: way, followUps: rest } = create;
  const given = [...changed].filter((name) => spec[name] !== undefined && spec[name] !== null);
  const wanted = given.filter((name) => create.uncovered.includes(name));
  if (wanted.length > 0) return cannotSetFailure(kind, wanted, []);
  const left = given.filter((name) => way.covers !== undefined && !way.covers.includes(name));
  return [[way, changed], ...assignFields(rest, left)];
}

function updateAssignments(
  kind: Kind,
  capability: Capability,
  { spec, changed }: ObjectWrite,
): readonly FieldAssignment[] | Failure {
  const cleared = new Set([...changed].filter((name) => (spec[name] ?? null) === null));
  const ways = capability.update(changed, cleared);
  if (!isUncovered(ways)) return [...assignFields(ways, [...changed], cleared)];
  return ways.reason === undefined
    ? cannotSetFailure(kind, ways.uncovered, ways.needs)
    : unavailableFailure(kind, "update", { missing: ways.needs, reason: ways.reason });
}

function isUncovered(ways: readonly Binding[] | UncoveredFields): ways is UncoveredFields {
  return "uncovered" in ways;
}

function unavailableFailure(kind: Kind, verb: Verb, { missing, reason }: UnavailableVerb): Failure {
  const why = reason ?? `this server does not offer ${operationList(missing)}`;
  return new Failure("not_offered", `Cannot ${verb} ${kind.name}: ${why}.`);
}

function cannotSetFailure(
  kind: Kind,
  fields: readonly string[],
  needs: readonly Operation[],
): Failure {
  const helps = needs.length === 0 ? "" : ` It would take ${operationList(needs)}.`;
  const names = fields.join(", ");
  return new Failure("not_offered", `This server cannot set ${names} of ${kind.name}.${helps}`);
}

function operationList(operations: readonly Operation[]): string {
  return operations.map(({ method, path }) => `${method} ${path}`).join(" or ");
}
