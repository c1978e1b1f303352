// The reports that the widgets of a dashboard show: the reports that the authors of the widgets may read.
import { appendTo } from "../../../core/append-to.ts";
import { isId } from "../../../api/schemas.ts";
import { Failure } from "../../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { permittedRows } from "../../security/authorize-call.ts";
import { principalOfUser } from "../../security/principal.ts";
import { fromJson, toJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import type { Call, ReadStatement } from "../shared/operation-handler.ts";
import { selectReports } from "../reports/reports.ts";
import { chartOf, type DashboardWidget, type WidgetReport } from "./chart-widgets.ts";
import { reportOfChart, type ReportWriters, storedWriters, writersOf } from "./report-writers.ts";

type Widgets = readonly DashboardWidget[];

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

/** The columns of a dashboard about the reports that its widgets show. */
type StoredReports = Pick<Row<"dashboards">, "shown_reports" | "report_writers">;

/** The widgets that a caller stores, and the users whose rights decide about the reports that they show. */
export interface StoredWidgets {
  readonly deploymentId: number;
  readonly widgets: Widgets;
  /**
   * The reports that the dashboards of the workbook already show. A user who loses access to one can still edit the
   * rest.
   */
  readonly kept: ReadonlySet<number>;
  /** The earlier writers of the widgets. */
  readonly writers: ReportWriters;
  /** True for the widgets that the caller writes now. */
  readonly isWritten: (widget: DashboardWidget) => boolean;
}

/**
 * Returns the columns of a dashboard with the widgets. Throws `forbidden` for a report that no author of its widgets
 * may read, because viewers of the dashboard get its query. Access to a report that does not exist yet is decided when
 * it is shown.
 */
export async function authorizeReports(
  { db, principal }: Pick<Call, "db" | "principal">,
  { deploymentId, widgets, kept, writers, isWritten }: StoredWidgets,
): Promise<StoredReports> {
  const named = (await selectNamed(db, deploymentId, widgets)?.execute()) ?? [];
  const other = named.filter(({ id }) => !kept.has(id));
  const written = new Set(widgets.filter(isWritten).map(reportOfChart));
  const own = other.filter(({ id, public_id }) => written.has(id) || written.has(public_id));
  const readable = new Set([
    ...(await readableBy({ db, principal }, own)),
    ...(await readableByWriters(db, other, writers)),
  ]);
  const refused = other.find(({ id }) => !readable.has(id));
  if (refused !== undefined) throw refusal(refused, { widgets, isOwn: own.includes(refused) });
  return {
    shown_reports: toJson(named.map(({ id }) => id)),
    report_writers: storedWriters(widgets, writers, { principal, isWritten }),
  };
}

function refusal(
  { id, public_id }: Row<"reports">,
  { widgets, isOwn }: { readonly widgets: Widgets; readonly isOwn: boolean },
): Failure {
  const widget = widgets.find((one) => [id, public_id].some((name) => name === reportOfChart(one)));
  return new Failure(
    "forbidden",
    `the widget ${JSON.stringify(widget?.id)} shows a report that ${isOwn ? "you" : "whoever wrote it"} may not read: whoever views the dashboard gets its query`,
    {
      remedy: isOwn
        ? "Get the permission ReportRead for the report, or give the widget a query of its own."
        : "Remove the widget, or change its title if you may read the report: it is shown with your rights then.",
    },
  );
}

/** Returns the IDs of a deployment's reports that one of the users who named them may read. */
async function readableByWriters(
  db: Db,
  reports: readonly Row<"reports">[],
  writers: ReportWriters,
): Promise<readonly number[]> {
  const byWriter = new Map<number, Row<"reports">[]>();
  for (const report of reports) {
    const ids = [report.id, report.public_id].flatMap((name) => writers.get(name) ?? []);
    for (const id of new Set(ids)) appendTo(byWriter, id, report);
  }
  const readable: number[] = [];
  for (const [id, named] of byWriter) {
    const principal = await principalOfUser(db, id);
    if (principal) readable.push(...(await readableBy({ db, principal }, named)));
  }
  return readable;
}

/** Returns the IDs of a deployment's reports that the principal may read. */
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
  dashboards: readonly (Pick<Row<"dashboards">, "shown_reports"> | undefined)[],
): ReadonlySet<number> {
  return new Set(
    dashboards.flatMap((one) => (one ? (fromJson(one.shown_reports) as readonly number[]) : [])),
  );
}

