// A container: widgets side by side (stack), on a grid of its own, or in tabs of which one is open.
import { useId } from "preact/hooks";
import { shownTabs } from "../../../charts/layout/grid.ts";
import { arrangementOf, heldIn, type Widget } from "../../../charts/layout/widgets.ts";
import { Grid } from "./Grid.tsx";
import type { WidgetProps } from "./widget-props.ts";

/** Shows the widgets of a container. Tabs are queried when they are opened. */
export function ContainerWidget(props: WidgetProps) {
  const { store, widget, draw } = props;
  const held = heldIn(widget, store.content);
  const arrangement = arrangementOf(widget.config);
  if (arrangement === "tabs") return <Tabs {...props} held={held} />;
  if (arrangement === "grid") {
    return <Grid widgets={held} tree={store.content} draw={draw} />;
  }
  return (
    <div class="stack">
      {held.map((one) => (
        <div key={one.id} class="stack-item">
          {draw(one)}
        </div>
      ))}
    </div>
  );
}

function Tabs({ store, widget, held, draw }: WidgetProps & { readonly held: readonly Widget[] }) {
  const base = useId();
  const tabs = shownTabs(widget, held);
  const open = tabs.find(({ id }) => id === store.picks.value.tabs[widget.id]) ?? tabs[0];
  const select = (id: string): void =>
    store.pick((picks) => ({ ...picks, tabs: { ...picks.tabs, [widget.id]: id } }));
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined || open === undefined) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(open) + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    select(next.id);
    document.getElementById(`${base}-${next.id}`)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" class="tab-list" onKeyDown={onKeyDown}>
        {tabs.map(({ id, title }) => (
          <button
            key={id}
            id={`${base}-${id}`}
            type="button"
            role="tab"
            aria-selected={id === open?.id}
            aria-controls={`${base}-panel`}
            tabIndex={id === open?.id ? 0 : -1}
            class="tab"
            onClick={() => select(id)}
          >
            {title}
          </button>
        ))}
      </div>
      <div
        id={`${base}-panel`}
        role="tabpanel"
        class="tab-panel"
        aria-labelledby={`${base}-${open?.id}`}
      >
        {open && draw(open.widget)}
      </div>
    </div>
  );
}
