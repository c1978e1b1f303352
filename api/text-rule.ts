// Adds a rule to the schemas of requests: no text has a null character, which databases refuse. The service checks it.
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";

const pattern = "^[^\\u0000]*$";

/** Texts with a null character. A pattern that refuses all of them already contains the rule. */
const texts = ["\u0000", "a\u0000", "\u0000a", "a\u0000a"];

/** Keywords with one schema, a list of schemas, and schemas by name. */
const nested = {
  one: ["items", "additionalProperties", "contains"],
  many: ["anyOf", "oneOf", "allOf", "prefixItems"],
  named: ["properties", "patternProperties"],
} as const;

/** Returns a schema of requests in plain JSON whose texts, at any depth, have no null character. */
export function withTextRule(schema: JsonObject): JsonObject {
  const result: Record<string, JsonValue | undefined> = { ...schema, ...ruleFor(schema) };
  for (const key of nested.one) {
    const inner = result[key];
    if (isObject(inner)) result[key] = withTextRule(inner);
  }
  for (const key of nested.many) {
    const inner = result[key];
    if (Array.isArray(inner)) result[key] = inner.map((one: JsonValue) => withRule(one));
  }
  for (const key of nested.named) {
    const inner = result[key];
    if (!isObject(inner)) continue;
    result[key] = Object.fromEntries(
      Object.entries(inner).map(([name, one]) => [name, withRule(one ?? null)]),
    );
  }
  return result;
}

function withRule(schema: JsonValue): JsonValue {
  return isObject(schema) ? withTextRule(schema) : schema;
}

function ruleFor({ type, format, const: only, enum: values, ...schema }: JsonObject): JsonObject {
  const isText = type === "string" || (Array.isArray(type) && type.includes("string"));
  if (!isText || format !== undefined || only !== undefined || values !== undefined) return {};
  const own = schema["pattern"];
  if (typeof own !== "string") return { pattern };
  const expression = new RegExp(own, "u");
  if (!texts.some((text) => expression.test(text))) return {};
  const others = Array.isArray(schema["allOf"]) ? schema["allOf"] : [];
  return { allOf: [...others, { pattern }] };
}
