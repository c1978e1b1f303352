// Area git: the Git remote of a deployment, and the webhooks of its provider.
import {
  connectGit,
  disconnectGit,
  getGitConnection,
  listGitCommits,
  receiveGitWebhook,
} from "../../../api/git.ts";
import { readDeployment } from "../../store/deployments.ts";
import {
  type Call,
  handle,
  handleList,
  handlePrepared,
  type OperationHandler,
} from "../shared/operation-handler.ts";
import { prepareConnection, storeConnection } from "./connect.ts";
import {
  accessOf,
  findConnection,
  openSecrets,
  readConnection,
  requestPull,
} from "../../git/connections.ts";
import { forgetRemote, showConnection } from "./show-connection.ts";
import { type BranchCommit, listFirstParents, readHead } from "../../git/refs.ts";
import type { RemoteSession } from "../../git/remote.ts";
import { limits } from "../../../core/limits/limits.ts";
import { commitsRun } from "./git-branches.ts";
import { inMemorySource, pageOf } from "../shared/pagination.ts";
import { requireSigned } from "./webhooks.ts";

/** The handlers of this area. */
export const git: readonly OperationHandler[] = [
  handle(getGitConnection, (call) => connectionOf(call, call.params.deploymentId)),
  handlePrepared(connectGit, {
    prepare: (call) => prepareConnection(call, call.body),
    run: (call, prepared) => storeConnection(call, prepared, call.body.replaceFiles === true),
    finish: async (_, call) => {
      await afterConnecting(call, call.params.deploymentId);
      return connectionOf(call, call.params.deploymentId);
    },
  }),
  handleList(listGitCommits, async (call) => {
    const { db, params, remotes } = call;
    const branch = (await readDeployment(db, params.deploymentId)).deploy_branch_name;
    const connection = await readConnection(db, params.deploymentId);
    const pins = connection.pinned_commit === null ? [] : await commitsRun(db, params.deploymentId);
    const access = await accessOf(connection, call);
    const commits = await remotes.open(access, undefined, async (session) => {
      const head = await readHead(session, branch);
      return head === undefined ? [] : pinnable(session, head, new Set(pins));
    });
    // Pages order rows by falling id.
    const rows = commits.map((commit, index) => ({ ...commit, id: commits.length - index }));
    return pageOf(call, inMemorySource(rows), ({ id, ...commit }) => ({
      ...commit,
      branch,
      isNewest: id === commits.length,
    }));
  }),
  handle(disconnectGit, async ({ db, params }) => {
    await readDeployment(db, params.deploymentId);
    const { id } = await readConnection(db, params.deploymentId);
    await db.deleteFrom("git_connections").where("id", "=", id).execute();
    await forgetRemote(db, params.deploymentId);
    return { success: true };
  }),
  handlePrepared(receiveGitWebhook, {
    // Checking a large body must not delay other writers.
    prepare: async (call) => {
      const connection = await findConnection(call.db, call.params.deploymentId);
      requireSigned(connection && openSecrets(connection, call.sealer).webhookSecret, call);
    },
    run: async ({ db, params }) => {
      await requestPull(db, params.deploymentId);
      return { success: true };
    },
    finish: async (draft, { gitPushes, params }) => {
      gitPushes.wake(params.deploymentId);
      return draft;
    },
  }),
];

/** Returns the newest commits of a branch, and those of the named ones that it has further back, the newest first. */
async function pinnable(
  session: RemoteSession,
  head: string,
  named: ReadonlySet<string>,
): Promise<readonly BranchCommit[]> {
  const newest = await listFirstParents(session, head);
  const listed = new Set(newest.map(({ commit }) => commit));
  if ([...named].every((commit) => listed.has(commit))) return newest;
  const all = await listFirstParents(session, head, limits.gitPinHistory);
  return all.filter(({ commit }, place) => place < limits.gitHistory || named.has(commit));
}

/** Starts the build, and pushes other shared branches. Errors of these pushes do not affect the connection. */
export async function afterConnecting(
  call: Pick<Call, "builds" | "gitPushes">,
  deploymentId: number,
): Promise<void> {
  call.builds.wake();
  await call.gitPushes.push(deploymentId, []);
}

async function connectionOf(call: Pick<Call, "db" | "sealer">, deploymentId: number) {
  const { db, sealer } = call;
  const deployment = await readDeployment(db, deploymentId);
  return showConnection(db, await readConnection(db, deploymentId), { deployment, sealer });
}
