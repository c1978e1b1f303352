// Validates, plans, refreshes, writes, deletes and imports one resource.
import { Failure, isFailure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind, ObjectWrite } from "../../core/kind/kind.ts";
import { withoutServerManagedFields } from "../../core/spec/server-managed.ts";
import { cascadeParentsOf } from "../../core/kind/cascades.ts";
import { address, keyOf, objectsText } from "../../core/kind/identity.ts";
import { normalize } from "../../core/spec/normalize.ts";
import { splitPointer } from "../../core/pointer.ts";
import type { Verb } from "../../lifecycle/steps.ts";
import type { Bridge, WriteResult } from "../bridge/bridge.ts";
import { validateInputs } from "../bridge/validate-inputs.ts";
import {
  readFollowingRenames,
  withRenamedReferences,
  type RenameTracker,
} from "../bridge/rename-tracker.ts";
import type { Difference } from "../bridge/diff-inputs.ts";
import type { EngineRunPlans } from "../bridge/missing-references.ts";
import { fullyKnownFields, type Inputs, Unknown, type Value } from "../bridge/unknown-values.ts";
import { locationOf, type AttributeValues, type Step, toInputs } from "./attribute-values.ts";
import {
  type Diagnostic,
  errorAt,
  fromError,
  fromFindings,
  fromValidationErrors,
  unverifiedWarning,
  writeSummary,
} from "./diagnostics.ts";
import { explainKeyConflict } from "./key-conflict.ts";
import {
  resourceFingerprints,
  type PrivateState,
  privateStateAfterWrite,
  privateStateAfterRefresh,
} from "./private-state.ts";
import {
  changesOf,
  plan,
  type PlanInputs,
  specFromState,
  uncomparableSecrets,
  desiredInputs,
  keptReferences,
  objectName,
} from "./plan.ts";
import {
  addressWarnings,
  contentsWarning,
  unknownContentsWarning,
  keptReferenceWarnings,
  missingSecrets,
  uncomparableSecretWarning,
} from "./plan-diagnostics.ts";
import { configuredIn, removedFieldDiagnostics, takenRights } from "./removed-rights.ts";
import { observedFromState } from "./observed-state.ts";
import { stateAfterRefresh, stateAfterApply } from "./state.ts";

/** A kind with its attributes. */
export interface Resource extends Pick<PlanInputs, "kind" | "attributes"> {
  /** Fields that objects of other kinds also set, or to which they add entries. */
  readonly sharedFields: ReadonlySet<string>;
  /** Every kind of the provider, by name. */
  readonly kinds: ReadonlyMap<string, Kind>;
}

/** A configured provider: the server, and the API key as a fallback key for fingerprints of secrets. */
export interface ConfiguredProvider {
  readonly bridge: Bridge;
  readonly apiKey: string;
}

/** The new state and private state of a resource. A null `state` means that the object does not exist. */
export interface ResourceResult {
  readonly state: AttributeValues | null;
  readonly privateState: PrivateState;
  readonly diagnostics: readonly Diagnostic[];
}

/** The plan of one resource. */
export interface PlanResult extends ResourceResult {
  readonly replaces: readonly (readonly Step[])[];
}

/** Returns the errors of a configuration, as far as its values are known. */
export function validate(
  { kind, attributes }: Resource,
  config: AttributeValues,
  writeOnlyAllowed: boolean,
): readonly Diagnostic[] {
  const { inputs, findings } = toInputs(attributes, config);
  const requiredOnCreate = attributes
    .filter((one) => one.requiredOnCreate)
    .map(({ field }) => `/${field}`);
  const errors = validateInputs(kind, desiredInputs({ kind, attributes, config })).filter(
    ({ code, path }) => !(code === "missing-field" && requiredOnCreate.includes(path)),
  );
  const unsupported = attributes
    .filter(({ writeOnly, field }) => writeOnly && !writeOnlyAllowed && inputs[field] !== undefined)
    .map(({ name }) =>
      errorAt(
        "Terraform 1.11 or OpenTofu 1.11 is required",
        `${name} is a write-only attribute, so that it is in no state and no plan. This version does not support write-only attributes. The resource works without ${name}.`,
        name,
      ),
    );
  return [...fromFindings(attributes, [...findings, ...errors]), ...unsupported];
}

/** The inputs of {@link planResource}. */
export interface ResourcePlanInputs extends Pick<PlanInputs, "config" | "prior" | "privateState"> {
  readonly renames: RenameTracker;
  /** The objects that this run has planned so far. */
  readonly planned: EngineRunPlans;
}

