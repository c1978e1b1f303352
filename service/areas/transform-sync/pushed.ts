// Syncs that the pushes of a Git provider start.
import { isObject, type JsonObject } from "../../../core/json.ts";
import { isRefName } from "../../git/refs.ts";
import type { Db } from "../../store/schema.ts";
import type { IntegrationRow } from "./integration.ts";
import { addRun, pushedBranchName } from "./runs.ts";

/**
 * Adds a sync after a push to the branch or tag that the integration follows. Adds none if the last sync of a webhook
 * read the pushed commit, as after a repeated delivery. Adds none while another one waits, because that one will read
 * the push. Pushes need no limit, because at most one of them waits.
 */
export async function syncPushed(
  tx: Db,
  integration: IntegrationRow,
  { event, now }: { event: JsonObject; now: Date },
): Promise<void> {
  const { deployment_id, branch, output_path } = integration;
  const ref = pushedRef(event, branch);
  if (ref === undefined) return;
  const last = await tx
    .selectFrom("sync_runs")
    .select(["git_ref", "head_sha", "status"])
    .where("deployment_id", "=", deployment_id)
    .where("trigger_name", "=", "webhook")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  const isRead = last?.status !== "FAILED" && commitsOf(event).includes(last?.head_sha);
  if (last?.git_ref === ref && isRead) return;
  // The integration may have switched to another ref since that push.
  const columns = { git_ref: ref, branch_name: pushedBranchName(ref), output_path };
  const waiting = await tx
    .updateTable("sync_runs")
    .set(columns)
    .where("deployment_id", "=", deployment_id)
    .where("trigger_name", "=", "webhook")
    .where("status", "=", "RUNNING")
    .where("attempts", "=", 0)
    .returning("id")
    .executeTakeFirst();
  if (waiting) return;
  const run = {
    ...columns,
    deployment_id,
    source: "git",
    output: "branch",
    manifest: null,
    user_id: null,
    trigger_name: "webhook",
  };
  await addRun(tx, run, now);
}

/**
 * Returns the branch or tag that a push moved if it is `followed`: undefined for deletions, other events, and names
 * that no remote is asked for. By default it is the default branch, not a tag of the same name.
 */
function pushedRef(event: JsonObject, followed: string | null): string | undefined {
  const { ref, after } = event;
  const isDeletion = typeof after === "string" && /^0+$/u.test(after);
  if (typeof ref !== "string" || isDeletion) return undefined;
  const [, kind, name] = /^refs\/(heads|tags)\/(.+)$/su.exec(ref) ?? [];
  const isFollowed =
    followed === null ? kind === "heads" && name === defaultBranchOf(event) : name === followed;
  return isFollowed && name !== undefined && isRefName(name) ? name : undefined;
}

/** Returns the default branch of the repository, as GitHub and GitLab name it in their events. */
function defaultBranchOf({ repository, project }: JsonObject): unknown {
  const named = [repository, project].map((one) => (isObject(one) ? one["default_branch"] : null));
  return named.find((one) => typeof one === "string");
}

/** Returns the commits that a push names. `after` of an annotated tag is the tag; GitHub and GitLab name its commit too. */
function commitsOf({ after, checkout_sha, head_commit }: JsonObject): readonly unknown[] {
  const commits = [after, checkout_sha, isObject(head_commit) ? head_commit["id"] : undefined];
  return commits.filter((commit) => typeof commit === "string");
}