/**
 * Returns the reports that widgets of a dashboard may show, by ID and by public ID. Includes reports that were created
 * after the widgets if their writers may read them now.
 */
export async function reportsOf(
  db: Db,
  dashboard: Row<"dashboards">,
  widgets: Widgets,
): Promise<ReadonlyMap<number | string, WidgetReport>> {
  const named = (await selectNamed(db, dashboard.deployment_id, widgets)?.execute()) ?? [];
  const shown = new Set(shownReports([dashboard]));
  const later = named.filter(({ id }) => !shown.has(id));
  for (const id of await readableByWriters(db, later, writersOf([dashboard]))) shown.add(id);
  const reports = new Map<number | string, WidgetReport>();
  for (const { id, public_id, name, title, json_query, sql_query, meta, pivot_items } of named) {
    if (!shown.has(id)) continue;
    const own = fromJson(meta);
    const report = {
      name,
      title,
      query: json_query === null ? undefined : parseQuery(json_query),
      statement: json_query === null ? (sql_query ?? undefined) : undefined,
      meta: isObject(own) ? own : {},
      pivotItems: pivot_items === null ? undefined : (fromJson(pivot_items) as JsonObject),
    };
    reports.set(id, report).set(public_id, report);
  }
  return reports;
}

function parseQuery(text: string): JsonObject | undefined {
  try {
    const query = JSON.parse(text) as JsonValue;
    return isObject(query) ? query : undefined;
  } catch {
    return undefined;
  }
}

/** Returns reports with the queries of those in SQL, or with the reasons why they have none. */
export function withStatements(
  reports: ReadonlyMap<number | string, WidgetReport>,
  read: ReadStatement,
): ReadonlyMap<number | string, WidgetReport> {
  return new Map([...reports].map(([name, report]) => [name, translated(report, read)]));
}

function translated(report: WidgetReport, read: ReadStatement): WidgetReport {
  if (report.statement === undefined) return report;
  try {
    return { ...report, query: read(report.statement) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { message, code } = error;
    return { ...report, refusal: { message, isForbidden: code === "forbidden" } };
  }
}

/**
 * Returns the widgets with the query, the title and the options of the report that each shows, for an embedding page,
 * whose session cannot read reports. A widget whose report has no query stays unchanged; `queryRefusal` says why SQL
 * gives none.
 */
export async function withReports(
  { db, principal, statementReader }: Pick<Call, "db" | "principal" | "statementReader">,
  dashboard: Row<"dashboards">,
  widgets: Widgets,
): Promise<Widgets> {
  const stored = await reportsOf(db, dashboard, widgets);
  const isInSql = [...stored.values()].some(({ statement }) => statement !== undefined);
  const of = { deploymentId: dashboard.deployment_id, principal };
  const reports = isInSql ? withStatements(stored, await statementReader(of)) : stored;
  return widgets.map((widget) => {
    const named = reportOfChart(widget);
    const chart = named === undefined ? undefined : chartOf(widget, reports.get(named));
    if (chart === undefined) return widget;
    if ("problem" in chart) {
      const { refusal: queryRefusal } = chart;
      return queryRefusal ? { ...widget, config: { ...widget.config, queryRefusal } } : widget;
    }
    const added: JsonObject = {
      query: chart.query,
      ...(chart.title !== "" && { title: chart.title }),
      ...chart.options,
    };
    return { ...widget, config: { ...widget.config, ...added } };
  });
}
