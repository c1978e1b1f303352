// A chart: its frame with title, menu and freshness, and what it shows in each state.
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import {
  type ChartModel,
  type ChartNote,
  describeChart,
  readChartConfig,
} from "../../../charts/index.ts";
import { isObject } from "../../../core/json.ts";
import { Icon } from "../../ui/Icon.tsx";
import { shownLanguage, t, type TextKey } from "../../ui/i18n/text.ts";
import { lazy } from "../../ui/Lazy.tsx";
import { Menu, type MenuAction } from "../../ui/Menu.tsx";
import { type DrillTarget, drillTarget, mayDrill } from "../state/drilling.ts";
import { exportPicture, exportRows, mayExportFiles } from "../state/export.ts";
import type { LoadedResult } from "../state/results.ts";
import { type ChartState, mayRetry, type Store } from "../state/store.ts";
import { propertyOf, scheme, themeVersion } from "../state/theme.ts";
import { clockText, localTime } from "../state/times.ts";
import { textOf, type Widget } from "../state/widgets.ts";
import { CleanHtml } from "./CleanHtml.tsx";
import { EchartsView } from "./EchartsView.tsx";
import type { LinksTarget } from "./Links.tsx";
import { NumbersView } from "./NumbersView.tsx";
import type { TableProps } from "./TableView.tsx";
import type { WidgetProps } from "./widget-props.ts";

const TableView = lazy(async () => (await import("./TableView.tsx")).TableView);
const Links = lazy(async () => (await import("./Links.tsx")).Links);
const Drill = lazy(async () => (await import("./Drill.tsx")).Drill);

/** Shows a chart widget. It asks for its data when it comes into view. */
export function ChartWidget(props: WidgetProps) {
  const { store, widget } = props;
  const chart = store.charts.get(widget.id);
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null || chart === undefined) return undefined;
    const need = (): void => {
      chart.need();
      stop();
    };
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && need(),
      { rootMargin: "200px" },
    );
    const stop = (): void => {
      observer.disconnect();
      window.removeEventListener("beforeprint", need);
    };
    observer.observe(element);
    // Paper shows all charts.
    window.addEventListener("beforeprint", need);
    return stop;
  }, [chart]);
  if (chart === undefined) return null;
  return (
    <section ref={frame} class="chart-frame" aria-label={textOf(widget.config["title"])}>
      <ChartFrame {...props} chart={chart} />
    </section>
  );
}

function ChartFrame({ store, widget, chart }: WidgetProps & { readonly chart: ChartState }) {
  const title = textOf(widget.config["title"]);
  const result = chart.result.value;
  const showsData = useSignal(false);
  const drilled = useSignal<DrillTarget | undefined>(undefined);
  const linked = useSignal<LinksTarget | undefined>(undefined);
  const image = useRef<(() => string | undefined) | undefined>(undefined);
  const space = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  // The room of the notes depends on the whole space alone: a chart beside its notes has others, which would move it again.
  const whole = useModel({ store, widget, result }, useSize(space));
  const expected = notesOf(chart, whole, store.zone.value);
  const hasNotes = expected.length > 0;
  const size = useSize(body);
  const beside = useModel({ store, widget, result }, hasNotes ? size : undefined);
  const model = hasNotes ? beside : whole;
  const actions = chartActions({ store, widget, result }, { model, showsData, image });
  const onPoint = (row: number): void => {
    const target = result && drillTarget(result, row);
    if (target === undefined) return;
    drilled.value = target;
    const { member, value } = target;
    store.host?.send("drilldown", { member, value, widgetId: widget.id });
  };
  const onLinks: TableProps["onLinks"] = (values, text) => {
    if (result === undefined) return;
    linked.value = { result, linked: values, text };
    const { name: member } = values.column;
    store.host?.send("drilldown", { member, value: text, widgetId: widget.id });
  };
  return (
    <>
      <div class="chart-head">
        {title !== "" && (
          <h2 class="chart-title" title={title}>
            {title}
          </h2>
        )}
        <Menu
          label={`${t("action.menu")}: ${title}`}
          text={<Icon name="more" />}
          className="icon-menu"
          actions={actions}
        />
      </div>
      <div ref={space} class="chart-space">
        <div
          ref={body}
          class={`chart-body ${chart.isLoading.value && result !== undefined ? "refreshing" : ""}`}
          aria-busy={chart.isLoading.value}
        >
          <ChartBody
            {...{ chart, model, showsData: showsData.value, title, onLinks }}
            isFiltered={store.controls.value.filters.length > 0}
            onImage={(read) => {
              image.current = read;
            }}
            {...(result !== undefined && mayDrill(result) && { onPoint })}
            onReset={
              Object.keys(store.picks.value.filters).length === 0
                ? undefined
                : () => store.pick((picks) => ({ ...picks, filters: {} }))
            }
          />
        </div>
        <Notes expected={expected} texts={notesOf(chart, model, store.zone.value)} />
      </div>
      <Opened {...{ store, linked, drilled }} />
    </>
  );
}

