// Declares the input of the drawing process: a dashboard with the results that one viewer sees.
import type { ChartType } from "../../../core/spec/chart-config.ts";
import type { ResultValue } from "../../engine/engine.ts";

/** A column of a query result. */
export interface ResultColumn {
  readonly title: string;
  readonly kind: "dimension" | "timeDimension" | "measure";
  readonly type: string;
  /** Granularity of a time dimension. */
  readonly granularity?: string;
  /** The `format` of the member in the data model, such as `percent`. */
  readonly format?: string;
}

/** The result of the query of a chart. */
export interface ResultTable {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly (readonly ResultValue[])[];
  /** Whether the query has more rows than were read. */
  readonly isCut: boolean;
}

/** The content of a widget. */
export type WidgetContent =
  | {
      readonly kind: "chart";
      readonly title: string;
      readonly chart: ChartType;
      readonly result: ResultTable;
    }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "control"; readonly label: string; readonly value: string }
  | {
      readonly kind: "error";
      readonly title: string;
      /** The message for recipients of a mail. */
      readonly message: string;
      /** The reason for users who can fix it; undefined if the message is complete. */
      readonly reason?: string;
    }
  | { readonly kind: "divider" };

/** A widget with its place on the dashboard's grid. */
export interface PictureWidget {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly content: WidgetContent;
}

/** A dashboard to draw. */
export interface Picture {
  readonly title: string;
  readonly description: string;
  /** Filters and other controls in words, one a line. */
  readonly controls: readonly string[];
  /** The time and the source of the picture. */
  readonly footer: string;
  readonly widgets: readonly PictureWidget[];
}

/** Formats of files. */
export type PictureFormat = "png" | "pdf";
