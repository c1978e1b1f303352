// Stores log lines: a bounded number for each deployment.
import type { logContainers } from "../../../api/logs.ts";
import { chunksOf } from "../../../core/chunks.ts";
import { limits } from "../../../core/limits/limits.ts";
import { toShortText, toTimestamp } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { environmentType, podName } from "../environments/environment-type.ts";

/** Lines of the environment of a branch. */
export interface LogLines {
  readonly branchId: number;
  readonly container: (typeof logContainers)[number];
  readonly at: Date;
  readonly messages: readonly string[];
}

/** Adds lines in order, and deletes the oldest above the limit. Lines of deleted branches are dropped. */
export async function addLogLines(tx: Db, lines: readonly LogLines[]): Promise<void> {
  const ids = [...new Set(lines.map(({ branchId }) => branchId))];
  if (ids.length === 0) return;
  const branches = await tx
    .selectFrom("branches")
    .innerJoin("deployments", "deployments.id", "branches.deployment_id")
    .select(["branches.id", "branches.name", "dev_user_id", "deployment_id", "deploy_branch_name"])
    .where("branches.id", "in", ids)
    .execute();
  const byId = new Map(branches.map((branch) => [branch.id, branch]));
  const rows = lines.flatMap(({ branchId, container, at, messages }) => {
    const branch = byId.get(branchId);
    if (branch === undefined) return [];
    const isProduction = environmentType(branch, branch) === "production";
    return messages.map((message) => ({
      deployment_id: branch.deployment_id,
      source: isProduction ? "production" : "dev",
      pod: podName(branch, branch),
      container,
      logged_at: toTimestamp(at),
      message: toShortText(message, limits.logLineLength),
    }));
  });
  for (const part of chunksOf(rows, rowsPerQuery))
    await tx.insertInto("log_lines").values(part).execute();
  for (const id of new Set(branches.map((one) => one.deployment_id))) await deleteOldLines(tx, id);
}

/** Rows of one insert; databases limit the parameters of a statement. */
const rowsPerQuery = 500;

async function deleteOldLines(tx: Db, deploymentId: Row<"deployments">["id"]): Promise<void> {
  const oldest = await tx
    .selectFrom("log_lines")
    .select("id")
    .where("deployment_id", "=", deploymentId)
    .orderBy("id", "desc")
    .offset(limits.logLinesKept)
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return;
  await tx
    .deleteFrom("log_lines")
    .where("deployment_id", "=", deploymentId)
    .where("id", "<=", oldest.id)
    .execute();
}
