// Finds charts and controls of a dashboard that would show nothing, given the objects that the stack declares.
import {
  chartTypes,
  controlMember,
  determinesValues,
  misspelledMembers,
  namedReport,
  unknownChartType,
} from "../core/spec/chart-config.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { joinPointer } from "../core/pointer.ts";
import { didYouMean, quoted, suggestionRemedy } from "../core/text/naming.ts";
import type { DeclaredObjects, ValueError } from "../core/kind/server-checks.ts";
import { declaredMembers, memberProblems, queryProblems } from "./query-members.ts";
import type { Spec } from "./workbook.schema.ts";

/** The spec of a workbook. */
export type DashboardSpec = JsonObject & Spec;

/** A chart of a dashboard, with the JSON Pointer of its configuration, or of its widget if it has none. */
export interface Chart {
  readonly path: string;
  readonly config: JsonObject;
}

/** A widget that sets a member of the data model, with the JSON Pointer of the member. */
export interface Control {
  readonly path: string;
  readonly member: string;
}

const controlTypes: ReadonlySet<string> = new Set(["FILTER", "TIME_GRAIN", "FIELD"]);

/** Returns the charts of a dashboard. */
export function chartsOf({ dashboard }: DashboardSpec): readonly Chart[] {
  return (dashboard?.widgets ?? []).flatMap(({ type, config }, index): readonly Chart[] => {
    if (type !== "CHART") return [];
    const widget = `/dashboard/widgets/${index}`;
    return [isObject(config) ? { path: `${widget}/config`, config } : { path: widget, config: {} }];
  });
}

/** Returns the controls of a dashboard that name a member. */
export function controlsOf({ dashboard }: DashboardSpec): readonly Control[] {
  return (dashboard?.widgets ?? []).flatMap(({ type, config }, index): readonly Control[] => {
    const named = controlTypes.has(type) && isObject(config) ? controlMember(config) : undefined;
    if (named === undefined) return [];
    return [{ path: `/dashboard/widgets/${index}/config/${named.name}`, member: named.member }];
  });
}

/** Returns a query that names the members of controls, to find errors in them alone. */
export function controlQuery(controls: readonly Control[]): JsonObject {
  return { filters: controls.map(({ member }) => ({ member, operator: "set" })) };
}

/** Returns the errors in the members of {@link controlQuery} at the controls. */
export function placeAtControls(
  controls: readonly Control[],
  errors: readonly ValueError[],
): readonly ValueError[] {
  return errors.flatMap((error) => {
    const [, index] = /^\/filters\/(\d+)\//u.exec(error.path) ?? [];
    const control = index === undefined ? undefined : controls[Number(index)];
    return control === undefined ? [] : [{ ...error, path: control.path }];
  });
}

/** Returns warnings about charts of an unknown type or without a query, and about members that the data model does not have. */
export function chartWarnings(spec: JsonObject, declared: DeclaredObjects): readonly ValueError[] {
  const [charts, controls] = [chartsOf(spec as DashboardSpec), controlsOf(spec as DashboardSpec)];
  if (charts.length + controls.length === 0) return [];
  const names = declaredMembers(declared, spec["deployment"]);
  return [
    ...charts.flatMap(({ path, config }) => [
      ...wrongType(path, config),
      ...misspelled(path, config),
      ...queryProblems(ownQuery(config), names).map((one) => ({
        ...one,
        path: `${path}/query${one.path}`,
      })),
    ]),
    ...placeAtControls(controls, memberProblems(controlQuery(controls), names)),
  ];
}

function wrongType(path: string, config: JsonObject): readonly ValueError[] {
  const wrong = unknownChartType(config);
  if (wrong === undefined) return [];
  const list = `Use one of ${chartTypes.join(", ")}.`;
  const remedy = didYouMean(wrong.text, chartTypes, quoted) ?? list;
  const message = `there is no chart type ${JSON.stringify(wrong.text)}, so the server chooses one that suits the data`;
  return [{ path: `${path}/${wrong.name}`, message, remedy }];
}

/** Returns the misspelled members of a chart, and why it shows nothing. */
function misspelled(path: string, config: JsonObject): readonly ValueError[] {
  if (Array.isArray(config["query"])) {
    const message = "a chart takes one query, not a list of queries";
    return [{ path: `${path}/query`, message, remedy: "Write the one query without the list." }];
  }
  const found = misspelledMembers(config);
  const errors = found.map(({ name, meant }) => ({
    path: path + joinPointer([name]),
    message: `${name} is not a known field of a chart`,
    remedy: suggestionRemedy(meant),
  }));
  if (hasValues(config) || found.some(({ meant }) => determinesValues(meant))) return errors;
  const message = "the chart has no query and no report, so it shows nothing";
  const remedy = "Add a `query`, or a `report` with the public ID of a report.";
  return [...errors, { path, message, remedy }];
}

/** Returns the query of a chart; undefined for a list of queries, none of which it shows. */
function ownQuery({ query }: JsonObject): JsonValue | undefined {
  return isObject(query) ? query : undefined;
}

function hasValues(config: JsonObject): boolean {
  const query: JsonValue | undefined = config["query"];
  return isObject(query) || namedReport(config) !== undefined;
}
