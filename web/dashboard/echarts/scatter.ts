// Draws points.
import "echarts/lib/chart/scatter";
export { initChart } from "./core.ts";
