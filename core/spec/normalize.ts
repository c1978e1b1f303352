// Normalizes specs so that equal specs are equal values: fills defaults, sorts sets, drops members without meaning.
import type { TSchema } from "typebox";
import {
  canClear,
  type FieldInfo,
  fieldsOf,
  isClearedFromRecord,
  membersOf,
} from "../kind/fields.ts";
import { canonical, isObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Kind } from "../kind/kind.ts";
import { joinPointer, splitPointer } from "../pointer.ts";
import { admitsNull, mapValues, member, variantFor, view } from "../schema/schema.ts";
import { traitsOf } from "../schema/traits.ts";
import { timeZoneName } from "../text/time-zones.ts";

/**
 * Mode of normalization. `desired` and `item` (an item of a desired list, in which `null` clears nothing) fill in
 * defaults; `recorded` keeps values unchanged; `observed` drops `null`, which means absent.
 */
type NormalizeMode = "desired" | "item" | "recorded" | "observed";

/**
 * Normalizes a desired spec for comparison and apply: fills in omitted fields as their traits declare, sorts sets and removes
 * their duplicates, keeps `null` only for fields that can be cleared, and drops unknown members. Idempotent. The spec must
 * be valid.
 */
export function normalize(kind: Kind, spec: JsonObject): JsonObject {
  return members(fieldsOf(kind), spec, "desired");
}

/** Normalizes an observed spec: fills in nothing and drops `null`. */
export function normalizeLive(kind: Kind, spec: JsonObject): JsonObject {
  return members(fieldsOf(kind), spec, "observed");
}

/** Normalizes a recorded spec: fills in nothing and keeps `null`, which is a cleared field. */
export function normalizeRecord(kind: Kind, spec: JsonObject): JsonObject {
  return members(fieldsOf(kind), spec, "recorded");
}

function members(fields: readonly FieldInfo[], given: JsonObject, mode: NormalizeMode): JsonObject {
  const found: [string, JsonValue][] = [];
  for (const field of fields) {
    const value = memberValue(field, member(given, field.name), mode);
    if (value !== undefined) found.push([field.name, value]);
  }
  return Object.fromEntries(found);
}

function memberValue(
  field: FieldInfo,
  given: JsonValue | undefined,
  mode: NormalizeMode,
): JsonValue | undefined {
  const { schema, traits } = field;
  if (given !== undefined && given !== null) return valueOf(schema, given, mode);
  if (mode === "recorded") return given;
  if (mode === "observed") return undefined;
  if (isClearedFromRecord(schema)) return undefined;
  if (given === null && keepsNullMember(field, mode)) return null;
  if (traits.whenOmitted === "clear" && mode === "desired") return null;
  const { default: fallback } = view(schema);
  if (traits.whenOmitted !== "default" || fallback === undefined) return undefined;
  return valueOf(schema, fallback, mode);
}

function keepsNullMember(field: FieldInfo, mode: NormalizeMode): boolean {
  if (mode === "item") return field.required && admitsNull(field.schema);
  return canClear(field) || admitsNull(field.schema);
}

function valueOf(schema: TSchema, given: JsonValue, mode: NormalizeMode): JsonValue {
  const variant = variantFor(schema, given);
  if (Array.isArray(given)) return listOf(schema, variant, { items: given, mode });
  if (typeof given === "string") return canonicalText(schema, variant, given);
  if (!isObject(given)) return given;
  if (variant === undefined) return verbatim(given);
  const fields = membersOf(variant);
  if (fields.length > 0) return nestedObject(variant, given, mode);
  const values = mapValues(variant);
  return values === undefined ? verbatim(given) : mapOf(values, given, mode);
}

/** Returns a string in its canonical form, if the schema declares one. Servers return time zones as they were written. */
function canonicalText(schema: TSchema, variant: TSchema | undefined, given: string): string {
  if (variant !== undefined && view(variant).format === "time-zone")
    return timeZoneName(given) ?? given;
  const pattern =
    traitsOf(schema).canonicalPattern ?? (variant && traitsOf(variant).canonicalPattern);
  return pattern === undefined ? given : (new RegExp(pattern, "u").exec(given)?.[1] ?? given);
}

