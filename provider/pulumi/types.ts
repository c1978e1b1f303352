// Converts JSON Schema to Pulumi's type specifications. Object types become named types of the package.
import { upperFirst } from "../../core/text/naming.ts";
import type { TSchema } from "typebox";
import { invariant } from "../../core/errors.ts";
import { membersOf } from "../../core/kind/fields.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import { typeText } from "../../core/kind/json-schema.ts";
import { mapValues, nonNull, typesOf, view } from "../../core/schema/schema.ts";
import { isSensitive } from "../../core/kind/fields.ts";
import { traitsOf } from "../../core/schema/traits.ts";
import { pascalCase, tokenOf } from "./properties.ts";

/** Collects the named types of a package while its properties are converted. */
export interface TypeTable {
  /** Returns the type specification of a schema; `name` is the name of its object type, if it is one. */
  typeOf(schema: TSchema, name: string): JsonObject;
  /** Adds a named type. Returns a reference to it. */
  define(name: string, type: JsonObject): JsonObject;
  /** Returns all named types by token. */
  all(): JsonObject;
}

const anyType: JsonObject = { $ref: "pulumi.json#/Any" };
const plainTypes: ReadonlySet<string> = new Set(["string", "integer", "number", "boolean"]);

/** Creates an empty table. */
export function createTypeTable(): TypeTable {
  const types = new Map<string, JsonObject>();
  const define: TypeTable["define"] = (name, type) => {
    const token = tokenOf(name);
    const before = types.get(token);
    invariant(before === undefined || equal(before, type), `two different types are named ${name}`);
    types.set(token, type);
    return { $ref: `#/types/${token}` };
  };
  const typeOf: TypeTable["typeOf"] = (schema, name) => {
    if (isStringEnum(schema)) {
      // The plain type next to the enum accepts values that a newer server adds.
      return { type: "string", oneOf: [{ type: "string" }, define(name, enumType(schema))] };
    }
    const alternatives = nonNull(schema).map((one) => single(one, name));
    const distinct = alternatives.filter(
      (one, index) => alternatives.findIndex((other) => equal(one, other)) === index,
    );
    const [only = anyType, ...others] = distinct;
    if (others.length === 0) return only;
    // The Python SDK cannot write a list or an object whose type is a union.
    return distinct.every((one) => "oneOf" in one || isPlain(one)) ? { oneOf: distinct } : anyType;
  };
  const single = (schema: TSchema, name: string): JsonObject => {
    const { items } = view(schema);
    if (items !== undefined) return { type: "array", items: typeOf(items, singular(name)) };
    if (membersOf(schema).length > 0) {
      const typeName = traitsOf(schema).typeName ?? name;
      return define(typeName, objectType(schema, typeName));
    }
    const mapped = mapValues(schema);
    if (mapped !== undefined) {
      return { type: "object", additionalProperties: typeOf(mapped, singular(name)) };
    }
    const [type, ...more] = typesOf(schema);
    return type !== undefined && more.length === 0 && plainTypes.has(type) ? { type } : anyType;
  };
  const objectType = (schema: TSchema, name: string): JsonObject => {
    const members = membersOf(schema);
    const properties = members.map((member): [string, JsonObject] => [
      member.name,
      {
        ...typeOf(member.schema, `${name}${pascalCase(member.name)}`),
        ...withAllowedValues(member.traits.doc, member.schema),
        ...(isSensitive(traitsOf(member.schema)) ? { secret: true } : {}),
      },
    ]);
    const { doc } = traitsOf(schema);
    return {
      ...(doc === "" ? {} : { description: doc }),
      type: "object",
      properties: Object.fromEntries(properties),
      required: members.filter(({ required }) => required).map((member) => member.name),
    };
  };
  return { typeOf, define, all: () => Object.fromEntries([...types].toSorted(byName)) };
}

function isPlain({ type }: JsonObject): boolean {
  return typeof type === "string" && plainTypes.has(type);
}

/** Returns true for a string with a list of allowed values. */
export function isStringEnum(schema: TSchema): boolean {
  return stringValuesOf(schema).length > 1;
}

/** Returns the values of a string enum, which may be nullable; none for any other schema. */
function stringValuesOf(schema: TSchema): readonly string[] {
  const values: unknown[] = [];
  for (const one of nonNull(schema)) {
    const { enum: listed, const: only } = view(one);
    values.push(...(listed ?? [only]));
  }
  const texts = values.filter((value) => typeof value === "string");
  return texts.length === values.length ? texts : [];
}

function enumType(schema: TSchema): JsonObject {
  const members = stringValuesOf(schema).map((value) => ({ name: enumMemberName(value), value }));
  return { type: "string", description: "Allowed values.", enum: members };
}

/** Converts `string_array`, `multiCluster` and `TIME_GRAIN` to `StringArray`, `MultiCluster` and `TimeGrain`. */
function enumMemberName(value: string): string {
  const words = value.split(/[^A-Za-z0-9]+/);
  return words
    .map((word) => (word === word.toUpperCase() ? word.toLowerCase() : word))
    .map(upperFirst)
    .join("");
}

function byName([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}

/** Returns the singular of a name: removes a final `s`. */
export function singular(name: string): string {
  return name.replace(/(?<=[^s])s$/, "");
}

/** Returns the description with the allowed values, if those say more than the type. */
export function withAllowedValues(doc: string, schema: TSchema): JsonObject {
  const allowed = typeText(schema);
  const isUseful = /[0-9"(]/.test(allowed) && !/\bobject\b|\bmap\b/.test(allowed);
  const text = [doc, isUseful ? `Allowed: ${allowed}.` : ""]
    .filter((part) => part !== "")
    .join(" ");
  return text === "" ? {} : { description: text };
}
