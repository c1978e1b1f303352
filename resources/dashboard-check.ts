// Checks the dashboard of a workbook at the server: its widgets, and the reports and members that its charts name.
import { checkReportQuery, listReports } from "../api/reports.ts";
import { namedReport } from "../core/spec/chart-config.ts";
import { type ErrorCode, Failure } from "../core/errors.ts";
import { isObject } from "../core/json.ts";
import type { Reader } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { closestMatch } from "../core/text/naming.ts";
import type {
  CheckedWrite,
  CheckResult,
  ValueCheck,
  ValueError,
} from "../core/kind/server-checks.ts";
import { deploymentIds } from "./codec.ts";
import { type Chart, chartsOf, type DashboardSpec } from "./chart-warnings.ts";
import { refusalsOf } from "./query-members.ts";

/** Reports widgets that the server would refuse as errors, and as warnings the queries and reports of charts that it cannot show. */
export const dashboardCheck: ValueCheck<Reader> = {
  what: "the dashboard",
  needs: [],
  run: async (reader, write) => {
    const { dashboard } = write.spec as DashboardSpec;
    const isSent = write.changed?.some(({ path }) => /^\/dashboard(?:\/|$)/u.test(path)) ?? true;
    if (dashboard === undefined || !isSent) return { errors: [], errorCount: 0 };
    return checkCharts(reader, write);
  },
};

/** Reasons why a server does not check charts. */
const unchecked: ReadonlySet<ErrorCode> = new Set(["unavailable", "not_offered"]);

async function checkCharts(reader: Reader, write: CheckedWrite): Promise<CheckResult> {
  const spec = write.spec as DashboardSpec;
  const charts = chartsOf(spec);
  try {
    const deploymentId =
      charts.length === 0 ? undefined : (await deploymentIds.read(reader)).get(spec.deployment);
    // A new deployment has only the objects that the stack declares.
    if (deploymentId === undefined) return { errors: [], errorCount: 0 };
    const asked = { reader, deploymentId, write };
    const reports = await missingReports(charts, asked);
    const queries = await refusedQueries(charts, asked);
    return { errors: [], errorCount: 0, warnings: [...reports, ...queries] };
  } catch (error) {
    if (!(error instanceof Failure) || !unchecked.has(error.code)) throw error;
    return { unknown: error.message };
  }
}

interface ChartContext {
  readonly reader: Reader;
  readonly deploymentId: number;
  readonly write: CheckedWrite;
}

async function missingReports(
  charts: readonly Chart[],
  { reader, deploymentId, write: { spec, planned } }: ChartContext,
): Promise<readonly ValueError[]> {
  const named = charts.flatMap(({ path, config }) => {
    const one = namedReport(config);
    return one === undefined ? [] : [{ path: `${path}/${one.name}`, report: one.report }];
  });
  const { deployment } = spec as DashboardSpec;
  const outside = named.filter(
    ({ report }) => planned("Report", { deployment, publicId: String(report) }) === undefined,
  );
  if (outside.length === 0) return [];
  const reports = await reader.all(listReports, { params: { deploymentId } });
  const known = new Set(reports.flatMap(({ id, publicId }) => [id, publicId]));
  return outside
    .filter(({ report }) => !known.has(report))
    .map(({ path, report }) => {
      const closest = closestMatch(
        String(report),
        reports.map(({ publicId }) => publicId),
      );
      const hint = closest === undefined ? "" : `. Did you mean ${closest}?`;
      return { path, message: `deployment ${deployment} has no report ${report}${hint}` };
    });
}

/**
 * Checks the charts that a picture of the dashboard has. If the plan writes the data model, the declared model decides
 * instead.
 */
async function refusedQueries(
  charts: readonly Chart[],
  { reader, deploymentId, write: { spec, planned } }: ChartContext,
): Promise<readonly ValueError[]> {
  if (planned("DataModel", { deployment: spec["deployment"] ?? null }) !== undefined) return [];
  const found: ValueError[] = [];
  for (const { path, config } of charts.slice(0, limits.deliveryCharts)) {
    if (!isObject(config["query"])) continue;
    const answer = await reader.one(checkReportQuery, {
      params: { deploymentId },
      body: { jsonQuery: JSON.stringify(config["query"]) },
    });
    const refused = answer === undefined ? [] : refusalsOf(answer);
    found.push(...refused.map((one) => ({ ...one, path: `${path}/query${one.path}` })));
  }
  return found;
}
