// Runs the queries of a published dashboard for a caller, and returns the dashboard with their results.
import pLimit from "p-limit";
import { optionWithValues } from "../../charts/config/parent-options.ts";
import {
  addressQuery,
  declaredFormat,
  declaredLinks,
  lookOf,
  type ResultColumn,
  type ResultTable,
  widgetStyleOf,
  withAddresses,
} from "../../charts/index.ts";
import { type PaperPart, paperParts } from "../../charts/layout/paper.ts";
import { nestingRule, readWidgets, unplaced, type Widget } from "../../charts/layout/widgets.ts";
import { Failure, invariant, isFailure } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { readDeployment } from "../store/deployments.ts";
import { chartOf, reportOf, type WidgetReport } from "../areas/workbooks/chart-widgets.ts";
import { reportsOf, withStatements } from "../areas/workbooks/widget-reports.ts";
import { readEnvironment } from "../data-plane/environment.ts";
import { loadRows, type LoadedRows, shownReason } from "../data-plane/queries.ts";
import type { Asker, QueryBuild, QueryService } from "../data-plane/query-service.ts";
import type { ModelCompiler } from "../model/compiler.ts";
import type { QueryCaller } from "../query/access.ts";
import { columnName } from "../query/answer.ts";
import { printTime, toLocal, zoneNamed } from "../query/local-time.ts";
import { titleOfMember } from "../query/model-index.ts";
import { normalizeQueries } from "../query/normalize.ts";
import type { Sealer } from "../security/seal.ts";
import { statementQuery, withStatementMembers } from "../sql-text/report-statements.ts";
import { fromJson } from "../store/codec.ts";
import type { Db, Row } from "../store/schema.ts";
import {
  memberOf,
  withAttributeValue,
  withInitialValues,
} from "../../charts/config/control-values.ts";
import {
  type Controls,
  describeControls,
  unusedFilters,
  withControls,
} from "../../charts/config/controls.ts";
import { readAppConfig } from "../areas/app/app-config.ts";
import { workspaceTitle } from "../areas/app/workspace-title.ts";
import type { Picture, WidgetContent } from "./draw/picture-input.ts";
import { sheetMargin, sheetWidth } from "./draw/sheet.ts";
import { pictureLocale } from "./draw/svg.ts";
import { labelOfControl, textOfWidget } from "./widgets.ts";

/** The services that read an account's dashboards. */
export interface DashboardSource {
  readonly db: Db;
  readonly compiler: ModelCompiler;
  readonly sealer: Sealer;
  readonly queries: QueryService;
  readonly now: () => Date;
  readonly accountId: string;
}

/** A dashboard for one viewer. */
export interface DashboardView {
  readonly dashboard: Row<"dashboards">;
  readonly caller: QueryCaller;
  /** Whose turn its queries take. */
  readonly turn: Pick<Asker, "tenant" | "session">;
  readonly controls: Controls;
  /** Whether controls of the dashboard that `controls` does not set have the values that a page begins with. */
  readonly hasInitialValues?: boolean;
  readonly timezone?: string;
  /** The address of the page that shows it; undefined if the viewer cannot open it. */
  readonly link?: string | undefined;
  /** Whether values of tables lead to the pages of their links. */
  readonly hasLinks?: boolean;
  /** The theme that the session of the viewer names. */
  readonly theme?: string | undefined;
}

