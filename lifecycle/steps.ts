// Plans the steps of a verb on one server: which bindings write which fields of which objects, in which batches.
// Used for estimates and execution.
import { appendTo } from "../core/append-to.ts";
import type { ApiDiscovery } from "../client/api-discovery.ts";
import {
  type Capability,
  capability,
  type VerbCapability,
  isUnavailable,
  type UnavailableVerb,
  assignFields,
  type UncoveredFields,
} from "../core/kind/capability.ts";
import { Failure } from "../core/errors.ts";
import { fieldsOf } from "../core/kind/fields.ts";
import type { Kind, ObjectWrite, Binding } from "../core/kind/kind.ts";
import type { Operation } from "../core/operation/operation.ts";
import { type BindingShare, cheapestShares, type IndexedWrite } from "./call-batches.ts";

/** A write verb. */
export type Verb = "create" | "update" | "delete";

/** One verb for many objects of one kind. */
export interface WriteTask {
  readonly kind: Kind;
  readonly verb: Verb;
  readonly writes: readonly ObjectWrite[];
}

/** One binding with its writes. The `changed` fields of each write are those that this binding writes. */
export interface WriteStep extends BindingShare {
  /** Whether the step creates the objects. Other steps change objects that exist. */
  readonly creates: boolean;
  /** Writes a batch that the server does not allow, and a delete whose response was lost, one call for each object. */
  readonly fallback?: Binding;
}

/** The steps of a verb, in execution order. Writes that the server does not support are in none of them. */
export interface WriteSteps {
  readonly steps: readonly WriteStep[];
  /** Failures by index of the write. */
  readonly failures: ReadonlyMap<number, Failure>;
  /** Indexes of writes that need no call. */
  readonly idle: readonly number[];
}

type FieldAssignment = readonly [binding: Binding, changed: ReadonlySet<string>];

/** Returns a planner of steps on one server. It determines the capability of the server for each kind once. */
export function createStepPlanner(discovery: ApiDiscovery) {
  const capabilities = new Map<Kind, Capability>();
  return (kind: Kind, verb: Verb, writes: readonly ObjectWrite[]): WriteSteps => {
    const known =
      capabilities.get(kind) ?? capability(kind, (operation) => discovery.has(operation));
    capabilities.set(kind, known);
    return writeStepsOf(kind, verb, { capability: known, subjects: writes });
  };
}

/** Returns the steps of `verb` for these writes. The first steps of a create create the objects. */
export function writeStepsOf(
  kind: Kind,
  verb: Verb,
  input: { readonly capability: Capability; readonly subjects: readonly ObjectWrite[] },
): WriteSteps {
  const { create, delete: remove } = input.capability;
  const creates: IndexedWrite[] = [];
  const deletes: IndexedWrite[] = [];
  const steps = new Map<Binding, IndexedWrite[]>();
  const failures = new Map<number, Failure>();
  const idle: number[] = [];
  for (const [index, subject] of input.subjects.entries()) {
    const assignments = assignmentsOf(kind, verb, { ...input, subject });
    if (assignments instanceof Failure) failures.set(index, assignments);
    else if (assignments.length === 0) idle.push(index);
    else
      for (const [at, [binding, changed]] of assignments.entries()) {
        const write = { index, write: { ...subject, changed } };
        if (verb === "create" && at === 0) creates.push(write);
        else if (verb === "delete") deletes.push(write);
        else appendTo(steps, binding, write);
      }
  }
  const order: readonly Binding[] = [...kind.bindings[verb], ...kind.bindings.update];
  const others = [...steps]
    .map(([binding, writes]) => ({ binding, writes, creates: false }))
    .toSorted((one, other) => order.indexOf(one.binding) - order.indexOf(other.binding));
  const created = isUnavailable(create) ? [] : sharedSteps(create, creates, true);
  const deleted = isUnavailable(remove) ? [] : sharedSteps(remove, deletes, false);
  return { steps: [...created, ...others, ...deleted], failures, idle };
}

function sharedSteps(
  found: VerbCapability,
  writes: readonly IndexedWrite[],
  creates: boolean,
): readonly WriteStep[] {
  return cheapestShares(found, writes).map((share) => ({
    ...share,
    creates,
    ...(share.binding !== found.binding && { fallback: found.binding }),
  }));
}

function assignmentsOf(
  kind: Kind,
  verb: Verb,
  { capability: found, subject }: { capability: Capability; subject: ObjectWrite },
): readonly FieldAssignment[] | Failure {
  if (verb === "create") return createAssignments(kind, found, subject);
  if (verb === "update") return updateAssignments(kind, found, subject);
  return isUnavailable(found.delete)
    ? unavailableFailure(kind, verb, found.delete)
    : [[found.delete.binding, subject.changed]];
}

function createAssignments(
  kind: Kind,
  { create }: Capability,
  { spec, changed }: ObjectWrite,
): readonly FieldAssignment[] | Failure {
  if (isUnavailable(create)) return unavailableFailure(kind, "create", create);
  const { binding, followUps } = create;
  const declared = [...changed].filter((name) => spec[name] !== undefined && spec[name] !== null);
  const uncovered = declared.filter((name) => create.uncovered.includes(name));
  if (uncovered.length > 0) return cannotSetFailure(kind, uncovered, []);
  const left = declared.filter(
    (name) => binding.covers !== undefined && !binding.covers.includes(name),
  );
  return [[binding, changed], ...assignFields(followUps, left)];
}

function updateAssignments(
  kind: Kind,
  found: Capability,
  write: ObjectWrite,
): readonly FieldAssignment[] | Failure {
  const { spec } = write;
  const changed = withResetFields(kind, write);
  const cleared = new Set([...changed].filter((name) => (spec[name] ?? null) === null));
  const bindings = found.update(changed, cleared);
  if (!isUncovered(bindings)) return [...assignFields(bindings, [...changed], cleared)];
  return bindings.reason === undefined
    ? cannotSetFailure(kind, bindings.uncovered, bindings.needs)
    : unavailableFailure(kind, "update", { missing: bindings.needs, reason: bindings.reason });
}

/** Returns the changed fields with the declared ones that the service would choose again. */
function withResetFields(kind: Kind, { spec, changed }: ObjectWrite): ReadonlySet<string> {
  const reset = fieldsOf(kind).filter(
    ({ name, traits: { resetBy = [] } }) =>
      (spec[name] ?? null) !== null && resetBy.some((field) => changed.has(field)),
  );
  return reset.length === 0 ? changed : new Set([...changed, ...reset.map(({ name }) => name)]);
}

function isUncovered(bindings: readonly Binding[] | UncoveredFields): bindings is UncoveredFields {
  return "uncovered" in bindings;
}

function unavailableFailure(kind: Kind, verb: Verb, { missing, reason }: UnavailableVerb): Failure {
  const why = reason ?? `this server does not offer ${operationList(missing)}`;
  return new Failure("not_offered", `cannot ${verb} ${kind.name}: ${why}`);
}

function cannotSetFailure(
  kind: Kind,
  fields: readonly string[],
  needs: readonly Operation[],
): Failure {
  const why = needs.length === 0 ? "" : `: it does not offer ${operationList(needs)}`;
  const names = fields.join(", ");
  return new Failure("not_offered", `this server cannot set ${names} of ${kind.name}${why}`);
}

function operationList(operations: readonly Operation[]): string {
  return operations.map(({ method, path }) => `${method} ${path}`).join(" or ");
}
