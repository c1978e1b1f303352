// Runs operations that merge a branch, with a warning if the data model of the branch is invalid: the merge succeeds, and its build fails.
import { validateDataModel } from "../../api/data-model.ts";
import { isFailure } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { modelErrorsText } from "../../core/data-model/model-error-text.ts";
import type { Operation } from "../../core/operation/operation.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";
import type { Outcome, RunContext } from "./command.ts";

/** Returns the run of a command that merges the branch which its body names, otherwise the open dev-mode branch. */
export function warnsOfInvalidModel(operation: Operation) {
  return {
    run: async (context: RunContext): Promise<Outcome> => {
      const { callOperation } = await import("./call-operation.ts");
      const { client, request, output } = context;
      // The call may end the session or delete the branch.
      const problem = await modelProblem(context);
      const { answer } = await callOperation(client, operation, { ...request, limit: undefined });
      if (problem !== undefined) output.info(() => problem);
      return { answer: isObject(answer) ? answer : { result: answer } };
    },
  };
}

/** Returns the problem with the data model of the branch; undefined if the model is valid or could not be checked. */
async function modelProblem({ client, request }: RunContext): Promise<string | undefined> {
  const branchName = request.body?.["branchName"];
  // An empty name means the branch of the open dev-mode session.
  const isNamed = typeof branchName === "string" && branchName !== "";
  const query = isNamed ? { branchName } : { devMode: true };
  const params = { deploymentId: Number(request.params["deploymentId"]) };
  try {
    const { errors } = await client.reader.call(validateDataModel, { params, query });
    const [first, ...more] = errors;
    if (first === undefined) return undefined;
    const found = escapeInvisible(modelErrorsText(first, more));
    return `warning: the data model of the branch is invalid, so that builds with it fail: ${found}; svc validate shows all`;
  } catch (error) {
    // The operation itself reports a missing branch. Without permission to read the model, there is nothing to check.
    if (isFailure(error)) return undefined;
    throw error;
  }
}
