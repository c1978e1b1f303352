// Between the properties that Pulumi keeps of an object and the wish, the live object and the import id that the bridge knows.
import type { TSchema } from "typebox";
import {
  canClear,
  containsSecret,
  isSensitive,
  isShown,
  membersOf,
  readability,
} from "../../core/fields.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind.ts";
import { normalize, normalizeLive } from "../../core/normalize.ts";
import { mapValues, member, variantFor, view } from "../../core/schema.ts";
import { traitsOf } from "../../core/traits.ts";
import {
  emptyTextAsNull,
  type Inputs,
  isClearedByEmpty,
  isKnown,
  fullyKnownFields,
} from "../bridge/unknown-values.ts";
import { keyPropertyValue, propertiesOf } from "./properties.ts";
import {
  isMap,
  unwrapSecrets,
  unwrapSecretsInMap,
  type PropertyMap,
  type PropertyValue,
  SecretValue,
  markSecretsLike,
  unknownValue,
} from "./property-values.ts";

/** Holds the server's id in state where no property of the status is it; no part of the package schema. */
const idStateKey = "__id";

/** Lists in state the fields of which nobody can tell whether they were written; no part of the package schema. */
const unconfirmedStateKey = "__unwritten";

/** The wish that inputs say, under the names of the spec; names that are no property stay, to be told. */
export function desiredInputs(kind: Kind, inputs: PropertyMap): Inputs {
  const names = new Map(propertiesOf(kind).inputs.map(({ property, name }) => [property, name]));
  const plain = unwrapSecretsInMap(inputs);
  const renamed = Object.entries(plain).map(([name, value]): [string, typeof value] => [
    names.get(name) ?? name,
    value,
  ]);
  return emptyTextAsNull(kind, Object.fromEntries(renamed));
}

/** The live object that state tells of. */
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

/** What state says of a live object: as it was seen, with what cannot be read as `given` says; secrets are sealed. */
export function stateOf(kind: Kind, sight: ObservedObject, given: PropertyMap): PropertyMap {
  const { inputs, status, hasKey } = propertiesOf(kind);
  const spec = normalizeLive(kind, sight.spec);
  const found: [string, PropertyValue][] = [];
  for (const { name, property, schema } of inputs) {
    const value = withUnreadableParts(schema, spec[name], given[property]);
    if (value !== undefined) found.push([property, markSecrets(schema, value)]);
  }
  for (const { name, property } of status) {
    const value = sight.status[name];
    if (value !== undefined && value !== null) found.push([property, value as PropertyValue]);
  }
  if (hasKey) found.push(["key", (keyPropertyValue(kind, spec) ?? null) as PropertyValue]);
  if (sight.id !== undefined && sight.id !== idText(sight.status["id"])) {
    found.push([idStateKey, sight.id]);
  }
  return Object.fromEntries(found);
}

/** State with the secret that a create was given. No later call can find it again. */
export function withGeneratedSecret(
  kind: Kind,
  state: PropertyMap,
  minted: PropertyValue | undefined,
): PropertyMap {
  const { generatedSecret: property } = propertiesOf(kind);
  if (property === undefined || minted === undefined || minted === null) return state;
  return { ...state, [property]: new SecretValue(minted) };
}

/** State with the secret that the state before held, as long as both are of one object. */
export function keepGeneratedSecret(
  kind: Kind,
  state: PropertyMap,
  before: PropertyMap,
): PropertyMap {
  const { generatedSecret: minted = "" } = propertiesOf(kind);
  const [was, is] = [observedFromState(kind, before).id, observedFromState(kind, state).id];
  const isAnother = was !== undefined && is !== undefined && was !== is;
  return isAnother ? state : withGeneratedSecret(kind, state, before[minted]);
}

/**
 * State after a write of these fields that may not have reached them all: those that the API does not show are left out and
 * noted, so that they are written again. The engine keeps the program's inputs all the same, and could not tell.
 */
export function withUnconfirmedFields(
  kind: Kind,
  state: PropertyMap,
  fields: ReadonlySet<string>,
): PropertyMap {
  const unwritten = propertiesOf(kind).inputs.filter(
    ({ name, schema }) => fields.has(name) && !isShown(schema),
  );
  if (unwritten.length === 0) return state;
  const left = new Set(unwritten.map(({ property }) => property));
  const kept = Object.entries(state).filter(([property]) => !left.has(property));
  return { ...Object.fromEntries(kept), [unconfirmedStateKey]: unwritten.map(({ name }) => name) };
}

/** The fields that {@link withUnconfirmedFields} noted. */
export function unconfirmedFieldsIn(state: PropertyMap): ReadonlySet<string> {
  const noted = state[unconfirmedStateKey];
  const names: readonly PropertyValue[] = Array.isArray(noted) ? noted : [];
  return new Set(names.filter((name) => typeof name === "string"));
}

/** The live value, sealed as the given one is, with its unreadable parts; undefined where there is neither. */
function withUnreadableParts(
  schema: TSchema,
  live: JsonValue | undefined,
  given: PropertyValue | undefined,
): PropertyValue | undefined {
  const shown = readability(schema);
  if (shown === "hidden" || (shown === "maskable" && live === undefined)) return given ?? undefined;
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

/** Inputs with their secrets sealed, also those that the program did not seal. */
export function markSecretInputs(kind: Kind, inputs: PropertyMap): PropertyMap {
  const schemas = new Map(propertiesOf(kind).inputs.map((one) => [one.property, one.schema]));
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [
      name,
      markSecrets(schemas.get(name) ?? {}, value),
    ]),
  );
}

