// Encodes journal records as lines of bounded length: a long record becomes several fragments, which the reader joins again.
import { Type } from "typebox";
import { limits } from "../../core/limits/limits.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import { parseJson } from "./format.ts";

const fragmentSchema = Type.Object(
  {
    /** Position among the fragments of its record, from 0. */
    fragment: Type.Integer({ minimum: 0 }),
    of: Type.Integer({ minimum: 2 }),
    /** The bytes of the record's JSON in base64, so that a cut never falls into a character or an escape. */
    data: Type.String(),
  },
  { additionalProperties: false },
);

const validateFragment = declaredValidator(fragmentSchema);

interface Fragment {
  readonly fragment: number;
  readonly of: number;
  readonly data: string;
}

/** Bytes of a record in one fragment; base64 makes four characters of three bytes. */
const fragmentBytes = Math.floor((limits.journalLineBytes * 3) / 4) - 96;

/** Encodes records as lines without line ends; none is longer than `limits.journalLineBytes`. */
export function* journalLines(records: Iterable<object>): Generator<string> {
  for (const record of records) {
    const line = JSON.stringify(record);
    // A character takes at most three bytes, so the bytes of short lines are not counted.
    if (line.length * 3 <= limits.journalLineBytes) yield line;
    else yield* splitLine(line);
  }
}

function* splitLine(line: string): Generator<string> {
  const bytes = Buffer.from(line, "utf8");
  if (bytes.length <= limits.journalLineBytes) return yield line;
  const of = Math.ceil(bytes.length / fragmentBytes);
  for (let fragment = 0; fragment < of; fragment++) {
    const part = bytes.subarray(fragment * fragmentBytes, (fragment + 1) * fragmentBytes);
    yield JSON.stringify({ fragment, of, data: part.toString("base64") });
  }
  return undefined;
}

/** Groups lines so that each group fits into one append call. */
export function* groupLines(lines: Iterable<string>): Generator<readonly string[]> {
  let group: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    // As a JSON string, with its comma.
    const length = Buffer.byteLength(JSON.stringify(line)) + 1;
    const isFull = group.length >= limits.journalLines || bytes + length > limits.journalBytes - 2;
    if (group.length > 0 && isFull) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(line);
    bytes += length;
  }
  if (group.length > 0) yield group;
}

/** A value of the journal with the number of the line that it begins in, from 1. */
export interface NumberedValue {
  readonly value: unknown;
  readonly line: number;
}

/**
 * Joins the fragments among the parsed lines of a journal. Drops a record whose last fragments are missing: a crash cut it
 * off before its write was acknowledged. A fragment out of order is kept as a value, so that the reader reports it.
 */
export function joinFragments(values: readonly unknown[]): readonly NumberedValue[] {
  const isFragment = (value: unknown): value is Fragment => validateFragment(value).length === 0;
  const joined: NumberedValue[] = [];
  let open: { readonly of: number; readonly line: number; readonly data: Buffer[] } | undefined;
  for (const [index, value] of values.entries()) {
    const line = index + 1;
    if (!isFragment(value)) {
      open = undefined;
      joined.push({ value, line });
      continue;
    }
    if (value.fragment === 0) open = { of: value.of, line, data: [] };
    if (open?.of !== value.of || open.data.length !== value.fragment) {
      joined.push({ value, line });
      open = undefined;
      continue;
    }
    open.data.push(Buffer.from(value.data, "base64"));
    if (open.data.length < open.of) continue;
    joined.push({ value: parseJson(Buffer.concat(open.data).toString("utf8")), line: open.line });
    open = undefined;
  }
  return joined;
}
