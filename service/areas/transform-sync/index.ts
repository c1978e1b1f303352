// Area transform-sync: the integration of a transformation project, and its syncs.
import {
  cancelSync,
  deleteTransformIntegration,
  getSyncResult,
  getSyncStatus,
  getTransformIntegration,
  listSyncFiles,
  listSyncLogs,
  listSyncs,
  receiveSyncWebhook,
  setTransformIntegration,
  startSync,
} from "../../../api/transform-sync.ts";
import { temporaryPrefix } from "../../../core/text/branch-names.ts";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { toJson, toTimestamp } from "../../store/codec.ts";
import { keyset } from "../../store/keyset.ts";
import type { Db } from "../../store/schema.ts";
import { findBranch } from "../data-model/branches.ts";
import { readContents, readTree } from "../data-model/trees.ts";
import { readDeployment } from "../../store/deployments.ts";
import { fieldError } from "../shared/field-error.ts";
import { requireSigned } from "../git/webhooks.ts";
import {
  type Call,
  handle,
  handleList,
  handlePrepared,
  handleThenFinish,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { inMemorySource, pageOf, pageOfBatch, singlePage } from "../shared/pagination.ts";
import {
  defaultOutputPath,
  findIntegration,
  readIntegration,
  showIntegration,
  storeIntegration,
  webhookSecretOf,
} from "./integration.ts";
import { syncPushed } from "./pushed.ts";
import {
  addRun,
  cancelRun,
  type KnownSync,
  readRun,
  requireRoom,
  shownColumns,
  syncBranchName,
} from "./runs.ts";
import { logLines, resultOf, showRun, showStatus } from "./show.ts";

/** The handlers of this area. */
export const transformSync: readonly OperationHandler[] = [
  handle(getTransformIntegration, async ({ db, params, sealer }) => {
    await readDeployment(db, params.deploymentId);
    return showIntegration(await readIntegration(db, params.deploymentId), sealer);
  }),
  handle(setTransformIntegration, async ({ db, params: { deploymentId }, body, sealer }) => {
    await readDeployment(db, deploymentId);
    const row = await storeIntegration(db, sealer, { deploymentId, input: body });
    return showIntegration(row, sealer);
  }),
  handle(deleteTransformIntegration, async ({ db, params }) => {
    await readDeployment(db, params.deploymentId);
    const { id } = await readIntegration(db, params.deploymentId);
    await db.deleteFrom("transform_integrations").where("id", "=", id).execute();
    return { success: true };
  }),
  handlePrepared(receiveSyncWebhook, {
    // Checking a large body must not delay other writers.
    prepare: async (call) => {
      const integration = await findIntegration(call.db, call.params.deploymentId);
      requireSigned(integration && webhookSecretOf(integration, call.sealer), call);
    },
    run: async ({ db, params, body, now }) => {
      const integration = await findIntegration(db, params.deploymentId);
      if (integration) await syncPushed(db, integration, { event: body, now: now() });
      return { success: true };
    },
    finish: async (draft, { syncs }) => {
      syncs.wake();
      return draft;
    },
  }),
  handleList(listSyncs, async (call) => {
    const { db, params, query } = call;
    await readDeployment(db, params.deploymentId);
    let rows = db
      .selectFrom("sync_runs")
      .select(shownColumns)
      .where("deployment_id", "=", params.deploymentId);
    if (query.status !== undefined) rows = rows.where("status", "=", query.status);
    if (query.trigger !== undefined) rows = rows.where("trigger_name", "=", query.trigger);
    return pageOf(call, keyset(rows, "sync_runs.id"), showRun);
  }),
  handleThenFinish(
    startSync,
    async (call) => {
      const { id, job_id, branch_name } = await start(call);
      return { id, syncJobId: job_id, workflowId: job_id, branchName: branch_name };
    },
    async ({ id: _id, ...answer }, { syncs }) => {
      syncs.wake();
      return answer;
    },
  ),
  handle(getSyncStatus, async (call) => showStatus(await runOf(call))),
  handleThenFinish(
    cancelSync,
    async (call) => {
      const run = await runOf(call);
      await cancelRun(call.db, run, call.now());
      return run.id;
    },
    async (id, { syncs }) => {
      syncs.cancel(id);
      return { message: "The sync was cancelled." };
    },
  ),
  handle(getSyncResult, async (call) => resultOf(await runOf(call))),
  handleList(listSyncLogs, async (call) => singlePage(logLines(await runOf(call)))),
  handleList(listSyncFiles, async (call) => {
    const files = await generatedFiles(call, await runOf(call));
    const rows = files.map((file, index) => ({ id: files.length - index, file }));
    return pageOfBatch(call, inMemorySource(rows), async (batch) => {
      const contents = await readContents(
        call.db,
        batch.map(({ file }) => file),
      );
      return contents.map(({ path, content }) => ({ path, content }));
    });
  }),
];

type RunCall = Pick<Call, "db"> & {
  readonly params: { readonly deploymentId: number; readonly syncJobId: string };
};

async function runOf({ db, params }: RunCall): Promise<KnownSync> {
  await readDeployment(db, params.deploymentId);
  return readRun(db, params.deploymentId, params.syncJobId);
}

/**
 * Returns the files of a sync during their retention time. Throws `not_found` afterwards, and for files on a branch.
 */
async function generatedFiles({ db, now }: Pick<Call, "db" | "now">, run: KnownSync) {
  const { tree_id, completed_at, output, status } = run;
  const isKept =
    completed_at !== null && completed_at > toTimestamp(now().getTime() - limits.syncFilesMs);
  if (tree_id !== null && isKept) return [...(await readTree(db, tree_id))];
  const reason =
    output === "branch"
      ? `its files are on the branch ${run.branch_name}`
      : status === "COMPLETED"
        ? "they are kept for an hour"
        : `it is ${status}`;
  throw new Failure("not_found", `the sync has no generated files: ${reason}`);
}

type StartCall = Call<RequestOf<typeof startSync>>;
type StartInput = Partial<NonNullable<StartCall["body"]>>;

/** Checks a request and adds its sync. */
async function start({ db, params, body, principal, now }: StartCall): Promise<KnownSync> {
  const { deploymentId } = params;
  const deployment = await readDeployment(db, deploymentId);
  const { branchName, output } = body ?? {};
  const origin = await originOf(db, deploymentId, body ?? {});
  const isNamed = branchName !== undefined && branchName !== null;
  if (isNamed && branchName.startsWith(temporaryPrefix)) {
    const text = `branches whose name begins with ${temporaryPrefix} are deleted after a while; choose another name`;
    throw fieldError("branchName", ["invalid", text]);
  }
  if (isNamed && (await findBranch({ db, deployment }, branchName)) !== undefined) {
    throw new Failure("conflict", `there is already a branch ${JSON.stringify(branchName)}`);
  }
  await requireRoom(db, deploymentId);
  const { label, ...columns } = origin;
  return addRun(
    db,
    {
      ...columns,
      deployment_id: deploymentId,
      output: output ?? "branch",
      branch_name: isNamed ? branchName : syncBranchName(label, now()),
      user_id: principal.userId || null,
      trigger_name: "api",
    },
    now(),
  );
}

/** Returns the source of the manifest. Throws `invalid` for a request that contradicts itself. */
async function originOf(db: Db, deploymentId: number, input: StartInput) {
  const { ref, source, manifest } = input;
  if ((source ?? "git") === "manifest") {
    if (manifest == null) throw fieldError("manifest", ["invalid", "manifest is required"]);
    if (ref != null) throw fieldError("ref", ["invalid", "ref is for the source git only"]);
    const text = toJson(manifest);
    const output_path = (await findIntegration(db, deploymentId))?.output_path;
    return {
      source: "manifest",
      manifest: text,
      git_ref: null,
      output_path: output_path ?? defaultOutputPath,
      label: "manifest",
    };
  }
  if (manifest != null) {
    throw fieldError("manifest", ["invalid", "send source: manifest with a manifest"]);
  }
  // A commit has no branch that a later sync could follow.
  if (ref != null && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/iu.test(ref)) {
    throw fieldError("ref", ["invalid", "ref must be a branch or tag, not a commit SHA"]);
  }
  const integration = await findIntegration(db, deploymentId);
  if (integration === undefined) {
    throw new Failure(
      "invalid",
      `deployment ${deploymentId} has no integration of a transformation project; set one first`,
    );
  }
  const git_ref = ref ?? integration.branch;
  const { output_path } = integration;
  return { source: "git", manifest: null, git_ref, output_path, label: git_ref ?? "default" };
}
