// Checks the dashboard of a workbook at the server: the reports and members that its charts and controls name.
import { listReports } from "../api/reports.ts";
import { namedReport } from "../core/spec/chart-config.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { Reader } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { didYouMean, quoted } from "../core/text/naming.ts";
import type {
  CheckedWrite,
  DeclaredObject,
  LastingFindings,
  ValueCheck,
  ValueError,
} from "../core/kind/server-checks.ts";
import { deploymentIds } from "./codec.ts";
import {
  chartsOf,
  controlQuery,
  controlsOf,
  type DashboardSpec,
  placeAtControls,
} from "./dashboard-widgets.ts";
import { findingsOf, queryAsker, refusalsOf } from "./query-members.ts";

/** Warns of queries and reports of charts that the server cannot show. */
export const dashboardCheck: ValueCheck<Reader> = {
  what: "the dashboard",
  needs: [],
  run: async (reader, write) => {
    const found = { errors: [], errorCount: 0 };
    const isSent = write.changed?.some(({ path }) => /^\/dashboard(?:\/|$)/u.test(path)) ?? true;
    const subject = isSent ? await subjectOf(reader, write) : undefined;
    if (subject === undefined) return found;
    return { ...found, ...(await checkQueries(subject)) };
  },
  lasting: checkReports,
};

interface Subject {
  readonly reader: Reader;
  readonly spec: DashboardSpec;
  /** Undefined if the plan creates the deployment. */
  readonly deploymentId: number | undefined;
  readonly write: CheckedWrite;
}

/** Returns what to check; undefined if the deployment neither exists nor is planned, which is another error. */
async function subjectOf(reader: Reader, write: CheckedWrite): Promise<Subject | undefined> {
  const spec = write.spec as DashboardSpec;
  if (chartsOf(spec).length + controlsOf(spec).length === 0) return undefined;
  const { deployment } = spec;
  const planned = write.planned("Deployment", { name: deployment });
  if (planned !== undefined) {
    const { id } = planned;
    return { reader, spec, write, deploymentId: id === undefined ? undefined : Number(id) };
  }
  const deploymentId = (await deploymentIds.read(reader)).get(deployment);
  return deploymentId === undefined ? undefined : { reader, spec, write, deploymentId };
}

/** Returns the reports of charts that neither the server nor the stack has. A new deployment has only those of the stack. */
async function checkReports(reader: Reader, declared: DeclaredObject): Promise<LastingFindings> {
  const spec = declared.spec as DashboardSpec;
  const named = chartsOf(spec).flatMap(({ path, config }) => {
    const one = namedReport(config);
    return one === undefined ? [] : [{ path: `${path}/${one.name}`, report: one.report }];
  });
  const { deployment } = spec;
  const within = { field: "deployment", value: deployment };
  const own = declared.textsOf("Report", "publicId", within);
  const outside = named.filter(({ report }) => !own.has(String(report)));
  if (outside.length === 0) return { warnings: [] };
  return findingsOf("the reports of the charts", async () => {
    const deploymentId = (await deploymentIds.read(reader)).get(deployment);
    const isNew = declared.textsOf("Deployment", "name").has(deployment);
    if (deploymentId === undefined && !isNew) return [];
    const reports =
      deploymentId === undefined ? [] : await reader.all(listReports, { params: { deploymentId } });
    const known = new Set(reports.flatMap(({ id, publicId }) => [id, publicId]));
    const publicIds = [...own, ...reports.map(({ publicId }) => publicId)];
    return outside
      .filter(({ report }) => !known.has(report))
      .map(({ path, report }) => {
        const message = `deployment ${deployment} has no report ${report}`;
        return { path, message, remedy: didYouMean(String(report), publicIds, quoted) };
      });
  });
}

/** Checks the charts that a picture of the dashboard has, and the members of controls, at the data model of production. */
async function checkQueries({
  reader,
  spec,
  deploymentId,
  write,
}: Subject): Promise<LastingFindings> {
  const what = "the queries of the dashboard";
  const charts = chartsOf(spec).filter(({ config }) => isObject(config["query"]));
  const controls = controlsOf(spec);
  if (charts.length + controls.length === 0) return { warnings: [] };
  const model = write.planned("DataModel", { deployment: spec.deployment });
  if (model !== undefined)
    return { warnings: [], unchecked: [{ what, why: `the plan writes ${model.address} too` }] };
  if (deploymentId === undefined)
    return { warnings: [], unchecked: [{ what, why: "its deployment does not exist yet" }] };
  const ask = queryAsker(reader, deploymentId);
  return findingsOf(what, async () => {
    const found: ValueError[] = [];
    for (const { path, config } of charts.slice(0, limits.deliveryCharts)) {
      const refused = refusalsOf(await ask(config["query"] as JsonObject));
      found.push(...refused.map((one) => ({ ...one, path: `${path}/query${one.path}` })));
    }
    if (controls.length === 0) return found;
    // This query has no member to show, which is no error of the controls.
    const { members = [] } = await ask(controlQuery(controls));
    return [...found, ...placeAtControls(controls, refusalsOf({ members }))];
  });
}
