// Measures that are arithmetic over other measures: they are written over the columns of those.
import type { CompiledMeasure } from "./types.ts";

/** Types whose SQL is an aggregate already. */
export const calculatedTypes: ReadonlySet<string> = new Set([
  "number",
  "string",
  "time",
  "boolean",
]);

/** Returns whether a measure is arithmetic over other measures only. */
export function isComposite(measure: CompiledMeasure): boolean {
  if (measure.stage || !calculatedTypes.has(measure.type) || !measure.sql) return false;
  let measures = 0;
  for (const part of measure.sql) {
    if (typeof part === "string") continue;
    if (part.kind !== "member" || part.memberKind !== "measure") return false;
    measures++;
  }
  return measures > 0;
}