/** Returns a dashboard with the results of its queries. A failed query has its error instead. */
export async function readPicture(
  source: DashboardSource,
  {
    dashboard,
    caller: viewer,
    turn,
    controls: set,
    hasInitialValues = false,
    timezone = "UTC",
    link,
    hasLinks = false,
    theme,
  }: DashboardView,
  signal: AbortSignal,
): Promise<Picture> {
  const { db, now } = source;
  const deployment = await readDeployment(db, dashboard.deployment_id);
  const config = fromJson(dashboard.config) as JsonObject;
  const tree = readWidgets(config["widgets"]);
  const { parts } = paperParts(tree, sheetWidth - 2 * sheetMargin);
  const widgets = parts.flatMap(({ content }) => ("widget" in content ? [content.widget] : []));
  const charts = widgets.filter(({ type }) => type === "CHART");
  // Without charts, a deployment needs no build.
  const build =
    charts.length > 0
      ? await openBuild(source, deployment, { asker: { ...turn, signal }, caller: viewer })
      : undefined;
  const caller = build ? withStatementMembers(build.model, viewer) : viewer;
  const stored = await reportsOf(db, dashboard, widgets);
  const reports = build
    ? withStatements(stored, (text) => statementQuery(text, { model: build.model, caller }))
    : stored;
  const valued = tree.widgets.map((one) => withAttributeValue(one, caller.userAttributes));
  const controls = hasInitialValues ? withInitialValues(valued, set) : set;
  const at: WidgetContext = {
    build,
    widgets: tree.widgets,
    titleOf: (member) => titleOfMember(build?.model, member),
    caller,
    now: now(),
    controls,
    timezone,
    hasLinks,
    reports,
    unusedFilter: unusedFilterText(charts, { reports, controls: set }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(limits.deliveryQueryMs)]),
  };
  const drawn = new Set(charts.slice(0, limits.deliveryCharts));
  const inTurn = pLimit(limits.concurrentDeliveryQueries);
  const contents = await Promise.all(
    parts.map(({ content }) =>
      inTurn(async (): Promise<WidgetContent | undefined> => {
        if ("tab" in content) return { kind: "tab", title: content.tab };
        const { widget } = content;
        const isLeftOut = widget.type === "CHART" && !drawn.has(widget);
        return isLeftOut ? tooMany(widget) : contentOf(widget, at);
      }),
    ),
  );
  const appConfig = await readAppConfig(db);
  const own = config["theme"];
  return {
    account: workspaceTitle(appConfig, [pictureLocale]),
    look: lookOf({
      account: appConfig.appTheme,
      dashboard: isObject(own) ? own : {},
      name: theme,
    }),
    title: textAt(config, "title") || (await workbookName(db, dashboard.workbook_id)),
    description: textAt(config, "description"),
    controls: [...describeControls(controls, at.titleOf), ...chosenOptions(at)],
    footer: footerOf(at),
    link,
    widgets: parts.flatMap((part, index) => {
      const content = contents[index];
      return content === undefined ? [] : [{ ...part.place, content, ...stylesOf(part) }];
    }),
    frames: Object.fromEntries(
      parts.flatMap(({ inside }) => inside.map(({ id, style }) => [id, widgetStyleOf(style)])),
    ),
  };
}

function stylesOf({ content, inside }: PaperPart) {
  return {
    inside: inside.map(({ id }) => id),
    ...("widget" in content && { style: widgetStyleOf(content.widget.style) }),
  };
}

/** Returns the chosen options of PARENTs in words. */
function chosenOptions({ widgets, controls }: WidgetContext): readonly string[] {
  return widgets.flatMap((widget) => {
    const option = widget.type === "PARENT" && optionWithValues(widget, widgets, controls);
    if (option === undefined || option === false) return [];
    const label = labelOfControl(widget);
    return [label === undefined ? option : `${label} is ${option}`];
  });
}

/**
 * Returns the reason for hiding all results if a filter applies to no chart, because the results would look filtered.
 * Undefined if every filter applies.
 */
function unusedFilterText(
  charts: readonly Widget[],
  { reports, controls }: Pick<WidgetContext, "reports" | "controls">,
): string | undefined {
  const queries = charts.flatMap((widget) => {
    const chart = chartOf(widget, namedReport(widget, reports));
    return "problem" in chart ? [] : [chart.query];
  });
  const [unused] = unusedFilters(queries, controls);
  return unused && `The filter on ${unused.member} concerns no chart of the dashboard.`;
}

function namedReport(widget: Widget, reports: WidgetContext["reports"]): WidgetReport | undefined {
  const name = reportOf(widget);
  return name === undefined ? undefined : reports.get(name);
}

