// The life of one object as the engine asks for it: check, diff, create, read, update, delete; all over the bridge.
import { Failure, isFailure } from "../../core/errors.ts";
import { keyOf } from "../../core/identity.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind.ts";
import { withoutServerManagedFields } from "../../core/server-managed.ts";
import { normalize, normalizeLive } from "../../core/normalize.ts";
import { joinPointer } from "../../core/pointer.ts";
import { createSubject } from "../bridge/batching-writer.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { validateInputs } from "../bridge/validate-inputs.ts";
import type { Difference } from "../bridge/diff-inputs.ts";
import {
  readTargetAfterParentRename,
  withRenamedReferences,
  type RenameTracker,
} from "../bridge/rename-tracker.ts";
import { type ReadTarget, readTargetFor, readTargetForImport } from "../bridge/read-cache.ts";
import { isKnown, fullyKnownFields } from "../bridge/unknown-values.ts";
import {
  diffAgainstState,
  unchangedFieldTest,
  type ResourceState,
  isIgnored,
  propertyPathOf,
  needsDeleteBeforeReplace,
} from "./diff.ts";
import { notImportedReason, unreadableFieldsIn } from "./import-comparison.ts";
import { propertiesOf } from "./properties.ts";
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

/** Something wrong with one property. */
export interface PropertyError {
  /** A property path. */
  readonly path: string;
  readonly reason: string;
}

/** Inputs that were checked. */
export interface CheckResult {
  /** As they were given, secrets sealed. */
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
  /** The inputs of the object that there is; empty where one is to be made. */
  readonly olds: PropertyMap;
  /** That object was read for an import by this run of the engine. */
  readonly isImport: boolean;
}

/**
 * Tells every mistake in the inputs that can be known before the server is asked. What an import could not read is not missed
 * later, so that it can be left alone.
 */
export function checkInputs(kind: Kind, { news, olds, isImport }: CheckRequestInputs): CheckResult {
  const wish = desiredInputs(kind, news);
  const unseen =
    Object.keys(olds).length === 0
      ? []
      : unreadableFieldsIn(kind, olds).map((field) => joinPointer([field]));
  const told = validateInputs(kind, wish).flatMap(
    ({ code, severity, path, message, remedy }): CheckMessage[] => {
      const at = propertyPathOf(kind, path, wish);
      if (code === "missing-field" && unseen.includes(path)) {
        return isImport ? [{ severity: "warning", path: at, reason: notImportedReason }] : [];
      }
      return [
        { severity, path: at, reason: remedy === undefined ? message : `${message}. ${remedy}` },
      ];
    },
  );
  return {
    inputs: markSecretInputs(kind, news),
    failures: told.filter(({ severity }) => severity === "error"),
    warnings: told.filter(({ severity }) => severity === "warning"),
  };
}

/** What the engine is told of new inputs. */
export interface ResourceChanges {
  readonly fields: readonly (Difference & { readonly property: string; readonly at: string })[];
  /** Also where nothing here replaces: the program may ask for it, as by `replaceOnChanges`. */
  readonly deleteBeforeReplace: boolean;
  /** Fields whose change only follows an object that is renamed in place. */
  readonly fieldsFollowingRenames: ReadonlySet<string>;
}

/** New inputs. */
export interface NewInputs {
  readonly news: PropertyMap;
  /** Property paths that the program wants left alone. */
  readonly ignoreChanges: readonly string[];
  readonly renames: RenameTracker;
}

/** What new inputs change; where that renames the object, those that name it follow. */
export function changesOf(
  kind: Kind,
  old: ResourceState,
  { news, ignoreChanges: ignored, renames }: NewInputs,
): ResourceChanges {
  const wish = desiredInputs(kind, news);
  const properties = new Map(propertiesOf(kind).inputs.map((one) => [one.name, one.property]));
  const before = observedFromState(kind, old.state).spec;
  const after = normalize(kind, { ...before, ...fullyKnownFields(wish) });
  const differences = diffAgainstState(kind, old, news);
  const followed = renames.fieldsFollowingRenames(kind, { before, after }, differences);
  const fields = differences
    .map((one) => ({
      ...one,
      replaces: one.replaces && !followed.has(one.field),
      property: properties.get(one.field) ?? one.field,
      at: propertyPathOf(kind, one.path, wish),
    }))
    .filter(({ at }) => !isIgnored(at, ignored));
  const replaces = fields.some((one) => one.replaces);
  if (!replaces) renames.record(kind, { before, after });
  return {
    fields,
    deleteBeforeReplace: needsDeleteBeforeReplace(kind, old, news),
    fieldsFollowingRenames: followed,
  };
}

