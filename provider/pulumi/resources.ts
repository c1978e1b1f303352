// Executes the engine's requests for one object through the bridge: check, diff, create, read, update and delete.
import { Failure, isFailure } from "../../core/errors.ts";
import { keyOf } from "../../core/kind/identity.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import { withoutServerManagedFields } from "../../core/spec/server-managed.ts";
import { normalize, normalizeLive } from "../../core/spec/normalize.ts";
import { removalRefused, removedFields } from "../../core/spec/removed-rights.ts";
import { joinPointer } from "../../core/pointer.ts";
import { createSubject } from "../bridge/batching-writer.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { validateInputs } from "../bridge/validate-inputs.ts";
import { readFollowingRenames, withRenamedReferences } from "../bridge/rename-tracker.ts";
import { readTargetFor, readTargetForImport } from "../bridge/read-target.ts";
import { isKnown, fullyKnownFields } from "../bridge/unknown-values.ts";
import {
  changesOf,
  type NewInputs,
  type ResourceChanges,
  type ResourceState,
  propertyPathOf,
  unchangedFieldTest,
} from "./diff.ts";
import { propertiesOf } from "./properties.ts";
import { unreadableFieldsIn } from "./unreadable-fields.ts";
import {
  inputsOf,
  keepGeneratedSecret,
  plannedState,
  markSecretInputs,
  observedFromState,
  stateOf,
  unconfirmedFieldsIn,
  desiredInputs,
  withGeneratedSecret,
  withUnconfirmedFields,
} from "./state.ts";
import { hasUnknown, type PropertyMap } from "./property-values.ts";

/** An error in one property. */
export interface PropertyError {
  /** A property path. */
  readonly path: string;
  readonly reason: string;
}

/** The result of a check. */
export interface CheckResult {
  /** The given inputs with secrets marked. */
  readonly inputs: PropertyMap;
  readonly failures: readonly PropertyError[];
  readonly warnings: readonly PropertyError[];
}

interface CheckMessage extends PropertyError {
  readonly severity: "error" | "warning";
}

/** Inputs to check. */
export interface CheckRequestInputs {
  readonly news: PropertyMap;
  /** The inputs of the existing object; empty if the object is to be created. */
  readonly olds: PropertyMap;
}

/**
 * Validates inputs without a call to the server and returns all errors. A required field that an import could not read is no
 * error later, so that programs can leave it unmanaged.
 */
export function checkInputs(kind: Kind, { news, olds }: CheckRequestInputs): CheckResult {
  const given = desiredInputs(kind, news);
  const before = desiredInputs(kind, olds);
  const { taken, refused, kept } = removedFields(kind, before, given);
  const properties = new Map(propertiesOf(kind).inputs.map((one) => [one.name, one.property]));
  const added = Object.entries(taken).map(([name, value]) => [properties.get(name), value]);
  const declared = { ...news, ...(Object.fromEntries(added) as PropertyMap) };
  const desired = { ...given, ...taken };
  const unreadable =
    Object.keys(olds).length === 0
      ? []
      : unreadableFieldsIn(kind, olds).map((field) => joinPointer([field]));
  const messages = validateInputs(kind, desired).flatMap(
    ({ code, severity, path, message, remedy }): CheckMessage[] => {
      const at = propertyPathOf(kind, path, desired);
      if (code === "missing-field" && unreadable.includes(path)) return [];
      return [
        { severity, path: at, reason: remedy === undefined ? message : `${message}. ${remedy}` },
      ];
    },
  );
  return {
    inputs: markSecretInputs(kind, declared),
    failures: [
      ...messages.filter(({ severity }) => severity === "error"),
      ...refused.map((pointer) => ({
        path: propertyPathOf(kind, pointer, desired),
        reason: `${removalRefused}. Keep it, or set it to null to remove the limit`,
      })),
    ],
    warnings: [
      ...messages.filter(({ severity }) => severity === "warning"),
      ...kept.map((pointer) => ({
        path: propertyPathOf(kind, pointer, desired),
        reason: "is no longer declared: the server keeps its value. Set another value to change it",
      })),
    ],
  };
}

/** An existing object: its import ID and its state. */
export interface AppliedResource {
  readonly id: string;
  readonly state: PropertyMap;
}

