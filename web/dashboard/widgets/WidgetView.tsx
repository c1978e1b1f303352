// A widget of any type.
import { Component, type ComponentChildren } from "preact";
import { unplaced } from "../../../charts/layout/widgets.ts";
import { t } from "../../ui/i18n/text.ts";
import { styleOf } from "../state/theme.ts";
import type { Widget } from "../state/widgets.ts";
import { ChartWidget } from "./ChartWidget.tsx";
import { ContainerWidget } from "./ContainerWidget.tsx";
import { FieldWidget, GrainWidget, ParentWidget } from "./ChoiceWidgets.tsx";
import { FilterWidget } from "./FilterWidget.tsx";
import { TextWidget } from "./TextWidget.tsx";
import type { WidgetProps } from "./widget-props.ts";

const views: Readonly<Record<string, (props: WidgetProps) => ComponentChildren>> = {
  CHART: ChartWidget,
  TEXT: TextWidget,
  FILTER: FilterWidget,
  TIME_GRAIN: GrainWidget,
  FIELD: FieldWidget,
  PARENT: ParentWidget,
  CONTAINER: ContainerWidget,
  DIVIDER: () => <hr class="divider" />,
  SPACER: () => null,
  [unplaced]: Problem,
};

/** Shows a widget. One that fails does not take others along. */
export function WidgetView(given: Omit<WidgetProps, "draw">) {
  const draw = (widget: Widget) => (
    <WidgetView key={widget.id} store={given.store} widget={widget} />
  );
  const props = { ...given, draw };
  const { type, style } = props.widget;
  const isAi = type === "AI";
  const { allowAi, showAiWidgets } = props.store.viewer.settings;
  if (isAi && (allowAi === false || showAiWidgets === false)) return null;
  const View = isAi ? TextWidget : views[type];
  if (View === undefined) return null;
  return (
    <Boundary>
      <div class={`widget widget-${type.toLowerCase()}`} style={styleOf(style)}>
        <View {...props} />
      </div>
    </Boundary>
  );
}

/** Stands in place of a widget that cannot be shown. */
function Problem() {
  return <p class="widget widget-problem">{t("error.widget")}</p>;
}

class Boundary extends Component<{ readonly children: ComponentChildren }, { failed: boolean }> {
  override state = { failed: false };

  override componentDidCatch(): void {
    this.setState({ failed: true });
  }

  override render() {
    return this.state.failed ? <Problem /> : this.props.children;
  }
}
