// Values of examples with the types that the package schema gives them, for programs in languages that name types.
import { invariant } from "../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";

/** What an example is written for. */
export interface ExampleContext {
  /** The resource. */
  readonly type: string;
  /** The specifications of its inputs. */
  readonly properties: JsonObject;
  /** All named types by token. */
  readonly types: JsonObject;
}

/** A value with its type. */
export type TypedValue =
  | { readonly form: "string" | "integer" | "number" | "boolean"; readonly value: JsonValue }
  /** Of any type, or of one out of several. */
  | { readonly form: "any"; readonly value: JsonValue }
  | { readonly form: "list"; readonly of: string; readonly items: readonly TypedValue[] }
  | { readonly form: "map"; readonly of: string; readonly entries: readonly TypedEntry[] }
  | { readonly form: "object"; readonly type: string; readonly entries: readonly TypedEntry[] };

/** A member of an object, or an entry of a map. */
export type TypedEntry = readonly [name: string, value: TypedValue];

/** The inputs of an example, each with its type. */
export function typedInputs(scene: ExampleContext, inputs: JsonObject): readonly TypedEntry[] {
  return entriesOf(scene, scene.properties, inputs);
}

function entriesOf(
  scene: ExampleContext,
  properties: JsonObject,
  value: JsonObject,
): readonly TypedEntry[] {
  return Object.entries(value).flatMap(([name, inner]): TypedEntry[] =>
    inner === undefined ? [] : [[name, typedValue(scene, properties[name], inner)]],
  );
}

function typedValue(
  scene: ExampleContext,
  spec: JsonValue | undefined,
  value: JsonValue,
): TypedValue {
  invariant(isObject(spec), "an example holds no input that there is not");
  const { type, items, additionalProperties: values } = spec;
  const named = namedType(scene, spec);
  if (named !== undefined && isObject(value)) {
    const { name, properties } = named;
    return { form: "object", type: name, entries: entriesOf(scene, properties, value) };
  }
  if (type === "array" && Array.isArray(value)) {
    const inner = value.map((one: JsonValue) => typedValue(scene, items, one));
    return { form: "list", of: typeNameOf(scene, items), items: inner };
  }
  if (type === "object" && isObject(value)) {
    const all = Object.fromEntries(Object.keys(value).map((name) => [name, values]));
    const inner = entriesOf(scene, all, value);
    return { form: "map", of: typeNameOf(scene, values), entries: inner };
  }
  const plain = (["string", "integer", "number", "boolean"] as const).find((one) => one === type);
  return { form: plain ?? "any", value };
}

/** `string`, `any`, or the name of a type; with `[]` after it for lists of these, with `{}` for maps. */
function typeNameOf(scene: ExampleContext, spec: JsonValue | undefined): string {
  if (!isObject(spec)) return "any";
  const named = namedType(scene, spec)?.name;
  const { type, items, additionalProperties } = spec;
  if (type === "array") return `${typeNameOf(scene, items)}[]`;
  if (type === "object") return `${typeNameOf(scene, additionalProperties)}{}`;
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