/** Plans one resource. Without a configured server, skips the checks that depend on the operations of the server. */
export function planResource(
  resource: Resource,
  inputs: ResourcePlanInputs,
  configured: ConfiguredProvider | undefined,
): PlanResult {
  const { prior, privateState, renames } = inputs;
  const kept = keptReferences({ ...resource, ...inputs }, inputs.planned);
  const removed =
    prior === undefined ? [] : removedFieldDiagnostics({ ...resource, ...inputs }, prior);
  const config = { ...inputs.config, ...kept, ...takenRights({ ...resource, ...inputs }) };
  const isDeleted = goesWithDeleted(resource, prior, inputs.planned);
  const known = planInputsOf(
    resource,
    { config, prior, privateState, isDeletedByCascade: isDeleted },
    configured,
  );
  const planInputs = withFollowedRenames(known, renames);
  const planned = plan(planInputs);
  if (planned.state["reference"] instanceof Unknown) inputs.planned.addUnknownName(resource.kind);
  const { fieldsFollowingRenames: followed } = planInputs.privateState;
  const changes = planned.changes.filter(({ field }) => !followed.includes(field));
  const replaces = replacedPaths(resource, { changes, isDeletedByCascade: isDeleted });
  recordReplaced(resource, { config, prior, replaces: replaces.length > 0 }, inputs.planned);
  const desired = desiredInputs(planInputs);
  const missing = prior === undefined ? missingSecrets(resource, inputs.config) : [];
  const subject: ObjectWrite = {
    spec: fullyKnownFields(desired),
    live: prior && observedFromState(resource, prior, privateState),
    changed: new Set(
      prior === undefined || replaces.length > 0
        ? Object.keys(desired)
        : changes.map(({ field }) => field),
    ),
  };
  const obstacles = plannedVerbs(prior === undefined, replaces.length > 0, changes.length)
    .map((verb) => configured?.bridge.preflightError(verb, resource.kind, subject))
    .filter((failure) => failure !== undefined)
    .map((failure) => fromError(`Cannot make this change of ${resource.kind.name}`, failure));
  return {
    state: planned.state,
    privateState: { ...privateState, fieldsFollowingRenames: followed },
    replaces,
    diagnostics: [
      ...missing,
      ...removed,
      ...uncomparableSecrets(planInputs).map(uncomparableSecretWarning),
      ...keptReferenceWarnings(kept),
      ...(replaces.length > 0 ? addressWarnings(planInputs) : []),
      ...obstacles,
    ],
  };
}

/** Returns kind and natural key of an object; undefined while a part of the key is not known. */
function addressOf(kind: Kind, inputs: Inputs): string | undefined {
  const key = objectName(kind, inputs, "importId");
  return key === undefined ? undefined : address(kind.name, key);
}

/** Returns whether this run deletes an object that the existing object goes with. */
function goesWithDeleted(
  { kind, attributes, kinds }: Resource,
  prior: AttributeValues | undefined,
  planned: EngineRunPlans,
): boolean {
  if (prior === undefined) return false;
  const spec = specFromState(kind, attributes, prior);
  return cascadeParentsOf(kind, spec, kinds).some((one) => planned.isRemoved(one));
}

/** Records an object that the plan replaces. An engine plans a replacement twice: the object as it is, then as a new one. */
function recordReplaced(
  { kind, attributes }: Resource,
  { config, prior, replaces }: Pick<PlanInputs, "config" | "prior"> & { replaces: boolean },
  planned: EngineRunPlans,
): void {
  const desired = desiredInputs({ kind, attributes, config });
  const spec = prior === undefined ? desired : specFromState(kind, attributes, prior);
  const [object, after] = [addressOf(kind, spec), addressOf(kind, desired)];
  if (object === undefined) return;
  // An object that gets another name leaves its former one to others.
  if (prior !== undefined && !replaces && object === after) planned.addExisting(object);
  if (prior === undefined ? planned.isExisting(object) : replaces) planned.addRemoved(object);
}

/** Returns the paths of values that a replacement changes. */
function replacedPaths(
  resource: Resource,
  {
    changes,
    isDeletedByCascade,
  }: { readonly changes: readonly Difference[]; readonly isDeletedByCascade: boolean },
): readonly (readonly Step[])[] {
  const paths = changes.flatMap(({ path, replaces }) =>
    replaces ? [topLevelSteps(resource, path)] : [],
  );
  if (!isDeletedByCascade) return paths;
  const ids = resource.attributes.filter(({ part }) => part === "importId");
  return [...paths, ...ids.map(({ name }): readonly Step[] => [{ attributeName: name }])];
}

