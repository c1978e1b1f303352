// Converts between Pulumi's state and inputs and the bridge's desired and observed objects.
import type { TSchema } from "typebox";
import {
  canClear,
  containsSecret,
  isSensitive,
  isShown,
  membersOf,
  readability,
} from "../../core/kind/fields.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import { normalize, normalizeLive, setOf } from "../../core/spec/normalize.ts";
import { mapValues, member, variantFor, view } from "../../core/schema/schema.ts";
import { traitsOf } from "../../core/schema/traits.ts";
import {
  emptyTextAsNull,
  type Inputs,
  isClearedByEmpty,
  isKnown,
  fullyKnownFields,
} from "../bridge/unknown-values.ts";
import { keyPropertyValue, propertiesOf, isStable } from "./properties.ts";
import {
  hasSecret,
  isMap,
  unwrapSecrets,
  unwrapSecretsInMap,
  type PropertyMap,
  type PropertyValue,
  SecretValue,
  markSecretsLike,
  unknownValue,
} from "./property-values.ts";

/** State key of the server's ID, if no status property holds it; not part of the package schema. */
const idStateKey = "__id";

/** State key that lists the fields whose last write is not confirmed; not part of the package schema. */
const unconfirmedStateKey = "__unconfirmed";

/** Returns the desired object of these inputs, with field names of the spec. Unknown names stay, so that validation reports them. */
export function desiredInputs(kind: Kind, inputs: PropertyMap): Inputs {
  const names = new Map(propertiesOf(kind).inputs.map(({ property, name }) => [property, name]));
  const plain = unwrapSecretsInMap(inputs);
  const renamed = Object.entries(plain).map(([name, value]): [string, typeof value] => [
    names.get(name) ?? name,
    value,
  ]);
  return emptyTextAsNull(kind, Object.fromEntries(renamed));
}

/** Returns the observed object that state describes. */
export function observedFromState(kind: Kind, state: PropertyMap): ObservedObject {
  const { inputs, status } = propertiesOf(kind);
  const plain = unwrapSecretsInMap(state);
  const pick = (fields: typeof inputs): JsonObject => {
    const known = fullyKnownFields(
      Object.fromEntries(fields.map(({ name, property }) => [name, plain[property]])),
    );
    return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null));
  };
  const reported = pick(status);
  const id = plain[idStateKey] ?? reported["id"];
  return {
    id: idText(id),
    spec: pick(inputs),
    status: reported,
  };
}

