// What Terraform asks about resources: checked, planned, refreshed, written, imported; each request by itself.
import { Failure, isFailure } from "../../core/errors.ts";
import { fieldsOf } from "../../core/fields.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind, ObservedObject, ObjectWrite } from "../../core/kind.ts";
import { withoutServerManagedFields } from "../../core/server-managed.ts";
import { normalize } from "../../core/normalize.ts";
import { splitPointer } from "../../core/pointer.ts";
import type { Verb } from "../../lifecycle/steps.ts";
import type { Bridge, WriteResult } from "../bridge/bridge.ts";
import { validateInputs } from "../bridge/validate-inputs.ts";
import { fingerprintVariable } from "../bridge/connect.ts";
import {
  readTargetAfterParentRename,
  withRenamedReferences,
  type RenameTracker,
} from "../bridge/rename-tracker.ts";
import { type ReadTarget, readTargetFor } from "../bridge/read-cache.ts";
import { fullyKnownFields, Unknown, type Value } from "../bridge/unknown-values.ts";
import { locationOf, type AttributeValues, type Step, toInputs } from "./attribute-values.ts";
import {
  type Diagnostic,
  errorAt,
  fromError,
  fromFindings,
  fromValidationErrors,
  warningAt,
} from "./diagnostics.ts";
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
} from "./plan.ts";
import type { Attribute } from "./schema.ts";
import { importedState, stateAfterRefresh, stateAfterApply } from "./state.ts";

/** A kind with its attributes. */
export interface Resource {
  readonly kind: Kind;
  readonly attributes: readonly Attribute[];
  /** The other kinds, which this one may name. */
  readonly kindNamed: (name: string) => Kind | undefined;
}

/** What is configured: the server, and the key that secrets' fingerprints may be made under. */
export interface ConfiguredProvider {
  readonly bridge: Bridge;
  readonly apiKey: string;
}

/** State and private memory as they are to be kept; `state` null is an object that is not there. */
export interface ResourceResult {
  readonly state: AttributeValues | null;
  readonly privateState: PrivateState;
  readonly diagnostics: readonly Diagnostic[];
}

/** What is planned for one resource. */
export interface PlanResult extends ResourceResult {
  readonly replaces: readonly (readonly Step[])[];
}

/** Everything that is wrong with a configuration, as far as it is known. */
export function validate(
  { kind, attributes }: Resource,
  config: AttributeValues,
  writeOnlyAllowed: boolean,
): readonly Diagnostic[] {
  const { inputs, findings } = toInputs(attributes, config);
  const needed = attributes.filter((one) => one.requiredOnCreate).map(({ field }) => `/${field}`);
  const wrong = validateInputs(kind, desiredInputs({ kind, attributes, config })).filter(
    ({ code, path }) => !(code === "missing-field" && needed.includes(path)),
  );
  const lacking = attributes
    .filter(({ writeOnly, field }) => writeOnly && !writeOnlyAllowed && inputs[field] !== undefined)
    .map(({ name }) =>
      errorAt(
        "Terraform 1.11 or OpenTofu 1.11 is needed",
        `${name} is write-only, so that it is in no state and no plan. This version knows no write-only attributes; without ${name}, everything else of the resource works.`,
        name,
      ),
    );
  return [...fromFindings(attributes, [...findings, ...wrong]), ...lacking];
}

/** What a resource is planned from, beside what it is. */
export interface ResourcePlanInputs extends Pick<PlanInputs, "config" | "prior" | "privateState"> {
  readonly renames: RenameTracker;
}

/** One change or none. Without a configured server, what it offers is not asked. */
export function planResource(
  resource: Resource,
  given: ResourcePlanInputs,
  configured: ConfiguredProvider | undefined,
): PlanResult {
  const { prior, privateState: memory } = given;
  const planning = withFollowedRenames(
    { ...resource, ...planInputsOf(given, configured) },
    given.renames,
  );
  const planned = plan(planning);
  const { state } = planned;
  const { fieldsFollowingRenames: followed } = planning.privateState;
  const changes = planned.changes.filter(({ field }) => !followed.includes(field));
  const replacing = changes.filter(({ replaces }) => replaces);
  const wish = desiredInputs(planning);
  const missing = prior === undefined ? missingSecrets(resource, given.config) : [];
  const subject: ObjectWrite = {
    spec: fullyKnownFields(wish),
    live: undefined,
    changed: new Set(
      prior === undefined || replacing.length > 0
        ? Object.keys(wish)
        : changes.map(({ field }) => field),
    ),
  };
  const obstacles = plannedVerbs(prior === undefined, replacing.length > 0, changes.length)
    .map((verb) => configured?.bridge.preflightError(verb, resource.kind, subject))
    .filter((failure) => failure !== undefined)
    .map((failure) => fromError(`${resource.kind.name} cannot be changed so`, failure));
  return {
    state,
    privateState: { ...memory, fieldsFollowingRenames: followed },
    replaces: replacing.map(({ path }) => topLevelSteps(resource, path)),
    diagnostics: [
      ...missing,
      ...uncomparableSecrets(planning).map(uncomparableSecretWarning),
      ...obstacles,
    ],
  };
}

