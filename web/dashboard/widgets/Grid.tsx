// The grid of a dashboard or of a container.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { gap, layoutOf, narrowWidth, type PlacedWidget } from "../state/layout.ts";
import type { Widget } from "../state/widgets.ts";

/** Places widgets on a grid whose boxes are known before their data. */
export function Grid({
  widgets,
  draw,
}: {
  readonly widgets: readonly Widget[];
  readonly draw: (widget: Widget) => ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const layout = layoutOf(width === 0 ? [] : widgets, { isNarrow: width < narrowWidth });
  return (
    <div ref={box} class="grid" style={{ height: `${layout.height}px` }}>
      {layout.placed.map((placed) => (
        <div key={placed.widget.id} class="cell" style={boxOf(placed, layout.columns)}>
          {draw(placed.widget)}
        </div>
      ))}
    </div>
  );
}

/** Returns a box as CSS, so that it follows the width of the page, and of paper, without a script. */
function boxOf({ column, columns, top, height }: PlacedWidget, all: number) {
  const share = (count: number) => `(100% + ${gap}px) * ${count / all}`;
  return {
    left: `calc(${share(column)})`,
    top: `${top}px`,
    width: `calc(${share(columns)} - ${gap}px)`,
    height: `${Math.max(0, height)}px`,
  };
}

/** Returns the width of an element; 0 while it has none, as in a hidden tab. */
function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  // Before the first picture: a page without widgets would have another height.
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, []);
  return width;
}
