// What charts offer to pages, pictures, documents and mails: a result and a configuration become a model of what is drawn.
import type { ChartType } from "../core/spec/chart-config.ts";
import { chartFor, Refusal } from "./data/columns.ts";
import type { ChartConfig } from "./config/config.ts";
import { degrade } from "./data/echarts.ts";
import type { ChartModel, ChartSpace, ResultTable } from "./model/model.ts";
import { type ChartNote, nameOf, note, textIn } from "./model/notes.ts";
import { describeBoxplot } from "./types/boxplot.ts";
import { describeCartesian } from "./types/cartesian.ts";
import { describeFunnel } from "./types/funnel.ts";
import { describeHeatmap } from "./types/heatmap.ts";
import { describeHtml } from "./types/html.ts";
import { describeMultiples } from "./types/multiples.ts";
import { describeNumber } from "./types/number.ts";
import { describePie } from "./types/pie.ts";
import { describePivot } from "./types/pivot.ts";
import { describeSankey } from "./types/sankey.ts";
import { describeScatter } from "./types/scatter.ts";
import { describeTable } from "./types/table.ts";
import { describeTiny } from "./types/tiny.ts";

export type {
  CellLink,
  ChartModel,
  ChartSpace,
  ChartValue,
  HeadCell,
  LinkedValues,
  NumberModel,
  ResultColumn,
  ResultTable,
  TableCell,
  TableColumn,
  TableModel,
  TableRow,
} from "./model/model.ts";
export { pageAddress } from "./formats/web-address.ts";
export { addressMember, addressQuery, sameRows, withAddresses } from "./data/addresses.ts";
export { declaredFormat, declaredLinks } from "./data/columns.ts";
export { webAddress } from "./formats/web-address.ts";
export { readChartConfig } from "./config/config.ts";
export { operatorProblems } from "./config/check-names.ts";
export { unusedFilters } from "./config/controls.ts";
export { checkDashboard, checkNames } from "./check-dashboard.ts";
export { formatValue, numberOf } from "./formats/format-value.ts";
export { isRunning } from "./formats/time-format.ts";
export { type ChartNote, chartTexts, noteText } from "./model/notes.ts";
export { type Look, lookOf, pixelsOf, type WidgetStyle, widgetStyleOf } from "./theme.ts";
export { colorAt } from "./scales/colors.ts";
export { compareCells } from "./data/order.ts";
export { sparklinePoints, sparklineSize } from "./types/number-layout.ts";
export { fitText, textWidth, wrapText } from "./scales/text-width.ts";

type Describe = (result: ResultTable, config: ChartConfig, space: ChartSpace) => ChartModel;

const describers: Readonly<Record<ChartType, Describe>> = {
  bar: describeAxes,
  line: describeAxes,
  area: describeAxes,
  scatter: describeScatter,
  pie: describePie,
  heatmap: describeHeatmap,
  funnel: describeFunnel,
  boxplot: describeBoxplot,
  sankey: describeSankey,
  number: describeNumber,
  table: describeTable,
  pivot: describePivot,
  html: describeHtml,
};

function describeAxes(result: ResultTable, config: ChartConfig, space: ChartSpace): ChartModel {
  const describe = config.multiples === undefined ? describeCartesian : describeMultiples;
  return describe(result, config, space);
}

/** Types that are drawn at any size. */
const unscaled: ReadonlySet<ChartType> = new Set(["number", "table", "pivot", "html"]);

/** Describes what is drawn for a result. Never throws: a chart that cannot be drawn is refused with its reason. */
export function describeChart(
  result: ResultTable,
  config: ChartConfig,
  space: ChartSpace,
): ChartModel {
  const chart = config.chart ?? chartFor(result);
  try {
    if (config.isMap) throw new Refusal(note("chart.refused.map"));
    if (chart !== "html" && result.rows.length === 0) return { kind: "empty" };
    const { isTiny } = degrade(space);
    const describe = isTiny && !unscaled.has(chart) ? describeTiny : describers[chart];
    return describe(result, { ...config, chart }, space);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const refused = withNameOfChart(error.note, space);
    return { kind: "refused", reason: textIn(space, refused), note: refused };
  }
}

/** Returns the reason with the name of the chart in the language of the viewer, in place of its type. */
function withNameOfChart({ key, values }: ChartNote, space: ChartSpace): ChartNote {
  const { chart } = values;
  if (chart === undefined) return { key, values };
  return { key, values: { ...values, chart: nameOf(String(chart), space) } };
}
