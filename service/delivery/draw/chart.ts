// Draws charts with ECharts, which writes SVG without a browser.
import { BarChart, LineChart, PieChart } from "echarts/charts";
import { GridComponent, LegendComponent } from "echarts/components";
import { init, use, type EChartsCoreOption } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { limits } from "../../../core/limits/limits.ts";
import type { ChartType } from "../../../core/spec/chart-config.ts";
import type { ResultTable } from "./picture-input.ts";
import { shortNumber } from "./format-value.ts";
import { type ChartData, chartData, type Series } from "./chart-data.ts";
import { type Box, colors, fontFamily, palette, round } from "./svg.ts";

use([BarChart, LineChart, PieChart, GridComponent, LegendComponent, SVGRenderer]);

/** Returns a chart as SVG. */
export function drawChart(type: ChartType, result: ResultTable, box: Box): string {
  const data = chartData(result);
  const chart = init(null, null, {
    renderer: "svg",
    ssr: true,
    width: Math.max(1, Math.round(box.width)),
    height: Math.max(1, Math.round(box.height)),
  });
  try {
    chart.setOption({
      ...shared(data),
      ...(type === "pie" ? pie(data) : axes(type, data, box.width)),
    });
    const svg = chart.renderToSVGString();
    // The size and place of the chart are attributes of its first element.
    return svg.replace("<svg ", `<svg x="${round(box.x)}" y="${round(box.y)}" `);
  } finally {
    chart.dispose();
  }
}

const text = { fontFamily, fontSize: 12, color: colors.muted };

function shared({ series }: ChartData): EChartsCoreOption {
  return {
    animation: false,
    color: [...palette],
    textStyle: { fontFamily },
    legend: legend(series.length > 1),
  };
}

function legend(show: boolean): EChartsCoreOption {
  return {
    show,
    type: "plain",
    bottom: 0,
    left: 0,
    itemWidth: 12,
    itemHeight: 8,
    textStyle: text,
    formatter: (name: string) => (name.length > 28 ? `${name.slice(0, 27)}…` : name),
  };
}

/** Returns whether two measures differ so much in size that each needs its own axis. */
function needsTwoAxes(series: readonly Series[]): boolean {
  const [first, second, ...more] = series;
  if (first === undefined || second === undefined || more.length > 0) return false;
  if (first.column.title === second.column.title) return false;
  const largest = ({ values }: Series) => Math.max(...values.map((value) => Math.abs(value ?? 0)));
  const [small = 0, large = 0] = [largest(first), largest(second)].toSorted((a, b) => a - b);
  return small > 0 && large / small > 8;
}

function axes(type: ChartType, data: ChartData, width: number): EChartsCoreOption {
  const { categories, series } = data;
  const two = needsTwoAxes(series);
  const valueAxis = (name: string, at: number) => ({
    type: "value",
    name: two ? name : "",
    nameTextStyle: { ...text, align: at === 0 ? "left" : "right" },
    nameGap: 12,
    axisLabel: { ...text, formatter: shortNumber },
    splitLine: { show: at === 0, lineStyle: { color: colors.border } },
    axisLine: { show: false },
    axisTick: { show: false },
  });
  const [first, second] = series;
  const isLine = type === "line" || type === "area";
  const isFew = categories.length <= 12;
  return {
    grid: {
      left: 4,
      right: 8,
      top: two ? 28 : 10,
      bottom: series.length > 1 ? 30 : 4,
      outerBoundsMode: "same",
      outerBoundsContain: "axisLabel",
    },
    xAxis: {
      type: "category",
      data: [...categories],
      boundaryGap: !isLine,
      axisLabel: {
        ...text,
        hideOverlap: true,
        // With few categories, long labels are cut instead of left out.
        width: isFew ? Math.max(44, (width - 60) / Math.max(1, categories.length) - 10) : 110,
        overflow: "truncate",
        ...(isFew && { interval: 0 }),
      },
      axisLine: { lineStyle: { color: colors.border } },
      axisTick: { show: false },
    },
    yAxis: two
      ? [valueAxis(first?.name ?? "", 0), valueAxis(second?.name ?? "", 1)]
      : valueAxis("", 0),
    series: series.map(({ name, values }, index) => ({
      name,
      type: isLine ? "line" : "bar",
      data: [...values],
      barMaxWidth: 48,
      itemStyle: isLine ? {} : { borderRadius: [3, 3, 0, 0] },
      lineStyle: { width: 2 },
      symbol: categories.length > 40 ? "none" : "circle",
      symbolSize: 6,
      ...(type === "area" && { areaStyle: { opacity: 0.18 } }),
      ...(two && { yAxisIndex: index }),
    })),
  };
}

function pie({ categories, series }: ChartData): EChartsCoreOption {
  const [first] = series;
  return {
    series: [
      {
        type: "pie",
        radius: ["40%", "68%"],
        center: ["50%", "45%"],
        label: { ...text, formatter: "{d}%" },
        labelLine: { length: 8, length2: 6 },
        itemStyle: { borderColor: colors.card, borderWidth: 2 },
        data: categories.map((name, index) => ({ name, value: first?.values[index] ?? 0 })),
      },
    ],
    legend: { ...legend(true), data: categories.slice(0, limits.drawSeries) },
  };
}