/** The value with everything sealed that its schema calls sensitive. */
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
 * What a program would have to say to mean the object as it is: what `before` said where that still holds, else the live
 * value, as far as `before` spoke of it. Without `before`, as for an import, everything that says something.
 */
export function inputsOf(
  kind: Kind,
  {
    state,
    before,
    holds,
  }: {
    readonly state: PropertyMap;
    readonly before: PropertyMap | undefined;
    /** True for a field whose input in `before` still says what is live. */
    readonly holds: (field: string) => boolean;
  },
): PropertyMap {
  const found: [string, PropertyValue][] = [];
  for (const field of propertiesOf(kind).inputs) {
    const { name, property } = field;
    const [said, live] = [before?.[property], state[property]];
    if (before !== undefined && said === undefined) continue;
    if (said !== undefined && holds(name)) found.push([property, said]);
    else if (live !== undefined && said !== undefined)
      found.push([property, restrictToDeclared(live, said)]);
    else if (live !== undefined && !isEmpty(live)) found.push([property, live]);
    else if (said === null && canClear(field)) found.push([property, null]);
  }
  return Object.fromEntries(found);
}

/** Of objects, the members that were spoken of. */
function restrictToDeclared(live: PropertyValue, said: PropertyValue): PropertyValue {
  if (said instanceof SecretValue)
    return new SecretValue(restrictToDeclared(unwrapSecret(live), said.reveal()));
  if (live instanceof SecretValue) return new SecretValue(restrictToDeclared(live.reveal(), said));
  return isMap(live) && isMap(said) && Object.keys(said).every((name) => Object.hasOwn(live, name))
    ? Object.fromEntries(
        Object.keys(said).map((name) => [
          name,
          restrictToDeclared(live[name] ?? null, said[name] ?? null),
        ]),
      )
    : live;
}

function unwrapSecret(value: PropertyValue): PropertyValue {
  return value instanceof SecretValue ? value.reveal() : value;
}

/** Nothing that anybody would write. */
function isEmpty(value: PropertyValue): boolean {
  const plain = unwrapSecrets(value);
  if (Array.isArray(plain)) return plain.length === 0;
  return plain === null || (isObject(plain) && Object.keys(plain).length === 0);
}

/** What state will be once these inputs are applied, as far as that is known; `old` is the state before, where there is one. */
export function plannedState(
  kind: Kind,
  inputs: PropertyMap,
  old: PropertyMap | undefined,
): PropertyMap {
  const { inputs: fields, status, hasKey, generatedSecret: minted } = propertiesOf(kind);
  const found: [string, PropertyValue][] = [];
  for (const field of fields) {
    const { property, schema } = field;
    const given = inputs[property];
    if (given === null || (given === "" && isClearedByEmpty(field))) continue;
    const value =
      given === undefined
        ? plannedInput(old?.[property], field)
        : overlayInputs(schema, given, old?.[property]);
    if (value !== undefined && value !== null) found.push([property, markSecrets(schema, value)]);
  }
  for (const { property, name } of status) {
    const stays = old !== undefined && /^id$|Id$/.test(name) ? old[property] : undefined;
    found.push([property, stays ?? unknownValue]);
  }
  if (hasKey) found.push(["key", plannedKey(kind, inputs)]);
  if (old?.[idStateKey] !== undefined) found.push([idStateKey, old[idStateKey]]);
  const secret = old === undefined ? unknownValue : old[minted ?? ""];
  return withGeneratedSecret(kind, Object.fromEntries(found), secret);
}

/** The value over what was there: members that are not spoken of stay, for an update leaves them alone. */
function overlayInputs(
  schema: TSchema,
  given: PropertyValue,
  old: PropertyValue | undefined,
): PropertyValue {
  if (given instanceof SecretValue)
    return new SecretValue(overlayInputs(schema, given.reveal(), old));
  const before = old instanceof SecretValue ? old.reveal() : old;
  const fields = membersOf(variantFor(schema, given) ?? schema);
  if (!isMap(given) || !isMap(before) || fields.length === 0) return given;
  const members = fields.flatMap((field): [string, PropertyValue][] => {
    const [said, was] = [given[field.name], before[field.name]];
    if (said !== undefined)
      return said === null ? [] : [[field.name, overlayInputs(field.schema, said, was)]];
    const value = plannedInput(was, field);
    return value === undefined ? [] : [[field.name, value]];
  });
  return Object.fromEntries(members);
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
  const wish = desiredInputs(kind, inputs);
  const own = kind.key.filter((name) => !kind.scope.includes(name));
  if (!own.every((name) => isKnown(wish[name]))) return unknownValue;
  const spec = normalize(kind, fullyKnownFields(wish));
  const isNamed = own.every((name) => spec[name] !== undefined && spec[name] !== null);
  return isNamed ? ((keyPropertyValue(kind, spec) ?? unknownValue) as PropertyValue) : unknownValue;
}
