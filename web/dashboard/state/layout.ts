// Places widgets on the grid of 12 columns before their data is known, so that nothing moves once it is drawn. Pure.
import type { Place, Widget } from "./widgets.ts";

/** Below this width of the content, widgets take the whole width in reading order. */
export const narrowWidth = 720;
const gridColumns = 12;
/** Rows of a chart on a narrow page, whatever its height on a wide one. */
const narrowRows = { least: 5, most: 9 };

/** A widget and its place in the grid that is drawn. */
export interface PlacedWidget {
  readonly widget: Widget;
  readonly place: Place;
}

/** A layout of a grid, whose columns share any width, also that of paper. */
export interface Layout {
  readonly placed: readonly PlacedWidget[];
  readonly columns: number;
}

/** Returns the places of widgets, in reading order. */
export function layoutOf(
  widgets: readonly Widget[],
  { isNarrow }: { readonly isNarrow: boolean },
): Layout {
  const shown = widgets
    .map((widget) => ({ widget, place: placeOf(widget, isNarrow) }))
    .filter(({ place }) => place.w > 0 && place.h > 0)
    .toSorted((a, b) => a.place.y - b.place.y || a.place.x - b.place.x);
  if (isNarrow) return { placed: stacked(shown), columns: 1 };
  const columns = shown.reduce((last, { place }) => Math.max(last, place.x + place.w), gridColumns);
  return { placed: withoutEmptyRows(shown), columns };
}

/** Returns the place of a widget: that of the width if it has one, otherwise its own. */
function placeOf({ position, responsiveLayouts }: Widget, isNarrow: boolean): Place {
  const own = responsiveLayouts[isNarrow ? "sm" : "lg"];
  if (typeof own !== "object" || own === null || Array.isArray(own)) return position;
  const { x, y, w, h } = { ...position, ...(own as Partial<Place>) };
  return [x, y, w, h].every((side) => Number.isInteger(side) && side >= 0)
    ? { x, y, w, h }
    : position;
}

function stacked(shown: readonly PlacedWidget[]): readonly PlacedWidget[] {
  let next = 0;
  return shown.map(({ widget, place }) => {
    const isChart = widget.type === "CHART";
    const h = isChart ? Math.min(narrowRows.most, Math.max(narrowRows.least, place.h)) : place.h;
    const y = next;
    next += h;
    return { widget, place: { x: 0, y, w: 1, h } };
  });
}

function withoutEmptyRows(shown: readonly PlacedWidget[]): readonly PlacedWidget[] {
  const rowOf = usedRows(shown);
  return shown.map(({ widget, place: { x, y, w, h } }) => ({
    widget,
    place: { x, y: rowOf(y), w, h: rowOf(y + h) - rowOf(y) },
  }));
}

/** Returns where a row of the grid is drawn: rows without a widget take no space. */
function usedRows(shown: readonly PlacedWidget[]): (row: number) => number {
  const used: { readonly start: number; end: number; readonly from: number }[] = [];
  for (const { place } of shown.toSorted((a, b) => a.place.y - b.place.y)) {
    const last = used.at(-1);
    if (last && place.y <= last.end) last.end = Math.max(last.end, place.y + place.h);
    else {
      const from = last ? last.from + last.end - last.start : 0;
      used.push({ start: place.y, end: place.y + place.h, from });
    }
  }
  return (row) => {
    const range = used.find(({ start, end }) => row >= start && row <= end);
    return range === undefined ? row : range.from + row - range.start;
  };
}
