// Converts a Pulumi package schema to TypeScript types, members and docstrings.
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";

type Side = "input" | "output" | "plain";

/** Returns the TypeScript type of a property: as an input, as an output, or plain for calls. */
export function typeOf(spec: JsonObject, side: Side): string {
  const wrap = (type: string): string => (side === "input" ? `pulumi.Input<${type}>` : type);
  const { $ref, type, items, additionalProperties, oneOf } = spec;
  if (Array.isArray(oneOf)) {
    const [, named] = oneOf.map((one: JsonValue) => textOf(objectIn(one)["$ref"]));
    // `string & {}` accepts any string and keeps the completion of the enum's values.
    if (type === "string") return `enums.${nameOf(named ?? "")} | (string & {})`;
    return oneOf.map((one: JsonValue) => typeOf(objectIn(one), side)).join(" | ");
  }
  if (typeof $ref === "string") {
    if (!$ref.startsWith("#/types/")) return "unknown";
    const name = nameOf($ref.slice("#/types/".length));
    return side === "input" ? `inputs.${name}Args` : `outputs.${name}`;
  }
  if (type === "array") {
    const item = wrap(typeOf(objectIn(items), side));
    return /[ <]/.test(item) && !/^[\w.]+<.*>$/.test(item) ? `(${item})[]` : `${item}[]`;
  }
  if (type === "object") {
    return `{ [key: string]: ${wrap(typeOf(objectIn(additionalProperties), side))} }`;
  }
  return type === "integer" ? "number" : textOf(type, "unknown");
}

/** Returns the members of an interface. */
export function members(
  { properties, required }: ObjectShape,
  { side, level = 1 }: { readonly side: Side; readonly level?: number },
): string {
  return entriesOf(properties)
    .map(([name, spec]) => {
      const optional = !required.includes(name);
      const type = typeOf(spec, side);
      const value = optional ? `${type} | undefined` : type;
      const typed =
        side === "input" ? `pulumi.Input<${value}>${optional ? " | undefined" : ""}` : value;
      return `${doc(spec, level)}${indent(level)}${name}${optional ? "?" : ""}: ${typed};`;
    })
    .join("\n");
}

/** Properties, and the names of the required ones. */
export interface ObjectShape {
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

/** Returns the properties of a specification. `names` are its members for properties and required names. */
export function objectShape(
  spec: JsonObject,
  names: readonly [string, string] = ["properties", "required"],
): ObjectShape {
  const required = spec[names[1]];
  return {
    properties: objectIn(spec[names[0]]),
    required: Array.isArray(required) ? required.map(String) : [],
  };
}

/** Returns a docstring, with the TypeScript example. */
export function doc({ description, deprecationMessage }: JsonObject, level: number): string {
  const text = textOf(description)
    .replace(/\{\{% .*? %\}\}\n?/g, "")
    .replace(/```(?:python|go|yaml)\n[\s\S]*?```\n*/g, "")
    .replaceAll("*/", "*\u200B/")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  const deprecated =
    deprecationMessage === undefined ? "" : `\n\n@deprecated ${textOf(deprecationMessage)}`;
  const lines = `${text}${deprecated}`.trim().split("\n");
  if (lines.length === 1 && lines[0] === "") return "";
  const pad = indent(level);
  if (lines.length === 1) return `${pad}/** ${lines[0]} */\n`;
  return `${pad}/**\n${lines.map((line) => `${pad} * ${line}`.trimEnd()).join("\n")}\n${pad} */\n`;
}

function indent(level: number): string {
  return "    ".repeat(level);
}

/** Returns the entries of an object of objects. */
export function entriesOf(value: JsonValue | undefined): [string, JsonObject][] {
  return Object.entries(objectIn(value)).map(([name, one]) => [name, objectIn(one)]);
}

/** Returns the value if it is an object, otherwise an empty object. */
export function objectIn(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns the value if it is a string, otherwise undefined. */
export function textOf(value: JsonValue | undefined, otherwise = ""): string {
  return typeof value === "string" ? value : otherwise;
}

/** Returns the last part of a token. */
export function nameOf(token: string): string {
  return token.slice(token.lastIndexOf(":") + 1);
}