/** Shows what a viewer opened from a value: its links, or the rows behind it. */
function Opened({
  store,
  linked,
  drilled,
}: {
  readonly store: Store;
  readonly linked: Signal<LinksTarget | undefined>;
  readonly drilled: Signal<DrillTarget | undefined>;
}) {
  return (
    <>
      {linked.value !== undefined && (
        <Links
          store={store}
          target={linked.value}
          onClose={() => {
            linked.value = undefined;
          }}
        />
      )}
      {drilled.value !== undefined && (
        <Drill
          store={store}
          target={drilled.value}
          onClose={() => {
            drilled.value = undefined;
          }}
        />
      )}
    </>
  );
}

interface ShownChart {
  readonly store: Store;
  readonly widget: Widget;
  readonly result: LoadedResult | undefined;
}

/** Returns what is drawn in a space; undefined until there are data and a space. */
function useModel(
  { store, widget, result }: ShownChart,
  size: { readonly width: number; readonly height: number } | undefined,
): ChartModel | undefined {
  const config = useMemo(() => readChartConfig(widget.config), [widget]);
  const language = shownLanguage();
  const shownScheme = scheme.value;
  const version = themeVersion.value;
  return useMemo(() => {
    if (result === undefined || size === undefined) return undefined;
    return describeChart(result.table, config, {
      ...size,
      locale: language,
      scheme: shownScheme,
      accent: propertyOf("--accent"),
      fontFamily: propertyOf("--font-body"),
      translate: noteText,
      now: () => localTime(result.readAt, zoneOf(widget, store.zone.value)),
    });
  }, [result, size, config, language, shownScheme, version]);
}

/** Returns the time zone of the query of a chart. */
function zoneOf({ config }: Widget, zone: string | undefined): string | undefined {
  const { query } = config;
  const own = isObject(query) ? query["timezone"] : undefined;
  return typeof own === "string" ? own : zone;
}

/** Returns the actions of a chart's menu: its data as a table, and the files that the viewer may have. */
function chartActions(
  { store, widget, result }: ShownChart,
  {
    model,
    showsData,
    image,
  }: {
    readonly model: ChartModel | undefined;
    readonly showsData: Signal<boolean>;
    readonly image: { readonly current: (() => string | undefined) | undefined };
  },
): readonly MenuAction[] {
  const title = textOf(widget.config["title"]);
  const widgetId = widget.id;
  const isPicture = model?.kind === "echarts";
  const mayExport = mayExportFiles(store);
  const toggle: MenuAction = {
    title: t(showsData.value ? "action.showChart" : "action.showData"),
    run: () => {
      showsData.value = !showsData.value;
    },
  };
  const csv = result && {
    title: t("export.csv"),
    run: () => exportRows(store, { table: result.table, title, widgetId }),
  };
  const png: MenuAction = {
    title: t("export.png"),
    run: () => {
      const url = image.current?.();
      if (url !== undefined) exportPicture(store, { url, title, widgetId });
    },
  };
  return [
    ...(isPicture ? [toggle] : []),
    ...(csv && mayExport ? [csv] : []),
    ...(isPicture && !showsData.value && mayExport ? [png] : []),
  ];
}

interface BodyProps {
  readonly chart: ChartState;
  readonly model: ChartModel | undefined;
  readonly showsData: boolean;
  readonly title: string;
  readonly isFiltered: boolean;
  readonly onImage: (read: (() => string | undefined) | undefined) => void;
  readonly onPoint?: (row: number) => void;
  readonly onLinks: TableProps["onLinks"];
  /** Undefined if the viewer set no filter. */
  readonly onReset: (() => void) | undefined;
}

