// The grid of a dashboard or of a container.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { layoutOf } from "../state/layout.ts";
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
  const layout = layoutOf(widgets, width);
  return (
    <div ref={box} class="grid" style={{ height: `${layout.height}px` }}>
      {width > 0 &&
        layout.placed.map(({ widget, left, top, width: own, height }) => (
          <div
            key={widget.id}
            class="cell"
            style={{
              left: `${left}px`,
              top: `${top}px`,
              width: `${Math.max(0, own)}px`,
              height: `${Math.max(0, height)}px`,
            }}
          >
            {draw(widget)}
          </div>
        ))}
    </div>
  );
}

/** Returns the width of an element; 0 while it has none, as in a hidden tab. */
function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, []);
  return width;
}
