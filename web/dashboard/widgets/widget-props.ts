// What a widget of any type is drawn from.
import type { ComponentChildren } from "preact";
import type { Store } from "../state/store.ts";
import type { Widget } from "../state/widgets.ts";

/** The properties of every widget. */
export interface WidgetProps {
  readonly store: Store;
  readonly widget: Widget;
  /** Draws the widgets that it contains. */
  readonly draw: (widget: Widget) => ComponentChildren;
}
