// Typed access to JSON Schema keywords.
import type { TSchema } from "typebox";
import { isObject, type JsonValue } from "../json.ts";
import { memoizePerObject } from "../memoize.ts";

/** The JSON Schema keywords that the code reads. */
export interface SchemaView {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly additionalProperties?: boolean | TSchema;
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly oneOf?: readonly TSchema[];
  readonly default?: JsonValue;
  readonly const?: JsonValue;
  readonly enum?: readonly JsonValue[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minProperties?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
}

/** Returns the same schema with typed keywords. */
export function view(schema: TSchema): SchemaView {
  return schema;
}

/** Caches the result of `work` per schema object. Schemas do not change after their declaration. */
export const memoizePerSchema: <T>(work: (schema: TSchema) => T) => (schema: TSchema) => T =
  memoizePerObject;

/** Returns an own member of an object; undefined for inherited ones. */
export function member<T>(
  object: Readonly<Record<string, T>> | undefined,
  key: string,
): T | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Returns the alternatives of a union; the schema itself if it is not a union. */
export const variants = memoizePerSchema((schema): readonly TSchema[] => {
  const { anyOf, oneOf } = view(schema);
  return (anyOf ?? oneOf ?? [schema]).flatMap((one) => (one === schema ? [one] : variants(one)));
});

/** Returns the JSON types of a schema that is not a union; an empty list if it does not restrict them. */
export function typesOf(schema: TSchema): readonly string[] {
  const { type, const: only, enum: listed } = view(schema);
  if (type !== undefined) return typeof type === "string" ? [type] : type;
  if (only !== undefined) return [typeOf(only)];
  return listed === undefined ? [] : [...new Set(listed.map(typeOf))];
}

/** Returns the JSON type of a value; `number` for integers too. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Returns whether the schema allows `null`. */
export function admitsNull(schema: TSchema): boolean {
  return variants(schema).some((one) => {
    const types = typesOf(one);
    return types.length === 0 || types.includes("null");
  });
}

/**
 * Returns the alternative for a value: the only one of its JSON type. Undefined if none or several match, so that
 * the value cannot be interpreted further.
 */
export function variantFor(schema: TSchema, value: unknown): TSchema | undefined {
  const all = variants(schema);
  if (all.length === 1) return all[0];
  const fitting = all.filter((one) => accepts(typesOf(one), value));
  return fitting.length === 1 ? fitting[0] : undefined;
}

function accepts(types: readonly string[], value: unknown): boolean {
  return types.some((type) => (type === "integer" ? "number" : type) === typeOf(value));
}

/** Returns the alternatives other than `null`. */
export function nonNull(schema: TSchema): readonly TSchema[] {
  return variants(schema).filter((one) => {
    const types = typesOf(one);
    return !(types.length === 1 && types[0] === "null");
  });
}

/** Returns the schema of a map's values; undefined if the schema is not a map, that is, has named members or no value schema. */
export function mapValues(schema: TSchema): TSchema | undefined {
  const { properties, patternProperties, additionalProperties } = view(schema);
  if (properties !== undefined && Object.keys(properties).length > 0) return undefined;
  const patterns = Object.values(patternProperties ?? {});
  if (patterns.length === 1) return patterns[0];
  return isObject(additionalProperties) ? additionalProperties : undefined;
}
