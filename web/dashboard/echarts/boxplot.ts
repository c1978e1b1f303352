// Draws box plots.
import "echarts/lib/chart/boxplot";
export { initChart } from "./core.ts";