/** Warns about the objects that a planned delete or replacement of an object takes along. */
export async function contentsWarnings(
  { kind, kinds }: Resource,
  spec: JsonObject,
  { bridge, planned }: { readonly bridge: Bridge; readonly planned: EngineRunPlans },
): Promise<readonly Diagnostic[]> {
  const object = address(kind.name, keyOf(kind, spec));
  try {
    const inside = await bridge.contents({ kind, spec, kinds: [...kinds.values()] });
    const left = inside.filter((one) => !planned.isRemoved(address(one.kind, one.key)));
    if (left.length === 0) return [];
    const isRefused = !bridge.allowCascade && left.some(({ blocks }) => blocks);
    return [contentsWarning(object, objectsText(left), isRefused)];
  } catch (error) {
    if (!bridge.allowCascade || !(error instanceof Failure)) throw error;
    return [unknownContentsWarning(object, error)];
  }
}

/** Adds the fields that only follow a rename, and records this resource's own rename. */
function withFollowedRenames(planInputs: PlanInputs, renames: RenameTracker): PlanInputs {
  const { kind, attributes, prior, privateState } = planInputs;
  if (prior === undefined)
    return { ...planInputs, privateState: { ...privateState, fieldsFollowingRenames: [] } };
  const before = specFromState(kind, attributes, prior);
  const after = normalize(kind, { ...before, ...fullyKnownFields(desiredInputs(planInputs)) });
  const withoutRenames = {
    ...planInputs,
    privateState: { ...privateState, fieldsFollowingRenames: [] },
  };
  const followed = [
    ...renames.fieldsFollowingRenames(kind, { before, after }, changesOf(withoutRenames)),
  ];
  const withRenames = {
    ...planInputs,
    privateState: { ...privateState, fieldsFollowingRenames: followed },
  };
  if (!changesOf(withRenames).some(({ replaces }) => replaces))
    renames.record(kind, { before, after });
  return withRenames;
}

function plannedVerbs(isCreate: boolean, replaces: boolean, changes: number): readonly Verb[] {
  if (isCreate) return ["create"];
  if (replaces) return ["delete", "create"];
  return changes > 0 ? ["update"] : [];
}

function topLevelSteps({ attributes }: Resource, path: string): readonly Step[] {
  // Terraform accepts a replacement path only if it exists in both the state and the plan.
  return locationOf(attributes, `/${splitPointer(path)[0] ?? ""}`).steps;
}

function planInputsOf(
  resource: Resource,
  inputs: Pick<PlanInputs, "config" | "prior" | "privateState" | "isDeletedByCascade">,
  configured: ConfiguredProvider | undefined,
): PlanInputs {
  const desired = fullyKnownFields(desiredInputs({ ...resource, config: inputs.config }));
  return {
    ...resource,
    ...inputs,
    referencesToRewrite:
      configured?.bridge.referencesToRewrite(resource.kind, desired) ?? new Set(),
    fingerprints: resourceFingerprints(inputs.privateState, configured?.apiKey ?? ""),
  };
}

/** Refreshes a resource. Reads only the fields that the state holds. */
export async function refresh(
  resource: Resource,
  { state, privateState }: { readonly state: AttributeValues; readonly privateState: PrivateState },
  { bridge, apiKey }: ConfiguredProvider,
): Promise<ResourceResult> {
  const { kind, attributes } = resource;
  const spec = specFromState(kind, attributes, state);
  const secrets = attributes.filter(({ writeOnly }) => writeOnly).map(({ field }) => field);
  const requestedFields = new Set([...Object.keys(spec), ...secrets]);
  const { id, status } = observedFromState(resource, state, privateState);
  const held = { kind, spec, status, id, requestedFields };
  const observed = await readFollowingRenames(bridge, held, (name) => resource.kinds.get(name));
  if (observed === undefined) return { state: null, privateState, diagnostics: [] };
  const adopted = privateState.isImport ? withoutServerManagedFields(kind, observed) : observed;
  return {
    state: stateAfterRefresh({ ...resource, observed: adopted }, state),
    privateState: {
      ...privateStateAfterRefresh(privateState, kind, { observed, secrets, apiKey }),
      isImport: false,
    },
    diagnostics: [],
  };
}

/** A planned change. */
export interface ApplyInputs {
  readonly config: AttributeValues;
  readonly prior: AttributeValues | undefined;
  readonly planned: AttributeValues;
  readonly privateState: PrivateState;
}

