// Equal wishes become equal values: defaults filled, sets sorted, what means nothing dropped.
import type { TSchema } from "typebox";
import { canClear, type FieldInfo, fieldsOf, membersOf } from "./fields.ts";
import { canonical, isObject, type JsonObject, type JsonValue } from "./json.ts";
import type { Kind } from "./kind.ts";
import { admitsNull, mapValues, member, variantFor, view } from "./schema.ts";
import { traitsOf } from "./traits.ts";

/**
 * How far to go: a wish is completed, and so is an item of a wished list, in which `null` clears nothing; a record keeps what
 * was said; a sight drops `null`, which says the same as absent.
 */
type NormalizeMode = "wish" | "item" | "record" | "sight";

/**
 * The wish as it is compared and applied: omitted fields get their default or become `null` where their trait says so, sets
 * are sorted without duplicates, `null` stays only where the field can be cleared, members the spec does not name are
 * dropped. Normal of a normal wish is the same wish. The value has to fit the spec's schema.
 */
export function normalize(kind: Kind, spec: JsonObject): JsonObject {
  return members(fieldsOf(kind), spec, "wish");
}

/** The same canonical forms for what was observed: nothing is filled in, and `null` is absent. */
export function normalizeLive(kind: Kind, spec: JsonObject): JsonObject {
  return members(fieldsOf(kind), spec, "sight");
}

/** The same canonical forms for what was applied once: nothing is filled in, and `null` is a field that was cleared. */
export function normalizeRecord(kind: Kind, spec: JsonObject): JsonObject {
  return members(fieldsOf(kind), spec, "record");
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
  if (mode === "record") return given;
  if (mode === "sight") return undefined;
  if (given === null && keepsNullMember(field, mode)) return null;
  if (traits.whenOmitted === "clear" && mode === "wish") return null;
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

/** In the normal spelling, where there is one for it. */
function canonicalText(schema: TSchema, variant: TSchema | undefined, given: string): string {
  const spelling =
    traitsOf(schema).canonicalPattern ?? (variant && traitsOf(variant).canonicalPattern);
  return spelling === undefined ? given : (new RegExp(spelling, "u").exec(given)?.[1] ?? given);
}

function listOf(
  schema: TSchema,
  variant: TSchema | undefined,
  { items, mode }: { items: readonly JsonValue[]; mode: NormalizeMode },
): JsonValue {
  const itemSchema = variant === undefined ? undefined : view(variant).items;
  const inside = mode === "wish" ? "item" : mode;
  const normal = items.map((item) =>
    itemSchema === undefined ? verbatim(item) : valueOf(itemSchema, item, inside),
  );
  const order = traitsOf(schema).order ?? (variant && traitsOf(variant).order);
  return order === "set" ? setOf(normal) : normal;
}

/** Numbers by size, everything else by its canonical text; so that the same set is the same list. */
function setOf(items: readonly JsonValue[]): JsonValue {
  const byText = new Map(items.map((item) => [canonical(item), item]));
  const sorted = [...byText].toSorted(([left, a], [right, b]) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return left < right ? -1 : 1;
  });
  return sorted.map(([, item]) => item);
}

/** A nested object; members it does not name are kept where its schema leaves that open. */
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
  const keepsNull = mode === "record" || admitsNull(values);
  const found = Object.keys(given)
    .toSorted()
    .flatMap((key): [string, JsonValue][] => {
      const value = member(given, key);
      if (value === undefined || (value === null && !keepsNull)) return [];
      return [[key, value === null ? null : valueOf(values, value, mode)]];
    });
  return Object.fromEntries(found);
}

/** As it is, without undefined members and with keys in order. */
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