/** An object that exists: its import id, and its state. */
export interface AppliedResource {
  readonly id: string;
  readonly state: PropertyMap;
}

/** The object exists, but not as it was wished for. */
export class PartialFailure extends Error {
  /** What is surely true of it: the engine holds this beside inputs that were not all written. */
  readonly applied: AppliedResource;
  readonly failure: Failure;

  constructor(applied: AppliedResource, failure: Failure) {
    super(failure.message);
    this.applied = applied;
    this.failure = failure;
  }
}

/** What a create will come to; fails where the server, if it is known yet, does not offer it. */
export function previewCreate(
  kind: Kind,
  bridge: Bridge | undefined,
  inputs: PropertyMap,
): PropertyMap {
  const obstacle = bridge?.preflightError(
    "create",
    kind,
    createSubject(fullyKnownFields(desiredInputs(kind, inputs))),
  );
  if (obstacle !== undefined) throw obstacle;
  return plannedState(kind, inputs, undefined);
}

/** Makes the object. Fails with {@link PartialFailure} where it was made and something that follows went wrong. */
export async function create(
  kind: Kind,
  bridge: Bridge,
  inputs: PropertyMap,
): Promise<AppliedResource> {
  requireKnownInputs(inputs);
  const wish = fullyKnownFields(desiredInputs(kind, inputs));
  const written = await bridge.create(kind, wish);
  const { id, state: shown } = toAppliedResource(kind, written.observed, inputs);
  const state = withGeneratedSecret(kind, shown, written.generatedSecret?.reveal());
  if (written.failure === undefined) return { id, state };
  const half = withUnconfirmedFields(kind, state, new Set(Object.keys(wish)));
  throw new PartialFailure({ id, state: half }, written.failure);
}

/** An update as the engine asks for it. */
export interface UpdateInputs extends ResourceState, NewInputs {
  readonly id: string;
}

/** What an update will come to; fails where the server, if it is known yet, does not offer it. */
export function previewUpdate(
  kind: Kind,
  bridge: Bridge | undefined,
  asked: UpdateInputs,
): PropertyMap {
  const { news, state } = asked;
  const { fields, fieldsFollowingRenames: followed } = changesOf(kind, asked, asked);
  const changed = fieldsToWrite({ fields, fieldsFollowingRenames: followed });
  const spec = fullyKnownFields(desiredInputs(kind, news));
  const live = observedFromState(kind, state);
  const obstacle =
    changed.size === 0
      ? undefined
      : bridge?.preflightError("update", kind, { spec, live, changed });
  if (obstacle !== undefined) throw obstacle;
  return fields.length === 0 ? state : plannedState(kind, news, state);
}

/** Changes what differs. Fails with {@link PartialFailure} where a part of it went through. */
export async function update(
  kind: Kind,
  bridge: Bridge,
  asked: UpdateInputs,
): Promise<PropertyMap> {
  const { news, state } = asked;
  requireKnownInputs(news);
  const wish = fullyKnownFields(desiredInputs(kind, news));
  const changes = changesOf(kind, asked, asked);
  const changed = fieldsToWrite(changes);
  const live = withRenamedReferences(
    observedFromState(kind, state),
    wish,
    changes.fieldsFollowingRenames,
  );
  const unwritten = unconfirmedFieldsIn(state);
  const seen = (sight: ObservedObject, given: PropertyMap): PropertyMap =>
    keepGeneratedSecret(kind, stateOf(kind, sight, given), state);
  if (changed.size === 0) {
    const sight =
      (await bridge.readFresh(readTargetFor(kind, normalize(kind, wish), live))) ?? live;
    return withUnconfirmedFields(kind, seen(sight, news), unwritten);
  }
  const { observed: sight, failure } = await bridge.update(kind, { desired: wish, live, changed });
  if (failure === undefined) {
    const left = [...unwritten].filter((field) => !changed.has(field));
    return withUnconfirmedFields(kind, seen(sight, news), new Set(left));
  }
  const half = withUnconfirmedFields(kind, seen(sight, state), new Set([...unwritten, ...changed]));
  const spec = (one: ObservedObject): JsonObject => normalizeLive(kind, one.spec);
  // What is not shown may have gone through although nothing is to be seen of it.
  const isUntouched =
    equal(spec(sight), spec(live)) && unconfirmedFieldsIn(half).size === unwritten.size;
  throw isUntouched ? failure : new PartialFailure({ id: asked.id, state: half }, failure);
}

