// Checks the controls of a notification: the members of the data model that they name, the charts that read them, and operators.
import { operatorProblems, unusedFilters } from "../charts/index.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { Reader } from "../core/kind/kind.ts";
import type {
  DeclaredObjects,
  OfflineError,
  ValueCheck,
  ValueError,
} from "../core/kind/server-checks.ts";
import { deploymentIds } from "./codec.ts";
import {
  chartsOf,
  type Control,
  controlQuery,
  type DashboardSpec,
  placeAtControls,
} from "./dashboard-widgets.ts";
import type { Spec } from "./notification.schema.ts";
import { publishedDashboardCheck } from "./published-dashboard-check.ts";
import {
  declaredMembers,
  findingsOf,
  memberProblems,
  queryAsker,
  refusalsOf,
} from "./query-members.ts";

/** Returns the operators that no filter has. */
export function operatorErrors({ filters }: JsonObject): readonly OfflineError[] {
  // Engines pass null for what is not set, and for what is not known yet.
  return (Array.isArray(filters) ? filters : []).flatMap((filter: unknown, index) => {
    const operator = isObject(filter) ? filter["operator"] : undefined;
    return typeof operator === "string"
      ? operatorProblems(operator, `/filters/${index}/operator`)
      : [];
  });
}

/** Returns warnings of members that the declared data model does not have, and of filters that no declared chart reads. */
export function filterWarnings(spec: JsonObject, declared: DeclaredObjects): readonly ValueError[] {
  const given = withoutNull(spec);
  const controls = controlsOf(given);
  const names = declaredMembers(declared, spec["deployment"]);
  const wrong = placeAtControls(controls, memberProblems(controlQuery(controls), names));
  return [...wrong, ...unusedWarnings(given, declared)].filter(
    ({ path }, index, all) => all.findIndex((one) => one.path === path) === index,
  );
}

/** Returns a notification without the fields that are null, which clears them. */
function withoutNull(spec: JsonObject): Spec {
  const set = Object.entries(spec).filter(([, value]) => value !== null);
  return Object.fromEntries(set) as JsonObject & Spec;
}

function unusedWarnings(
  { deployment, workbook, filters = [], memberSwitchers = [] }: Spec,
  declared: DeclaredObjects,
): readonly ValueError[] {
  const dashboard = declared("Workbook", { deployment, slug: workbook }) as
    | DashboardSpec
    | undefined;
  const charts = dashboard === undefined ? [] : chartsOf(dashboard);
  const queries = charts.flatMap(({ config: { query } }) => (isObject(query) ? [query] : []));
  // The queries of reports are not declared with the charts.
  if (queries.length === 0 || queries.length < charts.length) return [];
  const unused = new Set(unusedFilters(queries, { filters, memberSwitchers }));
  return filters.flatMap((filter, index) => {
    if (!unused.has(filter)) return [];
    const [owner = ""] = filter.member.split(".");
    const message = `no chart of ${workbook} reads ${owner}, so the files show no chart`;
    return [
      {
        path: `/filters/${index}/member`,
        message,
        remedy: "Name a member of a cube or view that a chart reads.",
      },
    ];
  });
}

function controlsOf({
  filters = [],
  timeGrains = [],
  memberSwitchers = [],
}: Spec): readonly Control[] {
  return [
    ...filters.map(({ member }, index) => ({ path: `/filters/${index}/member`, member })),
    ...timeGrains.flatMap(({ member, grain }, index) =>
      member == null
        ? []
        : [
            { path: `/timeGrains/${index}/member`, member },
            { path: `/timeGrains/${index}/grain`, member, granularity: grain },
          ],
    ),
    ...memberSwitchers.flatMap(({ from, to }, index) => [
      { path: `/memberSwitchers/${index}/from`, member: from },
      { path: `/memberSwitchers/${index}/to`, member: to },
    ]),
  ];
}

/** Reports a notification without a published dashboard, and warns of controls that name what production does not have. */
export const notificationCheck: ValueCheck<Reader> = {
  ...publishedDashboardCheck,
  run: async (reader, write) => {
    const found = await publishedDashboardCheck.run(reader, write);
    const spec = withoutNull(write.spec);
    const controls = controlsOf(spec);
    const isSent =
      write.changed?.some(({ path }) =>
        /^\/(?:filters|timeGrains|memberSwitchers)\b/u.test(path),
      ) ?? true;
    if ("unknown" in found || found.errorCount > 0 || controls.length === 0 || !isSent)
      return found;
    const what = "the members of its controls";
    const model = write.planned("DataModel", { deployment: spec.deployment });
    if (model !== undefined)
      return { ...found, unchecked: [{ what, why: `the plan writes ${model.address} too` }] };
    const deploymentId = (await deploymentIds.read(reader)).get(spec.deployment);
    if (deploymentId === undefined) return found;
    const ask = queryAsker(reader, deploymentId);
    const lasting = await findingsOf(what, async () => {
      const { members = [] } = await ask(controlQuery(controls));
      return placeAtControls(controls, refusalsOf({ members }));
    });
    return { ...found, ...lasting };
  },
};
