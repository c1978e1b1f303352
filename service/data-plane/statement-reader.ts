// Translates the SQL of reports for the viewers of dashboards, with the data model that production serves.
import { Failure } from "../../core/errors.ts";
import type { StatementReader } from "../areas/shared/operation-handler.ts";
import { statementQuery } from "../sql-text/report-statements.ts";
import { readDeployment } from "../store/deployments.ts";
import { readCaller } from "./caller.ts";
import type { QueryCheckParts } from "./check-query.ts";
import { readEnvironment } from "./environment.ts";

/** Creates the reader of an account. */
export function createStatementReader({ queries, ...on }: QueryCheckParts): StatementReader {
  return async ({ deploymentId, principal }) => {
    const { db } = on;
    const { branch } = await readEnvironment(db, await readDeployment(db, deploymentId), undefined);
    const build = await queries.find({ ...on, deploymentId, branchId: branch.id });
    if (build === undefined) {
      return () => {
        throw new Failure("conflict", "the environment serves no build yet");
      };
    }
    const { model } = build;
    const caller = await readCaller(db, principal);
    return (text) => statementQuery(text, { model, caller });
  };
}