function uncomparableSecretWarning({ name }: Attribute): Diagnostic {
  return warningAt(
    "A secret cannot be compared",
    `${name} was written under another key of fingerprints, so that a change of it is not seen. Set ${name}_version to a new number to write it, or give the key in ${fingerprintVariable} again; where it is not set, the API key serves, if it is long enough.`,
    name,
  );
}

/** The same with what only follows a rename kept in mind, and this resource's own rename told to those that name it. */
function withFollowedRenames(planning: PlanInputs, renames: RenameTracker): PlanInputs {
  const { kind, attributes, prior, privateState: memory } = planning;
  if (prior === undefined)
    return { ...planning, privateState: { ...memory, fieldsFollowingRenames: [] } };
  const before = specFromState(kind, attributes, prior);
  const after = normalize(kind, { ...before, ...fullyKnownFields(desiredInputs(planning)) });
  const plain = { ...planning, privateState: { ...memory, fieldsFollowingRenames: [] } };
  const followed = [...renames.fieldsFollowingRenames(kind, { before, after }, changesOf(plain))];
  const known = { ...planning, privateState: { ...memory, fieldsFollowingRenames: followed } };
  if (!changesOf(known).some(({ replaces }) => replaces)) renames.record(kind, { before, after });
  return known;
}

function plannedVerbs(creates: boolean, replaces: boolean, changes: number): readonly Verb[] {
  if (creates) return ["create"];
  if (replaces) return ["delete", "create"];
  return changes > 0 ? ["update"] : [];
}

function topLevelSteps({ attributes }: Resource, path: string): readonly Step[] {
  // A replacement is of the field as a whole, which the state and the plan both hold.
  const [first = ""] = splitPointer(path);
  return locationOf(attributes, `/${first}`).steps;
}

function missingSecrets({ attributes }: Resource, config: AttributeValues): readonly Diagnostic[] {
  return attributes
    .filter(
      ({ requiredOnCreate: neededToCreate, name }) =>
        neededToCreate && (config[name] ?? null) === null,
    )
    .map(({ name }) => errorAt("Missing value", `${name} is required to create it.`, name));
}

function planInputsOf(
  given: Pick<PlanInputs, "config" | "prior" | "privateState">,
  configured: ConfiguredProvider | undefined,
) {
  return {
    ...given,
    fingerprints: resourceFingerprints(given.privateState, configured?.apiKey ?? ""),
  };
}

/** Sees the object again; what the state does not ask about is not read. */
export async function refresh(
  resource: Resource,
  { state, memory }: { readonly state: AttributeValues; readonly memory: PrivateState },
  { bridge, apiKey }: ConfiguredProvider,
): Promise<ResourceResult> {
  const { kind, attributes } = resource;
  const spec = specFromState(kind, attributes, state);
  const secrets = attributes.filter(({ writeOnly }) => writeOnly).map(({ field }) => field);
  const interest = new Set([...Object.keys(spec), ...secrets]);
  const { id, status } = observedFromState(resource, state, memory);
  const known = { kind, spec, status, id, requestedFields: interest };
  let sight = await bridge.read(readTargetFor(kind, spec, known));
  if (sight === undefined) {
    const elsewhere = await readTargetAfterParentRename(bridge, known, resource.kindNamed);
    if (elsewhere !== undefined) sight = await bridge.read(elsewhere);
  }
  if (sight === undefined) return { state: null, privateState: memory, diagnostics: [] };
  const shown = memory.isImport ? withoutServerManagedFields(kind, sight) : sight;
  return {
    state: stateAfterRefresh({ ...resource, observed: shown }, state),
    privateState: {
      ...privateStateAfterRefresh(memory, kind, { sight, secrets, apiKey }),
      isImport: false,
    },
    diagnostics: [],
  };
}

/** A change that was planned. */
export interface ApplyInputs {
  readonly config: AttributeValues;
  readonly prior: AttributeValues | undefined;
  readonly planned: AttributeValues;
  readonly privateState: PrivateState;
}