async function openBuild(
  source: DashboardSource,
  deployment: Row<"deployments">,
  by: { readonly asker: Asker; readonly caller: QueryCaller },
): Promise<QueryBuild> {
  const { branch } = await readEnvironment(source.db, deployment, undefined);
  const address = { ...source, deploymentId: deployment.id, branchId: branch.id, ...by };
  return source.queries.open(address);
}

function tooMany(widget: Widget): WidgetContent {
  const { title } = chartOf(widget, undefined);
  const message = `This chart is left out: at most ${limits.deliveryCharts} are drawn. It is on the dashboard.`;
  return { kind: "error", title, message };
}

/** Returns the time at which the data was read, in the time zone of the notification. */
function footerOf({ now, timezone }: Pick<WidgetContext, "now" | "timezone">): string {
  const zone = zoneNamed(timezone) ?? "UTC";
  return `As of ${localTime(now, zone).slice(0, 16).replace("T", " ")} (${zone})`;
}

function localTime(now: Date, timezone: string): string {
  return printTime(toLocal(now.getTime(), zoneNamed(timezone) ?? "UTC"));
}

function textAt(config: JsonObject, name: string): string {
  const text = config[name];
  return typeof text === "string" ? text : "";
}

async function workbookName(db: Db, id: number): Promise<string> {
  const row = await db
    .selectFrom("workbooks")
    .select("name")
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.name ?? "";
}

interface WidgetContext {
  /** All widgets of the dashboard. */
  readonly widgets: readonly Widget[];
  readonly build: QueryBuild | undefined;
  /** Returns the title of a member. */
  readonly titleOf: (member: string) => string;
  readonly caller: QueryCaller;
  readonly now: Date;
  readonly controls: Controls;
  readonly timezone: string;
  readonly hasLinks: boolean;
  readonly reports: ReadonlyMap<number | string, WidgetReport>;
  /**
   * The reason why no chart shows data: a filter that applies to none of them. Undefined if there is no such filter.
   */
  readonly unusedFilter: string | undefined;
  readonly signal: AbortSignal;
}

/** Returns the content of a widget; undefined if it shows nothing. */
async function contentOf(widget: Widget, at: WidgetContext): Promise<WidgetContent | undefined> {
  switch (widget.type) {
    case "CHART":
      return chartContent(widget, at);
    case "TEXT":
    case "AI":
      return { kind: "text", text: textOfWidget(widget) };
    case "FILTER":
    case "TIME_GRAIN":
    case "FIELD": {
      const member = memberOf(widget);
      const label = labelOfControl(widget) ?? at.titleOf(member);
      return { kind: "control", label, value: controlValue(member, widget.type, at) };
    }
    case "PARENT": {
      const value = optionWithValues(widget, at.widgets, at.controls) ?? "as published";
      return { kind: "control", label: labelOfControl(widget) ?? "", value };
    }
    case unplaced:
      return chartError("A container", nestingRule, "This widget cannot be shown.");
    case "DIVIDER":
      return { kind: "divider" };
    default:
      return undefined;
  }
}

function controlValue(
  member: string,
  type: string,
  { controls, titleOf }: Pick<WidgetContext, "controls" | "titleOf">,
): string {
  const own = {
    filters: type === "FILTER" ? controls.filters.filter((one) => one.member === member) : [],
    timeGrains:
      type === "TIME_GRAIN"
        ? controls.timeGrains.filter((one) => (one.member ?? member) === member)
        : [],
    memberSwitchers:
      type === "FIELD" ? controls.memberSwitchers.filter(({ from }) => from === member) : [],
  };
  return describeControls(own, titleOf).join("; ") || (type === "FILTER" ? "all" : "as published");
}

