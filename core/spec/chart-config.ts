// Reads the configuration of a chart on a dashboard: its type, its own query, and the report that it shows. Pure.
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import { oneTypoMatch, orList } from "../text/naming.ts";

/** How the values of a query are drawn. */
export const chartTypes = [
  "bar",
  "line",
  "area",
  "scatter",
  "pie",
  "heatmap",
  "funnel",
  "boxplot",
  "sankey",
  "number",
  "table",
  "pivot",
  "html",
] as const;

/** One of {@link chartTypes}. */
export type ChartType = (typeof chartTypes)[number];

/** Other names of charts. */
const chartNames: Readonly<Record<string, ChartType>> = {
  column: "bar",
  histogram: "bar",
  combination: "bar",
  combo: "bar",
  donut: "pie",
  doughnut: "pie",
  "box-plot": "boxplot",
  box: "boxplot",
  kpi: "number",
  bignumber: "number",
  "big-number": "number",
  big_number: "number",
};

/** Members that name the type of a chart, the preferred first. */
const typeMembers = ["chart", "chartType", "type"] as const;

/** Members that name a report, the preferred first. */
const reportMembers = ["reportId", "report", "reportPublicId"] as const;

/** Members that name the member of a control, the preferred first. */
const controlMembers = ["member", "dimension"] as const;

/** Members that have the text of a widget, the preferred first. */
const textMembers = ["text", "content", "markdown"] as const;

/** The members of each kind of widget; those in one list are synonyms. Pages that show the dashboard may read others. */
const widgetMembers = {
  chart: [["query"], reportMembers, ["title"], typeMembers],
  text: [textMembers, ["title"]],
  control: [controlMembers, ["title", "label"]],
} as const satisfies Readonly<Record<string, readonly (readonly string[])[]>>;

/** The members of a chart beside its options. */
export const chartConfigMembers: readonly string[] = widgetMembers.chart.flat();

/** A kind of widget by the members of its configuration. */
export type WidgetKind = keyof typeof widgetMembers;

/**
 * Returns the members of a widget's configuration that are probably misspelled, with those that are meant and absent, as
 * are their synonyms. Others are for pages that show the dashboard: a member with a value that the meant one cannot have,
 * such as `titles: []` or `tile: 2`, and one with a number in its name, such as `report2`.
 */
export function misspelledMembers(kind: WidgetKind, config: JsonObject) {
  const groups: readonly (readonly string[])[] = widgetMembers[kind];
  const absent = groups.filter((names) => !names.some((name) => Object.hasOwn(config, name)));
  const unknown = Object.keys(config).filter((name) => !groups.flat().includes(name));
  return unknown.flatMap((name) => {
    const meant = /\d/u.test(name) ? undefined : oneTypoMatch(name, absent.flat());
    return meant !== undefined && canHave(kind, meant, config[name]) ? [{ name, meant }] : [];
  });
}

/** Returns whether a member of a chart determines the values that it shows. */
export function determinesValues(name: string): boolean {
  return name === "query" || isReportMember(name);
}

/** Returns whether a member of a widget can have a value. */
function canHave(kind: WidgetKind, name: string, value: JsonValue | undefined): boolean {
  if (kind !== "chart") return typeof value === "string";
  if (name === "query") return isObject(value);
  if (isReportMember(name) && typeof value === "number") return true;
  if (typeof value !== "string") return false;
  return name === "title" || isReportMember(name) || chartTypeOf({ chart: value }) !== undefined;
}

function isReportMember(name: string): boolean {
  return reportMembers.some((one) => one === name);
}

/** Returns the text of a text widget, or its title; undefined if it has neither. */
export function widgetText(config: JsonObject): string | undefined {
  const texts = [...textMembers, "title"].map((name) => textIn(config, name));
  return texts.find((text) => text !== undefined);
}

/** Returns the member of the data model that a control sets, and which member of its configuration names it; undefined if none does. */
export function controlMember(config: JsonObject) {
  return controlMembers
    .map((name) => ({ name, member: textIn(config, name) ?? "" }))
    .find(({ member }) => member !== "");
}

/** The types of widgets that set a member of the data model. */
export const controlTypes: ReadonlySet<string> = new Set(["FILTER", "TIME_GRAIN", "FIELD"]);

/** Returns the texts that name members of the data model in a control: the one that it sets, and those that a FIELD offers instead. */
export function controlledMembers(type: string, config: JsonObject): readonly JsonValue[] {
  if (!controlTypes.has(type)) return [];
  const options = type === "FIELD" ? config["options"] : undefined;
  return [
    controlMember(config)?.member ?? null,
    ...(Array.isArray(options) ? (options as readonly JsonValue[]) : []),
  ];
}

/** Describes the configuration of each type of widget. */
export const widgetConfigDoc = [
  "Content of the widget.",
  `CHART: \`query\`, a query of the data API, or a report by \`${reportMembers[0]}\` or by its public ID in \`${reportMembers[1]}\`; \`title\`; \`${typeMembers[0]}\`.`,
  `\`${typeMembers[0]}\` is ${orList(chartTypes)}, by default one that suits the data.`,
  `Other names: ${otherNames()}.`,
  `TEXT and AI: \`${textMembers[0]}\`; lines that begin with \`#\` are headings.`,
  `FILTER, TIME_GRAIN and FIELD: \`${controlMembers[0]}\`, a member of the data model, and \`title\`. FIELD: \`options\`, a list of the members that viewers may choose instead.`,
  "PARENT: `options` that set other controls. CONTAINER: `widgets` or `tabs`.",
  "The reference of dashboards describes the rest.",
].join(" ");

/** Lists the other names of each type of chart. */
function otherNames(): string {
  const named = chartTypes.map((type) => {
    const names = Object.keys(chartNames).filter((name) => chartNames[name] === type);
    return names.length === 0 ? [] : `${orList(names)} for ${type}`;
  });
  return named.flat().join(", ");
}

/** Returns a text of a configuration; undefined if it is blank. */
export function textIn(config: JsonObject, name: string): string | undefined {
  const value = config[name];
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** Returns the type of chart that a configuration names; undefined if the values determine it. */
export function chartTypeOf(config: JsonObject): ChartType | undefined {
  const name = namedType(config)?.text.toLowerCase() ?? "";
  return chartTypes.find((type) => type === name) ?? chartNames[name];
}

/** Returns the member and the text that name a type of chart which does not exist; undefined if there is none. */
export function unknownChartType(config: JsonObject) {
  return chartTypeOf(config) === undefined ? namedType(config) : undefined;
}

function namedType(config: JsonObject) {
  const named = typeMembers.map((name) => ({ name, text: textIn(config, name) ?? "" }));
  return named.find(({ text }) => text !== "");
}

/** Returns the report that a configuration names, by ID or by public ID, and in which member; undefined if it has its own query. */
export function namedReport(
  config: JsonObject,
): { readonly name: string; readonly report: number | string } | undefined {
  if (isObject(config["query"])) return undefined;
  for (const name of reportMembers) {
    const report = config[name];
    if (typeof report === "number" || typeof report === "string") return { name, report };
  }
  return undefined;
}
