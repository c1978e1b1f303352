// Plans one resource: compares configuration and state, and computes the planned state with its unknown values.
import type { FieldChange, RecordedFingerprints } from "../../core/spec/diff.ts";
import type { Fingerprints } from "../../core/spec/fingerprints.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import { keyOf, nameOf } from "../../core/kind/identity.ts";
import { canonical, type JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { normalize } from "../../core/spec/normalize.ts";
import { joinPointer } from "../../core/pointer.ts";
import { recordedSpecOf } from "../../core/spec/record.ts";
import { diffInputs, type Difference } from "../bridge/diff-inputs.ts";
import type { EngineRunPlans } from "../bridge/missing-references.ts";
import {
  emptyTextAsNull,
  type Inputs,
  isKnown,
  isKnownObject,
  fullyKnownFields,
  withoutRefinements,
  Unknown,
  type Value,
} from "../bridge/unknown-values.ts";
import { type AttributeValues, toInputs } from "./attribute-values.ts";
import type { PrivateState } from "./private-state.ts";
import type { Attribute } from "./schema.ts";

/** The input of a plan of one resource. */
export interface PlanInputs {
  readonly kind: Kind;
  readonly attributes: readonly Attribute[];
  readonly config: AttributeValues;
  /** The prior state; undefined for a create. */
  readonly prior: AttributeValues | undefined;
  readonly privateState: PrivateState;
  readonly fingerprints: Fingerprints;
  /** Fields whose references must be written again, although they are equal. */
  readonly referencesToRewrite: ReadonlySet<string>;
  /** The run deletes an object that this one goes with, so that it is created again. */
  readonly isDeletedByCascade: boolean;
}

/** The planned state and the changes that lead to it. */
export interface PlannedResource {
  readonly state: AttributeValues;
  readonly changes: readonly Difference[];
}

/** Returns the desired inputs of a configuration. */
export function desiredInputs({
  kind,
  attributes,
  config,
}: Pick<PlanInputs, "kind" | "attributes" | "config">): Inputs {
  return emptyTextAsNull(kind, toInputs(attributes, config).inputs);
}

/** Returns the spec of a state. Fields that the API does not return hold the last-applied value. */
export function specFromState(
  kind: Kind,
  attributes: readonly Attribute[],
  state: AttributeValues,
): JsonObject {
  return fullyKnownFields(emptyTextAsNull(kind, toInputs(attributes, state).inputs));
}

/**
 * Returns the prior values of unknown references, if their change would replace the object and the run plans no new object
 * that they may name. The engine does not read a data source whose dependencies change, although its result is the same.
 */
export function keptReferences(
  { kind, attributes, config, prior }: Pick<PlanInputs, "kind" | "attributes" | "config" | "prior">,
  planned: Pick<EngineRunPlans, "mayGetUnknownName">,
): AttributeValues {
  const kept = fieldsOf(kind).flatMap(({ name: field, traits: { refersTo, onChange } }) => {
    const { name } = attributes.find((one) => one.part === "spec" && one.field === field) ?? {};
    if (name === undefined || refersTo === undefined || onChange !== "replace") return [];
    const before = prior?.[name] ?? null;
    const isKept = config[name] instanceof Unknown && before !== null;
    return isKept && !planned.mayGetUnknownName(refersTo) ? [[name, before] as const] : [];
  });
  return Object.fromEntries(kept);
}

/** Returns the changes that apply makes to the live object. */
export function changesOf(inputs: PlanInputs): readonly Difference[] {
  const { kind, attributes, prior, privateState, fingerprints, referencesToRewrite } = inputs;
  if (prior === undefined) return [];
  const spec = specFromState(kind, attributes, prior);
  const secrets = attributes.filter(({ writeOnly }) => writeOnly);
  const hidden = recordedSpecOf(kind, hiddenFields(attributes, spec), fingerprints.of).fingerprints;
  const known: RecordedFingerprints = {
    fingerprints: {
      ...fingerprints.comparable({
        ...privateState.writtenFingerprints,
        ...privateState.observedFingerprints,
      }),
      ...hidden,
    },
    fingerprint: fingerprints.of,
  };
  const changes = diffInputs(kind, desiredInputs(inputs), spec, {
    known,
    referencesToRewrite,
  });
  return secrets
    .reduce((found, secret) => withSecretChange(inputs, secret, found), changes)
    .map((one) =>
      privateState.fieldsFollowingRenames.includes(one.field) ? { ...one, replaces: false } : one,
    );
}

function hiddenFields(attributes: readonly Attribute[], spec: JsonObject): JsonObject {
  const fields = attributes.filter(({ hidden, part }) => hidden && part === "spec");
  return Object.fromEntries(fields.map(({ field }) => [field, spec[field]]));
}

/** Decides whether a secret is written: by its version attribute if the configuration sets it, or else by its fingerprint. */
function withSecretChange(
  { attributes, config, prior, privateState }: PlanInputs,
  { name, field }: Attribute,
  changes: readonly Difference[],
): readonly Difference[] {
  if ((config[name] ?? null) === null) return changes.filter((one) => one.field !== field);
  const versionName =
    attributes.find((one) => one.part === "version" && one.field === field)?.name ?? "";
  const [version = null, before = null] = [config[versionName], prior?.[versionName]];
  const pointers = changes.filter((one) => one.field === field);
  const others = changes.filter((one) => one.field !== field);
  if (version !== null) {
    if (version === before) return others;
    return pointers.length > 0 ? changes : [...others, versionChange(field)];
  }
  const hasFingerprint = privateState.writtenFingerprints[field] !== undefined;
  return pointers.every(({ reason }) => reason === "unverified") && hasFingerprint
    ? others
    : changes;
}

/** Returns the configured secrets whose fingerprint was made with another key, so that changes cannot be detected. */
export function uncomparableSecrets(inputs: PlanInputs): readonly Attribute[] {
  const { attributes, config, prior, privateState, fingerprints } = inputs;
  if (prior === undefined) return [];
  const comparable = fingerprints.comparable({
    ...privateState.writtenFingerprints,
    ...privateState.observedFingerprints,
  });
  return attributes.filter(({ name, field, writeOnly }) => {
    const versionName = attributes.find(
      (one) => one.part === "version" && one.field === field,
    )?.name;
    const hasVersion = (config[versionName ?? ""] ?? null) !== null;
    const isUncomparable =
      privateState.writtenFingerprints[field] !== undefined && comparable[field] === undefined;
    return writeOnly && isUncomparable && !hasVersion && (config[name] ?? null) !== null;
  });
}

function versionChange(field: string): Difference {
  const change: FieldChange = {
    path: joinPointer([field]),
    field,
    before: undefined,
    after: undefined,
    reason: "unverified",
    replaces: false,
    sensitive: true,
  };
  return { ...change, unknown: false };
}

interface PlanContext extends PlanInputs {
  readonly changes: readonly Difference[];
  /** The object is created or replaced, so every value that the service computes is new. */
  readonly isNewObject: boolean;
}

/** Plans one resource. */
export function plan(inputs: PlanInputs): PlannedResource {
  const changes = changesOf(inputs);
  const isNewObject =
    inputs.prior === undefined ||
    inputs.isDeletedByCascade ||
    changes.some(({ replaces }) => replaces);
  const context: PlanContext = { ...inputs, changes, isNewObject };
  const spec = inputs.attributes
    .filter(({ part }) => part === "spec")
    .map((one): [string, Value] => [one.name, specValue(context, one)]);
  const state: AttributeValues = Object.fromEntries(spec);
  const computed = inputs.attributes
    .filter(({ part }) => part !== "spec")
    .map((one): [string, Value] => [one.name, computedValue(context, one, state)]);
  return { state: { ...state, ...Object.fromEntries(computed) }, changes };
}

function specValue(context: PlanContext, attribute: Attribute): Value {
  const { config, prior, changes, isNewObject } = context;
  const pointers = changes.filter(({ field }) => field === attribute.field).map(({ path }) => path);
  const before = prior?.[attribute.name] ?? null;
  return plannedValue(attribute, {
    given: config[attribute.name] ?? null,
    before,
    pointer: joinPointer([attribute.field]),
    changed: pointers,
    isNewObject,
    mayMove: isNewObject,
  });
}

interface ValueContext {
  readonly given: Value;
  readonly before: Value;
  readonly pointer: string;
  /** JSON Pointers of the changes of the top-level field. */
  readonly changed: readonly string[];
  readonly isNewObject: boolean;
  /** The value may change although it is omitted. */
  readonly mayMove: boolean;
}

function plannedValue(attribute: Attribute, context: ValueContext): Value {
  const { given: configured, before, pointer, changed, isNewObject } = context;
  if (attribute.writeOnly) return null;
  // The server may normalize the final value, so the plan does not promise the refinements of an unknown one.
  if (configured instanceof Unknown) return new Unknown();
  if (configured === null) return omittedValue(attribute, context);
  const isAsBefore = before !== null && !changed.some((path) => overlaps(path, pointer));
  if (isAsBefore && !isNewObject) return before;
  const { form } = attribute;
  if (form.is !== "nested" || form.nesting !== "single" || !isKnownObject(configured))
    return withoutRefinements(configured);
  const beforeObject = isKnownObject(before) ? before : undefined;
  const isNew = isNewObject || beforeObject === undefined;
  const members = form.attributes.map((one): [string, Value] => [
    one.name,
    plannedValue(one, {
      given: configured[one.name] ?? null,
      before: beforeObject?.[one.name] ?? null,
      pointer: `${pointer}${joinPointer([one.field])}`,
      changed,
      isNewObject: isNew,
      mayMove: isNew || changed.length > 0,
    }),
  ]);
  return Object.fromEntries(members);
}

function overlaps(path: string, pointer: string): boolean {
  return path === pointer || path.startsWith(`${pointer}/`) || pointer.startsWith(`${path}/`);
}

/** Returns the planned value of an omitted attribute. A member of an object may change with the other members. */
function omittedValue(attribute: Attribute, { before, mayMove }: ValueContext): Value {
  if (attribute.default !== undefined) return attribute.default;
  if (attribute.mode !== "optionalComputed") return null;
  if (!mayMove) return before;
  return attribute.hidden ? null : new Unknown();
}

/** Fields that never change after they are set. */
const immutableFields = /^id$|Id$|At$/;

function computedValue(context: PlanContext, attribute: Attribute, state: AttributeValues): Value {
  const { prior, changes, isNewObject, kind, attributes } = context;
  const before = prior?.[attribute.name] ?? null;
  switch (attribute.part) {
    case "version":
      return versionAfter(context, attribute, before);
    case "importId":
    case "reference": {
      // Unknown for a new object, so that a replacement of a parent also replaces its children in the same plan.
      if (isNewObject) return new Unknown();
      if (changes.length === 0) return before;
      const specInputs = toInputs(attributes, state).inputs;
      return objectName(kind, specInputs, attribute.part) ?? new Unknown();
    }
    case "generatedSecret":
      return isNewObject ? new Unknown() : before;
    default:
      if (isNewObject) return new Unknown();
      if (changes.length === 0) return before;
      return before !== null && immutableFields.test(attribute.field) ? before : new Unknown();
  }
}

function versionAfter(context: PlanContext, { name, field }: Attribute, before: Value): Value {
  const secret = context.attributes.find((one) => one.writeOnly && one.field === field)?.name ?? "";
  const configured = context.config[name] ?? null;
  if (configured !== null) return configured;
  const secretValue = context.config[secret] ?? null;
  if (secretValue === null) return before;
  // Whether the provider writes the secret is decided when its value is known.
  if (!isKnown(secretValue)) return new Unknown();
  if (context.prior === undefined) return 1;
  if (!context.changes.some((one) => one.field === field)) return before;
  return Number(before ?? 0) + 1;
}

/** Returns the import id or the reference of an object, or undefined if its key is not known. */
export function objectName(
  kind: Kind,
  specInputs: Inputs,
  as: "importId" | "reference",
): string | undefined {
  if (kind.key.some((name) => !isKnown(specInputs[name]))) return undefined;
  const known = normalize(kind, fullyKnownFields(specInputs));
  if (kind.key.some((name) => (known[name] ?? null) === null)) return undefined;
  if (as === "importId") return keyOf(kind, known);
  const name = nameOf(kind, known);
  return typeof name === "string" ? name : canonical(name);
}
