// Draws the titles of small multiples.
import "echarts/lib/component/title";
export { initChart } from "./core.ts";
