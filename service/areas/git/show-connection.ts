// Shows Git connections with the status of their branches.
import { temporaryPrefix } from "../../../core/text/branch-names.ts";
import { type ConnectionRow, openSecrets, projectRoot } from "../../git/connections.ts";
import type { Sealer } from "../../security/seal.ts";
import type { Db, Row } from "../../store/schema.ts";
import { omitNullish } from "../shared/operation-handler.ts";

/** The common state of a branch and the remote. */
export type GitBranchRow = Row<"git_branches">;

type Status = "synced" | "pending" | "conflict" | "failed";

/** Returns a connection in the API form, without its secrets. */
export async function showConnection(
  db: Db,
  row: ConnectionRow,
  { deployment, sealer }: { deployment: Row<"deployments">; sealer: Sealer },
) {
  const { token, privateKey, webhookSecret } = openSecrets(row, sealer);
  const branches = (await sharedBranches(db, deployment.id)).map((branch) => ({
    name: branch.name,
    status: statusOf(branch),
    ...omitNullish({ commit: branch.remote_commit, errorText: branch.error_text }),
  }));
  const order: readonly Status[] = ["conflict", "failed", "pending"];
  const worst = order.find((status) => branches.some((branch) => branch.status === status));
  return {
    deploymentId: deployment.id,
    remoteUrl: row.remote_url,
    branch: deployment.deploy_branch_name,
    deployProjectRoot: projectRoot(deployment),
    hasCredential: row.installation_id !== null || token !== undefined || privateKey !== undefined,
    hasWebhookSecret: webhookSecret !== undefined,
    status: worst ?? "synced",
    branches,
    ...omitNullish({
      commit: row.pinned_commit,
      username: row.username,
      knownHosts: row.known_hosts,
      installationId: row.installation_id,
      syncedAt: row.synced_at,
    }),
  };
}

/**
 * Returns the shared branches of a deployment, except temporary ones, with their common state with the remote, in the
 * order of their creation.
 */
export async function sharedBranches(db: Db, deploymentId: number) {
  return db
    .selectFrom("branches")
    .leftJoin("git_branches", "git_branches.branch_id", "branches.id")
    .select(["branches.id", "branches.name", "branches.head_id"])
    .select(["git_branches.commit_id", "git_branches.remote_commit"])
    .select(["git_branches.problem", "git_branches.error_text"])
    .where("branches.deployment_id", "=", deploymentId)
    .where("branches.dev_user_id", "is", null)
    .where("branches.name", "not like", `${temporaryPrefix}%`)
    .orderBy("branches.id")
    .execute();
}

function statusOf(branch: {
  head_id: number;
  commit_id: number | null;
  problem: string | null;
}): Status {
  if (branch.problem === "conflict" || branch.problem === "failed") return branch.problem;
  return branch.commit_id === branch.head_id ? "synced" : "pending";
}

/** Deletes the common state of a deployment's branches with a remote. */
export async function forgetRemote(tx: Db, deploymentId: number): Promise<void> {
  await tx
    .deleteFrom("git_branches")
    .where("branch_id", "in", (of) =>
      of.selectFrom("branches").select("id").where("deployment_id", "=", deploymentId),
    )
    .execute();
  await tx
    .updateTable("model_commits")
    .set({ remote_commit: null })
    .where("deployment_id", "=", deploymentId)
    .where("remote_commit", "is not", null)
    .execute();
}
