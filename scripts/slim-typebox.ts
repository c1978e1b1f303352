// What bundles have of TypeBox: the functions that declare schemas here. A start declares thousands of schemas, and those of
// TypeBox hide the kind of each in it, one property descriptor after another, which is a tenth of the CPU of a plan.
import type { TSchema } from "typebox";

type Options = Readonly<Record<string, unknown>> | undefined;
type Properties = Readonly<Record<string, TSchema>>;

/** Hidden, so that neither JSON nor a copy has it, as in TypeBox. */
const optionalMark = "~optional";
const optionalProperty = { value: true };

function simple(type: string): (options: Options) => TSchema {
  return (options) => ({ type, ...options });
}

function objectOf(properties: Properties, options: Options): TSchema {
  const required: string[] = [];
  for (const name in properties) {
    if (!(optionalMark in (properties[name] as TSchema))) required.push(name);
  }
  return required.length > 0
    ? { type: "object", required, properties, ...options }
    : { type: "object", properties, ...options };
}

function optional(schema: TSchema): TSchema {
  return Object.defineProperty({ ...schema }, optionalMark, optionalProperty);
}

/** Returns an object schema with the members of another one for which `wanted` returns true. */
function selected(
  { properties }: { readonly properties: Properties },
  options: Options,
  wanted: (name: string) => boolean,
): TSchema {
  const members = Object.entries(properties).filter(([name]) => wanted(name));
  return objectOf(Object.fromEntries(members), options);
}

/** Same as TypeBox's for what this repository declares. Checked against it for every schema. */
export const Type = {
  String: simple("string"),
  Boolean: simple("boolean"),
  Integer: simple("integer"),
  Number: simple("number"),
  Null: simple("null"),
  Unknown: (options: Options): TSchema => ({ ...options }),
  Literal: (value: unknown, options: Options): TSchema => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Enum: (values: readonly unknown[], options: Options): TSchema => ({ enum: values, ...options }),
  Array: (items: TSchema, options: Options): TSchema => ({ type: "array", items, ...options }),
  Union: (anyOf: readonly TSchema[], options: Options): TSchema => ({ anyOf, ...options }),
  Record: (key: { readonly pattern?: string }, value: TSchema, options: Options): TSchema => ({
    type: "object",
    patternProperties: { [key.pattern ?? "^.*$"]: value },
    ...options,
  }),
  Object: objectOf,
  Optional: optional,
  Unsafe: (schema: TSchema): TSchema => ({ ...schema }),
  Omit: (of: { readonly properties: Properties }, names: readonly string[], options: Options) =>
    selected(of, options, (name) => !names.includes(name)),
  Pick: (of: { readonly properties: Properties }, names: readonly string[], options: Options) =>
    selected(of, options, (name) => names.includes(name)),
  Partial: ({ properties }: { readonly properties: Properties }, options: Options): TSchema =>
    objectOf(
      Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, optional(one)])),
      options,
    ),
};
