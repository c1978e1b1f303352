// Answers are untrusted: each is held against its operation's schema, members that we do not know being fine.
import { type TSchema, Type } from "typebox";
import { limits } from "../core/limits.ts";
import type { Operation } from "../core/operation.ts";
import { validator } from "../core/validate.ts";
import { type Asked, unexpected } from "./answer.ts";
import { harmless } from "./harmless.ts";

type Check = ReturnType<typeof validator>;

/** Compiled on first use and kept with the operation. */
const checks = new WeakMap<Operation, Check>();

/** The answer of an operation that is no list, once it is valid. Fails with `unexpected_answer` naming where it is not. */
export function checkAnswer(operation: Operation, asked: Asked, value: unknown): unknown {
  const { schema } = operation.answer;
  if (schema === undefined) return undefined;
  hold(checkFor(operation, schema), asked, { value, from: 0 });
  return value;
}

/** Checks the items of a page. Fails with `unexpected_answer`. */
export function checkItems(operation: Operation, asked: Asked, items: readonly unknown[]): void {
  const { schema } = operation.answer;
  if (schema === undefined) return;
  const check = checkFor(operation, Type.Array(schema));
  // Slice by slice, so that a long page of nonsense is refused before it has made a complaint of every item.
  for (let from = 0; from < items.length; from += limits.pageMax) {
    hold(check, asked, { value: items.slice(from, from + limits.pageMax), from });
  }
}

function checkFor(operation: Operation, schema: TSchema): Check {
  let check = checks.get(operation);
  if (check === undefined) {
    check = validator(opened(schema) as TSchema);
    checks.set(operation, check);
  }
  return check;
}

function hold(check: Check, asked: Asked, part: { value: unknown; from: number }): void {
  const [violation] = check(part.value);
  if (violation === undefined) return;
  const path = violation.path.replace(/^\/(\d+)/, (_, at) => `/${Number(at) + part.from}`);
  const subject = path === "" ? "the answer" : harmless(path);
  throw unexpected(asked, `${subject} ${harmless(violation.message)}.`);
}

/** The schema without its refusal of further members: a newer server may say more. */
function opened(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(opened);
  if (typeof schema !== "object" || schema === null) return schema;
  const members = Object.entries(schema).filter(
    ([keyword, value]) => !(keyword === "additionalProperties" && value === false),
  );
  return Object.fromEntries(members.map(([keyword, value]) => [keyword, opened(value)]));
}
