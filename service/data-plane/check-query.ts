// Checks a stored query against the data model that production serves, without running it.
import { Failure, isFailure } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { granularityError, hiddenMember } from "../../core/data-model/query-errors.ts";
import { queryMembers } from "../../core/data-model/query-members.ts";
import type { QueryChecker } from "../areas/shared/operation-handler.ts";
import { readDeployment } from "../store/deployments.ts";
import { isVisible, type QueryCaller } from "../query/access.ts";
import { duckdb } from "../query/duckdb-dialect.ts";
import {
  indexModel,
  type ModelIndex,
  type QueryMember,
  resolveShown,
} from "../query/model-index.ts";
import { planQuery } from "../query/query-to-sql.ts";
import { readRequestedQueries } from "../query/query-type.ts";
import { statementQuery } from "../sql-text/report-statements.ts";
import { readCaller } from "./caller.ts";
import { readEnvironment } from "./environment.ts";
import { parseQuery } from "./queries.ts";
import type { BuildAddress, QueryBuild, QueryService } from "./query-service.ts";

/** The services that check an account's queries. */
export interface QueryCheckParts extends Omit<
  BuildAddress,
  "deploymentId" | "branchId" | "caller"
> {
  readonly queries: QueryService;
}

/** Creates the checker of an account. */
export function createQueryChecker({ queries, ...on }: QueryCheckParts): QueryChecker {
  return async ({ deploymentId, principal, jsonQuery, sqlQuery }) => {
    const { db, now } = on;
    const deployment = await readDeployment(db, deploymentId);
    const { branch } = await readEnvironment(db, deployment, undefined);
    const caller = await readCaller(db, principal);
    const address = { ...on, deploymentId, branchId: branch.id, caller };
    const build = await buildOrFailure(queries.find(address));
    if (build instanceof Failure) return { unknown: build.message };
    const { model } = build;
    let sent: JsonValue | undefined;
    try {
      sent =
        jsonQuery === undefined
          ? statementQuery(sqlQuery ?? "", { model, caller })
          : parseQuery(jsonQuery);
      for (const query of readRequestedQueries(sent, now()).queries) {
        const clock = { now: now(), timezone: query.timezone };
        planQuery(query, { model, caller, dialect: duckdb, clock });
      }
      return {};
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (!["forbidden", "invalid", "limit_reached"].includes(error.code)) throw error;
      const members = memberErrors(sent, indexModel(model), caller);
      // Viewers of the report may see data that the caller may not.
      if (error.code === "forbidden" && members.length === 0) return {};
      return { error: error.message, ...(members.length > 0 && { members }) };
    }
  };
}

/** Returns a build, or why its caller has none: nothing was built, or not for the caller's security context. */
export async function buildOrFailure(
  finding: Promise<QueryBuild | undefined> | undefined,
): Promise<QueryBuild | Failure> {
  try {
    return (await finding) ?? new Failure("conflict", "the environment serves no build yet");
  } catch (error) {
    if (isFailure(error, "invalid")) return error;
    throw error;
  }
}

/** Returns the first errors of the members that a query names, whatever else is wrong with it. */
function memberErrors(query: JsonValue | undefined, model: ModelIndex, caller: QueryCaller) {
  const found: { path: string; message: string }[] = [];
  const isShown = (one: QueryMember) => isVisible(one, caller);
  for (const { path, member, kinds, granularity } of queryMembers(query)) {
    if (found.length === limits.diagnosticsShown) break;
    try {
      const resolved = resolveShown(model, member, { kinds, isShown });
      if (!resolved.public) found.push({ path, message: hiddenMember(member) });
      const dimension = model.cubes.get(resolved.cube)?.dimensions.get(resolved.member);
      if (granularity === undefined || dimension === undefined) continue;
      const own = dimension.granularities.map(({ name }) => name);
      const message = granularityError(granularity.name, member, { type: dimension.type, own });
      if (message !== undefined) found.push({ path: granularity.path, message });
    } catch (error) {
      if (!isFailure(error, "invalid")) throw error;
      found.push({ path, message: error.message });
    }
  }
  return found;
}
