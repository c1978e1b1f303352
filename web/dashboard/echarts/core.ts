// What every chart needs of ECharts. The files of its types are imported one by one: its list of all types would join them in one file.
import {
  GridComponent,
  LegendPlainComponent,
  TitleComponent,
  TooltipComponent,
} from "echarts/components";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

use([CanvasRenderer, GridComponent, LegendPlainComponent, TitleComponent, TooltipComponent]);

/** Creates a chart in an element. */
export function initChart(element: HTMLElement) {
  return init(element, null, { renderer: "canvas" });
}
