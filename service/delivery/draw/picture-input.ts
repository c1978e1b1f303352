// Declares the input of the drawing process: a dashboard with the results that one viewer sees.
import type { Look, ResultTable, WidgetStyle } from "../../../charts/index.ts";
import type { JsonObject } from "../../../core/json.ts";

/** The content of a widget. */
export type WidgetContent =
  | {
      readonly kind: "chart";
      readonly title: string;
      /** The configuration of the chart. */
      readonly config: JsonObject;
      readonly result: ResultTable;
      /** The present in the time zone of the query, as a time without a zone. */
      readonly now: string;
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
  | { readonly kind: "divider" }
  /** The title of a tab, above what is in it. */
  | { readonly kind: "tab"; readonly title: string };

/** A widget with its place on the dashboard's grid, also in parts of its columns. */
export interface PictureWidget {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly content: WidgetContent;
  readonly style?: WidgetStyle;
  /** The styled containers around it by their IDs, the outermost first. */
  readonly inside?: readonly string[];
}

/** A dashboard to draw. */
export interface Picture {
  readonly title: string;
  /** The name of the account; undefined if it shows none. */
  readonly account?: string | undefined;
  readonly look: Look;
  readonly description: string;
  /** Filters and other controls in words, one a line. */
  readonly controls: readonly string[];
  /** The time and the source of the picture. */
  readonly footer: string;
  /** The address of the page that shows the dashboard; undefined for viewers who cannot open it. */
  readonly link?: string | undefined;
  /** In reading order. */
  readonly widgets: readonly PictureWidget[];
  /** The styles of containers by their IDs. */
  readonly frames?: Readonly<Record<string, WidgetStyle>>;
}

/** Formats of files. */
export type PictureFormat = "png" | "pdf";