/** Applies a planned create or update. After a failure, the state holds the written part. */
export async function write(
  resource: Resource,
  inputs: ApplyInputs,
  configured: ConfiguredProvider,
): Promise<ResourceResult> {
  const { kind, attributes } = resource;
  const { prior } = inputs;
  const config = { ...inputs.config, ...takenRights({ ...resource, ...inputs }) };
  const { fieldsFollowingRenames: followed } = inputs.privateState;
  const privateState = { ...inputs.privateState, fieldsFollowingRenames: [] };
  const errors = [
    ...validate(resource, config, true),
    ...(prior === undefined ? missingSecrets(resource, config) : []),
  ].filter(({ severity }) => severity === 1);
  if (errors.length > 0) return { state: prior ?? null, privateState, diagnostics: errors };
  const desired = fullyKnownFields(desiredInputs({ ...resource, config }));
  if (prior === undefined) {
    try {
      const created = await configured.bridge.create(kind, desired);
      return writeResult(
        resource,
        { ...inputs, privateState },
        { written: created, desired, configured },
      );
    } catch (error) {
      const explained = isFailure(error, "conflict") ? explainKeyConflict(kind, error) : error;
      const diagnostics = fromValidationErrors(attributes, `Cannot create ${kind.name}`, explained);
      return { state: null, privateState, diagnostics };
    }
  }
  const versionNames = attributes.filter(({ part }) => part === "version").map(({ name }) => name);
  const versions = versionNames.map((name) => [name, inputs.planned[name]]);
  const versioned = { ...config, ...Object.fromEntries(versions) };
  const changes = changesOf(
    planInputsOf(
      resource,
      { prior, privateState, config: versioned, isDeletedByCascade: false },
      configured,
    ),
  ).filter(({ field }) => !followed.includes(field));
  if (changes.length === 0)
    return {
      state: resolveUnknownsFromPrior(resource, inputs.planned, prior),
      privateState: { ...privateState, configuredFields: configuredIn(kind, desired) },
      diagnostics: [],
    };
  const written = await configured.bridge.update(kind, {
    desired,
    live: withRenamedReferences(
      observedFromState(resource, prior, privateState),
      desired,
      followed,
    ),
    changed: new Set(changes.map(({ field }) => field)),
  });
  return writeResult(resource, { ...inputs, privateState }, { written, desired, configured });
}

function writeResult(
  resource: Resource,
  { planned, prior, privateState }: ApplyInputs,
  {
    written,
    desired,
    configured,
  }: { written: WriteResult; desired: JsonObject; configured: ConfiguredProvider },
): ResourceResult {
  const { kind } = resource;
  const { observed, failure, unverified, generatedSecret } = written;
  const source = { ...resource, observed, generatedSecret: generatedSecret?.reveal() };
  const { id } = observed;
  if (failure === undefined) {
    const normal = normalize(kind, desired);
    const privateStateAfter = {
      ...privateStateAfterWrite(privateState, kind, {
        written: normal,
        id,
        apiKey: configured.apiKey,
      }),
      configuredFields: configuredIn(kind, desired),
    };
    const state = stateAfterApply(source, planned);
    const diagnostics = unverified === undefined ? [] : [unverifiedWarning(kind, unverified)];
    return { state, privateState: privateStateAfter, diagnostics };
  }
  const state =
    prior === undefined ? stateAfterApply(source, planned) : stateAfterRefresh(source, prior);
  const summary = writeSummary(kind, failure, prior !== undefined);
  return {
    state,
    privateState: { ...privateState, id: id ?? privateState.id },
    diagnostics: fromValidationErrors(resource.attributes, summary, failure),
  };
}

/** Replaces unknown values with prior values after an apply without changes. */
function resolveUnknownsFromPrior(
  { attributes }: Resource,
  planned: AttributeValues,
  prior: AttributeValues,
): AttributeValues {
  const entries = attributes.map(({ name }): [string, Value] => {
    const value = planned[name] ?? null;
    return [name, value instanceof Unknown ? (prior[name] ?? null) : value];
  });
  return Object.fromEntries(entries);
}

/** Deletes the object of a state. */
export async function remove(
  resource: Resource,
  { prior, privateState }: { readonly prior: AttributeValues; readonly privateState: PrivateState },
  { bridge }: ConfiguredProvider,
): Promise<void> {
  const { kind, kinds } = resource;
  await bridge.delete(kind, observedFromState(resource, prior, privateState), [...kinds.values()]);
}
