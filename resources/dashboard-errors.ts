// Finds what is wrong in the dashboard of a workbook whatever its data: options of charts that have no effect, and widgets
// outside the grid or on each other. Servers take such a dashboard and draw something else.
import { checkChartConfig, type ConfigProblem } from "../charts/index.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { OfflineError } from "../core/kind/server-checks.ts";
import { joinPointer } from "../core/pointer.ts";
import { chartTypes, misspelledMembers, unknownChartType } from "../core/spec/chart-config.ts";
import { didYouMean, quoted, suggestionRemedy } from "../core/text/naming.ts";
import { type DeclaredWidget, layoutErrors } from "./layout-errors.ts";

/** Returns the errors of a dashboard, each with the ID of its widget. */
export function dashboardErrors({ dashboard }: JsonObject): readonly OfflineError[] {
  const list = isObject(dashboard) ? dashboard["widgets"] : undefined;
  if (!Array.isArray(list)) return [];
  const widgets = (list as readonly JsonValue[]).flatMap((members, index): DeclaredWidget[] => {
    const id = isObject(members) ? members["id"] : undefined;
    if (!isObject(members) || typeof id !== "string") return [];
    return [{ id, path: `/dashboard/widgets/${index}`, members }];
  });
  return [...widgets.flatMap((widget) => optionErrors(widget)), ...layoutErrors(widgets)];
}

function optionErrors({ id, path, members }: DeclaredWidget): readonly OfflineError[] {
  const { type, config } = members;
  if (type !== "CHART" || !isObject(config)) return [];
  const misspelled = misspelledMembers("chart", config).map(({ name, meant }) => ({
    path: joinPointer([name]),
    message: "is not an option of a chart",
    remedy: suggestionRemedy(meant),
  }));
  const others = checkChartConfig(config).filter(
    (problem) => !misspelled.some((one) => one.path === problem.path),
  );
  return [...wrongType(config), ...misspelled, ...others].map((problem) => ({
    ...problem,
    path: `${path}/config${problem.path}`,
    message: `of widget ${id} ${problem.message}`,
  }));
}

function wrongType(config: JsonObject): readonly ConfigProblem[] {
  const wrong = unknownChartType(config);
  if (wrong === undefined) return [];
  const list = `Use one of ${chartTypes.join(", ")}.`;
  const remedy = didYouMean(wrong.text, chartTypes, quoted) ?? list;
  return [{ path: `/${wrong.name}`, message: "is not a type of chart", remedy }];
}
