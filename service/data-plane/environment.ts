// Finds the environment of a request, and the build that it serves.
import { Failure } from "../../core/errors.ts";
import { type BranchRow, findBranch, isDeployBranch } from "../areas/data-model/branches.ts";
import { isServed } from "../areas/data-model/serving.ts";
import { findByDomain, findByLabel } from "../accounts/deployment-url.ts";
import type { Db, Row } from "../store/schema.ts";
import type { DeploymentName } from "./address.ts";

/** An active environment, which serves a branch of a deployment. */
export interface Environment {
  readonly deployment: Row<"deployments">;
  readonly branch: BranchRow;
}

/** Returns the deployment with a name; undefined if the account has none. */
export async function findDeployment(
  db: Db,
  name: DeploymentName,
): Promise<Row<"deployments"> | undefined> {
  return "label" in name ? findByLabel(db, name.label) : findByDomain(db, name.domain);
}

/**
 * Returns the environment of a branch, or production. Throws `not_found`, with the same message for every branch
 * without an active environment, because the endpoint is public.
 */
export async function readEnvironment(
  db: Db,
  deployment: Row<"deployments">,
  branchName: string | undefined,
): Promise<Environment> {
  const on = { db, deployment };
  const branch = await findBranch(on, branchName ?? deployment.deploy_branch_name);
  const isFound =
    branch !== undefined &&
    (branchName === undefined || (!isDeployBranch(on, branch) && (await isServed(on, branch))));
  if (isFound) return { deployment, branch };
  throw new Failure("not_found", "no active environment has this address");
}
