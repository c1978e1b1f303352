// What every chart needs of ECharts, and bars, which most dashboards have. The files of its parts are imported one by one: its lists of all parts would join them in one file.
import "echarts/lib/chart/bar";
import "echarts/lib/component/grid";
import "echarts/lib/component/legendPlain";
import "echarts/lib/component/tooltip";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

use([CanvasRenderer]);

/** Creates a chart in an element. */
export function initChart(element: HTMLElement) {
  return init(element, null, { renderer: "canvas" });
}
