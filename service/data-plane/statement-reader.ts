// Translates the SQL of reports for the viewers of dashboards, with the data model of the branch that their queries use.
import { Failure, isFailure } from "../../core/errors.ts";
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
    const caller = await readCaller(db, principal);
    try {
      const address = { ...on, deploymentId, caller };
      const build = branch && (await queries.find({ ...address, branchId: branch.id }));
      if (build) return (text) => statementQuery(text, { model: build.model, caller });
    } catch (error) {
      // Each report then shows why it has no query.
      if (!isFailure(error, "invalid")) throw error;
      return () => {
        throw error;
      };
    }
    return () => {
      throw new Failure("conflict", "the environment serves no build yet");
    };
  };
}
