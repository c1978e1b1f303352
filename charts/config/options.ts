// Every option of a chart: what it takes, which types use it, and what it does. The checks and the reference page read it.
// The checks read the options of controls too.
import type { ChartType } from "../../core/spec/chart-config.ts";

/** The values of an option. */
export type OptionValue =
  | "text"
  | "number"
  | "boolean"
  | "member"
  | "members"
  | "format"
  | "color"
  | "address"
  | "any"
  | "colors"
  | { readonly choices: readonly string[] }
  | { readonly members: Readonly<Record<string, ChartOption>> }
  /** A list of objects, or of what `item` says. */
  | {
      readonly list: Readonly<Record<string, ChartOption>>;
      readonly item?: "member" | "text";
      /** Whether it may be one item without a list. */
      readonly isOne?: boolean;
    }
  /** An object whose keys are members of the data model. */
  | { readonly byMember: "format" }
  | { readonly either: readonly OptionValue[] };

/** An option. */
export interface ChartOption {
  readonly value: OptionValue;
  readonly doc: string;
  /** The types that use it; undefined for all. */
  readonly types?: readonly ChartType[];
}

const drawn = ["bar", "line", "area"] as const;
const withSeries = [...drawn, "scatter", "heatmap", "boxplot"] as const;
const tables = ["table", "pivot"] as const;

const axisMembers: Readonly<Record<string, ChartOption>> = {
  title: { value: "text", doc: "Text beside the axis." },
  min: { value: "number", doc: "Lower end. Bars and areas begin at zero in any case." },
  max: { value: "number", doc: "Upper end." },
  format: { value: "format", doc: "Format of the ticks." },
};

const valueMembers: Readonly<Record<string, ChartOption>> = {
  member: { value: "member", doc: "The measure." },
  axis: { value: { choices: ["left", "right"] }, doc: "The axis, left by default." },
  type: {
    value: { choices: ["bar", "line", "area"] },
    doc: "How it is drawn in a combination, by default as `chart` says.",
  },
  label: { value: "text", doc: "Name in the legend, by default the title of the measure." },
  format: { value: "format", doc: "Format of its values." },
  color: { value: "color", doc: "Color, such as `#6929c4`." },
};

const columnMembers: Readonly<Record<string, ChartOption>> = {
  member: { value: "member", doc: "The member that the column shows." },
  title: { value: "text", doc: "Title, by default that of the member." },
  align: {
    value: { choices: ["left", "right", "center"] },
    doc: "Alignment, by default right for numbers and left for other values.",
  },
  format: { value: "format", doc: "Format of its values." },
  wrap: { value: "boolean", doc: "Whether long texts are wrapped." },
  link: {
    value: {
      either: [
        "address",
        {
          members: {
            url: {
              value: "address",
              doc: "Address with `https`, `http`, `mailto` or `tel`; `{orders.id}` stands for the value of the row. The `links` of a dimension lead to other dashboards.",
            },
            label: { value: "text", doc: "Text of the link, by default the value." },
          },
        },
      ],
    },
    doc: "Link of its cells; a text is its `url`.",
  },
};

const conditionMembers: Readonly<Record<string, ChartOption>> = {
  member: { value: "member", doc: "The column whose values decide, and whose cells change." },
  operator: {
    value: {
      choices: ["equals", "notEquals", "gt", "gte", "lt", "lte", "contains", "set", "notSet"],
    },
    doc: "Comparison with `value`.",
  },
  value: { value: { either: ["text", "number", "boolean"] }, doc: "What is compared." },
  color: { value: "color", doc: "Color of the text." },
  background: { value: "color", doc: "Color behind the text." },
  bold: { value: "boolean", doc: "Whether the text is bold." },
  scale: {
    value: { choices: ["colors", "bars"] },
    doc: "Instead of a comparison: a color or a bar by the size of each number.",
  },
};

const comparisonMembers: Readonly<Record<string, ChartOption>> = {
  with: {
    value: { choices: ["previous", "first", "none"] },
    doc: "The period before (default with a time dimension), the first one, or nothing.",
  },
  member: { value: "member", doc: "A measure to compare with, such as that of the last year." },
  value: { value: "number", doc: "A target to compare with." },
  label: { value: "text", doc: "What it is compared with, in words." },
  good: { value: { choices: ["up", "down"] }, doc: "The direction that is better." },
};

