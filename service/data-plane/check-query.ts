// Checks a stored query against the data model that production serves, without running it.
import { Failure } from "../../core/errors.ts";
import type { QueryChecker } from "../areas/operation-handler.ts";
import { readDeployment } from "../store/deployments.ts";
import { duckdb } from "../query/dialect.ts";
import { planQuery } from "../query/plan-query.ts";
import { readRequestedQueries } from "../query/query-type.ts";
import { readCaller } from "./caller.ts";
import { readEnvironment } from "./environment.ts";
import { parseQuery } from "./queries.ts";
import type { BuildAddress, QueryService } from "./query-service.ts";

/** The services that check an account's queries. */
export interface QueryCheckParts extends Omit<BuildAddress, "deploymentId" | "branchId"> {
  readonly queries: QueryService;
}

/** Creates the checker of an account. */
export function createQueryChecker({ queries, ...on }: QueryCheckParts): QueryChecker {
  return async ({ deploymentId, principal, text }) => {
    const { db, now } = on;
    const deployment = await readDeployment(db, deploymentId);
    const { branch } = await readEnvironment(db, deployment, undefined);
    const build = await queries.find({ ...on, deploymentId, branchId: branch.id });
    if (build === undefined) return { unknown: "the environment serves no build yet" };
    const { model } = build;
    const caller = await readCaller(db, principal);
    try {
      for (const query of readRequestedQueries(parseQuery(text), now()).queries) {
        const clock = { now: now(), timezone: query.timezone };
        planQuery(query, { model, caller, dialect: duckdb, clock });
      }
      return {};
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // Viewers of the report may see data that the caller may not.
      if (error.code === "forbidden") return {};
      if (error.code === "invalid" || error.code === "limit_reached")
        return { error: error.message };
      throw error;
    }
  };
}
