// Large numbers: the value, what it is compared with, and its course.
import type { ChartConfig } from "../config/config.ts";
import {
  dimensionsOf,
  type MeasurePlace,
  measuresOf,
  placeOf,
  placesOf,
  refusal,
} from "../data/columns.ts";
import { formatValue, missing, numberOf } from "../formats/format-value.ts";
import { formatNumber, shortNumber } from "../formats/number-format.ts";
import { isRunning } from "../formats/time-format.ts";
import type {
  ChartModel,
  ChartSpace,
  ChartValue,
  NumberComparison,
  ResultTable,
} from "../model/model.ts";
import { type ChartNote, note, textIn } from "../model/notes.ts";
import { layOutNumbers, type NumberDraft } from "./number-layout.ts";
import { describeTable } from "./table.ts";

/** Most numbers side by side. */
const mostNumbers = 6;

/** Returns the measures of a result as large numbers; a table if it has several rows that do not follow in time. */
export function describeNumber(
  result: ResultTable,
  config: ChartConfig,
  space: ChartSpace,
): ChartModel {
  const places = placesOf(result, config);
  const compared = config.comparison.member;
  const measures = measuresOf(places, config).filter(({ column }) => column.name !== compared);
  if (measures.length === 0) throw refusal("chart.refused.measures", "number", { count: 1 });
  const dimensions = dimensionsOf(places);
  const time = dimensions.find(({ column }) => column.type === "time");
  const isCourse = time !== undefined && dimensions.length === 1;
  if (result.rows.length > 1 && !isCourse) return describeTable(result, config, space);
  const rows = isCourse
    ? result.rows
        .filter((row) => typeof row[time.index] === "string")
        .toSorted((a, b) => (String(a[time.index]) < String(b[time.index]) ? -1 : 1))
    : result.rows;
  const shown = measures.slice(0, mostNumbers);
  // The title of the widget names its only number already.
  const isTitled = ({ column }: MeasurePlace): boolean =>
    shown.length === 1 && column.title.toLowerCase() === config.title?.trim().toLowerCase();
  const cut = { shown: shown.length, total: measures.length };
  const notes: ChartNote[] = cut.shown < cut.total ? [note("chart.cutColumns", cut)] : [];
  const last = isCourse ? rows.at(-1)?.[time.index] : undefined;
  const period = time && typeof last === "string" ? formatValue(last, time.column, space) : "";
  const drafts = shown.map((measure): NumberDraft => {
    const values = rows.map((row) => row[measure.index] ?? null);
    const target = compared === undefined ? undefined : placeOf(places, compared);
    const comparison = comparisonOf(measure, {
      values,
      times: isCourse ? rows.map((row) => String(row[time.index])) : [],
      granularity: time?.column.granularity,
      timeText: (at) => (time ? formatValue(at, time.column, space) : at),
      target: target && { title: target.column.title, value: rows.at(-1)?.[target.index] ?? null },
      config,
      space,
      notes,
    });
    const value = values.at(-1) ?? null;
    const title = formatValue(value, measure.column, space);
    return {
      label: [isTitled(measure) ? "" : measure.column.title, period]
        .filter((part) => part !== "")
        .join(", "),
      title,
      short: shortText(value, measure, { title, space }),
      ...(config.unit !== undefined && { unit: unitText(config.unit) }),
      ...(comparison && { comparison }),
      sparkline:
        config.sparkline === false || !isCourse
          ? []
          : values.slice(-mostPoints).flatMap((one) => numberOf(one) ?? []),
    };
  });
  return { kind: "number", numbers: layOutNumbers(drafts, space), notes };
}

/** Returns a unit as it stands after a number: words have a space before them, signs such as `%` and `k` do not. */
function unitText(unit: string): string {
  return /^\p{L}{2}/u.test(unit) ? `\u00a0${unit}` : unit;
}

/** Points of a sparkline. */
const mostPoints = 200;

function shortText(
  value: ChartValue,
  { column }: MeasurePlace,
  { title, space }: { title: string; space: ChartSpace },
): string {
  const number = numberOf(value);
  return number === null ? title : shortNumber(number, column, space.locale);
}

interface Course {
  readonly values: readonly ChartValue[];
  readonly times: readonly string[];
  readonly granularity: string | undefined;
  readonly timeText: (time: string) => string;
  readonly target: { readonly title: string; readonly value: ChartValue } | undefined;
  readonly config: ChartConfig;
  readonly space: ChartSpace;
  readonly notes: ChartNote[];
}

function comparisonOf(measure: MeasurePlace, course: Course): NumberComparison | undefined {
  const { values, config, space } = course;
  const now = numberOf(values.at(-1));
  const base = baseOf(course);
  const before = numberOf(base?.value);
  if (now === null || before === null || base === undefined) return undefined;
  const { good } = config.comparison;
  const direction = now > before ? "up" : now < before ? "down" : "same";
  const isGood = good === undefined || direction === "same" ? undefined : direction === good;
  return {
    text: changeText(now, before, { measure, space }),
    direction,
    with: config.comparison.label ?? base.label,
    ...(isGood !== undefined && { isGood }),
  };
}

/** Returns the value to compare with, and its name. */
function baseOf(
  course: Course,
): { readonly value: ChartValue; readonly label: string } | undefined {
  const { values, times, granularity, target, config, space, notes, timeText } = course;
  const { with: base = "previous", value } = config.comparison;
  if (value !== undefined) return { value, label: textIn(space, note("chart.target")) };
  if (target !== undefined) return { value: target.value, label: target.title };
  const at = base === "first" ? 0 : values.length - 2;
  if (base === "none" || times.length < 2 || values[at] === undefined) return undefined;
  if (isRunning(times.at(-1), granularity, space.now())) {
    const one = note("chart.notCompared");
    if (!notes.some(({ key }) => key === one.key)) notes.push(one);
    return undefined;
  }
  return { value: values[at], label: timeText(times[at] ?? "") };
}

/** Returns the change in percent; the difference if there is nothing to divide by. */
function changeText(
  now: number,
  before: number,
  { measure, space }: { measure: MeasurePlace; space: ChartSpace },
): string {
  const share = before === 0 ? Infinity : (now - before) / Math.abs(before);
  if (!Number.isFinite(share) || Math.abs(share) >= 100) {
    const text = shortNumber(now - before, measure.column, space.locale);
    return now > before ? `+${text}` : text;
  }
  return formatNumber(share.toFixed(6), { format: "+.1%" }, space.locale) || missing;
}
