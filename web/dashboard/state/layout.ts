// Places widgets on the grid of 12 columns before their data is known, so that nothing moves once it is drawn. Pure.
import type { Place, Widget } from "./widgets.ts";

/** Below this width of the content, widgets take the whole width in reading order. */
export const narrowWidth = 720;
export const rowHeight = 48;
export const gap = 16;
const gridColumns = 12;
/** Rows of a chart on a narrow page, whatever its height on a wide one. */
const narrowRows = { least: 5, most: 9 };

/** A box: its first column and how many it takes, and pixels from the top of the grid. */
export interface PlacedWidget {
  readonly widget: Widget;
  readonly column: number;
  readonly columns: number;
  readonly top: number;
  readonly height: number;
}

/** A layout of a grid. Its columns share any width, also that of paper. */
export interface Layout {
  readonly placed: readonly PlacedWidget[];
  readonly columns: number;
  readonly height: number;
}

/** Returns the boxes of widgets, in reading order. */
export function layoutOf(
  widgets: readonly Widget[],
  { isNarrow }: { readonly isNarrow: boolean },
): Layout {
  const shown = widgets
    .map((widget) => ({ widget, place: placeOf(widget, isNarrow) }))
    .filter(({ place }) => place.w > 0 && place.h > 0)
    .toSorted((a, b) => a.place.y - b.place.y || a.place.x - b.place.x);
  const placed = isNarrow ? stacked(shown) : onGrid(shown);
  const height = placed.reduce((most, { top, height: own }) => Math.max(most, top + own), 0);
  const most = shown.reduce((last, { place }) => Math.max(last, place.x + place.w), gridColumns);
  return { placed, columns: isNarrow ? 1 : most, height };
}

interface Shown {
  readonly widget: Widget;
  readonly place: Place;
}

/** Returns the place of a widget: that of the width if it has one, otherwise its own. */
function placeOf({ position, responsiveLayouts }: Widget, isNarrow: boolean): Place {
  const own = responsiveLayouts[isNarrow ? "sm" : "lg"];
  if (typeof own !== "object" || own === null || Array.isArray(own)) return position;
  const { x, y, w, h } = { ...position, ...(own as Partial<Place>) };
  return [x, y, w, h].every((side) => Number.isFinite(side) && side >= 0)
    ? { x, y, w, h }
    : position;
}

function stacked(shown: readonly Shown[]): readonly PlacedWidget[] {
  let top = 0;
  return shown.map(({ widget, place }) => {
    const rows =
      widget.type === "CHART"
        ? Math.min(narrowRows.most, Math.max(narrowRows.least, place.h))
        : place.h;
    const height = rows * rowHeight - gap;
    const box = { widget, column: 0, columns: 1, top, height };
    top += height + gap;
    return box;
  });
}

function onGrid(shown: readonly Shown[]): readonly PlacedWidget[] {
  const rowOf = usedRows(shown);
  return shown.map(({ widget, place: { x, y, w, h } }) => ({
    widget,
    column: x,
    columns: w,
    top: rowOf(y) * rowHeight,
    height: (rowOf(y + h) - rowOf(y)) * rowHeight - gap,
  }));
}

/** Returns where a row of the grid is drawn: rows without a widget take no space. */
function usedRows(shown: readonly Shown[]): (row: number) => number {
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
