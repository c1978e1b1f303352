// Loads ECharts: what every chart needs, and the files of types of series.
import type { ChartType } from "../../../core/spec/chart-config.ts";

/** The files of what charts are made of. Each imports the core: what it shares with the core is no further file. */
const parts = {
  bar: () => import("./core.ts"),
  line: () => import("./line.ts"),
  scatter: () => import("./scatter.ts"),
  pie: () => import("./pie.ts"),
  heatmap: () => import("./heatmap.ts"),
  funnel: () => import("./funnel.ts"),
  boxplot: () => import("./boxplot.ts"),
  sankey: () => import("./sankey.ts"),
  title: () => import("./title.ts"),
} as const;

/** A type of series, or the titles of small multiples. */
export type ChartPart = keyof typeof parts;

/** Loads what a chart is made of, and returns the function that creates charts. */
export async function loadCharts(names: readonly ChartPart[]) {
  const [{ initChart }] = await Promise.all([
    import("./core.ts"),
    ...names.map((name) => parts[name]()),
  ]);
  return initChart;
}

/** Loads what a chart will need while its data are on the way. A failure shows when the chart is drawn. */
export function preloadChart(chart: ChartType | undefined): void {
  const name = chart === "area" ? "line" : chart;
  if (name !== undefined && isPart(name)) void loadCharts([name]).catch(() => undefined);
}

function isPart(name: string): name is ChartPart {
  return Object.hasOwn(parts, name);
}
