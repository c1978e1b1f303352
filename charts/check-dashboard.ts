// Finds what is wrong in a dashboard whatever its data: options of charts and controls and members of its theme and styles that
// have no effect, names of widgets that it does not have, and widgets outside the grid or on each other.
import { isObject, type JsonObject } from "../core/json.ts";
import { joinPointer } from "../core/pointer.ts";
import { chartTypes, misspelledMembers, unknownChartType } from "../core/spec/chart-config.ts";
import { didYouMean, quoted, suggestionRemedy } from "../core/text/naming.ts";
import { type ConfigProblem, type DeclaredWidget, layoutProblems } from "./layout/check-layout.ts";
import { listOf, readWidgets } from "./layout/widgets.ts";
import { styleProblems, themeProblems } from "./theme.ts";
import { checkChartConfig, checkControlConfig } from "./config/check-config.ts";
import { nameProblems } from "./config/check-names.ts";

/** Returns the problems of a dashboard, each with the ID of its widget. The paths begin at the dashboard. */
export function checkDashboard(dashboard: JsonObject): readonly ConfigProblem[] {
  const { theme } = dashboard;
  const declared = declaredWidgets(dashboard);
  return [
    ...(isObject(theme) ? under("/theme", themeProblems(theme)) : []),
    ...declared.flatMap((one) => ofWidget(one, memberProblems(one.members))),
    ...checkNames(dashboard),
    ...layoutProblems(declared),
  ];
}

/** Returns the names in the configuration of widgets that mean nothing in the dashboard. */
export function checkNames(dashboard: JsonObject): readonly ConfigProblem[] {
  const { widgets } = readWidgets(dashboard["widgets"]);
  const byId = new Map(widgets.map((widget) => [widget.id, widget]));
  return declaredWidgets(dashboard).flatMap((one) => {
    const widget = byId.get(one.id);
    return widget === undefined
      ? []
      : ofWidget(one, under("/config", nameProblems(widget, widgets)));
  });
}

function declaredWidgets({ widgets }: JsonObject): readonly DeclaredWidget[] {
  return listOf(widgets).flatMap((members, index): DeclaredWidget[] => {
    const id = isObject(members) ? members["id"] : undefined;
    if (!isObject(members) || typeof id !== "string") return [];
    return [{ id, path: `/widgets/${index}`, members }];
  });
}

function ofWidget(
  { id, path }: DeclaredWidget,
  problems: readonly ConfigProblem[],
): readonly ConfigProblem[] {
  return under(path, problems).map((problem) => ({
    ...problem,
    message: `of widget ${id} ${problem.message}`,
  }));
}

function under(path: string, problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  return problems.map((problem) => ({ ...problem, path: path + problem.path }));
}

function memberProblems({ type, config, style }: JsonObject): readonly ConfigProblem[] {
  return [
    ...under("/config", isObject(config) && typeof type === "string" ? ofType(type, config) : []),
    ...under("/style", isObject(style) ? styleProblems(style) : []),
  ];
}

function ofType(type: string, config: JsonObject): readonly ConfigProblem[] {
  return type === "CHART" ? chartProblems(config) : checkControlConfig(type, config);
}

function chartProblems(config: JsonObject): readonly ConfigProblem[] {
  const misspelled = misspelledMembers("chart", config).map(({ name, meant }) => ({
    path: joinPointer([name]),
    message: "is not an option of a chart",
    remedy: suggestionRemedy(meant),
  }));
  const others = checkChartConfig(config).filter(
    (problem) => !misspelled.some((one) => one.path === problem.path),
  );
  return [...wrongType(config), ...misspelled, ...others];
}

function wrongType(config: JsonObject): readonly ConfigProblem[] {
  const wrong = unknownChartType(config);
  if (wrong === undefined) return [];
  const list = `Use one of ${chartTypes.join(", ")}.`;
  const remedy = didYouMean(wrong.text, chartTypes, quoted) ?? list;
  return [{ path: `/${wrong.name}`, message: "is not a type of chart", remedy }];
}
