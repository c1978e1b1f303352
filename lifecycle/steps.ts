// Plans the steps of a verb on one server: which bindings write which fields of which objects, in which batches.
// Used for estimates and execution.
import type { ApiDiscovery } from "../client/api-discovery.ts";
import {
  type Capability,
  capability,
  type CreateCapability,
  isUnavailable,
  type UnavailableVerb,
  assignFields,
  type UncoveredFields,
} from "../core/capability.ts";
import { Failure } from "../core/errors.ts";
import { fieldsOf } from "../core/fields.ts";
import { canonical, type JsonObject } from "../core/json.ts";
import type { Kind, ObjectWrite, Binding } from "../core/kind.ts";
import type { Operation } from "../core/operation.ts";

/** A write verb. */
export type Verb = "create" | "update" | "delete";

/** One verb for many objects of one kind. */
export interface WriteTask {
  readonly kind: Kind;
  readonly verb: Verb;
  readonly writes: readonly ObjectWrite[];
}

/** A write with its index in the caller's list. */
export interface IndexedWrite {
  readonly index: number;
  readonly write: ObjectWrite;
}

/** A binding with the writes that it executes. */
interface BindingShare {
  readonly binding: Binding;
  readonly writes: readonly IndexedWrite[];
}

/** One binding with its writes. The `changed` fields of each write are those that this binding writes. */
export interface WriteStep extends BindingShare {
  /** Whether the step creates the objects. Other steps change objects that exist. */
  readonly creates: boolean;
  /** Writes a batch that the server does not allow, one call for each object. */
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

/** Returns a planner of steps on one server. It determines what the server can do with each kind once. */
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
  const { create } = input.capability;
  const creates: IndexedWrite[] = [];
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
        else addWrite(binding, write);
      }
  }
  const order: readonly Binding[] = [...kind.bindings[verb], ...kind.bindings.update];
  const others = [...steps]
    .map(([binding, writes]) => ({ binding, writes, creates: false }))
    .toSorted((one, other) => order.indexOf(one.binding) - order.indexOf(other.binding));
  const created = isUnavailable(create) ? [] : createSteps(create, creates);
  return { steps: [...created, ...others], failures, idle };

  function addWrite(binding: Binding, write: IndexedWrite): void {
    const writes = steps.get(binding);
    if (writes === undefined) steps.set(binding, [write]);
    else writes.push(write);
  }
}

function createSteps(
  create: CreateCapability,
  writes: readonly IndexedWrite[],
): readonly WriteStep[] {
  return cheapestShares(create, writes).map((share) => ({
    ...share,
    creates: true,
    ...(share.binding !== create.binding && { fallback: create.binding }),
  }));
}

function assignmentsOf(
  kind: Kind,
  verb: Verb,
  { capability: found, subject }: { capability: Capability; subject: ObjectWrite },
): readonly FieldAssignment[] | Failure {
  if (verb === "create") return createAssignments(kind, found, subject);
  if (verb === "update") return updateAssignments(kind, found, subject);
  const binding = found.delete;
  return isUnavailable(binding)
    ? unavailableFailure(kind, verb, binding)
    : [[binding, subject.changed]];
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
  return new Failure("not_offered", `Cannot ${verb} ${kind.name}: ${why}.`);
}

function cannotSetFailure(
  kind: Kind,
  fields: readonly string[],
  needs: readonly Operation[],
): Failure {
  const helps = needs.length === 0 ? "" : ` It does not offer ${operationList(needs)}.`;
  const names = fields.join(", ");
  return new Failure("not_offered", `This server cannot set ${names} of ${kind.name}.${helps}`);
}

function operationList(operations: readonly Operation[]): string {
  return operations.map(({ method, path }) => `${method} ${path}`).join(" or ");
}

/** Returns the batches of a binding for these writes, in order. */
export function batchesOf(
  binding: Binding,
  indexed: readonly IndexedWrite[],
): readonly (readonly IndexedWrite[])[] {
  const { max } = binding.batch;
  const groupBy = [...binding.batch.groupBy, ...(binding.prerequisite?.dependsOn ?? [])];
  if (max <= 1) return indexed.map((one) => [one]);
  const groups = new Map<string, IndexedWrite[]>();
  for (const one of indexed) {
    const group = groupOf(groupBy, one.write.spec);
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [one]);
    else members.push(one);
  }
  return [...groups.values()].flatMap((members) => chunks(members, max));
}

/** Divides creates among the offered bindings: a batch takes the first alternative that costs less than `binding`. */
function cheapestShares(
  { binding, alternatives }: Pick<CreateCapability, "binding" | "alternatives">,
  writes: readonly IndexedWrite[],
): readonly BindingShare[] {
  const shares: BindingShare[] = [];
  let left = writes;
  for (const alternative of alternatives) {
    const cheaper = batchesOf(alternative, left).filter(
      (batch) => alternative.batch.cost < binding.batch.cost * batchesOf(binding, batch).length,
    );
    const taken = new Set(cheaper.flat());
    if (taken.size > 0) shares.push({ binding: alternative, writes: [...taken] });
    left = left.filter((write) => !taken.has(write));
  }
  return left.length > 0 ? [{ binding, writes: left }, ...shares] : shares;
}

function groupOf(groupBy: readonly string[], spec: JsonObject): string {
  return canonical(groupBy.map((name) => spec[name] ?? null));
}

function chunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(list.length / size);
  return Array.from({ length: count }, (_, at) => list.slice(at * size, (at + 1) * size));
}
