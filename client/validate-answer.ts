// Validates responses against the schemas of operations. Other servers may return unknown members,
// and omit members that the client does not require.
import { type TSchema, Type } from "typebox";
import { isObject } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { memoizePerObject } from "../core/memoize.ts";
import type { Operation } from "../core/operation/operation.ts";
import { admitsNull, member, variantFor, view } from "../core/schema/schema.ts";
import { isOpenForClient, isOptionalForClient } from "../core/schema/traits.ts";
import { validator } from "../core/schema/validate.ts";
import { type RequestDescription, unexpectedAnswer } from "./answer.ts";
import { sanitize } from "./sanitize.ts";

interface CompiledSchema {
  readonly schema: TSchema;
  readonly validate: ReturnType<typeof validator>;
}

/** Validates the response of an operation that is not a list. Fails with `unexpected_answer`, which names the invalid member. */
export function checkAnswer(
  operation: Operation,
  request: RequestDescription,
  value: unknown,
): unknown {
  const check = compiledSchemaOf(operation);
  return check && validated(check, request, { value, from: 0 });
}

/** Validates the items of a page. Fails with `unexpected_answer`. */
export function checkItems(
  operation: Operation,
  request: RequestDescription,
  items: readonly unknown[],
): readonly unknown[] {
  const check = compiledSchemaOf(operation);
  if (check === undefined) return items;
  const valid: unknown[] = [];
  // In slices, so that validation of a long invalid page stops early.
  for (let from = 0; from < items.length; from += limits.pageMax) {
    const value = items.slice(from, from + limits.pageMax);
    for (const item of validated(check, request, { value, from })) valid.push(item);
  }
  return valid;
}

/** Returns the schema that answers of an operation are validated against: a page of items, for a list. */
export function answerSchema({ answer: { schema }, list }: Operation): TSchema | undefined {
  if (schema === undefined) return undefined;
  return relaxSchema(list === undefined ? schema : Type.Array(schema)) as TSchema;
}

/** Returns the validator of an operation, compiled on first use; undefined if there is no body. */
const compiledSchemaOf = memoizePerObject((operation: Operation): CompiledSchema | undefined => {
  const schema = answerSchema(operation);
  return schema && { schema, validate: validator(schema) };
});

function validated<T>(
  check: CompiledSchema,
  request: RequestDescription,
  part: { value: T; from: number },
): T {
  if (check.validate(part.value).length === 0) return part.value;
  const value = withoutNulls(check.schema, part.value) as T;
  const [violation] = check.validate(value);
  if (violation === undefined) return value;
  const path = violation.path.replace(/^\/(\d+)/, (_, at) => `/${Number(at) + part.from}`);
  const subject = path === "" ? "the response" : sanitize(path);
  throw unexpectedAnswer(request, `${subject} ${sanitize(violation.message)}`);
}

/** Returns the schema with additional members and values of open enums allowed, and without required members that the client does not need. */
function relaxSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(relaxSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const isOpen = isOpenForClient(schema);
  const members = Object.entries(schema).filter(
    ([keyword, value]) =>
      !(keyword === "additionalProperties" && value === false) && !(isOpen && keyword === "enum"),
  );
  const open = Object.fromEntries(members.map(([keyword, value]) => [keyword, relaxSchema(value)]));
  const { properties, required } = view(schema);
  if (!isObject(properties) || !Array.isArray(required)) return open;
  const needed = required.filter((name: string) => {
    const one = member(properties, name);
    return one === undefined || !isOptionalForClient(one);
  });
  return { ...open, required: needed };
}

/** Removes `null` members that the schema allows only to be omitted, because other servers return `null` for them. */
function withoutNulls(schema: TSchema, value: unknown): unknown {
  const fitting = variantFor(schema, value);
  if (fitting === undefined) return value;
  const { items, properties, required = [] } = view(fitting);
  if (Array.isArray(value)) {
    return items === undefined ? value : value.map((one) => withoutNulls(items, one));
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, one]) => {
    const inner = member(properties, name);
    if (inner === undefined) return [[name, one]];
    const isOmitted = one === null && !required.includes(name) && !admitsNull(inner);
    return isOmitted ? [] : [[name, withoutNulls(inner, one)]];
  });
  return Object.fromEntries(entries);
}
