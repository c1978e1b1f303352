// The one value that a tile without room for a chart shows.
import type { ChartConfig } from "../config/config.ts";
import type { ChartModel, ChartSpace, ResultTable } from "../model/model.ts";
import { chartData } from "../data/series.ts";
import { formatValue } from "../formats/format-value.ts";
import { shortNumber } from "../formats/number-format.ts";
import { layOutNumbers } from "./number-layout.ts";

/** Returns the last value of a course, otherwise the largest one, with its name. */
export function describeTiny(
  result: ResultTable,
  config: ChartConfig,
  space: ChartSpace,
): ChartModel {
  const data = chartData(result, config, space);
  const points = data.series.flatMap(({ name, values, measure }) =>
    values.flatMap((value, at) =>
      value === null ? [] : [{ name, value, measure, category: data.categories[at]?.text ?? "" }],
    ),
  );
  const [first] = points;
  if (first === undefined) return { kind: "empty" };
  const shown = data.isTime
    ? (points.findLast(({ name }) => name === first.name) ?? first)
    : points.reduce((most, one) => (one.value > most.value ? one : most), first);
  const { column } = shown.measure;
  const title = formatValue(shown.value, column, space);
  const short = shortNumber(shown.value, column, space.locale);
  const label = [shown.name, shown.category].filter((part) => part !== "").join(", ");
  return {
    kind: "number",
    numbers: layOutNumbers([{ label, title, short, sparkline: [] }], space),
    notes: data.notes,
  };
}
