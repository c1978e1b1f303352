// Adds the types of the package schema to the values of examples, for languages that name types.
import { invariant } from "../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";

/** The resource that an example declares, and the types that it needs. */
export interface ExampleContext {
  /** The resource type. */
  readonly type: string;
  /** The property specifications of its inputs. */
  readonly properties: JsonObject;
  /** All named types by token. */
  readonly types: JsonObject;
}

/** A value and its type. */
export type TypedValue =
  | { readonly form: "string" | "integer" | "number" | "boolean"; readonly value: JsonValue }
  /** A value of any type, or of one of several types. */
  | { readonly form: "any"; readonly value: JsonValue }
  | { readonly form: "list"; readonly of: string; readonly items: readonly TypedValue[] }
  | { readonly form: "map"; readonly of: string; readonly entries: readonly TypedEntry[] }
  | { readonly form: "object"; readonly type: string; readonly entries: readonly TypedEntry[] };

/** A member of an object, or an entry of a map. */
export type TypedEntry = readonly [name: string, value: TypedValue];

/** Returns the inputs of an example with their types. */
export function typedInputs(context: ExampleContext, inputs: JsonObject): readonly TypedEntry[] {
  return entriesOf(context, context.properties, inputs);
}

function entriesOf(
  context: ExampleContext,
  properties: JsonObject,
  value: JsonObject,
): readonly TypedEntry[] {
  return Object.entries(value).flatMap(([name, inner]): TypedEntry[] =>
    inner === undefined ? [] : [[name, typedValue(context, properties[name], inner)]],
  );
}

function typedValue(
  context: ExampleContext,
  spec: JsonValue | undefined,
  value: JsonValue,
): TypedValue {
  invariant(isObject(spec), "an example has only inputs that the schema declares");
  const { type, items, additionalProperties: values } = spec;
  const named = namedType(context, spec);
  if (named !== undefined && isObject(value)) {
    const { name, properties } = named;
    return { form: "object", type: name, entries: entriesOf(context, properties, value) };
  }
  if (type === "array" && Array.isArray(value)) {
    const inner = value.map((one: JsonValue) => typedValue(context, items, one));
    return { form: "list", of: typeNameOf(context, items), items: inner };
  }
  if (type === "object" && isObject(value)) {
    const all = Object.fromEntries(Object.keys(value).map((name) => [name, values]));
    const inner = entriesOf(context, all, value);
    return { form: "map", of: typeNameOf(context, values), entries: inner };
  }
  const plain = (["string", "integer", "number", "boolean"] as const).find((one) => one === type);
  return { form: plain ?? "any", value };
}

/** Returns `string`, `any`, or the name of a type; followed by `[]` for a list and by `{}` for a map. */
function typeNameOf(context: ExampleContext, spec: JsonValue | undefined): string {
  if (!isObject(spec)) return "any";
  const named = namedType(context, spec)?.name;
  const { type, items, additionalProperties } = spec;
  if (type === "array") return `${typeNameOf(context, items)}[]`;
  if (type === "object") return `${typeNameOf(context, additionalProperties)}{}`;
  return named ?? (typeof type === "string" ? type : "any");
}

function namedType({ types }: ExampleContext, { $ref }: JsonObject) {
  const [, token = ""] = typeof $ref === "string" ? (/^#\/types\/(.+)$/.exec($ref) ?? []) : [];
  const type = types[token];
  if (!isObject(type)) return undefined;
  const { properties } = type;
  return {
    name: token.split(":").at(-1) ?? token,
    properties: isObject(properties) ? properties : {},
  };
}
