// Reading JSON Schema as data: the few keywords that the machinery looks at, behind types.
import type { TSchema } from "typebox";
import { isObject, type JsonValue } from "./json.ts";

/** The JSON Schema keywords that the machinery reads. */
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
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
}

/** The schema with its keywords typed; nothing is copied. */
export function view(schema: TSchema): SchemaView {
  return schema;
}

/** `work` done once for each schema object and remembered for as long as it lives: a schema never changes once it is declared. */
export function memoizePerSchema<T>(work: (schema: TSchema) => T): (schema: TSchema) => T {
  const known = new WeakMap<TSchema, T>();
  return (schema) => {
    const before = known.get(schema);
    if (before !== undefined) return before;
    const made = work(schema);
    known.set(schema, made);
    return made;
  };
}

/** The member that an object holds itself: `undefined` for what only its prototype has. */
export function member<T>(
  object: Readonly<Record<string, T>> | undefined,
  key: string,
): T | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The alternatives of a union; one, itself, for any other schema. */
export const variants = memoizePerSchema((schema): readonly TSchema[] => {
  const { anyOf, oneOf } = view(schema);
  return (anyOf ?? oneOf ?? [schema]).flatMap((one) => (one === schema ? [one] : variants(one)));
});

/** The JSON types that a schema without alternatives names; empty where it says nothing. */
export function typesOf(schema: TSchema): readonly string[] {
  const { type, const: only, enum: listed } = view(schema);
  if (type !== undefined) return typeof type === "string" ? [type] : type;
  if (only !== undefined) return [typeOf(only)];
  return listed === undefined ? [] : [...new Set(listed.map(typeOf))];
}

/** The JSON type of a value, whole numbers being `number` too. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** True when the schema itself allows `null`, or allows anything. */
export function admitsNull(schema: TSchema): boolean {
  return variants(schema).some((one) => {
    const types = typesOf(one);
    return types.length === 0 || types.includes("null");
  });
}

/**
 * The alternative that a value is written in: the only one of its JSON type. Undefined where none or several fit, so that
 * the value has to be taken as it is.
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

/** The alternatives beside `null`. */
export function nonNull(schema: TSchema): readonly TSchema[] {
  return variants(schema).filter((one) => {
    const types = typesOf(one);
    return !(types.length === 1 && types[0] === "null");
  });
}

/** The schema of a map's values: of an object that names no members but describes the values of all; else undefined. */
export function mapValues(schema: TSchema): TSchema | undefined {
  const { properties, patternProperties, additionalProperties } = view(schema);
  if (properties !== undefined && Object.keys(properties).length > 0) return undefined;
  const patterns = Object.values(patternProperties ?? {});
  if (patterns.length === 1) return patterns[0];
  return isObject(additionalProperties) ? additionalProperties : undefined;
}
