// Tracks the authors of a dashboard's widgets, because their rights decide which reports the widgets show.
import { allows } from "../../../core/operation/authorize.ts";
import { equal } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { Principal } from "../../security/principal.ts";
import { fromJson, toJson } from "../../store/codec.ts";
import type { Row } from "../../store/schema.ts";
import { type DashboardWidget, reportOf } from "./chart-widgets.ts";

/** The name of a report in a widget: its ID or its public ID. */
export type ReportName = number | string;

/** By the name of each report, the IDs of the users who wrote a widget that names it. */
export type ReportWriters = ReadonlyMap<ReportName, readonly number[]>;

/** The report that a chart names; undefined for other widgets, and for a chart with its own query. */
export function reportOfChart(widget: DashboardWidget): ReportName | undefined {
  return widget.type === "CHART" ? reportOf(widget) : undefined;
}

/** Returns the widgets of a dashboard. */
export function widgetsOf({ config }: Pick<Row<"dashboards">, "config">): DashboardWidget[] {
  return (fromJson(config) as { readonly widgets?: DashboardWidget[] }).widgets ?? [];
}

/** Returns the writers of each report name in dashboards. A name has the writers of all dashboards. */
export function writersOf(
  dashboards: readonly (Pick<Row<"dashboards">, "report_writers"> | undefined)[],
): ReportWriters {
  const writers = new Map<ReportName, readonly number[]>();
  for (const one of dashboards) {
    const stored = one ? (fromJson(one.report_writers) as [ReportName, number[]][]) : [];
    for (const [name, ids] of stored) writers.set(name, union(writers.get(name) ?? [], ids));
  }
  return writers;
}

/** Returns a test for widgets that are new or that changed in more than position, compared with the dashboards. */
export function changedFrom(
  dashboards: readonly (Pick<Row<"dashboards">, "config"> | undefined)[],
): (widget: DashboardWidget) => boolean {
  const widgets = dashboards.flatMap((one) => (one ? widgetsOf(one) : []));
  const before = Map.groupBy(widgets, reportOfChart);
  return (widget) => {
    const same = before.get(reportOfChart(widget) ?? "") ?? [];
    const { position: _, ...content } = widget;
    return !same.some(({ position: __, ...one }) => equal(one, content));
  };
}

/** Returns the writers column of a dashboard with the widgets. The principal wrote some of them. */
export function storedWriters(
  widgets: readonly DashboardWidget[],
  recorded: ReportWriters,
  {
    principal,
    isWritten,
  }: { principal: Principal; isWritten: (widget: DashboardWidget) => boolean },
): string {
  const own = mayReadLater(principal) ? [principal.userId] : [];
  const writers = new Map<ReportName, readonly number[]>();
  for (const widget of widgets) {
    const name = reportOfChart(widget);
    if (name === undefined) continue;
    const before = writers.get(name) ?? recorded.get(name) ?? [];
    writers.set(name, isWritten(widget) ? union(before, own) : before);
  }
  return toJson([...writers].map(([name, ids]) => [name, [...ids]]));
}

/**
 * Returns whether the user's rights decide about reports that are created later. They do not for a limited credential,
 * because they exceed its rights.
 */
function mayReadLater({ session, userId, limits: { actions } }: Principal): boolean {
  return (
    session === undefined && userId > 0 && (actions === undefined || allows(actions, "ReportRead"))
  );
}

function union(before: readonly number[], added: readonly number[]): readonly number[] {
  return [...new Set([...before, ...added])].slice(0, limits.reportWriters);
}
