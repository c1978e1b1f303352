// Answers are untrusted: each is held against its operation's schema. A server of somebody else's may say more than we know,
// and less than ours does where nothing here depends on it.
import { type TSchema, Type } from "typebox";
import { isObject } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import type { Operation } from "../core/operation.ts";
import { admitsNull, member, variantFor, view } from "../core/schema.ts";
import { isOptionalForClient } from "../core/traits.ts";
import { validator } from "../core/validate.ts";
import { type RequestDescription, unexpectedAnswer } from "./answer.ts";
import { sanitize } from "./sanitize.ts";

interface CompiledSchema {
  readonly schema: TSchema;
  readonly validate: ReturnType<typeof validator>;
}

/** Compiled on first use and kept with the operation. */
const compiledSchemas = new WeakMap<Operation, CompiledSchema>();

/** The answer of an operation that is no list, once it is valid. Fails with `unexpected_answer` naming where it is not. */
export function checkAnswer(
  operation: Operation,
  asked: RequestDescription,
  value: unknown,
): unknown {
  const { schema } = operation.answer;
  if (schema === undefined) return undefined;
  return validated(compiledSchemaOf(operation, schema), asked, { value, from: 0 });
}

/** The items of a page, once they are valid. Fails with `unexpected_answer`. */
export function checkItems(
  operation: Operation,
  asked: RequestDescription,
  items: readonly unknown[],
): readonly unknown[] {
  const { schema } = operation.answer;
  if (schema === undefined) return items;
  const check = compiledSchemaOf(operation, Type.Array(schema));
  const valid: unknown[] = [];
  // Slice by slice, so that a long page of nonsense is refused before it has made a complaint of every item.
  for (let from = 0; from < items.length; from += limits.pageMax) {
    const value = items.slice(from, from + limits.pageMax);
    for (const item of validated(check, asked, { value, from })) valid.push(item);
  }
  return valid;
}

function compiledSchemaOf(operation: Operation, schema: TSchema): CompiledSchema {
  let check = compiledSchemas.get(operation);
  if (check === undefined) {
    const open = relaxSchema(schema) as TSchema;
    check = { schema: open, validate: validator(open) };
    compiledSchemas.set(operation, check);
  }
  return check;
}

function validated<T>(
  check: CompiledSchema,
  asked: RequestDescription,
  part: { value: T; from: number },
): T {
  if (check.validate(part.value).length === 0) return part.value;
  const value = withoutNulls(check.schema, part.value) as T;
  const [violation] = check.validate(value);
  if (violation === undefined) return value;
  const path = violation.path.replace(/^\/(\d+)/, (_, at) => `/${Number(at) + part.from}`);
  const subject = path === "" ? "the answer" : sanitize(path);
  throw unexpectedAnswer(asked, `${subject} ${sanitize(violation.message)}.`);
}

/** The schema without its refusal of further members, and without its demand for those that nothing here depends on. */
function relaxSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(relaxSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const members = Object.entries(schema).filter(
    ([keyword, value]) => !(keyword === "additionalProperties" && value === false),
  );
  const open = Object.fromEntries(members.map(([keyword, value]) => [keyword, relaxSchema(value)]));
  const { properties, required } = view(schema);
  if (!isObject(properties) || !Array.isArray(required)) return open;
  const demanded = required.filter((name: string) => {
    const one = member(properties, name);
    return one === undefined || !isOptionalForClient(one);
  });
  return { ...open, required: demanded };
}

/** The value without members that are `null` where the schema only has them left out: other servers say it in that way. */
function withoutNulls(schema: TSchema, value: unknown): unknown {
  const fitting = variantFor(schema, value);
  if (fitting === undefined) return value;
  const { items, properties, required = [] } = view(fitting);
  if (Array.isArray(value)) {
    return items === undefined ? value : value.map((one) => withoutNulls(items, one));
  }
  if (!isObject(value)) return value;
  const told = Object.entries(value).flatMap(([name, one]) => {
    const inner = member(properties, name);
    if (inner === undefined) return [[name, one]];
    const means = one === null && !required.includes(name) && !admitsNull(inner);
    return means ? [] : [[name, withoutNulls(inner, one)]];
  });
  return Object.fromEntries(told);
}
