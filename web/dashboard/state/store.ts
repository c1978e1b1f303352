// The state of a dashboard page: components read its signals, and its actions write them. No component fetches.
import {
  computed,
  effect,
  type ReadonlySignal,
  type Signal,
  signal,
  untracked,
} from "@preact/signals";
import {
  type ControlValues,
  controlsOf,
  type Picks,
  resolveControls,
} from "../../../charts/config/control-values.ts";
import { type Controls, unusedFilters, withControls } from "../../../charts/config/controls.ts";
import { canonical, type JsonObject } from "../../../core/json.ts";
import { chartTypeOf } from "../../../core/spec/chart-config.ts";
import { createBackOff } from "../../embed/back-off.ts";
import { type Api, type FailureKind, RequestFailure } from "./api.ts";
import { addressWithPicks, picksOfAddress } from "./controls.ts";
import { preloadChart } from "../echarts/load.ts";
import type { Host } from "./messages.ts";
import type { Placement, Viewer } from "./page-info.ts";
import { createQueryQueue, type QueryQueue } from "./query-queue.ts";
import { boundedQuery, type LoadedResult, readResult } from "./results.ts";
import { type DashboardContent, isShown, objectOf, textOf, type Widget } from "./widgets.ts";

/** Why a widget shows no data. */
export type WidgetProblem = FailureKind | "undrawable";

/** Returns whether a problem may pass by itself. */
export function mayRetry(kind: WidgetProblem): boolean {
  return ["offline", "busy", "failed"].includes(kind);
}

/** A chart while the page is open. */
export interface ChartState {
  readonly widget: Widget;
  readonly result: Signal<LoadedResult | undefined>;
  readonly problem: Signal<{ readonly kind: WidgetProblem; readonly detail: string } | undefined>;
  readonly isLoading: Signal<boolean>;
  /** Whether the widget was in view once: queries of others wait. */
  readonly isNeeded: ReadonlySignal<boolean>;
  /** Loads its data, and what draws it: it comes into view. */
  readonly need: () => void;
  /** Loads it again, and shows what is there until then. */
  readonly reload: () => void;
  /** Loads it again for a viewer who asks for it. */
  readonly retry: () => void;
  readonly dispose: () => void;
}

/** The parts that a page is made of. */
export interface StoreParts {
  readonly api: Api;
  readonly host: Host | undefined;
  readonly viewer: Viewer;
  readonly placement: Placement;
  readonly content: DashboardContent;
  readonly timezone: string | undefined;
  /** Opens another address of this page in its place. Returns whether it is one. */
  readonly navigate: (path: string) => boolean;
}

/** The state of the page. */
export interface Store extends StoreParts {
  readonly queue: QueryQueue;
  readonly picks: Signal<Picks>;
  readonly values: ReadonlySignal<ControlValues>;
  readonly controls: ReadonlySignal<Controls>;
  readonly zone: Signal<string | undefined>;
  readonly charts: ReadonlyMap<string, ChartState>;
  /** The members of filters that concern no chart. */
  readonly unusedMembers: ReadonlySignal<ReadonlySet<string>>;
  /** The oldest data on the page, as a time in UTC. */
  readonly stalest: ReadonlySignal<string | undefined>;
  /** The path of the data API. */
  readonly dataPath: string;
  readonly pick: (change: (picks: Picks) => Picks) => void;
  refresh(): void;
  /** Loads the charts again that had no service or no session. */
  recover(): void;
  /** Stops queries and listeners: another dashboard takes the page. */
  dispose(): void;
}

