// Loads ECharts: what every chart needs, and the files of types of series.
import type { ChartType } from "../../../core/spec/chart-config.ts";

/** The files of the types of series. */
const types = {
  bar: () => import("./bar.ts"),
  line: () => import("./line.ts"),
  scatter: () => import("./scatter.ts"),
  pie: () => import("./pie.ts"),
  heatmap: () => import("./heatmap.ts"),
  funnel: () => import("./funnel.ts"),
  boxplot: () => import("./boxplot.ts"),
  sankey: () => import("./sankey.ts"),
} as const;

/** A type of series. */
export type SeriesType = keyof typeof types;

/** Loads types of series, and returns the function that creates charts. */
export async function loadCharts(names: readonly SeriesType[]) {
  const [{ initChart }] = await Promise.all([
    import("./core.ts"),
    ...names.map((name) => types[name]()),
  ]);
  return initChart;
}

/** Loads what a chart will need while its data are on the way. A failure shows when the chart is drawn. */
export function preloadChart(chart: ChartType | undefined): void {
  const name = chart === "area" ? "line" : chart;
  if (name !== undefined && isSeriesType(name)) void loadCharts([name]).catch(() => undefined);
}

function isSeriesType(name: string): name is SeriesType {
  return Object.hasOwn(types, name);
}
