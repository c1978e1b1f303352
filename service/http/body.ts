// Parses request bodies as JSON and rejects values that a store cannot hold.
import { isUtf8 } from "node:buffer";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { jsonLossReason, lossText } from "../../core/text/exact-numbers.ts";
import { unstorableTextReason } from "../../core/text/storable-text.ts";
import { syntaxErrorAt } from "./json-syntax.ts";

/**
 * Parses `bytes` as JSON; returns undefined for no bytes. Throws `invalid` if they are not JSON in UTF-8, exceed the
 * nesting limit, or contain more than `most` values, `__proto__`, half a surrogate pair, a null character or a number
 * out of range.
 */
export function parseBody(bytes: Buffer, most: number = limits.bodyValues): unknown {
  return readBody(bytes, most).value;
}

/**
 * Parses a body like {@link parseBody}, and throws `invalid` too if it has a member twice or a number that a double cannot
 * hold. The service keeps the text of other bodies.
 */
export function parseExactBody(bytes: Buffer): unknown {
  const { text, value } = readBody(bytes, limits.bodyValues);
  const loss = jsonLossReason(text);
  if (loss !== undefined) throw new Failure("invalid", `in the body, ${lossText(loss)}`);
  return value;
}

function readBody(bytes: Buffer, most: number): { readonly text: string; readonly value: unknown } {
  if (bytes.length === 0) return { text: "", value: undefined };
  if (!isUtf8(bytes))
    throw new Failure("invalid", "the body is not valid UTF-8; encode it as UTF-8");
  // Ignore a byte order mark.
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Failure("invalid", `the body ${syntaxProblem(text, most)}`, { cause });
  }
  const problem = unstorableReason(value, most);
  if (problem !== undefined) throw new Failure("invalid", `the body ${problem}`);
  return { text, value };
}

function syntaxProblem(text: string, most: number): string {
  const at = syntaxErrorAt(text, { depth: limits.depth, values: most });
  if (at === "depth") return tooDeep;
  if (at === "values") return tooManyValues(most);
  if (at >= text.length) return "is not JSON: it ends too early";
  const before = text.slice(0, at).split("\n");
  const column = (before.at(-1)?.length ?? 0) + 1;
  return `is not JSON: syntax error at line ${before.length}, column ${column}, position ${at}`;
}

const tooDeep = `nests deeper than ${limits.depth} levels; flatten it`;

function tooManyValues(most: number): string {
  return `contains more than ${most} values; split it over several requests`;
}

/** Returns the reason why a parsed value cannot be stored, or undefined. Visits at most `most` values. */
export function unstorableReason(
  root: unknown,
  most: number = limits.bodyValues,
): string | undefined {
  const waiting: { value: object; depth: number }[] = [{ value: { root }, depth: 0 }];
  let left = most;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, depth } = next;
    if (depth > limits.depth) return tooDeep;
    const isList = Array.isArray(value);
    const names: readonly string[] = isList ? [] : Object.keys(value);
    const members: readonly unknown[] = isList ? value : Object.values(value);
    left -= members.length;
    if (left < 0) return tooManyValues(most);
    const problem =
      firstProblem(names, unstorableNameReason) ?? firstProblem(members, unstorableScalarReason);
    if (problem !== undefined) return problem;
    for (const member of members) {
      if (typeof member === "object" && member !== null) {
        waiting.push({ value: member, depth: depth + 1 });
      }
    }
  }
  return undefined;
}

function firstProblem<T>(values: readonly T[], problemOf: (value: T) => string | undefined) {
  for (const value of values) {
    const problem = problemOf(value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function unstorableNameReason(name: string): string | undefined {
  if (name === "__proto__") return "has a member named __proto__; use another name";
  return unstorableTextReason(name);
}

function unstorableScalarReason(value: unknown): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return "has a number beyond the range of a double; send it as a string";
  }
  return typeof value === "string" ? unstorableTextReason(value) : undefined;
}
