// Replaces TypeBox in bundles: the functions that declare schemas here. A start declares thousands of schemas. TypeBox
// hides the kind in each of them with a property descriptor, which is a tenth of a plan's CPU time.
import type { TSchema } from "typebox";

type Options = Readonly<Record<string, unknown>> | undefined;
type Properties = Readonly<Record<string, TSchema>>;

/** Not enumerable, so that neither JSON nor a copy contains it, as in TypeBox. */
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

/**
 * Refuses arguments for which TypeBox returns another schema than the functions here, so that bundles match the
 * sources.
 */
function requireSupported(isSupported: boolean, what: string): void {
  if (!isSupported) throw new Error(`bundles do not support ${what}: see scripts/slim-typebox.ts`);
}

interface ObjectSchema {
  readonly properties?: Properties;
}

function membersOf({ properties }: ObjectSchema): readonly (readonly [string, TSchema])[] {
  requireSupported(properties !== undefined, "the members of a schema that is no object");
  return Object.entries(properties ?? {});
}

/** Returns an object schema with the members of another one that are in `names`, or with all others. */
function selected(
  of: ObjectSchema,
  names: readonly string[],
  { options, isPicked }: { readonly options: Options; readonly isPicked: boolean },
): TSchema {
  const isList = Array.isArray(names) && names.every((name) => typeof name === "string");
  requireSupported(isList, "names of members other than a list of texts");
  const members = membersOf(of).filter(([name]) => names.includes(name) === isPicked);
  return objectOf(Object.fromEntries(members), options);
}

interface KeySchema {
  readonly type?: string;
  readonly pattern?: string;
}

const literalTypes: ReadonlySet<string> = new Set(["string", "number", "boolean"]);

/** Equals TypeBox's `Type` for the declarations of this repository. Tests compare both for every schema. */
export const Type = {
  String: simple("string"),
  Boolean: simple("boolean"),
  Integer: simple("integer"),
  Number: simple("number"),
  Null: simple("null"),
  Unknown: (options: Options): TSchema => ({ ...options }),
  Literal: (value: unknown, options: Options): TSchema => {
    requireSupported(literalTypes.has(typeof value), "a literal of another type");
    return { type: typeof value, const: value, ...options };
  },
  Enum: (values: readonly unknown[], options: Options): TSchema => {
    requireSupported(Array.isArray(values), "an enumeration of TypeScript");
    return { enum: values, ...options };
  },
  Array: (items: TSchema, options: Options): TSchema => ({ type: "array", items, ...options }),
  Union: (anyOf: readonly TSchema[], options: Options): TSchema => ({ anyOf, ...options }),
  Record: (key: KeySchema, value: TSchema, options: Options): TSchema => {
    const isAnyText = key.type === "string" && !("enum" in key) && !("const" in key);
    requireSupported(isAnyText, "a record with other keys than texts");
    return { type: "object", patternProperties: { [key.pattern ?? "^.*$"]: value }, ...options };
  },
  Object: objectOf,
  Optional: optional,
  Unsafe: (schema: TSchema): TSchema => ({ ...schema }),
  Omit: (of: ObjectSchema, names: readonly string[], options: Options) =>
    selected(of, names, { options, isPicked: false }),
  Pick: (of: ObjectSchema, names: readonly string[], options: Options) =>
    selected(of, names, { options, isPicked: true }),
  Partial: (of: ObjectSchema, options: Options): TSchema =>
    objectOf(
      Object.fromEntries(membersOf(of).map(([name, one]) => [name, optional(one)])),
      options,
    ),
};
