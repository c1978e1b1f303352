// The grid of a dashboard or of a container.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { layoutOf } from "../../../charts/layout/grid.ts";
import type { Widget, WidgetTree } from "../../../charts/layout/widgets.ts";

/** Places widgets on a grid whose boxes are known before their data. */
export function Grid({
  widgets,
  tree,
  draw,
}: {
  readonly widgets: readonly Widget[];
  readonly tree: WidgetTree;
  readonly draw: (widget: Widget) => ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const { placed, columns } = layoutOf(width === 0 ? [] : widgets, { width, tree });
  // The style sheet places the cells, so that they follow the width of the page, and of paper, without a script.
  return (
    <div ref={box}>
      <div class="grid" style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
        {placed.map(({ widget, place: { x, y, w, h } }) => (
          <div
            key={widget.id}
            class="cell"
            style={{ gridArea: `${y + 1} / ${x + 1} / span ${h} / span ${w}` }}
          >
            {draw(widget)}
          </div>
        ))}
      </div>
    </div>
  );
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