/** Creates the state of a dashboard, and starts its queries as its widgets come into view. */
export function createStore(parts: StoreParts): Store {
  const { api, host, viewer, content } = parts;
  const { widgets, publicId } = content;
  const picks = signal(picksOfAddress(new URLSearchParams(location.search), widgets));
  const zone = signal(parts.timezone);
  const values = computed(() => resolveControls({ widgets, picks: picks.value }));
  const controls = computed(() => controlsOf(widgets, values.value));
  const refreshes = signal(0);
  const dataPath = `/deployments/d-d${viewer.deploymentId}/svcjs-api/v1`;
  const queue = createQueryQueue(api, { path: `${dataPath}/load`, publicId, whenShown });
  const report = (message: string): void => host?.report("query", message);
  const charts = createCharts(widgets, { queue, controls, refreshes, zone, report });
  const stalest = computed(() => {
    const times = [...charts.values()].flatMap(({ result }) => result.value?.readAt ?? []);
    return times.toSorted()[0];
  });
  reportLoaded([...charts.values()], (loadDurationMs) =>
    host?.send("dashboard-loaded", { publicId, widgetCount: widgets.length, loadDurationMs }),
  );
  const writeAddress = (next: Picks): void => {
    const parameters = addressWithPicks(new URLSearchParams(location.search), widgets, next);
    const search = parameters.toString();
    if (search === location.search.slice(1)) return;
    history.pushState(null, "", `${location.pathname}${search === "" ? "" : `?${search}`}`);
  };
  const path = location.pathname;
  const onPopState = (): void => {
    if (location.pathname === path) {
      picks.value = picksOfAddress(new URLSearchParams(location.search), widgets);
    } else parts.navigate(`${location.pathname}${location.search}`);
  };
  const recover = (): void => {
    for (const { problem, reload } of charts.values()) {
      if (["offline", "session"].includes(problem.value?.kind ?? "")) reload();
    }
  };
  const stopListening = listenToWindow({
    popstate: onPopState,
    online: recover,
    visibilitychange: () => document.hidden || recover(),
  });
  const stopRecovering = repeatWhileOffline([...charts.values()], recover);
  return {
    ...parts,
    queue,
    picks,
    values,
    controls,
    zone,
    charts,
    unusedMembers: computed(() => unusedMembersOf(widgets, controls.value)),
    stalest,
    dataPath,
    pick(change) {
      const next = change(picks.value);
      picks.value = next;
      writeAddress(next);
    },
    refresh() {
      refreshes.value++;
    },
    recover,
    dispose() {
      stopListening();
      stopRecovering();
      for (const { dispose } of charts.values()) dispose();
    },
  };
}

/** Repeats an action while a chart cannot reach the service. Returns a function that ends this. */
function repeatWhileOffline(charts: readonly ChartState[], act: () => void): () => void {
  // Whoever shows the page again acts at once.
  const attempts = createBackOff(() => document.hidden || act());
  const stop = effect(() => {
    const kinds = charts.map(({ problem }) => problem.value?.kind);
    if (kinds.includes("offline")) attempts.plan();
    else attempts.reset();
  });
  return () => {
    stop();
    attempts.reset();
  };
}

/** Waits until somebody sees the page. */
function whenShown(): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const onChange = (): void => {
    if (document.hidden) return;
    document.removeEventListener("visibilitychange", onChange);
    resolve();
  };
  document.addEventListener("visibilitychange", onChange);
  return promise;
}

/** Listens to events of the window. Returns a function that ends this. */
function listenToWindow(listeners: Readonly<Record<string, () => void>>): () => void {
  const all = Object.entries(listeners);
  for (const [type, listener] of all) window.addEventListener(type, listener);
  return () => {
    for (const [type, listener] of all) window.removeEventListener(type, listener);
  };
}

/** Returns the members of the filters that concern no chart. */
function unusedMembersOf(widgets: readonly Widget[], controls: Controls): ReadonlySet<string> {
  const queries = widgets
    .filter(({ type }) => type === "CHART")
    .map(({ config }) => objectOf(config["query"]));
  return new Set(unusedFilters(queries, controls).map(({ member }) => member));
}

/** Reports once that every chart in view has its data or an error, with the time since the page began. */
function reportLoaded(charts: readonly ChartState[], report: (durationMs: number) => void): void {
  const started = performance.now();
  const stop = effect(() => {
    const needed = charts.filter(({ isNeeded }) => isNeeded.value);
    if (needed.length === 0 && charts.length > 0) return;
    if (!needed.every(({ result, problem }) => result.value ?? problem.value)) return;
    report(Math.round(performance.now() - started));
    queueMicrotask(() => stop());
  });
}