/** The options, beside the members that name the query, the report and the title. */
export const chartOptions: Readonly<Record<string, ChartOption>> = {
  x: {
    value: "member",
    doc: "Dimension of the categories, by default the time dimension, otherwise the first one. Of a scatter chart, the measure of the horizontal axis.",
    types: [...withSeries, "pie", "funnel"],
  },
  y: {
    value: { list: valueMembers, item: "member", isOne: true },
    doc: "Measures that are drawn, by default all. With objects, each has its own axis, type, label, format and color: a combination.",
    types: [...withSeries, "pie", "funnel", "sankey", "number"],
  },
  breakdown: {
    value: "members",
    doc: "Dimensions whose values are series, by default those that are not `x`. Of a heatmap, the dimension of the rows.",
    types: withSeries,
  },
  multiples: {
    value: "member",
    doc: "Dimension with a small chart for each of its values (small multiples): all have the same axes, colors and legend.",
    types: drawn,
  },
  orientation: {
    value: { choices: ["vertical", "horizontal"] },
    doc: "Direction of bars, by default horizontal where long names do not fit below.",
    types: ["bar"],
  },
  stacking: {
    value: { choices: ["none", "stacked", "percent"] },
    doc: "Whether series are stacked, or are shares of 100 %. By default, areas are stacked.",
    types: ["bar", "area"],
  },
  axes: {
    value: {
      members: {
        x: { value: { members: axisMembers }, doc: "Horizontal axis of vertical charts." },
        left: { value: { members: axisMembers }, doc: "Axis of values." },
        right: { value: { members: axisMembers }, doc: "Second axis of values." },
      },
    },
    doc: "Titles, ends and formats of axes.",
    types: withSeries,
  },
  dataLabels: {
    value: "boolean",
    doc: "Whether values stand beside the marks, where they fit.",
    types: [...drawn, "pie", "heatmap", "funnel"],
  },
  legend: {
    value: "boolean",
    doc: "Whether the legend is shown, by default with two series or more. Charts narrower than 180 pixels or lower than 130 have none, but a low and wide pie has its legend beside it.",
    types: [...drawn, "scatter", "pie", "heatmap"],
  },
  hole: { value: "boolean", doc: "Whether the middle is empty (a donut).", types: ["pie"] },
  size: { value: "member", doc: "Measure of the size of points.", types: ["scatter"] },
  formats: {
    value: { byMember: "format" },
    doc: "Formats by member, instead of those of the data model.",
  },
  colors: { value: "colors", doc: "Colors of the series, in order." },
  columns: {
    value: { list: columnMembers, item: "member" },
    doc: "Columns, in order; by default all. Members and objects can be mixed.",
    types: ["table"],
  },
  totals: {
    value: "boolean",
    doc: "Whether a last row has the sums of counts and sums; in a pivot, also a last column.",
    types: tables,
  },
  sort: {
    value: {
      list: {
        member: { value: "member", doc: "The column." },
        direction: { value: { choices: ["asc", "desc"] }, doc: "Direction, `asc` by default." },
      },
      item: "text",
      isOne: true,
    },
    doc: "Order of the rows, by default that of the query; `-orders.amount` is descending.",
    types: tables,
  },
  conditions: {
    value: { list: conditionMembers },
    doc: "Formats of cells by their values.",
    types: ["table"],
  },
  pivot: {
    value: {
      members: {
        rows: { value: "members", doc: "Dimensions of the rows." },
        columns: { value: "members", doc: "Dimensions of the columns; `measures` is their place." },
      },
    },
    doc: "Dimensions of rows and columns. By default, those of the report's `pivotItems` (`x` and `y`); otherwise, the last dimension is in the columns.",
    types: ["pivot"],
  },
  pivotItems: {
    value: "any",
    doc: "The same as `{ x, y }`, as reports have it.",
    types: ["pivot"],
  },
  comparison: {
    value: { either: ["boolean", { members: comparisonMembers }] },
    doc: "What the number is compared with.",
    types: ["number"],
  },
  sparkline: {
    value: "boolean",
    doc: "Whether a line shows the course, by default with a time dimension.",
    types: ["number"],
  },
  unit: {
    value: "text",
    doc: "Text after the number: signs such as `%` at once, words such as `orders` after a space.",
    types: ["number"],
  },
  html: {
    value: "text",
    doc: "The content; `{orders.count}` stands for a value of the first row, as text. Scripts are removed.",
    types: ["html"],
  },
};

/** IDs of widgets. */
const ids: OptionValue = { list: {}, item: "text" };

const controlMembers: Readonly<Record<string, ChartOption>> = {
  title: { value: "text", doc: "Title, by default that of the member." },
  label: { value: "text", doc: "The same as `title`." },
  disabled: { value: "boolean", doc: "Whether the value is fixed." },
};

const memberControl: Readonly<Record<string, ChartOption>> = {
  ...controlMembers,
  member: { value: "member", doc: "The member that it sets." },
  dimension: { value: "member", doc: "The same as `member`." },
};

/** The options of controls by the type of their widgets. */
export const controlOptions: Readonly<Record<string, Readonly<Record<string, ChartOption>>>> = {
  FILTER: {
    ...memberControl,
    default: { value: "any", doc: "A value, or `{ value, operator }`." },
    attribute: { value: "text", doc: "A user attribute whose value replaces the default." },
    multiple: { value: "boolean", doc: "Whether it takes several values." },
  },
  TIME_GRAIN: {
    ...memberControl,
    options: { value: { list: {}, item: "text" }, doc: "The granularities." },
    default: { value: "text", doc: "A granularity." },
  },
  FIELD: {
    ...memberControl,
    options: { value: "members", doc: "Members that may replace it." },
    default: { value: "member", doc: "One of the members." },
  },
  PARENT: {
    ...controlMembers,
    options: {
      value: {
        list: {
          title: { value: "text", doc: "Title of the option." },
          set: { value: "any", doc: "Values by widget ID." },
          clear: { value: ids, doc: "Widget IDs." },
          reset: { value: ids, doc: "Widget IDs." },
        },
      },
      doc: "The options.",
    },
    default: { value: "number", doc: "The number of an option, from 0." },
  },
};
