// Translates the SQL of reports for the viewers of dashboards, with the data model of the branch that their queries use.
import { Failure } from "../../core/errors.ts";
import { findBranch } from "../areas/data-model/branches.ts";
import type { StatementReader } from "../areas/shared/operation-handler.ts";
import { statementQuery } from "../sql-text/report-statements.ts";
import { readDeployment } from "../store/deployments.ts";
import { readCaller } from "./caller.ts";
import type { QueryCheckParts } from "./check-query.ts";

/** Creates the reader of an account. */
export function createStatementReader({ queries, ...on }: QueryCheckParts): StatementReader {
  return async ({ deploymentId, principal }) => {
    const { db } = on;
    const deployment = await readDeployment(db, deploymentId);
    const branchName = principal.session?.branchName ?? deployment.deploy_branch_name;
    const branch = await findBranch({ db, deployment }, branchName);
    const build = branch && (await queries.find({ ...on, deploymentId, branchId: branch.id }));
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
