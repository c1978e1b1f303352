// What the parts of a chart of bars, lines and areas share.
import type { Series } from "../data/series.ts";

/** A series with the way in which it is drawn. */
export interface DrawnSeries extends Series {
  readonly mark: "bar" | "line" | "area";
  readonly side: "left" | "right";
  readonly color: string;
  /** The values as they are drawn: shares of 100 % if the chart shows those. */
  readonly drawn: readonly (number | null)[];
}

/** How the series of a chart are put on each other. */
export type Stacking = "none" | "stacked" | "percent";
