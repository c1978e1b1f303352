// Refuses files that belong to no data model in deployments with a Git remote: the remote keeps its own.
import { Failure } from "../../../core/errors.ts";
import { belongsToModel } from "../../../core/data-model/model-path.ts";
import { findConnection } from "../../git/connections.ts";
import type { BranchContext } from "./branches.ts";

/** Throws `invalid` for a path, such as `.github/ci.yml`, that is never read from the Git remote of the deployment nor written to it. */
export async function requireModelPaths(
  { db, deployment }: BranchContext,
  paths: readonly string[],
): Promise<void> {
  const other = paths.find((path) => !belongsToModel(path));
  if (other === undefined) return;
  if ((await findConnection(db, deployment.id)) === undefined) return;
  throw new Failure(
    "invalid",
    `${other} does not belong to the data model: hidden files except .gitignore, node_modules and dashboard-app are changed in the Git repository only`,
  );
}
