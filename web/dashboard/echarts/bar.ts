// Draws bars, and lines beside them.
import "echarts/lib/chart/bar";
import "echarts/lib/chart/line";

export { initChart } from "./core.ts";
