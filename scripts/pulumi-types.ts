// A package schema read for SDKs in TypeScript: its properties as types and members, its descriptions as docstrings.
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";

type Side = "input" | "output" | "plain";

/** The TypeScript type of a property: with what may be waited for, as it is known once applied, or plain for calls. */
export function typeOf(spec: JsonObject, side: Side): string {
  const wrap = (type: string): string => (side === "input" ? `pulumi.Input<${type}>` : type);
  const { $ref, type, items, additionalProperties, oneOf } = spec;
  if (Array.isArray(oneOf)) {
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

/** The members of an interface. */
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

/** Members, and which of them are always there. */
export interface ObjectShape {
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

/** The members that a specification names, under other names where it has them. */
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

/** A docstring; of examples, the one in TypeScript. */
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

/** The members of an object, each an object. */
export function entriesOf(value: JsonValue | undefined): [string, JsonObject][] {
  return Object.entries(objectIn(value)).map(([name, one]) => [name, objectIn(one)]);
}

/** The value where it is an object, else an empty one. */
export function objectIn(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** The value where it is a text. */
export function textOf(value: JsonValue | undefined, otherwise = ""): string {
  return typeof value === "string" ? value : otherwise;
}

/** The last part of a token. */
export function nameOf(token: string): string {
  return token.slice(token.lastIndexOf(":") + 1);
}

/** `EmbedTenant` -> `embedTenant`. */
export function camel(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
