// Draws sankey diagrams.
import "echarts/lib/chart/sankey";
export { initChart } from "./core.ts";