/** The object exists, but not all of its inputs were written. */
export class PartialFailure extends Error {
  /** The confirmed part of its state. */
  readonly applied: AppliedResource;
  readonly failure: Failure;

  constructor(applied: AppliedResource, failure: Failure) {
    super(failure.message);
    this.applied = applied;
    this.failure = failure;
  }
}

/** Plans a create. Throws if the server is known and does not offer the operation. */
export function previewCreate(
  kind: Kind,
  bridge: Bridge | undefined,
  inputs: PropertyMap,
): PropertyMap {
  const preflightError = bridge?.preflightError(
    "create",
    kind,
    createSubject(fullyKnownFields(desiredInputs(kind, inputs))),
  );
  if (preflightError !== undefined) throw preflightError;
  return plannedState(kind, inputs);
}

/** Creates the object. Throws {@link PartialFailure} if the object was created and a later step failed. */
export async function create(
  kind: Kind,
  bridge: Bridge,
  inputs: PropertyMap,
): Promise<AppliedResource> {
  requireKnownInputs(inputs);
  const desired = fullyKnownFields(desiredInputs(kind, inputs));
  const written = await bridge.create(kind, desired).catch((error: unknown) => {
    throw withReplacementRemedy(error);
  });
  const { id, state: shown } = toAppliedResource(kind, written.observed, inputs);
  const state = withGeneratedSecret(kind, shown, written.generatedSecret?.reveal());
  const failure = written.failure ?? written.unverified;
  if (failure === undefined) return { id, state };
  const partial = withUnconfirmedFields(kind, state, new Set(Object.keys(desired)));
  throw new PartialFailure({ id, state: partial }, failure);
}

/**
 * Returns the error of a create, with what to do if the object is the one that the create replaces: `pulumi up --replace`
 * and `pulumi state taint` replace without asking the provider, and create first.
 */
function withReplacementRemedy(error: unknown): unknown {
  if (!isFailure(error, "conflict") || error.remedy === undefined) return error;
  const remedy = `${error.remedy} To replace it on request, set the option deleteBeforeReplace of the resource.`;
  return new Failure(error.code, error.message, { cause: error, remedy });
}

/** An update request. */
export interface UpdateInputs extends ResourceState, NewInputs {
  readonly id: string;
}

/** Plans an update. Throws if the server is known and does not offer the operation. */
export function previewUpdate(
  kind: Kind,
  bridge: Bridge | undefined,
  request: UpdateInputs,
): PropertyMap {
  const { news, state } = request;
  const { fields, fieldsFollowingRenames } = changesOf(kind, request, request);
  const changed = fieldsToWrite({ fields, fieldsFollowingRenames });
  const spec = fullyKnownFields(desiredInputs(kind, news));
  const live = observedFromState(kind, state);
  const preflightError =
    changed.size === 0
      ? undefined
      : bridge?.preflightError("update", kind, { spec, live, changed });
  if (preflightError !== undefined) throw preflightError;
  return fields.length === 0 ? state : plannedState(kind, news, state);
}

/** Writes the fields that differ. Throws {@link PartialFailure} if a part of them was written. */
export async function update(
  kind: Kind,
  bridge: Bridge,
  request: UpdateInputs,
): Promise<PropertyMap> {
  const { news, state } = request;
  requireKnownInputs(news);
  const desired = fullyKnownFields(desiredInputs(kind, news));
  const changes = changesOf(kind, request, request);
  const changed = fieldsToWrite(changes);
  const live = withRenamedReferences(
    observedFromState(kind, state),
    desired,
    changes.fieldsFollowingRenames,
  );
  const unconfirmed = unconfirmedFieldsIn(state);
  const stateAfter = (observed: ObservedObject, given: PropertyMap): PropertyMap =>
    keepGeneratedSecret(kind, stateOf(kind, observed, given), state);
  if (changed.size === 0) {
    const observed =
      (await bridge.readFresh(readTargetFor(kind, normalize(kind, desired), live))) ?? live;
    return withUnconfirmedFields(kind, stateAfter(observed, news), unconfirmed);
  }
  const { observed, failure } = await bridge.update(kind, { desired, live, changed });
  if (failure === undefined) {
    const left = [...unconfirmed].filter((field) => !changed.has(field));
    return withUnconfirmedFields(kind, stateAfter(observed, news), new Set(left));
  }
  const partial = withUnconfirmedFields(
    kind,
    stateAfter(observed, state),
    new Set([...unconfirmed, ...changed]),
  );
  const spec = (one: ObservedObject): JsonObject => normalizeLive(kind, one.spec);
  // Fields that the API does not return may have been written without a visible difference.
  const isUntouched =
    equal(spec(observed), spec(live)) && unconfirmedFieldsIn(partial).size === unconfirmed.size;
  throw isUntouched ? failure : new PartialFailure({ id: request.id, state: partial }, failure);
}

