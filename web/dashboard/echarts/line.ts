// Draws lines and areas.
import "echarts/lib/chart/line";
export { initChart } from "./core.ts";
