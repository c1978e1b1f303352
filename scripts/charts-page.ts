// Generates the reference page of charts: the types, and the options of each.
import { chartTypes } from "../core/spec/chart-config.ts";
import { type ChartOption, chartOptions, type OptionValue } from "../charts/config/options.ts";
import { page, table } from "./markdown.ts";

/** Returns the page. */
export function chartsPage(): string {
  return page("Charts", [
    "The `config` of a CHART widget: a `query` or a report, a `title`, and the options below. [Dashboards](dashboards.md) describes the other widgets. Pages, PNG and PDF draw the same, except charts of the type `html`, which pages alone show: files say so in their place. An option that is unknown, or that the type does not use, is an error of `svc lint` and of plans; of a dashboard that is published without them, it is left out.",
    `\`chart\` is ${chartTypes.map((name) => `\`${name}\``).join(", ")}; by default, one that suits the data. A \`bar\`, \`line\` or \`area\` with several objects in \`y\` is a combination with two axes. Maps are refused, because no shapes of regions are installed.`,
    example(),
    "## Options",
    table(["option", "values", "types", "meaning"], rowsOf(chartOptions, "")),
    "## Formats",
    "`format` is a name (`number`, `decimal`, `percent`, `currency`, `accounting`, `abbr`, `id`; `percent_1` has one digit after the point), [d3-format](https://d3js.org/d3-format) such as `.1%` and `$,.2f`, or strftime such as `%d.%m.%Y`. A format that writes finer than the granularity of a time, such as a day for months, is not used there: months are `Jan 2026`. Another format is an error of `svc lint` and plans, and one of a data model an error of its compilation. `currency` and `$` write the currency of the measure in the data model, such as `currency: EUR`. Formats of the widget outrank those of the data model. Numbers and dates are written in the language of the viewer; a number keeps all the digits that the format shows.",
  ]);
}

function example(): string {
  return [
    "```yaml",
    "config:",
    "  title: Revenue and margin",
    "  chart: bar",
    "  stacking: none",
    "  y:",
    '    - { member: orders.revenue, format: "$,.0f" }',
    '    - { member: orders.margin, type: line, axis: right, format: ".1%" }',
    "  query:",
    "    measures: [orders.revenue, orders.margin]",
    "    timeDimensions: [{ dimension: orders.created_at, granularity: month, dateRange: last 12 months }]",
    "```",
  ].join("\n");
}

function rowsOf(
  options: Readonly<Record<string, ChartOption>>,
  prefix: string,
): readonly (readonly string[])[] {
  return Object.entries(options).flatMap(([name, { value, doc, types }]) => {
    const path = prefix + name;
    return [
      [`\`${path}\``, textOf(value), types === undefined ? "" : types.join(", "), doc],
      ...nestedRows(value, path),
    ];
  });
}

function nestedRows(value: OptionValue, path: string): readonly (readonly string[])[] {
  if (typeof value === "string") return [];
  if ("members" in value) return rowsOf(value.members, `${path}.`);
  if ("list" in value) return rowsOf(value.list, `${path}[].`);
  return "either" in value ? value.either.flatMap((one) => nestedRows(one, path)) : [];
}

function textOf(value: OptionValue): string {
  if (typeof value === "string") return value;
  if ("choices" in value) return value.choices.map((one) => `\`${one}\``).join(", ");
  if ("members" in value) return "object";
  if ("list" in value) {
    const { item, isOne } = value;
    const items = [item, "object"].filter((one) => one !== undefined);
    return [
      ...(isOne === true ? items : []),
      `list of ${items.map((one) => `${one}s`).join(" or ")}`,
    ].join(", or ");
  }
  if ("byMember" in value) return "object of formats";
  return value.either.map((one) => textOf(one)).join(", or ");
}
