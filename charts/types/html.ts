// HTML of a widget with values of the result. Whoever shows it sanitises it.
import type { ChartConfig } from "../config/config.ts";
import { placeOf, placesOf } from "../data/columns.ts";
import { formatValue } from "../formats/format-value.ts";
import type { ChartModel, ChartSpace, ResultTable } from "../model/model.ts";

/** Returns the HTML of a widget; `{cube.member}` stands for a value of the first row, as text. */
export function describeHtml(
  result: ResultTable,
  config: ChartConfig,
  space: ChartSpace,
): ChartModel {
  const places = placesOf(result, config);
  const html = (config.html ?? "").replace(/\{([\w.]+)\}/gu, (whole, name: string) => {
    const place = placeOf(places, name);
    if (place === undefined) return whole;
    return escaped(formatValue(result.rows[0]?.[place.index], place.column, space));
  });
  return { kind: "html", html };
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => `&#${character.charCodeAt(0)};`);
}
