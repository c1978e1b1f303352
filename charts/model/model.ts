// Declares what charts are made of: the result of a query, the space to draw in, and the model of what is drawn.
import type { ChartNote } from "./notes.ts";

/** A value of a row. Numbers may be text, so that no digit is lost. */
export type ChartValue = string | number | boolean | null;

/** A category of a chart. */
export interface Category {
  readonly text: string;
  readonly value: ChartValue;
}

/** A link of a dimension. Its address is the member `DIMENSION___link_NAME_url`. */
export interface ColumnLink {
  readonly name: string;
  readonly label: string;
  /** Whether the address is that of a dashboard of the deployment. */
  readonly isDashboard: boolean;
  /** Whether a page opens in place of this one. */
  readonly isSameTab: boolean;
}

/** A column of a query result. */
export interface ResultColumn {
  /** Key in rows: `orders.amount`, or `orders.at.month`. */
  readonly name: string;
  readonly title: string;
  readonly kind: "dimension" | "timeDimension" | "measure";
  readonly type: string;
  /** Granularity of a time dimension. */
  readonly granularity?: string;
  /** The format of the data model: a name such as `percent`, d3-format, or strftime. */
  readonly format?: string;
  /** The text of the links that the values are, in place of the values. */
  readonly linkLabel?: string;
  /** Links of the dimension. */
  readonly links?: readonly ColumnLink[];
  /** The code of the currency in which a number is. */
  readonly currency?: string;
  /** How the measure aggregates. Only sums and counts are added up. */
  readonly aggType?: string;
}

/** The result of the query of a chart. */
export interface ResultTable {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly (readonly ChartValue[])[];
  /** Whether the query has more rows than were read. */
  readonly isCut: boolean;
  /** The pages that the values of columns lead to, a row each, by the name of the column. Pages ask for them later. */
  readonly addresses?: Readonly<Record<string, readonly (string | null)[]>>;
}

/** Where and for whom a chart is drawn. */
export interface ChartSpace {
  readonly width: number;
  readonly height: number;
  readonly locale: string;
  readonly scheme: "light" | "dark";
  /** Returns the present in the time zone of the query, as a time without a zone: a period that still runs is not compared. */
  readonly now: () => string;
  readonly fontFamily?: string;
  readonly accent?: string;
  /** Returns a note in the language of the viewer; English if it returns nothing. */
  readonly translate?: (note: ChartNote) => string | undefined;
}

/** A link of a cell. */
export interface CellLink {
  readonly label: string;
  /** An address of the web, of mail or of a telephone. */
  readonly href: string;
}

/** A value with links, and those beside it that its links depend on. */
export interface LinkedValues {
  readonly column: ResultColumn;
  readonly values: readonly { readonly name: string; readonly value: ChartValue }[];
}

/** A cell of a table. */
export interface TableCell {
  readonly text: string;
  readonly value: ChartValue;
  readonly links?: readonly CellLink[];
  /** Address of a picture that the cell shows instead of its text. */
  readonly image?: string;
  readonly color?: string;
  readonly background?: string;
  readonly isBold?: boolean;
  /** Length of a bar behind the text, from 0 to 1. */
  readonly bar?: number;
  /** Rows that the cell covers; 0 if an upper cell covers it. */
  readonly rowSpan?: number;
  /** Values of dimensions that the links of the cell depend on; undefined for a cell without links. */
  readonly linkedTo?: LinkedValues;
}

/** A row of a table. */
export interface TableRow {
  readonly cells: readonly TableCell[];
  /** The row of the result; undefined for totals and rows of a pivot. */
  readonly row?: number;
}

/** A column of a table. */
export interface TableColumn {
  readonly title: string;
  readonly align: "left" | "right" | "center";
  /** The column of the result; undefined in a pivot. */
  readonly name?: string;
  readonly isMeasure?: boolean;
  readonly isWrapped?: boolean;
  /** Direction in which the rows are sorted by this column. */
  readonly sorted?: "asc" | "desc";
}

/** A cell of the header of a pivot. */
export interface HeadCell {
  readonly text: string;
  readonly colSpan: number;
  readonly rowSpan: number;
  readonly align: "left" | "right" | "center";
}

/** A table with formatted values. */
export interface TableModel {
  readonly columns: readonly TableColumn[];
  /** The rows of the header; undefined if the titles of the columns are the header. */
  readonly head?: readonly (readonly HeadCell[])[];
  /** Columns on the left that name the rows of a pivot. */
  readonly headColumns?: number;
  readonly rows: readonly TableRow[];
  readonly totals?: TableRow;
  readonly isCut: boolean;
}

/** The comparison of a number with an earlier one or a target. */
export interface NumberComparison {
  /** The change, such as `+4.2%`. */
  readonly text: string;
  readonly direction: "up" | "down" | "same";
  /** What it compares with, such as `Dec 2025`. */
  readonly with: string;
  /** Undefined if neither direction is better. */
  readonly isGood?: boolean;
}

/** A number that is shown large. */
export interface NumberModel {
  readonly label: string;
  /** Whether there is room for the label. */
  readonly hasLabel: boolean;
  readonly text: string;
  /** Size of the text. */
  readonly size: number;
  /** Its place in the space. */
  readonly box: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  };
  /** The number with all its digits. */
  readonly title: string;
  readonly unit?: string;
  readonly comparison?: NumberComparison;
  readonly sparkline: readonly number[];
}

/** A point of a chart in words. */
export interface ChartPoint {
  readonly seriesIndex: number;
  readonly dataIndex: number;
  /** `Jan 5, paid: 1,204`. */
  readonly label: string;
  /** What points of several series share, and the rest: `Jan 5` and `paid: 1,204`. */
  readonly heading?: string;
  readonly entry?: string;
  /** The row of the result that it shows. */
  readonly row?: number;
}

/** Charts that ECharts draws. */
export type DrawnChart =
  | "bar"
  | "line"
  | "scatter"
  | "pie"
  | "heatmap"
  | "funnel"
  | "boxplot"
  | "sankey";

/** A chart for ECharts. */
export interface EchartsModel {
  readonly kind: "echarts";
  readonly chart: DrawnChart;
  readonly option: object;
  /** The values as a table, which screen readers get. */
  readonly table: TableModel;
  /** One sentence for screen readers. */
  readonly summary: string;
  readonly notes: readonly ChartNote[];
  readonly points: readonly ChartPoint[];
}

/** What is drawn. */
export type ChartModel =
  | EchartsModel
  | {
      readonly kind: "table" | "pivot";
      readonly table: TableModel;
      readonly notes: readonly ChartNote[];
    }
  | {
      readonly kind: "number";
      readonly numbers: readonly NumberModel[];
      readonly notes: readonly ChartNote[];
    }
  /** The HTML is not sanitised: whoever shows it does that. */
  | { readonly kind: "html"; readonly html: string }
  | { readonly kind: "empty" }
  /** `note` has the reason for translation. */
  | { readonly kind: "refused"; readonly reason: string; readonly note: ChartNote };
