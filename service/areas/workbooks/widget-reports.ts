// The reports that the widgets of a dashboard show: those that whoever wrote the widgets may read.
import { isId } from "../../../api/schemas.ts";
import { allows } from "../../../core/authorize.ts";
import { Failure } from "../../../core/errors.ts";
import { isObject, type JsonObject } from "../../../core/json.ts";
import { permittedRows } from "../../security/policies.ts";
import { type Principal, principalOfUser } from "../../security/principal.ts";
import { fromJson, toJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import type { Call } from "../operation-handler.ts";
import { selectReports } from "../reports/reports.ts";
import { chartOf, type DashboardWidget, reportOf, type WidgetReport } from "./chart-widgets.ts";

type Widgets = readonly DashboardWidget[];

/** The report that a chart names; undefined for other widgets, and for a chart with its own query. */
function reportOfChart(widget: DashboardWidget): number | string | undefined {
  return widget.type === "CHART" ? reportOf(widget) : undefined;
}

/** Selects the reports of a deployment that widgets name, by ID or by public ID; undefined if they name none. */
function selectNamed(db: Db, deploymentId: number, widgets: Widgets) {
  const named = widgets.flatMap((widget) => reportOfChart(widget) ?? []);
  const ids = named.filter((id) => isId(id));
  const publicIds = named.filter((id): id is string => typeof id === "string");
  if (ids.length + publicIds.length === 0) return undefined;
  return selectReports(db, deploymentId).where((eb) =>
    eb.or([
      ...(ids.length > 0 ? [eb("id", "in", ids)] : []),
      ...(publicIds.length > 0 ? [eb("public_id", "in", publicIds)] : []),
    ]),
  );
}

/** What a dashboard stores of the reports that its widgets show. */
type StoredReports = Pick<Row<"dashboards">, "shown_reports" | "written_by">;

/** The widgets that a caller writes, and the IDs of reports that it need not be able to read. */
export interface WrittenWidgets {
  readonly deploymentId: number;
  readonly widgets: Widgets;
  /** The reports that the dashboards of the workbook show already, so that losing access to one keeps no one from editing the rest. */
  readonly kept: ReadonlySet<number>;
}

/**
 * Returns what a dashboard with the widgets stores. Throws `forbidden` for a report that the caller may not read: whoever views
 * the dashboard gets its query. A report that does not exist is decided about when it is shown.
 */
export async function authorizeReports(
  { db, principal }: Pick<Call, "db" | "principal">,
  { deploymentId, widgets, kept }: WrittenWidgets,
): Promise<StoredReports> {
  const written_by = mayReadLater(principal) ? principal.userId : null;
  const named = (await selectNamed(db, deploymentId, widgets)?.execute()) ?? [];
  const readable = new Set([...kept, ...(await readableBy({ db, principal }, named))]);
  const refused = named.find(({ id }) => !readable.has(id));
  if (refused === undefined) {
    return { written_by, shown_reports: toJson(named.map(({ id }) => id)) };
  }
  const isRefused = (name: unknown) => name === refused.id || name === refused.public_id;
  const widget = widgets.find((one) => isRefused(reportOfChart(one)));
  throw new Failure(
    "forbidden",
    `the widget ${JSON.stringify(widget?.id)} shows a report that you may not read: whoever views the dashboard gets its query`,
    {
      remedy:
        "Get the permission ReportRead for the report, or give the widget a query of its own.",
    },
  );
}

/** Returns whether the rights of the user decide about reports that exist later: they exceed those of a limited credential. */
function mayReadLater({ session, userId, limits: { actions } }: Principal): boolean {
  return (
    session === undefined && userId > 0 && (actions === undefined || allows(actions, "ReportRead"))
  );
}

/** Returns the IDs of those of a deployment's reports that the principal may read. */
async function readableBy(
  actor: Pick<Call, "db" | "principal">,
  reports: readonly Row<"reports">[],
): Promise<readonly number[]> {
  const [first] = reports;
  if (first === undefined) return [];
  const ids = reports.map(({ id }) => id);
  const { deployment_id: deploymentId } = first;
  const permitted = await permittedRows(actor, {
    type: "report",
    deploymentId,
    action: "ReportRead",
  });
  if (permitted === undefined) return ids;
  const found = selectReports(actor.db, deploymentId).where("id", "in", ids).where(permitted);
  return (await found.execute()).map(({ id }) => id);
}

/** Returns the IDs of the reports that dashboards show. */
export function shownReports(
  dashboards: readonly (StoredReports | undefined)[],
): ReadonlySet<number> {
  return new Set(
    dashboards.flatMap((one) => (one ? (fromJson(one.shown_reports) as readonly number[]) : [])),
  );
}

/**
 * Returns the reports that widgets of a dashboard may show, by ID and by public ID. Reports that came after the widgets are those
 * that their writer may read now.
 */
export async function reportsOf(
  db: Db,
  dashboard: Row<"dashboards">,
  widgets: Widgets,
): Promise<ReadonlyMap<number | string, WidgetReport>> {
  const named = (await selectNamed(db, dashboard.deployment_id, widgets)?.execute()) ?? [];
  const shown = new Set(shownReports([dashboard]));
  const later = named.filter(({ id }) => !shown.has(id));
  const writer = later.length > 0 ? await principalOfUser(db, dashboard.written_by) : undefined;
  if (writer) for (const id of await readableBy({ db, principal: writer }, later)) shown.add(id);
  const reports = new Map<number | string, WidgetReport>();
  for (const { id, public_id, name, title, json_query, meta } of named) {
    if (!shown.has(id)) continue;
    const own = fromJson(meta);
    const report = { name, title, jsonQuery: json_query, meta: isObject(own) ? own : {} };
    reports.set(id, report).set(public_id, report);
  }
  return reports;
}

/**
 * Returns the widgets with the query, the title and the chart of the report that each shows, as an embedding page needs them: its
 * session cannot read reports. A widget whose report has no query stays as it is.
 */
export async function withReports(
  db: Db,
  dashboard: Row<"dashboards">,
  widgets: Widgets,
): Promise<Widgets> {
  const reports = await reportsOf(db, dashboard, widgets);
  return widgets.map((widget) => {
    const named = reportOfChart(widget);
    const chart = named === undefined ? undefined : chartOf(widget, reports.get(named));
    if (chart === undefined || "problem" in chart) return widget;
    const added: JsonObject = {
      query: chart.query,
      ...(chart.title !== "" && { title: chart.title }),
      ...(chart.chart !== undefined && { chart: chart.chart }),
    };
    return { ...widget, config: { ...widget.config, ...added } };
  });
}
