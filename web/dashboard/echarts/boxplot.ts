// Draws box plots.
import "echarts/lib/chart/boxplot";
import "echarts/lib/chart/scatter";

export { initChart } from "./core.ts";
