// Summarizes the results of a dashboard in sentences, for the start of a mail if its notification requests that. Pure: no
// language model reads the data of an account.
import {
  type ChartValue,
  formatValue,
  isRunning,
  numberOf,
  type ResultColumn,
  type ResultTable,
} from "../../charts/index.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Picture } from "./draw/picture-input.ts";
import { pictureLocale } from "./draw/svg.ts";

const inEnglish = { locale: pictureLocale };

/** Returns a sentence for each chart with data, in the order of the dashboard. */
export function summarize({ widgets }: Picture): readonly string[] {
  return widgets
    .flatMap(({ content }) => (content.kind === "chart" ? sentenceOf(content) : []))
    .slice(0, limits.summarySentences);
}

interface Chart {
  readonly title: string;
  readonly result: ResultTable;
  readonly now: string;
}

/** A row of a chart: its dimensions as text, and the value of its first measure. */
interface Point {
  readonly label: string;
  readonly order: string;
  readonly text: string;
  readonly number: number;
}

function sentenceOf({ title, result, now }: Chart): string | [] {
  const { columns, rows, isCut } = result;
  const at = columns.findIndex(({ kind }) => kind === "measure");
  const measure = columns[at];
  if (measure === undefined || rows.length === 0) return [];
  const isTimed = isSeries(columns);
  const described = isTimed ? comparedRows(result, now) : rows;
  const points = described.flatMap((row) => pointOf(row, columns, at));
  const [first] = points;
  if (first === undefined) return [];
  const scope = isCut ? ` in the first ${rows.length} rows` : "";
  const lead = title === "" ? "" : `${title}: `;
  if (points.length === 1) {
    const what = first.label === "" ? "" : ` for ${first.label}`;
    return `${lead}${measure.title} is ${first.text}${what}${scope}.`;
  }
  return `${lead}${measure.title} ${isTimed ? change(points) : extremes(points)}${scope}.`;
}

function pointOf(
  row: readonly ChartValue[],
  columns: readonly ResultColumn[],
  at: number,
): Point | [] {
  const measure = columns[at];
  const number = numberOf(row[at]);
  if (measure === undefined || number === null) return [];
  const names = columns.flatMap((column, index) =>
    column.kind === "measure"
      ? []
      : [[formatValue(row[index], column, inEnglish), String(row[index])]],
  );
  return {
    label: names.map(([shown = ""]) => shown).join(", "),
    order: names.map(([, stored = ""]) => stored).join(" "),
    text: formatValue(row[at], measure, inEnglish),
    number,
  };
}

/** Returns whether rows follow each other in time and differ in no other dimension. */
function isSeries(columns: readonly ResultColumn[]): boolean {
  const dimensions = columns.filter(({ kind }) => kind !== "measure");
  return dimensions.length === 1 && dimensions[0]?.kind === "timeDimension";
}

/** Returns the rows of a series without those without a time, and without a period that still runs if there is another. */
function comparedRows({ columns, rows }: ResultTable, now: string): ResultTable["rows"] {
  const at = columns.findIndex(({ kind }) => kind === "timeDimension");
  const timed = rows.filter((row) => row[at] != null);
  const ended = timed.filter((row) => !isRunning(String(row[at]), columns[at]?.granularity, now));
  return ended.length > 0 ? ended : timed;
}

function change(points: readonly Point[]): string {
  const ordered = points.toSorted((a, b) => (a.order < b.order ? -1 : 1));
  const [from] = ordered;
  const to = ordered.at(-1);
  if (from === undefined || to === undefined) return "";
  const range = `from ${from.text} (${from.label}) to ${to.text} (${to.label})`;
  if (from.number === to.number) return `stayed at ${to.text} (${from.label} to ${to.label})`;
  const verb = to.number > from.number ? "rose" : "fell";
  if (from.number === 0) return `${verb} ${range}`;
  const percent = Math.abs(((to.number - from.number) / from.number) * 100);
  return `${verb} ${range}, by ${percent < 10 ? percent.toFixed(1) : Math.round(percent)}%`;
}

function extremes(points: readonly Point[]): string {
  const ordered = points.toSorted((a, b) => b.number - a.number);
  const [most] = ordered;
  const least = ordered.at(-1);
  if (most === undefined || least === undefined) return "";
  if (most.number === least.number) return `is ${most.text} for each of ${points.length} rows`;
  return `is highest for ${most.label} (${most.text}) and lowest for ${least.label} (${least.text})`;
}
