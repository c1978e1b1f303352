// Measures that are arithmetic over other measures, and are written over their columns.
import type { CompiledMeasure, SqlPart, SqlTemplate } from "./types.ts";

/** Types whose SQL is already an aggregate. */
export const calculatedTypes: ReadonlySet<string> = new Set([
  "number",
  "string",
  "time",
  "boolean",
]);

const aggregateStart =
  /\b(?:count|sum|avg|min|max|median|mode|any_value|first|last|list|array_agg|string_agg|group_concat|json_arrayagg|json_objectagg|bit_and|bit_or|bit_xor|bool_and|bool_or|std|stddev|stddev_pop|stddev_samp|variance|var_pop|var_samp|corr|quantile\w*|percentile_cont|percentile_disc|approx_\w+|arg_min|arg_max|product)\s*\(/;
/** A call of an aggregate in text. */
const aggregateCall = new RegExp(aggregateStart.source, "i");
/** Quoted texts, comments, calls of aggregates and parentheses. */
const tokens = new RegExp(
  `'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\\n]*|/\\*[^]*?\\*/|${aggregateStart.source}|[()]`,
  "gi",
);

/** Returns whether a measure is arithmetic over other measures only. Text that contains an aggregate reads rows. */
export function isComposite(measure: Pick<CompiledMeasure, "type" | "sql" | "stage">): boolean {
  if (measure.stage || !calculatedTypes.has(measure.type) || !measure.sql) return false;
  let measures = 0;
  for (const part of measure.sql) {
    if (typeof part === "string") {
      if (aggregateCall.test(part)) return false;
      continue;
    }
    if (!isMeasure(part)) return false;
    measures++;
  }
  return measures > 0;
}

/** Stands for a reference while the text around it is read. */
const firstMark = 0xf_00_00;
const mark = /([\u{F0000}-\u{FFFFD}])/u;

/**
 * Returns the calls of aggregates in SQL that has measures beside them, and the SQL with a reference to the measure that
 * `reference` returns in place of each call. Undefined if it has no such calls, or does not only compute with their values.
 */
export function splitAggregates(
  template: SqlTemplate,
  reference: (index: number) => SqlPart,
): { readonly rest: SqlTemplate; readonly calls: readonly SqlTemplate[] } | undefined {
  if (!template.some(isMeasure)) return undefined;
  if (template.some((part) => typeof part === "string" && mark.test(part))) return undefined;
  const text = template
    .map((part, index) =>
      typeof part === "string" ? part : String.fromCodePoint(firstMark + index),
    )
    .join("");
  const partsOf = (piece: string) =>
    piece
      .split(mark)
      .filter((one) => one !== "")
      .map((one) =>
        mark.test(one) ? (template[(one.codePointAt(0) ?? 0) - firstMark] ?? "") : one,
      );
  const calls: SqlTemplate[] = [];
  const rest: SqlPart[] = [];
  let end = 0;
  for (const [start, after] of aggregateCalls(text)) {
    rest.push(...partsOf(text.slice(end, start)), reference(calls.length));
    calls.push(partsOf(text.slice(start, after)));
    end = after;
  }
  rest.push(...partsOf(text.slice(end)));
  const isSplit =
    calls.length > 0 &&
    rest.every((part) => typeof part === "string" || isMeasure(part)) &&
    !calls.flat().some(isMeasure);
  return isSplit ? { rest, calls } : undefined;
}

/** Returns where the outermost calls of aggregates start and end, with the clauses that belong to them. */
function aggregateCalls(text: string): readonly (readonly [number, number])[] {
  const calls: [number, number][] = [];
  let start: number | undefined;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token.endsWith("(")) {
      if (start === undefined && token !== "(") start = index;
      if (start !== undefined) depth++;
    } else if (token === ")" && start !== undefined && --depth === 0) {
      const after = index + 1;
      const next = text.slice(after);
      if (/^\s*(?:filter|within\s+group)\s*\(/i.test(next)) continue;
      // A window needs the groups of the query.
      if (/^\s*over\b/i.test(next)) return [];
      calls.push([start, after]);
      start = undefined;
    }
  }
  return calls;
}

function isMeasure(part: SqlPart): boolean {
  return typeof part !== "string" && part.kind === "member" && part.memberKind === "measure";
}
