// Draws pies and donuts.
import "echarts/lib/chart/pie";
export { initChart } from "./core.ts";
