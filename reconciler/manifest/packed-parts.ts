// Packs the parsed parts of a file, for a process that keeps many files: documents of one kind take about a tenth of
// their text.
import { deserialize, serialize } from "node:v8";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { JsonValue } from "../../core/json.ts";
import type { DocumentPart, ParsedParts } from "./parse.ts";

/** The parts of a file without their file, in little memory. */
export interface PackedParts {
  /** {@link Columns}, serialized and compressed. Values that aliases share are in it once. */
  readonly bytes: Uint8Array;
  readonly diagnostics: readonly Diagnostic[];
}

/** The parts, member by member: lists of numbers take less than objects. */
interface Columns {
  readonly values: readonly JsonValue[];
  readonly hasErrors: readonly boolean[];
  /** For each part its line, column, start and end. */
  readonly positions: Uint32Array;
}

/** Packs the parts of a file. */
export function packParts({ parts, diagnostics }: ParsedParts): PackedParts {
  const columns: Columns = {
    values: parts.map(({ value }) => value),
    hasErrors: parts.map(({ hasErrors }) => hasErrors),
    positions: Uint32Array.from(
      parts.flatMap(({ place: { line, column }, start, end }) => [line, column, start, end]),
    ),
  };
  // A copy has its own size: the result is a part of a larger buffer.
  return { bytes: new Uint8Array(deflateRawSync(serialize(columns), { level: 1 })), diagnostics };
}

/** Returns the parts that were packed. */
export function unpackParts(file: string, { bytes, diagnostics }: PackedParts): ParsedParts {
  const { values, hasErrors, positions } = deserialize(inflateRawSync(bytes)) as Columns;
  const parts = values.map((value, index): DocumentPart => {
    const [line = 1, column = 1, start = 0, end = 0] = positions.subarray(4 * index, 4 * index + 4);
    return {
      place: { file, line, column },
      value,
      hasErrors: hasErrors[index] ?? false,
      start,
      end,
    };
  });
  return { parts, diagnostics };
}