/** Returns the fields to write. The server has already updated references to a renamed object. */
function fieldsToWrite({
  fields,
  fieldsFollowingRenames,
}: Pick<ResourceChanges, "fields" | "fieldsFollowingRenames">) {
  return new Set(
    fields.map(({ field }) => field).filter((field) => !fieldsFollowingRenames.has(field)),
  );
}

/** Throws if an input is unknown; only previews may have unknown inputs. */
function requireKnownInputs(inputs: PropertyMap): void {
  const [name] = Object.entries(inputs).find(([, value]) => hasUnknown(value)) ?? [];
  if (name !== undefined) throw new Failure("invalid", `${name} is still unknown at apply.`);
}

function toAppliedResource(
  kind: Kind,
  observed: ObservedObject,
  given: PropertyMap,
): AppliedResource {
  return { id: keyOf(kind, observed.spec), state: stateOf(kind, observed, given) };
}

/** The result of a read. */
export interface ReadResult extends AppliedResource {
  readonly inputs: PropertyMap;
  /** Fields that an import could not read. */
  readonly unreadable: readonly string[];
}

/** A read request. */
export interface ReadInputs {
  readonly id: string;
  readonly state: PropertyMap;
  readonly inputs: PropertyMap | undefined;
  readonly kindNamed: (name: string) => Kind | undefined;
}

/**
 * Reads the object in state, or for an import the object that the ID names. Returns undefined if it does not exist. The inputs
 * are those with which a program would change nothing.
 */
export async function read(
  kind: Kind,
  bridge: Bridge,
  { id, state, inputs, kindNamed }: ReadInputs,
): Promise<ReadResult | undefined> {
  const isImport = kind.key.some((name) => !isKeyKnown(kind, state, name));
  // With every field, so that all resources of a refresh share each page that is read.
  const requestedFields = new Set(Object.keys(kind.spec.properties));
  const observed = isImport
    ? await bridge.read(readTargetForImport(kind, id))
    : await readFollowingRenames(
        bridge,
        { kind, ...observedFromState(kind, state), requestedFields },
        kindNamed,
      );
  if (observed === undefined) return undefined;
  const before = isImport ? undefined : inputs;
  const applied = toAppliedResource(kind, observed, isImport ? {} : { ...state, ...inputs });
  const unreadable = isImport ? unreadableFieldsIn(kind, applied.state) : [];
  const unconfirmed = isImport ? unreadable : unconfirmedFieldsIn(state);
  const whole = isImport ? applied.state : keepGeneratedSecret(kind, applied.state, state);
  const found = withUnconfirmedFields(kind, whole, new Set(unconfirmed));
  const isUnchanged = unchangedFieldTest(kind, { state: found, inputs: before ?? {} });
  // A program generated from an import must not pin fields that the server changes.
  const declarable = isImport
    ? toAppliedResource(kind, withoutServerManagedFields(kind, observed), {}).state
    : found;
  return {
    id: isImport ? applied.id : id,
    state: found,
    inputs: inputsOf(kind, { state: declarable, before, isUnchanged }),
    unreadable,
  };
}

function isKeyKnown(kind: Kind, state: PropertyMap, name: string): boolean {
  const value = observedFromState(kind, state).spec[name];
  return value !== undefined && value !== null && isKnown(value);
}

/** Deletes the object in state. An object that no longer exists counts as deleted. */
export async function remove(
  kind: Kind,
  bridge: Bridge,
  { state, kinds }: { readonly state: PropertyMap; readonly kinds: readonly Kind[] },
): Promise<void> {
  try {
    await bridge.delete(kind, observedFromState(kind, state), kinds);
  } catch (error) {
    if (!isFailure(error, "not_found")) throw error;
  }
}