interface ChartParts {
  readonly order: number;
  readonly queue: QueryQueue;
  readonly controls: ReadonlySignal<Controls>;
  readonly refreshes: Signal<number>;
  readonly zone: Signal<string | undefined>;
  /** Takes what is wrong in a query. */
  readonly report: (message: string) => void;
}

/** Creates the states of the charts among widgets. */
function createCharts(widgets: readonly Widget[], parts: Omit<ChartParts, "order">) {
  const shown = widgets.filter((widget) => widget.type === "CHART" && isShown(widget));
  return new Map(
    shown.map((widget, order) => [widget.id, createChart(widget, { ...parts, order })] as const),
  );
}

/** Creates the state of a chart. A change of its query cancels the query before. */
function createChart(
  widget: Widget,
  { order, queue, controls, refreshes, zone, report }: ChartParts,
): ChartState {
  const result = signal<LoadedResult | undefined>(undefined);
  const problem = signal<{ kind: WidgetProblem; detail: string } | undefined>(undefined);
  const isLoading = signal(false);
  const isNeeded = signal(false);
  const retries = signal(0);
  const own = objectOf(widget.config["query"]);
  const query = computed(() => canonical(queryOf(own, controls.value, zone.value)));
  let lastRefresh = 0;
  /** The query whose result is shown. */
  let shown: string | undefined;
  /** What the host knows of the problem: each change of a control would tell it again. */
  let reported: string | undefined;
  const dispose = effect(() => {
    const text = query.value;
    const refresh = refreshes.value + retries.value;
    if (!isNeeded.value) return undefined;
    const isFresh = refresh > lastRefresh;
    lastRefresh = refresh;
    const stop = new AbortController();
    untracked(() => {
      isLoading.value = true;
    });
    void load(text, { isFresh, signal: stop.signal });
    return () => stop.abort();
  });
  const load = async (
    text: string,
    { isFresh, signal: aborted }: { readonly isFresh: boolean; readonly signal: AbortSignal },
  ): Promise<void> => {
    try {
      if (Object.keys(own).length === 0) throw withoutQuery(widget);
      const body = JSON.parse(text) as JsonObject;
      const answer = await queue.load({ query: body, priority: order, isFresh }, aborted);
      if (aborted.aborted) return;
      shown = text;
      result.value = readResult(answer);
      problem.value = undefined;
      reported = undefined;
    } catch (error) {
      if (aborted.aborted) return;
      problem.value = problemOf(error);
      const { kind, detail } = problem.value;
      if (kind === "refused" && detail !== reported) report(`${widget.id}: ${detail}`);
      reported = detail;
      // Other data would look like that of the new filters, or like what the viewer may still see.
      if (shown !== text || !mayRetry(kind)) result.value = undefined;
    }
    isLoading.value = false;
  };
  return {
    widget,
    result,
    problem,
    isLoading,
    isNeeded,
    need() {
      isNeeded.value = true;
      preloadChart(chartTypeOf(widget.config));
    },
    reload() {
      retries.value++;
    },
    retry() {
      problem.value = undefined;
      retries.value++;
    },
    dispose,
  };
}

/** Returns why a chart has no query: the service says it of a report in SQL. */
function withoutQuery({ config }: Widget): RequestFailure {
  const { isForbidden, message } = objectOf(config["queryRefusal"]);
  if (isForbidden === undefined) return new RequestFailure("missing", "");
  return new RequestFailure(isForbidden === true ? "forbidden" : "refused", textOf(message));
}

function problemOf(error: unknown) {
  if (!(error instanceof RequestFailure)) return { kind: "failed", detail: "" } as const;
  return { kind: error.kind, detail: error.detail };
}

function queryOf(own: JsonObject, controls: Controls, zone: string | undefined): JsonObject {
  const bounded = boundedQuery(withControls(own, controls));
  return zone === undefined || own["timezone"] !== undefined
    ? bounded
    : { ...bounded, timezone: zone };
}
