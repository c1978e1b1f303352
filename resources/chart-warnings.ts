// Finds charts of a dashboard that would show nothing, given the objects that the stack declares.
import { chartTypes, unknownChartType } from "../core/spec/chart-config.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { closestMatch } from "../core/text/naming.ts";
import type { DeclaredObjects, ValueError } from "../core/kind/server-checks.ts";
import { declaredMembers, queryProblems } from "./query-members.ts";
import type { Spec } from "./workbook.schema.ts";

/** The spec of a workbook. */
export type DashboardSpec = JsonObject & Spec;

/** A chart of a dashboard, with the JSON Pointer of its configuration. */
export interface Chart {
  readonly path: string;
  readonly config: JsonObject;
}

/** Returns the charts of a dashboard. */
export function chartsOf({ dashboard }: DashboardSpec): readonly Chart[] {
  return (dashboard?.widgets ?? []).flatMap(({ type, config }, index): readonly Chart[] =>
    type === "CHART" && isObject(config)
      ? [{ path: `/dashboard/widgets/${index}/config`, config }]
      : [],
  );
}

/** Returns warnings about charts of an unknown type, and about queries of charts. */
export function chartWarnings(spec: JsonObject, declared: DeclaredObjects): readonly ValueError[] {
  const charts = chartsOf(spec as DashboardSpec);
  if (charts.length === 0) return [];
  const names = declaredMembers(declared, spec["deployment"]);
  return charts.flatMap(({ path, config }) => [
    ...wrongType(path, config),
    ...queryProblems(config["query"], names).map((one) => ({
      ...one,
      path: `${path}/query${one.path}`,
    })),
  ]);
}

function wrongType(path: string, config: JsonObject): readonly ValueError[] {
  const wrong = unknownChartType(config);
  if (wrong === undefined) return [];
  const closest = closestMatch(wrong.text, chartTypes);
  const hint = closest === undefined ? `Use ${chartTypes.join(", ")}.` : `Did you mean ${closest}?`;
  const message = `there is no chart ${JSON.stringify(wrong.text)}, so that the figures decide. ${hint}`;
  return [{ path: `${path}/${wrong.name}`, message }];
}
