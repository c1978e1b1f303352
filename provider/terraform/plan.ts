// Planning one resource: what differs, by the shared comparison, and what the planned state says; unknown is what only applying tells.
import type { FieldChange, RecordedFingerprints } from "../../core/diff.ts";
import type { Fingerprints } from "../../core/fingerprints.ts";
import { keyOf, nameOf } from "../../core/identity.ts";
import { canonical, type JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { normalize } from "../../core/normalize.ts";
import { joinPointer } from "../../core/pointer.ts";
import { recordedSpecOf } from "../../core/record.ts";
import { diffInputs, type Difference } from "../bridge/diff-inputs.ts";
import {
  emptyTextAsNull,
  type Inputs,
  isKnownObject,
  fullyKnownFields,
  Unknown,
  type Value,
} from "../bridge/unknown-values.ts";
import { type AttributeValues, toInputs } from "./attribute-values.ts";
import type { PrivateState } from "./private-state.ts";
import type { Attribute } from "./schema.ts";

/** A resource to plan. */
export interface PlanInputs {
  readonly kind: Kind;
  readonly attributes: readonly Attribute[];
  readonly config: AttributeValues;
  /** The state before; undefined where it is to be created. */
  readonly prior: AttributeValues | undefined;
  readonly privateState: PrivateState;
  readonly fingerprints: Fingerprints;
}

/** What is planned. */
export interface PlannedResource {
  readonly state: AttributeValues;
  readonly changes: readonly Difference[];
}

/** The wish that a configuration makes. */
export function desiredInputs({
  kind,
  attributes,
  config,
}: Pick<PlanInputs, "kind" | "attributes" | "config">): Inputs {
  return emptyTextAsNull(kind, toInputs(attributes, config).inputs);
}

/** The spec that a state stands for: what was applied last, where the API does not show it. */
export function specFromState(
  kind: Kind,
  attributes: readonly Attribute[],
  state: AttributeValues,
): JsonObject {
  return fullyKnownFields(emptyTextAsNull(kind, toInputs(attributes, state).inputs));
}

/** What applying would change on the live object. */
export function changesOf(planning: PlanInputs): readonly Difference[] {
  const { kind, attributes, prior, privateState: memory, fingerprints } = planning;
  if (prior === undefined) return [];
  const spec = specFromState(kind, attributes, prior);
  const secrets = attributes.filter(({ writeOnly }) => writeOnly);
  const hidden = recordedSpecOf(kind, hiddenFields(attributes, spec), fingerprints.of).fingerprints;
  const known: RecordedFingerprints = {
    fingerprints: {
      ...fingerprints.comparable({ ...memory.writtenFingerprints, ...memory.observedFingerprints }),
      ...hidden,
    },
    fingerprint: fingerprints.of,
  };
  const changes = diffInputs(kind, desiredInputs(planning), spec, known);
  return secrets
    .reduce((found, secret) => withSecretChange(planning, secret, found), changes)
    .map((one) =>
      memory.fieldsFollowingRenames.includes(one.field) ? { ...one, replaces: false } : one,
    );
}

function hiddenFields(attributes: readonly Attribute[], spec: JsonObject): JsonObject {
  const fields = attributes.filter(({ hidden, part }) => hidden && part === "spec");
  return Object.fromEntries(fields.map(({ field }) => [field, spec[field]]));
}

/** Where the user counts, the count decides whether a secret is written; else a difference does, if one can be seen. */
function withSecretChange(
  { attributes, config, prior, privateState: memory }: PlanInputs,
  { name, field }: Attribute,
  changes: readonly Difference[],
): readonly Difference[] {
  if ((config[name] ?? null) === null) return changes.filter((one) => one.field !== field);
  const counter =
    attributes.find((one) => one.part === "version" && one.field === field)?.name ?? "";
  const [counted = null, before = null] = [config[counter], prior?.[counter]];
  const own = changes.filter((one) => one.field === field);
  const others = changes.filter((one) => one.field !== field);
  if (counted !== null) {
    if (counted === before) return others;
    return own.length > 0 ? changes : [...others, versionChange(field)];
  }
  const isOfOtherKey = memory.writtenFingerprints[field] !== undefined;
  return own.every(({ reason }) => reason === "unverified") && isOfOtherKey ? others : changes;
}

/** The secrets that are given and were written once, but under a key that is not this one: whether they differ cannot be told. */
export function uncomparableSecrets(planning: PlanInputs): readonly Attribute[] {
  const { attributes, config, prior, privateState: memory, fingerprints } = planning;
  if (prior === undefined) return [];
  const comparable = fingerprints.comparable({
    ...memory.writtenFingerprints,
    ...memory.observedFingerprints,
  });
  return attributes.filter(({ name, field, writeOnly }) => {
    const counter = attributes.find((one) => one.part === "version" && one.field === field)?.name;
    const isCounted = (config[counter ?? ""] ?? null) !== null;
    const isKept =
      memory.writtenFingerprints[field] !== undefined && comparable[field] === undefined;
    return writeOnly && isKept && !isCounted && (config[name] ?? null) !== null;
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
  /** The object is made anew, so everything that the service says of it is. */
  readonly isNewObject: boolean;
}

/** The planned state with the changes that lead to it. */
export function plan(planning: PlanInputs): PlannedResource {
  const changes = changesOf(planning);
  const fresh = planning.prior === undefined || changes.some(({ replaces }) => replaces);
  const run: PlanContext = { ...planning, changes, isNewObject: fresh };
  const spec = planning.attributes
    .filter(({ part }) => part === "spec")
    .map((one): [string, Value] => [one.name, specValue(run, one)]);
  const state: AttributeValues = Object.fromEntries(spec);
  const made = planning.attributes
    .filter(({ part }) => part !== "spec")
    .map((one): [string, Value] => [one.name, computedValue(run, one, state)]);
  return { state: { ...state, ...Object.fromEntries(made) }, changes };
}

function specValue(run: PlanContext, attribute: Attribute): Value {
  const { config, prior, changes, isNewObject: fresh } = run;
  const own = changes.filter(({ field }) => field === attribute.field).map(({ path }) => path);
  return plannedValue(attribute, {
    given: config[attribute.name] ?? null,
    before: prior?.[attribute.name] ?? null,
    pointer: joinPointer([attribute.field]),
    changed: own,
    isNewObject: fresh,
    nested: false,
  });
}

interface ValueContext {
  readonly given: Value;
  readonly before: Value;
  readonly pointer: string;
  /** Pointers of the changes of the field that it lies in. */
  readonly changed: readonly string[];
  readonly isNewObject: boolean;
  readonly nested: boolean;
}

function plannedValue(attribute: Attribute, spot: ValueContext): Value {
  const { given, before, pointer, changed, isNewObject: fresh } = spot;
  if (attribute.writeOnly) return null;
  if (given instanceof Unknown) return given;
  if (given === null) return omittedValue(attribute, spot);
  const isAsBefore = before !== null && !changed.some((path) => overlaps(path, pointer));
  if (isAsBefore && !fresh) return before;
  const { form } = attribute;
  if (form.is !== "nested" || form.nesting !== "single" || !isKnownObject(given)) return given;
  const held = isKnownObject(before) ? before : undefined;
  const members = form.attributes.map((one): [string, Value] => [
    one.name,
    plannedValue(one, {
      given: given[one.name] ?? null,
      before: held?.[one.name] ?? null,
      pointer: `${pointer}${joinPointer([one.field])}`,
      changed,
      isNewObject: fresh || held === undefined,
      nested: true,
    }),
  ]);
  return Object.fromEntries(members);
}

function overlaps(path: string, pointer: string): boolean {
  return path === pointer || path.startsWith(`${pointer}/`) || pointer.startsWith(`${path}/`);
}

/** What is left out keeps its value; beside what changes in one object, the service may move it too. */
function omittedValue(
  attribute: Attribute,
  { before, isNewObject: fresh, nested, changed }: ValueContext,
): Value {
  if (attribute.default !== undefined) return attribute.default;
  if (attribute.mode !== "optionalComputed") return null;
  const mayMove = fresh || (nested && changed.length > 0);
  if (!mayMove) return before;
  return attribute.hidden ? null : new Unknown();
}

/** These stay what they are for as long as the object lives, once they are there. */
const immutableFields = /^id$|Id$|At$/;

function computedValue(run: PlanContext, attribute: Attribute, state: AttributeValues): Value {
  const { prior, changes, isNewObject: fresh, kind, attributes } = run;
  const before = prior?.[attribute.name] ?? null;
  switch (attribute.part) {
    case "version":
      return versionAfter(run, attribute, before);
    case "importId":
    case "reference": {
      if (!fresh && changes.length === 0) return before;
      const inputs = toInputs(attributes, state).inputs;
      return objectName(kind, inputs, attribute.part) ?? new Unknown();
    }
    case "minted":
      return fresh ? new Unknown() : before;
    default:
      if (fresh) return new Unknown();
      if (changes.length === 0) return before;
      return before !== null && immutableFields.test(attribute.field) ? before : new Unknown();
  }
}

function versionAfter(run: PlanContext, { name, field }: Attribute, before: Value): Value {
  const secret = run.attributes.find((one) => one.writeOnly && one.field === field)?.name ?? "";
  const given = run.config[name] ?? null;
  if (given !== null) return given;
  if ((run.config[secret] ?? null) === null) return before;
  if (run.prior === undefined) return 1;
  if (!run.changes.some((one) => one.field === field)) return before;
  return Number(before ?? 0) + 1;
}

/** What an object of these inputs is called; undefined while that is not known. */
export function objectName(
  kind: Kind,
  inputs: Inputs,
  as: "importId" | "reference",
): string | undefined {
  const known = normalize(kind, fullyKnownFields(inputs));
  if (kind.key.some((name) => (known[name] ?? null) === null)) return undefined;
  if (as === "importId") return keyOf(kind, known);
  const name = nameOf(kind, known);
  return typeof name === "string" ? name : canonical(name);
}
