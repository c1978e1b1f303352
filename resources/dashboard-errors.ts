// Finds what is wrong in the dashboard of a workbook whatever its data: options of charts and controls and members of its
// theme that have no effect, and widgets outside the grid or on each other. Servers take such a dashboard and draw
// something else.
import {
  checkChartConfig,
  checkControlConfig,
  type ConfigProblem,
  themeMembers,
  themeProblems,
} from "../charts/index.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { OfflineError } from "../core/kind/server-checks.ts";
import { joinPointer } from "../core/pointer.ts";
import { chartTypes, misspelledMembers, unknownChartType } from "../core/spec/chart-config.ts";
import { didYouMean, quoted, suggestionRemedy } from "../core/text/naming.ts";
import { type DeclaredWidget, layoutErrors } from "./layout-errors.ts";

/** Returns the errors of a dashboard, each with the ID of its widget. */
export function dashboardErrors({ dashboard }: JsonObject): readonly OfflineError[] {
  if (!isObject(dashboard)) return [];
  const { theme, widgets: declared } = dashboard;
  const list = Array.isArray(declared) ? (declared as readonly JsonValue[]) : [];
  const widgets = list.flatMap((members, index): DeclaredWidget[] => {
    const id = isObject(members) ? members["id"] : undefined;
    if (!isObject(members) || typeof id !== "string") return [];
    return [{ id, path: `/dashboard/widgets/${index}`, members }];
  });
  return [
    ...(isObject(theme) ? themeErrors(theme) : []),
    ...widgets.flatMap((widget) => optionErrors(widget)),
    ...layoutErrors(widgets),
  ];
}

function themeErrors(theme: JsonObject): readonly OfflineError[] {
  return themeProblems(theme).map(({ member, message }) => ({
    path: `/dashboard/theme${joinPointer([member])}`,
    message,
    remedy: themeMembers.includes(member) ? undefined : didYouMean(member, themeMembers, quoted),
  }));
}

function optionErrors({ id, path, members }: DeclaredWidget): readonly OfflineError[] {
  const { type, config } = members;
  if (!isObject(config) || typeof type !== "string") return [];
  const found = type === "CHART" ? chartProblems(config) : checkControlConfig(type, config);
  return found.map((problem) => ({
    ...problem,
    path: `${path}/config${problem.path}`,
    message: `of widget ${id} ${problem.message}`,
  }));
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
