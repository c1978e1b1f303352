// Translates the SQL of reports for the viewers of dashboards, with the data model of the branch that their queries use.
import { Failure } from "../../core/errors.ts";
import { findBranch } from "../areas/data-model/branches.ts";
import type { StatementReader } from "../areas/shared/operation-handler.ts";
import { statementQuery } from "../sql-text/report-statements.ts";
import { readDeployment } from "../store/deployments.ts";
import { readCaller } from "./caller.ts";
import { buildOrFailure, type QueryCheckParts } from "./check-query.ts";

/** Creates the reader of an account. */
export function createStatementReader({ queries, ...on }: QueryCheckParts): StatementReader {
  return async ({ deploymentId, principal }) => {
    const { db } = on;
    const deployment = await readDeployment(db, deploymentId);
    const branchName = principal.session?.branchName ?? deployment.deploy_branch_name;
    const branch = await findBranch({ db, deployment }, branchName);
    const caller = await readCaller(db, principal);
    const address = { ...on, deploymentId, caller };
    const build = await buildOrFailure(branch && queries.find({ ...address, branchId: branch.id }));
    return (text) => {
      // Each report then shows why it has no query.
      if (build instanceof Failure) throw build;
      return statementQuery(text, { model: build.model, caller });
    };
  };
}