function idText(id: unknown): string | undefined {
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

/** Returns the state of an observed object, with secrets marked. Values that the API does not return are taken from `given`. */
export function stateOf(kind: Kind, observed: ObservedObject, given: PropertyMap): PropertyMap {
  const { inputs, status, hasKey } = propertiesOf(kind);
  const spec = normalizeLive(kind, observed.spec);
  const found: [string, PropertyValue][] = [];
  for (const { name, property, schema } of inputs) {
    const value = withUnreadableParts(schema, spec[name], given[property]);
    if (value !== undefined) found.push([property, markSecrets(schema, value)]);
  }
  for (const { name, property } of status.filter(isStable)) {
    const value = observed.status[name];
    if (value !== undefined && value !== null) found.push([property, value as PropertyValue]);
  }
  if (hasKey) found.push(["key", (keyPropertyValue(kind, spec) ?? null) as PropertyValue]);
  if (observed.id !== undefined && observed.id !== idText(observed.status["id"])) {
    found.push([idStateKey, observed.id]);
  }
  return Object.fromEntries(found);
}

/** Adds the generated secret of a create to state. No later call returns it again. */
export function withGeneratedSecret(
  kind: Kind,
  state: PropertyMap,
  generatedSecret: PropertyValue | undefined,
): PropertyMap {
  const { generatedSecret: property } = propertiesOf(kind);
  if (property === undefined || generatedSecret === undefined || generatedSecret === null)
    return state;
  return { ...state, [property]: new SecretValue(generatedSecret) };
}

/** Copies the generated secret from the previous state, if both states describe the same object. */
export function keepGeneratedSecret(
  kind: Kind,
  state: PropertyMap,
  before: PropertyMap,
): PropertyMap {
  const { generatedSecret = "" } = propertiesOf(kind);
  const [oldId, newId] = [observedFromState(kind, before).id, observedFromState(kind, state).id];
  const isReplaced = oldId !== undefined && newId !== undefined && oldId !== newId;
  return isReplaced ? state : withGeneratedSecret(kind, state, before[generatedSecret]);
}

/**
 * Returns state after a write of these fields whose outcome is not confirmed. Fields that the API does not return are removed
 * and listed, so that the next update writes them again: the engine records the program's inputs in any case.
 */
export function withUnconfirmedFields(
  kind: Kind,
  state: PropertyMap,
  fields: ReadonlySet<string>,
): PropertyMap {
  const unconfirmed = propertiesOf(kind).inputs.filter(
    ({ name, schema }) => fields.has(name) && !isShown(schema),
  );
  if (unconfirmed.length === 0) return state;
  const removed = new Set(unconfirmed.map(({ property }) => property));
  const kept = Object.entries(state).filter(([property]) => !removed.has(property));
  return {
    ...Object.fromEntries(kept),
    [unconfirmedStateKey]: unconfirmed.map(({ name }) => name),
  };
}

/** Returns the fields that {@link withUnconfirmedFields} listed. */
export function unconfirmedFieldsIn(state: PropertyMap): ReadonlySet<string> {
  const listed = state[unconfirmedStateKey];
  const names: readonly PropertyValue[] = Array.isArray(listed) ? listed : [];
  return new Set(names.filter((name) => typeof name === "string"));
}

/** Returns the live value with the unreadable parts and the secret marks of the given one; undefined if there is neither. */
function withUnreadableParts(
  schema: TSchema,
  live: JsonValue | undefined,
  given: PropertyValue | undefined,
): PropertyValue | undefined {
  const access = readability(schema);
  if (access === "hidden" || (access === "maskable" && live === undefined))
    return given ?? undefined;
  if (live === undefined) return undefined;
  if (given instanceof SecretValue)
    return new SecretValue(withUnreadableParts(schema, live, given.reveal()) ?? null);
  const variant = variantFor(schema, live);
  const fields = variant === undefined ? [] : membersOf(variant);
  if (!isObject(live) || !isMap(given) || fields.length === 0) {
    return markSecretsLike(live as PropertyValue, given);
  }
  const schemas = new Map(fields.map((field) => [field.name, field.schema]));
  const names = [...new Set([...Object.keys(live), ...schemas.keys()])];
  const members = names.flatMap((name): [string, PropertyValue][] => {
    const value = withUnreadableParts(
      schemas.get(name) ?? {},
      member(live, name),
      member(given, name),
    );
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(members);
}

/** Marks the secrets of inputs, also those that the program did not mark. */
export function markSecretInputs(kind: Kind, inputs: PropertyMap): PropertyMap {
  const schemas = new Map(propertiesOf(kind).inputs.map((one) => [one.property, one.schema]));
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [
      name,
      markSecrets(schemas.get(name) ?? {}, value),
    ]),
  );
}

/** Marks everything in a value secret that its schema declares sensitive. */
function markSecrets(schema: TSchema, value: PropertyValue): PropertyValue {
  if (value === null || value instanceof SecretValue || !containsSecret(schema)) return value;
  if (isSensitive(traitsOf(schema))) return new SecretValue(value);
  const variant = variantFor(schema, value) ?? schema;
  const { items } = view(variant);
  if (Array.isArray(value)) {
    return value.map((item: PropertyValue) => markSecrets(items ?? {}, item));
  }
  if (!isMap(value)) return new SecretValue(value);
  const schemas = new Map(membersOf(variant).map((field) => [field.name, field.schema]));
  const values = mapValues(variant) ?? {};
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      markSecrets(schemas.get(name) ?? values, inner),
    ]),
  );
}

/**
 * Returns the inputs with which a program would change nothing: for each field of `before`, its input if that still
 * equals the live value, otherwise the live value. Without `before`, as for an import, all fields that are not empty.
 */
export function inputsOf(
  kind: Kind,
  {
    state,
    before,
    isUnchanged,
  }: {
    readonly state: PropertyMap;
    readonly before: PropertyMap | undefined;
    /** Returns true for a field whose input in `before` still equals the live value. */
    readonly isUnchanged: (field: string) => boolean;
  },
): PropertyMap {
  const found: [string, PropertyValue][] = [];
  for (const field of propertiesOf(kind).inputs) {
    const { name, property } = field;
    const [declared, live] = [before?.[property], state[property]];
    if (before !== undefined && declared === undefined) continue;
    if (declared !== undefined && isUnchanged(name)) found.push([property, declared]);
    else if (live !== undefined && declared !== undefined)
      found.push([property, restrictToDeclared(live, declared)]);
    else if (live !== undefined && !isEmpty(live)) found.push([property, live]);
    else if (declared === null && canClear(field)) found.push([property, null]);
  }
  return Object.fromEntries(found);
}

/** Restricts objects to the members that are declared. */
function restrictToDeclared(live: PropertyValue, declared: PropertyValue): PropertyValue {
  if (declared instanceof SecretValue)
    return new SecretValue(restrictToDeclared(unwrapSecret(live), declared.reveal()));
  if (live instanceof SecretValue)
    return new SecretValue(restrictToDeclared(live.reveal(), declared));
  return isMap(live) &&
    isMap(declared) &&
    Object.keys(declared).every((name) => Object.hasOwn(live, name))
    ? Object.fromEntries(
        Object.keys(declared).map((name) => [
          name,
          restrictToDeclared(live[name] ?? null, declared[name] ?? null),
        ]),
      )
    : live;
}

