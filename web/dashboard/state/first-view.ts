// The charts that a page shows first: their queries start before the page is drawn. Pure.
import { gridRow, layoutOf } from "../../../charts/layout/grid.ts";
import type { WidgetTree } from "../../../charts/layout/widgets.ts";

/** The space beside the grid, on both sides. */
const margins = 64;

/** Returns the IDs of the widgets on the grid that begin above the lower edge of a screen. Those in containers are not among them. */
export function idsInFirstView(
  content: WidgetTree,
  screen: { readonly width: number; readonly height: number },
): readonly string[] {
  const { placed } = layoutOf(content.top, { width: screen.width - margins, tree: content });
  return placed
    .filter(({ place }) => place.y * gridRow < screen.height)
    .map(({ widget }) => widget.id);
}