function listOf(
  schema: TSchema,
  variant: TSchema | undefined,
  { items, mode }: { items: readonly JsonValue[]; mode: NormalizeMode },
): JsonValue {
  const itemSchema = variant === undefined ? undefined : view(variant).items;
  const inside = mode === "desired" ? "item" : mode;
  const normal = items.map((item) =>
    itemSchema === undefined ? verbatim(item) : valueOf(itemSchema, item, inside),
  );
  const order = traitsOf(schema).order ?? (variant && traitsOf(variant).order);
  return order === "set" ? setOf(normal) : normal;
}

/** Returns a set as a sorted list without duplicates: numbers by value, other items by canonical text. */
export function setOf(items: readonly JsonValue[]): JsonValue {
  const byText = new Map(items.map((item) => [canonical(item), item]));
  const sorted = [...byText].toSorted(([left, a], [right, b]) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return left < right ? -1 : 1;
  });
  return sorted.map(([, item]) => item);
}

/** Normalizes a nested object. Keeps unknown members if the schema allows them. */
function nestedObject(schema: TSchema, given: JsonObject, mode: NormalizeMode): JsonObject {
  const fields = membersOf(schema);
  const named = members(fields, given, mode);
  const { additionalProperties: rest } = view(schema);
  if (rest === false) return named;
  const names = new Set(fields.map(({ name }) => name));
  const others = Object.keys(given)
    .filter((name) => !names.has(name))
    .toSorted()
    .flatMap((name): [string, JsonValue][] => {
      const value = member(given, name);
      if (value === undefined) return [];
      return [[name, isObject(rest) ? valueOf(rest, value, mode) : verbatim(value)]];
    });
  return others.length === 0 ? named : { ...named, ...Object.fromEntries(others) };
}

function mapOf(values: TSchema, given: JsonObject, mode: NormalizeMode): JsonObject {
  const keepsNull = mode === "recorded" || admitsNull(values);
  const found = Object.keys(given)
    .toSorted()
    .flatMap((key): [string, JsonValue][] => {
      const value = member(given, key);
      if (value === undefined || (value === null && !keepsNull)) return [];
      return [[key, value === null ? null : valueOf(values, value, mode)]];
    });
  return Object.fromEntries(found);
}

/**
 * Returns the JSON Pointer into a desired spec of the value that is at a pointer in its normal form, where the items of sets
 * are in another order.
 */
export function declaredPointer(kind: Kind, spec: JsonObject, pointer: string): string {
  const [name = "", ...steps] = splitPointer(pointer);
  let schema = fieldsOf(kind).find((field) => field.name === name)?.schema;
  let value = member(spec, name);
  const found: (string | number)[] = [name];
  for (const step of steps) {
    const variant =
      schema === undefined || value === undefined ? undefined : variantFor(schema, value);
    if (schema === undefined || variant === undefined) found.push(step);
    else if (Array.isArray(value)) {
      const index = declaredIndex(schema, value, Number(step));
      found.push(index);
      [schema, value] = [view(variant).items, value[index]];
    } else {
      found.push(step);
      schema = membersOf(variant).find((one) => one.name === step)?.schema ?? mapValues(variant);
      value = isObject(value) ? member(value, step) : undefined;
    }
  }
  return joinPointer(found);
}

/** Returns the first index in a desired list of the item that is at an index of its normal form. */
function declaredIndex(schema: TSchema, items: readonly JsonValue[], index: number): number {
  const variant = variantFor(schema, items);
  const normalOf = (some: readonly JsonValue[]) =>
    listOf(schema, variant, { items: some, mode: "desired" });
  const sorted = normalOf(items) as readonly JsonValue[];
  const wanted = canonical([sorted[index] ?? null]);
  const at = items.findIndex((item) => canonical(normalOf([item])) === wanted);
  return at === -1 ? index : at;
}

/** Returns the value with sorted keys and without undefined members. */
function verbatim(given: JsonValue): JsonValue {
  if (Array.isArray(given)) return given.map(verbatim);
  if (!isObject(given)) return given;
  const found = Object.keys(given)
    .toSorted()
    .flatMap((key): [string, JsonValue][] => {
      const value = member(given, key);
      return value === undefined ? [] : [[key, verbatim(value)]];
    });
  return Object.fromEntries(found);
}
