// Checks the query of a report against the data model at the server before the first write, so that a plan shows its error.
import { getDeployments } from "../api/deployments.ts";
import { checkReportQuery } from "../api/reports.ts";
import { Failure } from "../core/errors.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import type { Reader } from "../core/kind/kind.ts";
import { jsonLossReason, lossText } from "../core/text/exact-numbers.ts";
import type {
  DeclaredObjects,
  OfflineError,
  ValueCheck,
  ValueError,
} from "../core/kind/server-checks.ts";
import { deploymentIds } from "./codec.ts";
import { declaredMembers, queryProblems, refusalsOf } from "./query-members.ts";
import type { Spec } from "./report.schema.ts";

const path = "/jsonQuery";
const sqlPath = "/sqlQuery";

/** Returns the errors in the query, according to the data model that the stack declares. */
export function queryWarnings(spec: JsonObject, declared: DeclaredObjects): readonly ValueError[] {
  const { jsonQuery, deployment } = spec;
  if (typeof jsonQuery !== "string") return [];
  const names = declaredMembers(declared, deployment);
  // The query is one text, so an error is placed at the field.
  return queryProblems(parsed(jsonQuery), names).map((one) => ({ ...one, path }));
}

/** Returns the error of a query that would change when it is parsed. */
export function queryErrors({ jsonQuery }: JsonObject): readonly OfflineError[] {
  if (typeof jsonQuery !== "string" || parsed(jsonQuery) === undefined) return [];
  const loss = jsonLossReason(jsonQuery);
  if (loss === undefined) return [];
  return [{ path, message: `must be JSON that loses nothing: ${lossText(loss)}` }];
}

/** The server reports a text that is not JSON. */
function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Reports a query that production cannot answer as a warning: the server stores it, and a later data model may have its members. */
export const queryCheck: ValueCheck<Reader> = {
  what: "the query",
  needs: [getDeployments, checkReportQuery],
  dependsOn: { kind: "DataModel", field: "deployment" },
  run: async (reader, { spec, changed }) => {
    const { deployment, jsonQuery, sqlQuery } = spec as JsonObject & Spec;
    const isSent = changed?.some((one) => [path, sqlPath].includes(one.path)) ?? true;
    const query = jsonQuery == null ? sqlQuery : jsonQuery;
    if (query == null || !isSent) return { errors: [], errorCount: 0 };
    const deploymentId = (await deploymentIds.read(reader)).get(deployment);
    if (deploymentId === undefined) return { unknown: "its deployment does not exist yet" };
    try {
      const found = await reader.one(checkReportQuery, {
        params: { deploymentId },
        body: jsonQuery == null ? { sqlQuery: query } : { jsonQuery: query },
      });
      if (found?.unknown !== undefined) return { unknown: found.unknown };
      const refused = found === undefined ? [] : refusalsOf(found);
      const at = jsonQuery == null ? sqlPath : path;
      const warnings = refused.map((one) => ({ ...one, path: at }));
      return { errors: [], errorCount: 0, warnings };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { code, message } = error;
      if (code === "unavailable") return { unknown: message };
      throw error;
    }
  },
};