/** The fields that have to be written: what follows a renamed object is so already. */
function fieldsToWrite({
  fields,
  fieldsFollowingRenames: followed,
}: Pick<ResourceChanges, "fields" | "fieldsFollowingRenames">) {
  return new Set(fields.map(({ field }) => field).filter((field) => !followed.has(field)));
}

/** Only a preview may come with values that are not known yet. */
function requireKnownInputs(inputs: PropertyMap): void {
  const [name] = Object.entries(inputs).find(([, value]) => hasUnknown(value)) ?? [];
  if (name !== undefined) throw new Failure("invalid", `${name} is not known, and has to be now.`);
}

function toAppliedResource(kind: Kind, sight: ObservedObject, given: PropertyMap): AppliedResource {
  return { id: keyOf(kind, sight.spec), state: stateOf(kind, sight, given) };
}

/** What is read of an object. */
export interface ReadResult extends AppliedResource {
  readonly inputs: PropertyMap;
  /** It was found by its id alone. */
  readonly isImport: boolean;
}

/** What is to be read. */
export interface ReadInputs {
  readonly id: string;
  readonly state: PropertyMap;
  readonly inputs: PropertyMap | undefined;
  readonly kindNamed: (name: string) => Kind | undefined;
}

/**
 * The object that state tells of, or for an import the one that the id names; undefined where it is gone. Inputs are what a
 * program would have to say for nothing to change.
 */
export async function read(
  kind: Kind,
  bridge: Bridge,
  { id, state, inputs, kindNamed }: ReadInputs,
): Promise<ReadResult | undefined> {
  const isImport = kind.key.some((name) => !isKeyKnown(kind, state, name));
  const ask = isImport ? readTargetForImport(kind, id) : readTargetOf(kind, state);
  let sight = await bridge.read(ask);
  if (sight === undefined && !isImport) {
    const known = { kind, ...observedFromState(kind, state), requestedFields: ask.requestedFields };
    const elsewhere = await readTargetAfterParentRename(bridge, known, kindNamed);
    if (elsewhere !== undefined) sight = await bridge.read(elsewhere);
  }
  if (sight === undefined) return undefined;
  const before = isImport ? undefined : inputs;
  const applied = toAppliedResource(kind, sight, isImport ? {} : { ...state, ...inputs });
  const untold = isImport ? unreadableFieldsIn(kind, applied.state) : unconfirmedFieldsIn(state);
  const whole = isImport ? applied.state : keepGeneratedSecret(kind, applied.state, state);
  const found = withUnconfirmedFields(kind, whole, new Set(untold));
  const holds = unchangedFieldTest(kind, { state: found, inputs: before ?? {} });
  // A program that is written of an import would pin what moves by itself.
  const said = isImport
    ? toAppliedResource(kind, withoutServerManagedFields(kind, sight), {}).state
    : found;
  return {
    id: isImport ? applied.id : id,
    state: found,
    inputs: inputsOf(kind, { state: said, before, holds }),
    isImport,
  };
}

function isKeyKnown(kind: Kind, state: PropertyMap, name: string): boolean {
  const value = observedFromState(kind, state).spec[name];
  return value !== undefined && value !== null && isKnown(value);
}

/** Every field is asked about, so that whoever refreshes shares one reading of each page. */
function readTargetOf(kind: Kind, state: PropertyMap): ReadTarget {
  const { spec, id } = observedFromState(kind, state);
  const interest = new Set(Object.keys(kind.spec.properties));
  return readTargetFor(kind, spec, { id, requestedFields: interest });
}

/** Deletes the object that state tells of; what is gone already counts as deleted. */
export async function remove(kind: Kind, bridge: Bridge, state: PropertyMap): Promise<void> {
  try {
    await bridge.delete(kind, observedFromState(kind, state));
  } catch (error) {
    if (!isFailure(error, "not_found")) throw error;
  }
}
