// Columns and results for tests of charts.
import {
  type ChartModel,
  type ChartSpace,
  describeChart,
  noteText,
  readChartConfig,
  type ResultColumn,
  type ResultTable,
} from "../../charts/index.ts";
import type { JsonObject } from "../../core/json.ts";

const space: ChartSpace = {
  width: 560,
  height: 260,
  locale: "en-US",
  scheme: "light",
  now: () => "2030-01-01T00:00:00.000",
};

/** A measure that can be added up. */
export const amount: ResultColumn = {
  name: "orders.amount",
  title: "Amount",
  kind: "measure",
  type: "number",
  aggType: "sum",
};

/** A measure that cannot be added up. */
export const average: ResultColumn = {
  name: "orders.average",
  title: "Average",
  kind: "measure",
  type: "number",
  aggType: "avg",
};

export const region: ResultColumn = {
  name: "orders.region",
  title: "Region",
  kind: "dimension",
  type: "string",
};

export const day: ResultColumn = {
  name: "orders.at.day",
  title: "Day",
  kind: "timeDimension",
  type: "time",
  granularity: "day",
};

/** Returns a result. */
export const result = (
  columns: readonly ResultColumn[],
  rows: ResultTable["rows"],
): ResultTable => ({ columns, rows, isCut: false });

/** Returns what is drawn in a space of a usual size, long after the periods of the results. */
export const draw = (
  table: ResultTable,
  config: JsonObject = {},
  more: Partial<ChartSpace> = {},
): ChartModel => describeChart(table, readChartConfig(config), { ...space, ...more });

/** The members of an option that tests read. */
export interface DrawnOption {
  readonly series: readonly {
    readonly name: string;
    readonly type: string;
    readonly data: readonly unknown[];
    readonly itemStyle: { readonly color: string };
  }[];
  readonly legend: {
    readonly show: boolean;
    readonly formatter: (name: string) => string;
  };
  readonly tooltip: { readonly formatter: (hovered: readonly object[]) => string };
  readonly grid: { readonly top: number };
  readonly xAxis: { readonly data: readonly string[] };
  readonly yAxis: { readonly min?: number } | readonly object[];
}

/** Returns the option of a chart that ECharts draws. */
export function optionOf(model: ChartModel): DrawnOption {
  if (model.kind !== "echarts") throw new Error(`a ${model.kind} is drawn`);
  return model.option as DrawnOption;
}

/** Returns what a chart says that it leaves out. */
export function notesOf(model: ChartModel): readonly string[] {
  return "notes" in model ? model.notes.map((one) => noteText(one)) : [];
}

/** Returns a day after the first of January 2026. */
export function dayAt(days: number): string {
  return new Date(Date.UTC(2026, 0, 1 + days)).toISOString().slice(0, -1);
}
