// Draws heatmaps.
import "echarts/lib/chart/heatmap";
import "echarts/lib/component/visualMap";
export { initChart } from "./core.ts";
