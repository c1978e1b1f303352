// Draws funnels.
import "echarts/lib/chart/funnel";
export { initChart } from "./core.ts";