function ChartBody({
  chart,
  model,
  showsData,
  title,
  isFiltered,
  onImage,
  onPoint,
  onLinks,
  onReset,
}: BodyProps) {
  const problem = chart.problem.value;
  const actions = { ...(onPoint && { onRow: onPoint }), ...(onLinks && { onLinks }) };
  // A failed refresh keeps the data that was there.
  if (problem !== undefined && chart.result.value === undefined) return <Problem chart={chart} />;
  if (model === undefined) {
    return chart.isNeeded.value ? (
      <div class="skeleton" role="status" aria-label={t("widget.loading", { title })} />
    ) : null;
  }
  switch (model.kind) {
    case "empty":
      return (
        <State>
          {t(isFiltered ? "chart.noMatch" : "chart.noData")}
          {onReset !== undefined && (
            <button type="button" class="button" onClick={onReset}>
              {t("action.reset")}
            </button>
          )}
        </State>
      );
    case "refused":
      return (
        <State isProblem>
          {t("error.invalidChart")}
          <small>{noteText(model.note)}</small>
        </State>
      );
    case "number":
      return <NumbersView numbers={model.numbers} />;
    case "table":
    case "pivot":
      return <TableView table={model.table} caption={title} {...actions} />;
    case "html":
      return <CleanHtml text={model.html} language="html" />;
    default:
      return showsData ? (
        <TableView table={model.table} caption={title} {...actions} />
      ) : (
        <EchartsView model={model} onImage={onImage} {...(onPoint && { onPoint })} />
      );
  }
}

const problemTexts = {
  offline: "error.offline",
  session: "error.session",
  forbidden: "error.forbidden",
  missing: "error.widget",
  refused: "error.widget",
  busy: "error.slow",
  failed: "error.chart",
  undrawable: "error.invalidChart",
} as const satisfies Readonly<Record<string, TextKey>>;

/** Says what is wrong in one sentence, with one retry. Viewers get no queries and no reasons of databases. */
function Problem({ chart }: { readonly chart: ChartState }) {
  const problem = chart.problem.value;
  if (problem === undefined) return null;
  return (
    <State isProblem>
      <span role="alert">{t(problemTexts[problem.kind])}</span>
      {mayRetry(problem.kind) && (
        <button type="button" class="button" onClick={() => chart.retry()}>
          {t("action.retry")}
        </button>
      )}
    </State>
  );
}

function State({
  children,
  isProblem = false,
}: {
  readonly children: ComponentChildren;
  readonly isProblem?: boolean;
}) {
  return <div class={`state ${isProblem ? "problem" : ""}`}>{children}</div>;
}

/** Returns what the chart leaves out, and how old data is that could not be read again. */
function notesOf(
  chart: ChartState,
  model: ChartModel | undefined,
  zone: string | undefined,
): readonly string[] {
  const result = chart.result.value;
  const notes = model !== undefined && "notes" in model ? model.notes : [];
  const problem = chart.problem.value;
  const isOld = result !== undefined && (result.isStale || problem !== undefined);
  return [
    ...(result?.table.isCut === true
      ? [t("chart.moreRows", { shown: result.table.rows.length })]
      : []),
    ...notes.map((note) => noteText(note)),
    ...(isOld ? [t("chart.updated", { time: clockText(result.readAt, zone) })] : []),
    ...(isOld && problem !== undefined ? [t(problemTexts[problem.kind])] : []),
  ];
}

/** Shows notes in the room of those that are expected. */
function Notes({
  expected,
  texts,
}: {
  readonly expected: readonly string[];
  readonly texts: readonly string[];
}) {
  if (expected.length === 0) return null;
  return (
    <p class="chart-notes" data-expected={expected.join("\u2003")}>
      <span class="chart-notes-texts">
        {texts.map((text) => (
          <span key={text}>{text}</span>
        ))}
      </span>
    </p>
  );
}

function noteText({ key, values }: ChartNote): string {
  return t(key, values);
}

/** Returns the size of an element, which changes only with the size of its box. */
function useSize(box: { readonly current: HTMLElement | null }) {
  const size = useSignal<{ readonly width: number; readonly height: number } | undefined>(
    undefined,
  );
  // Before the first picture: a chart whose data are there is drawn with it.
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const read = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      const before = size.value;
      if (width === 0 || height === 0) return;
      if (before?.width !== width || before.height !== height) size.value = { width, height };
    };
    const observer = new ResizeObserver(read);
    observer.observe(element);
    read();
    return () => observer.disconnect();
  }, []);
  return size.value;
}
