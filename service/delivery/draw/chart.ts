// Draws the options of charts with ECharts, which writes SVG without a browser.
import {
  BarChart,
  BoxplotChart,
  FunnelChart,
  HeatmapChart,
  LineChart,
  PieChart,
  SankeyChart,
  ScatterChart,
} from "echarts/charts";
import {
  GridComponent,
  LegendComponent,
  TitleComponent,
  VisualMapComponent,
} from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { allowedInXml, type Box, round } from "./svg.ts";

use([
  BarChart,
  BoxplotChart,
  FunnelChart,
  HeatmapChart,
  LineChart,
  PieChart,
  SankeyChart,
  ScatterChart,
  GridComponent,
  LegendComponent,
  TitleComponent,
  VisualMapComponent,
  SVGRenderer,
]);

/** Returns a chart as SVG. */
export function drawChart(option: object, box: Box): string {
  const chart = init(null, null, {
    renderer: "svg",
    ssr: true,
    width: Math.max(1, Math.round(box.width)),
    height: Math.max(1, Math.round(box.height)),
  });
  try {
    // Nobody points at a picture.
    const { tooltip: _, ...drawn } = option as { readonly tooltip?: unknown };
    chart.setOption(drawn);
    // ECharts escapes texts, but keeps characters that no SVG may have.
    const svg = allowedInXml(chart.renderToSVGString());
    // The size and place of the chart are attributes of its first element.
    return svg.replace("<svg ", `<svg x="${round(box.x)}" y="${round(box.y)}" `);
  } finally {
    chart.dispose();
  }
}
