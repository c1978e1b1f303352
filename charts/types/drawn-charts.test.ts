// Charts as ECharts draws them.
import { BarChart, FunnelChart, LineChart } from "echarts/charts";
import { GridComponent, LegendComponent, TooltipComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { expect, it } from "vitest";
import {
  amount,
  day,
  dayAt,
  draw,
  optionOf,
  region,
  result,
} from "../../test/support/chart-samples.ts";
import type { ChartModel } from "../index.ts";

use([
  BarChart,
  FunnelChart,
  LineChart,
  GridComponent,
  LegendComponent,
  TooltipComponent,
  SVGRenderer,
]);

/** Draws a chart and returns what `read` finds in it. */
function drawn<Found>(
  model: ChartModel,
  [width, height]: readonly [number, number],
  read: (chart: ReturnType<typeof init>) => Found,
): Found {
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  chart.setOption({ ...optionOf(model) });
  const found = read(chart);
  chart.dispose();
  return found;
}

it("have a mark at each value of a dense line that has no neighbor", () => {
  const rows = Array.from({ length: 100 }, (_, at) => [
    dayAt(at),
    at % 2 === 0 ? String(at) : null,
  ]);
  const model = draw(result([day, amount], rows), { chart: "line" }, { width: 600, height: 300 });
  const svg = drawn(model, [600, 300], (chart) => chart.renderToSVGString());
  const marks = svg.match(/<path d="M1 0A1 1 0/gu) ?? [];
  expect(marks).toHaveLength(50);
});

it("have the names of the steps of a funnel beside its shapes", () => {
  const rows = [
    ["Visits", "1000"],
    ["Orders", "900"],
    ["Returns", "950"],
  ];
  const model = draw(result([region, amount], rows), { chart: "funnel" });
  const svg = drawn(model, [560, 260], (chart) => chart.renderToSVGString());
  const shapes = [...svg.matchAll(/<polygon points="([^"]+)"/gu)].map(([, points = ""]) =>
    Math.max(
      ...points
        .split(" ")
        .filter((_, at) => at % 2 === 0)
        .map(Number),
    ),
  );
  const names = [...svg.matchAll(/<text [^>]* x="([\d.]+)"/gu)].map(([, x]) => Number(x));
  expect(shapes).toHaveLength(3);
  for (const [at, x] of names.entries()) expect(x).toBeGreaterThan(shapes[at] ?? Infinity);
});

it("begin below their legend", () => {
  const size = { width: 360, height: 600 };
  const rows = Array.from({ length: 8 }, (_, at) => [
    dayAt(0),
    `A region with a name that takes a whole line, number ${at}`,
    "1",
  ]);
  const model = draw(result([day, region, amount], rows), { chart: "bar" }, size);
  const bottom = drawn(model, [360, 600], (chart) => {
    const view = chart as unknown as {
      getViewOfComponentModel(model: unknown): { readonly group: Box };
      getModel(): { getComponent(name: string): unknown };
    };
    const { group } = view.getViewOfComponentModel(view.getModel().getComponent("legend"));
    const { height } = group.getBoundingRect();
    return group.y + height;
  });
  expect(optionOf(model).grid.top).toBeGreaterThanOrEqual(bottom);
});

interface Box {
  readonly y: number;
  getBoundingRect(): { readonly height: number };
}