/** Carries out what was planned: a create or an update. Whatever fails, the state tells what is there. */
export async function write(
  resource: Resource,
  applying: ApplyInputs,
  configured: ConfiguredProvider,
): Promise<ResourceResult> {
  const { kind, attributes } = resource;
  const { config, prior } = applying;
  const { fieldsFollowingRenames: followed } = applying.privateState;
  const memory = { ...applying.privateState, fieldsFollowingRenames: [] };
  const wrong = [
    ...validate(resource, config, true),
    ...(prior === undefined ? missingSecrets(resource, config) : []),
  ].filter(({ severity }) => severity === 1);
  if (wrong.length > 0) return { state: prior ?? null, privateState: memory, diagnostics: wrong };
  const wish = fullyKnownFields(desiredInputs({ ...resource, config }));
  if (prior === undefined) {
    try {
      const made = await configured.bridge.create(kind, wish);
      return writeResult(
        resource,
        { ...applying, privateState: memory },
        { written: made, wish, configured },
      );
    } catch (error) {
      const told = isFailure(error, "conflict") ? explainKeyConflict(kind, error) : error;
      const diagnostics = fromValidationErrors(attributes, `${kind.name} was not made`, told);
      return { state: null, privateState: memory, diagnostics };
    }
  }
  const counted = attributes.filter(({ part }) => part === "version").map(({ name }) => name);
  const counts = counted.map((name) => [name, applying.planned[name]]);
  const changes = changesOf({
    ...resource,
    ...planInputsOf(
      { prior, privateState: memory, config: { ...config, ...Object.fromEntries(counts) } },
      configured,
    ),
  }).filter(({ field }) => !followed.includes(field));
  if (changes.length === 0)
    return {
      state: resolveUnknownsFromPrior(resource, applying.planned, prior),
      privateState: memory,
      diagnostics: [],
    };
  const written = await configured.bridge.update(kind, {
    desired: wish,
    live: withRenamedReferences(observedFromState(resource, prior, memory), wish, followed),
    changed: new Set(changes.map(({ field }) => field)),
  });
  return writeResult(
    resource,
    { ...applying, privateState: memory },
    { written, wish, configured },
  );
}

/** Engines do not say that what is made is to replace an object; where both can only be known by one key, that may stand in the way. */
function explainKeyConflict(kind: Kind, failure: Failure): Failure {
  const replacing = fieldsOf(kind).find(
    ({ name, traits }) => traits.onChange === "replace" && !kind.key.includes(name),
  );
  if (replacing === undefined) return failure;
  const { code, message, remedy = "", validationErrors: complaints } = failure;
  return new Failure(code, message, {
    cause: failure,
    validationErrors: complaints,
    remedy: `${remedy} If it is the one to be replaced, as for another ${replacing.name}: two cannot have one ${kind.key.at(-1)}, so take create_before_destroy out of its lifecycle and of those that depend on it.`,
  });
}

function writeResult(
  resource: Resource,
  { planned, prior, privateState: memory }: ApplyInputs,
  {
    written,
    wish,
    configured,
  }: { written: WriteResult; wish: JsonObject; configured: ConfiguredProvider },
): ResourceResult {
  const { kind } = resource;
  const { observed: sight, failure, generatedSecret: minted } = written;
  const source = { ...resource, observed: sight, generatedSecret: minted?.reveal() };
  const { id } = sight;
  if (failure === undefined) {
    const normal = normalize(kind, wish);
    const known = privateStateAfterWrite(memory, kind, {
      written: normal,
      id,
      apiKey: configured.apiKey,
    });
    return { state: stateAfterApply(source, planned), privateState: known, diagnostics: [] };
  }
  const state =
    prior === undefined ? stateAfterApply(source, planned) : stateAfterRefresh(source, prior);
  const what = `${kind.name} was ${prior === undefined ? "made, but not as planned" : "not updated as planned"}`;
  return {
    state,
    privateState: { ...memory, id: id ?? memory.id },
    diagnostics: fromValidationErrors(resource.attributes, what, failure),
  };
}

/** Nothing was called, so nothing is left to be told by the server. */
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

/** Deletes the object that a state is about. */
export async function remove(
  resource: Resource,
  { prior, memory }: { readonly prior: AttributeValues; readonly memory: PrivateState },
  { bridge }: ConfiguredProvider,
): Promise<void> {
  await bridge.delete(resource.kind, observedFromState(resource, prior, memory));
}

/** The object as the state knows it. A tainted one comes without its memory, and its id stands in its status too. */
function observedFromState(
  { kind, attributes }: Resource,
  state: AttributeValues,
  memory: PrivateState,
): ObservedObject {
  const status = statusFromState({ attributes }, state);
  const { id: shown } = status;
  const isId = typeof shown === "number" || typeof shown === "string";
  const id = memory.id ?? (isId ? String(shown) : undefined);
  return { id, spec: specFromState(kind, attributes, state), status };
}

function statusFromState(
  { attributes }: Pick<Resource, "attributes">,
  state: AttributeValues,
): JsonObject {
  return fullyKnownFields(toInputs(attributes, state, "status").inputs);
}

/** The state of an object that exists already. Fails with `not_found` where it does not. */
export async function importState(
  resource: Resource,
  { ask, memory }: { readonly ask: ReadTarget; readonly memory: PrivateState },
  { bridge }: ConfiguredProvider,
): Promise<ResourceResult> {
  const sight = await bridge.read(ask);
  if (sight !== undefined) {
    const state = importedState({
      ...resource,
      observed: withoutServerManagedFields(resource.kind, sight),
    });
    return { state, privateState: { ...memory, id: sight.id, isImport: true }, diagnostics: [] };
  }
  const named = ask.key ?? `with the id ${ask.id}`;
  throw new Failure("not_found", `There is no ${resource.kind.name} ${named}.`, {
    remedy: "Create it with a resource, or check the import id.",
  });
}
