// What a widget of any type is drawn from.
import type { ComponentChildren } from "preact";
import type { Store } from "../state/store.ts";
import type { Widget } from "../state/widgets.ts";

/** Draws a widget at a depth of containers. */
export type DrawWidget = (widget: Widget, depth: number) => ComponentChildren;

/** The properties of every widget. */
export interface WidgetProps {
  readonly store: Store;
  readonly widget: Widget;
  /** In how many containers it is. */
  readonly depth: number;
  /** Draws the widgets that it contains. */
  readonly draw: DrawWidget;
}
