// Finds charts, texts and controls of a dashboard that would show nothing, given the objects that the stack declares.
import {
  determinesValues,
  misspelledMembers,
  namedReport,
  widgetText,
} from "../core/spec/chart-config.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { joinPointer } from "../core/pointer.ts";
import { suggestionRemedy } from "../core/text/naming.ts";
import type { DeclaredObjects, ValueError } from "../core/kind/server-checks.ts";
import {
  chartsOf,
  controlQuery,
  controlsOf,
  type DashboardSpec,
  placeAtControls,
  type Widget,
  widgetsOf,
} from "./dashboard-widgets.ts";
import { declaredMembers, memberProblems, queryProblems } from "./query-members.ts";

/** Returns warnings about charts and texts that show nothing, and about members that the data model does not have. */
export function chartWarnings(spec: JsonObject, declared: DeclaredObjects): readonly ValueError[] {
  const [charts, controls] = [chartsOf(spec as DashboardSpec), controlsOf(spec as DashboardSpec)];
  const texts = widgetsOf(spec as DashboardSpec, "text").flatMap(wrongText);
  if (charts.length + controls.length === 0) return texts;
  const names = declaredMembers(declared, spec["deployment"]);
  return [
    ...texts,
    ...charts.flatMap(({ path, config }) => [
      ...withoutValues({ path, config }),
      ...queryProblems(ownQuery(config), names).map((one) => ({
        ...one,
        path: `${path}/query${one.path}`,
      })),
    ]),
    ...placeAtControls(controls, memberProblems(controlQuery(controls), names)),
  ];
}

/** Returns the misspelled members of a text, and why it shows nothing. */
function wrongText(widget: Widget): readonly ValueError[] {
  const { path, config } = widget;
  const found = misspelledMembers("text", config).map(({ name, meant }) => ({
    path: path + joinPointer([name]),
    message: `${name} is not a known field of a text widget`,
    remedy: suggestionRemedy(meant),
  }));
  if (found.length > 0 || widgetText(config) !== undefined) return found;
  const message = "the widget has no text, so the server shows nothing";
  return [{ path, message, remedy: "Add a `text`." }];
}

/** Returns why a chart shows nothing; a misspelled query or report is an error of its own. */
function withoutValues({ path, config }: Widget): readonly ValueError[] {
  if (Array.isArray(config["query"])) {
    const message = "a chart takes one query, not a list of queries";
    return [{ path: `${path}/query`, message, remedy: "Write the one query without the list." }];
  }
  const isMisspelled = misspelledMembers("chart", config).some(({ meant }) =>
    determinesValues(meant),
  );
  if (hasValues(config) || isMisspelled) return [];
  const message = "the chart has no query and no report, so the server shows nothing";
  const remedy = "Add a `query`, or a `report` with the public ID of a report.";
  return [{ path, message, remedy }];
}

/** Returns the query of a chart; undefined for a list of queries, none of which it shows. */
function ownQuery({ query }: JsonObject): JsonValue | undefined {
  return isObject(query) ? query : undefined;
}

function hasValues(config: JsonObject): boolean {
  const query: JsonValue | undefined = config["query"];
  return isObject(query) || namedReport(config) !== undefined;
}
