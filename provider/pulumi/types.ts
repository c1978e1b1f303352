// JSON Schema as Pulumi's type specifications: object types become named types of the package.
import type { TSchema } from "typebox";
import { invariant } from "../../core/errors.ts";
import { membersOf } from "../../core/fields.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import { typeText } from "../../core/json-schema.ts";
import { mapValues, nonNull, typesOf, view } from "../../core/schema.ts";
import { isSensitive } from "../../core/fields.ts";
import { traitsOf } from "../../core/traits.ts";
import { pascalCase, tokenOf } from "./properties.ts";

/** The named types of a package, collected while its properties are described. */
export interface TypeTable {
  /** The type specification of values of this schema; `name` is what its object type is called, should it be one. */
  typeOf(schema: TSchema, name: string): JsonObject;
  /** A named object type of these properties; the reference to it. */
  define(name: string, type: JsonObject): JsonObject;
  /** All named types by token. */
  all(): JsonObject;
}

const anyType: JsonObject = { $ref: "pulumi.json#/Any" };
const plainTypes: ReadonlySet<string> = new Set(["string", "integer", "number", "boolean"]);

/** An empty table. */
export function createTypeTable(): TypeTable {
  const types = new Map<string, JsonObject>();
  const define: TypeTable["define"] = (name, type) => {
    const token = tokenOf(name);
    const before = types.get(token);
    invariant(before === undefined || equal(before, type), `two types are called ${name}`);
    types.set(token, type);
    return { $ref: `#/types/${token}` };
  };
  const typeOf: TypeTable["typeOf"] = (schema, name) => {
    const alternatives = nonNull(schema).map((one) => single(one, name));
    const distinct = alternatives.filter(
      (one, index) => alternatives.findIndex((other) => equal(one, other)) === index,
    );
    const [only = anyType, ...others] = distinct;
    return others.length === 0 ? only : { oneOf: distinct };
  };
  const single = (schema: TSchema, name: string): JsonObject => {
    const { items } = view(schema);
    if (items !== undefined) return { type: "array", items: typeOf(items, singular(name)) };
    if (membersOf(schema).length > 0) {
      const called = traitsOf(schema).typeName ?? name;
      return define(called, objectType(schema, called));
    }
    const values = mapValues(schema);
    if (values !== undefined) {
      return { type: "object", additionalProperties: typeOf(values, singular(name)) };
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

function byName([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}

/** What one of a list is called: a plural loses its s. */
export function singular(name: string): string {
  return name.replace(/(?<=[^s])s$/, "");
}

/** The doc with what values are allowed, where that says more than the type. */
export function withAllowedValues(doc: string, schema: TSchema): JsonObject {
  const allowed = typeText(schema);
  const says = /[0-9"(]/.test(allowed) && !/\bobject\b|\bmap\b/.test(allowed);
  const text = [doc, says ? `Allowed: ${allowed}.` : ""].filter((part) => part !== "").join(" ");
  return text === "" ? {} : { description: text };
}
