// Describes where a stored file stops being valid JSON. JSON.parse decides whether it is; `jsonc-parser` finds the place.
import { parse, type ParseError, printParseErrorCode } from "jsonc-parser";

/** Describes the first syntax error by line, column and byte, all from 1. Returns undefined if the text is valid JSON. */
export function jsonErrorPosition(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (cause) {
    const error = firstError(text);
    if (error === undefined) return `is not valid JSON: ${String(cause)}`;
    const offset = offsetOf(error);
    const before = text.slice(0, offset);
    const line = before.split("\n").length;
    const column = offset - before.lastIndexOf("\n");
    const where = `line ${line}, column ${column} (byte ${Buffer.byteLength(before) + 1})`;
    if (offset >= text.length) return `is truncated: it ends at ${where}`;
    const name = printParseErrorCode(error.error).replaceAll(/(?<=[a-z])(?=[A-Z])/gu, " ");
    return `is not valid JSON: ${name.toLowerCase()} at ${where}`;
  }
}

/** Returns undefined if the values are nested deeper than the parser's stack allows. */
function firstError(text: string): ParseError | undefined {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return errors[0];
}

/** An unfinished token is reported at its start; the position where it breaks off matters. */
function offsetOf({ error, offset, length }: ParseError): number {
  const isUnfinished = ["InvalidSymbol", "UnexpectedEndOfString"].includes(
    printParseErrorCode(error),
  );
  return isUnfinished ? offset + length : offset;
}
