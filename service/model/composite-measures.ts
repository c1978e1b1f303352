// Measures that are arithmetic over other measures, and are written over their columns.
import type { CompiledMeasure } from "./types.ts";

/** Types whose SQL is already an aggregate. */
export const calculatedTypes: ReadonlySet<string> = new Set([
  "number",
  "string",
  "time",
  "boolean",
]);

/** A call of an aggregate in text. */
const aggregateCall =
  /\b(?:count|sum|avg|min|max|median|mode|any_value|first|last|list|array_agg|string_agg|bool_and|bool_or|stddev|stddev_pop|stddev_samp|variance|var_pop|var_samp|corr|quantile\w*|percentile_cont|percentile_disc|approx_\w+|arg_min|arg_max|product)\s*\(/i;

/** Returns whether a measure is arithmetic over other measures only. Text that contains an aggregate reads rows. */
export function isComposite(measure: CompiledMeasure): boolean {
  if (measure.stage || !calculatedTypes.has(measure.type) || !measure.sql) return false;
  let measures = 0;
  for (const part of measure.sql) {
    if (typeof part === "string") {
      if (aggregateCall.test(part)) return false;
      continue;
    }
    if (part.kind !== "member" || part.memberKind !== "measure") return false;
    measures++;
  }
  return measures > 0;
}