async function chartContent(widget: Widget, at: WidgetContext): Promise<WidgetContent> {
  const chart = chartOf(widget, namedReport(widget, at.reports));
  if ("problem" in chart) {
    const isForbidden = chart.refusal?.isForbidden === true;
    return chartError(chart.title, chart.problem, isForbidden ? noAccess : undefined);
  }
  const { title, query } = chart;
  if (at.unusedFilter !== undefined) return chartError(title, at.unusedFilter);
  try {
    const timed = { timezone: at.timezone, ...withControls(query, at.controls) };
    const result = await withLinks(timed, await loadResult(timed, at), at);
    const config = { ...widget.config, ...chart.options };
    const { timezone: zone } = timed;
    const now = localTime(at.now, typeof zone === "string" ? zone : at.timezone);
    return { kind: "chart", title, config, result, now };
  } catch (error) {
    const isForbidden = isFailure(error, "forbidden");
    return chartError(title, reasonOf(error), isForbidden ? noAccess : undefined);
  }
}

/** Adds the pages that values lead to. A result without them is complete, so that their query may fail. */
async function withLinks(
  query: JsonObject,
  result: ResultTable,
  at: WidgetContext,
): Promise<ResultTable> {
  const addresses = at.hasLinks ? addressQuery(query, result) : undefined;
  if (addresses === undefined) return result;
  try {
    return withAddresses(result, await loadResult(addresses, at));
  } catch (error) {
    if (error instanceof Failure && !at.signal.aborted) return result;
    throw error;
  }
}

const noAccess = "You do not have access to this data.";

function chartError(
  title: string,
  reason: string,
  message = "This data cannot be shown at the moment.",
): WidgetContent {
  return { kind: "error", title, message, reason };
}

/** Returns the picture with the reasons instead of the messages for recipients of a mail. */
export function withReasons(picture: Picture): Picture {
  const widgets = picture.widgets.map((widget) => {
    const { content } = widget;
    if (content.kind !== "error") return widget;
    return { ...widget, content: { ...content, message: content.reason ?? content.message } };
  });
  return { ...picture, widgets };
}

/** Returns the errors of the charts of a picture as text, each with the title of its chart; undefined if there are none. */
export function chartErrorsText({ widgets }: Picture): string | undefined {
  const reasons = widgets.flatMap(({ content }) => {
    if (content.kind !== "error") return [];
    const { title, message, reason = message } = content;
    const text = reason.replace(/\.$/u, "");
    return [title === "" ? text : `${title}: ${text}`];
  });
  return reasons.length === 0 ? undefined : [...new Set(reasons)].join("; ");
}

/** Viewers get the reason of a failed query without a database's hosts and users. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Failure)) return "The query failed because of an internal error.";
  return shownReason(error);
}

async function loadResult(
  query: JsonObject,
  { build, caller, now, signal }: WidgetContext,
): Promise<ResultTable> {
  invariant(build, "a chart without a build");
  const most = limits.deliveryRows;
  const limit = typeof query["limit"] === "number" ? Math.min(query["limit"], most + 1) : most + 1;
  const [one, ...more] = normalizeQueries({ ...query, limit, total: undefined }, now);
  if (one === undefined || more.length > 0) {
    throw new Failure("invalid", "charts that compare date ranges are not drawn");
  }
  const loaded = await loadRows({ build, caller, now, input: {} }, one, signal);
  return {
    columns: resultColumns(loaded),
    rows: loaded.rows.slice(0, most),
    isCut: loaded.rows.length > most,
  };
}

function resultColumns({ columns, annotation }: LoadedRows): readonly ResultColumn[] {
  return columns.map((column) => {
    const { kind, type, granularity, member } = column;
    const group = kind === "timeDimension" ? "timeDimensions" : `${kind}s`;
    const described = annotation[group];
    const name = columnName(column);
    const own = isObject(described) ? described[name] : undefined;
    const { shortTitle, format, currency, aggType, links } = isObject(own) ? own : {};
    return {
      name,
      title: typeof shortTitle === "string" ? shortTitle : member,
      kind,
      type: kind === "timeDimension" ? "time" : type,
      ...(granularity !== undefined && { granularity }),
      ...declaredFormat(format),
      ...declaredLinks(links),
      ...(typeof currency === "string" && { currency }),
      ...(typeof aggType === "string" && { aggType }),
    };
  });
}