function unwrapSecret(value: PropertyValue): PropertyValue {
  return value instanceof SecretValue ? value.reveal() : value;
}

/** Returns true for a value that a program would leave out. */
function isEmpty(value: PropertyValue): boolean {
  const plain = unwrapSecrets(value);
  if (Array.isArray(plain)) return plain.length === 0;
  return plain === null || (isObject(plain) && Object.keys(plain).length === 0);
}

/** Returns the planned state after these inputs are applied; `old` is the previous state, if there is one. */
export function plannedState(kind: Kind, inputs: PropertyMap, old?: PropertyMap): PropertyMap {
  const { inputs: fields, status, hasKey, generatedSecret } = propertiesOf(kind);
  const found: [string, PropertyValue][] = [];
  for (const field of fields) {
    const { property, schema } = field;
    const given = inputs[property];
    if (given === null || (given === "" && isClearedByEmpty(field))) continue;
    const before = old?.[property];
    const value =
      given === undefined ? plannedInput(before, field) : overlayInputs(schema, given, before);
    if (value !== undefined && value !== null) found.push([property, markSecrets(schema, value)]);
  }
  for (const { property, name } of status) {
    const kept = old !== undefined && /^id$|Id$/.test(name) ? old[property] : undefined;
    found.push([property, kept ?? unknownValue]);
  }
  if (hasKey) found.push(["key", plannedKey(kind, inputs)]);
  if (old?.[idStateKey] !== undefined) found.push([idStateKey, old[idStateKey]]);
  const secret = old === undefined ? unknownValue : old[generatedSecret ?? ""];
  return withGeneratedSecret(kind, Object.fromEntries(found), secret);
}

/** Merges inputs into the previous value. Undeclared members stay, because an update does not change them. */
function overlayInputs(
  schema: TSchema,
  given: PropertyValue,
  old: PropertyValue | undefined,
): PropertyValue {
  if (given instanceof SecretValue)
    return new SecretValue(overlayInputs(schema, given.reveal(), old));
  const before = old instanceof SecretValue ? old.reveal() : old;
  const fields = membersOf(variantFor(schema, given) ?? schema);
  if (!isMap(given) || !isMap(before) || fields.length === 0) return inSetOrder(schema, given);
  const members = fields.flatMap((field): [string, PropertyValue][] => {
    const [declared, was] = [given[field.name], before[field.name]];
    if (declared !== undefined)
      return declared === null ? [] : [[field.name, overlayInputs(field.schema, declared, was)]];
    const value = plannedInput(was, field);
    return value === undefined ? [] : [[field.name, value]];
  });
  return Object.fromEntries(members);
}

/** Returns a value with its known sets, at any depth, in the order that the state has after the update. */
function inSetOrder(schema: TSchema, given: PropertyValue): PropertyValue {
  const variant = variantFor(schema, given) ?? schema;
  if (Array.isArray(given)) {
    const { items } = view(variant);
    const ordered = given.map((item: PropertyValue) =>
      items === undefined ? item : inSetOrder(items, item),
    );
    const isSet = (traitsOf(schema).order ?? traitsOf(variant).order) === "set";
    const plain = unwrapSecrets(ordered);
    return isSet && !hasSecret(ordered) && Array.isArray(plain) && isKnown(plain)
      ? (setOf(plain) as PropertyValue)
      : ordered;
  }
  if (!isMap(given)) return given;
  const schemas = new Map(membersOf(variant).map((one) => [one.name, one.schema]));
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      inSetOrder(schemas.get(name) ?? {}, value),
    ]),
  );
}

function plannedInput(
  old: PropertyValue | undefined,
  { schema, traits }: { schema: TSchema; traits: ReturnType<typeof traitsOf> },
): PropertyValue | undefined {
  const { default: fallback } = view(schema);
  if (traits.whenOmitted === "default" && fallback !== undefined) return fallback as PropertyValue;
  if (traits.whenOmitted === "clear") return undefined;
  return old ?? (traits.serverChosen === true ? unknownValue : undefined);
}

function plannedKey(kind: Kind, inputs: PropertyMap): PropertyValue {
  const desired = desiredInputs(kind, inputs);
  const own = kind.key.filter((name) => !kind.scope.includes(name));
  if (!own.every((name) => isKnown(desired[name]))) return unknownValue;
  const spec = normalize(kind, fullyKnownFields(desired));
  const isNamed = own.every((name) => spec[name] !== undefined && spec[name] !== null);
  return isNamed ? ((keyPropertyValue(kind, spec) ?? unknownValue) as PropertyValue) : unknownValue;
}
