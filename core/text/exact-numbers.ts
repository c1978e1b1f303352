// Finds what a parser of JSON or YAML would change silently: numbers that a double cannot hold, and members that appear twice.
import { isObject } from "../json.ts";
import { joinPointer } from "../pointer.ts";
import { lowerFirst } from "./naming.ts";

/** Why a text cannot be parsed without loss, as a clause, and what to do. */
export interface LossReason {
  readonly problem: string;
  readonly remedy: string;
}

/** What to do about a number that a double cannot hold. */
export const exactNumberRemedy = "Use a smaller number, or put it in quotes to send text.";

/**
 * Returns why a number is not what was written, as a predicate, or undefined: an integer beyond ±(2^53 - 1), or more
 * digits in `source` than the double gives back. A power of ten as in 1.5e22 is no integer in `source`, unless JSON would
 * write it with all its digits.
 */
export function inexactReason(value: number, source = ""): string | undefined {
  const isWritten = !/e/i.test(source) || Math.abs(value) < 1e21;
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value) && isWritten;
  if (!Number.isFinite(value) || isRounded) return "is too large to be exact";
  // A double holds 15 digits. An exponent can make it too small.
  if (source.length <= 15 && !/e/i.test(source)) return undefined;
  const digits = significantDigits(source);
  if (digits === undefined || digits === significantDigits(String(value))) return undefined;
  return "has too many digits to be exact";
}

/** Returns the digits of a decimal number, without zeros before and after them. */
function significantDigits(text: string): string | undefined {
  const [, whole, fraction = ""] = /^[-+]?(\d*)\.?(\d*)(?:e[-+]?\d+)?$/i.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

/** Returns why JSON text loses a part of its content when it is parsed, or undefined. The text must be valid. */
export function jsonLossReason(text: string): LossReason | undefined {
  const open: Set<string>[] = [];
  const token = /["{}]|-?[0-9][0-9.eE+-]*/g;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [found] = match;
    if (found === "{") open.push(new Set());
    else if (found === "}") open.pop();
    else if (found === '"') {
      const end = endOfString(text, match.index);
      token.lastIndex = end;
      if (!isName(text, end)) continue;
      const name = JSON.parse(text.slice(match.index, end)) as string;
      if (open.at(-1)?.has(name) === true) return duplicateReason(name);
      open.at(-1)?.add(name);
    } else {
      const reason = numberLossReason(found);
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}

/** Writes a reason as one clause: `the number 1e400 is too large to be exact; use a smaller number`. */
export function lossText({ problem, remedy }: LossReason): string {
  return `${problem}; ${lowerFirst(remedy).replace(/\.$/, "")}`;
}

function duplicateReason(name: string): LossReason {
  return {
    problem: `the member ${JSON.stringify(name)} appears twice in one object`,
    remedy: "Send each member once.",
  };
}

function numberLossReason(source: string): LossReason | undefined {
  const reason = inexactReason(Number(source), source);
  if (reason === undefined) return undefined;
  const shown = source.length > 40 ? `${source.slice(0, 40)}…` : source;
  return { problem: `the number ${shown} ${reason}`, remedy: exactNumberRemedy };
}

const namePattern = /[ \t\n\r]*:/y;

function isName(text: string, at: number): boolean {
  namePattern.lastIndex = at;
  return namePattern.test(text);
}

/** Returns the index after a string that begins at `at`. */
function endOfString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text[first - 1] === "\\") first--;
    if ((end - first) % 2 === 0) return end + 1;
  }
  return text.length;
}

/** Returns the JSON Pointer of the first number in a value that is not what was written, or undefined. */
export function inexactPointer(value: unknown, at: readonly string[] = []): string | undefined {
  if (typeof value === "number") {
    return inexactReason(value) === undefined ? undefined : joinPointer(at);
  }
  if (!Array.isArray(value) && !isObject(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = inexactPointer(member, [...at, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}
