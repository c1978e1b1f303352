// Connects a deployment to a Git remote: reads the remote first, then stores the connection and its files in one step.
import type { connectGit } from "../../../api/git.ts";
import { Failure, isFailure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import type { Secret } from "../../../core/secret.ts";
import { listFirstParents, listRefs, refOf } from "../../git/refs.ts";
import type { RemoteSession } from "../../git/remote.ts";
import { parseRemoteUrl, remoteError } from "../../git/remote-url.ts";
import { gitSealContext } from "../../security/sealed-columns.ts";
import { toJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import {
  branchContext,
  type BranchContext,
  type BranchRow,
  deployBranch,
  findBranch,
  switchDeployBranch,
} from "../data-model/branches.ts";
import { changeBranch } from "../data-model/branch-changes.ts";
import { queueBuild } from "../data-model/builds.ts";
import { normalizePath } from "../data-model/paths.ts";
import { readTree } from "../data-model/trees.ts";
import { readDeployment } from "../../store/deployments.ts";
import { fieldError } from "../shared/field-error.ts";
import type { Call } from "../shared/operation-handler.ts";
import { addFetchedCommit } from "./apply.ts";
import {
  type ConnectionRow,
  findConnection,
  type GitSecrets,
  lockConnection,
  openSecrets,
  projectRoot,
  readConnection,
  remoteAccess,
  type RemoteColumns,
} from "../../git/connections.ts";
import { forgetRemote } from "./show-connection.ts";
import { type FetchedCommit, fetchFiles } from "./fetch.ts";
import { findGitBranch } from "./git-branches.ts";

/** The input of a request. */
export type ConnectInput = Omit<RequestOf<typeof connectGit>["body"], "remoteUrl"> & {
  readonly remoteUrl: string;
  /** Installation of the GitHub App that the remote belongs to. */
  readonly installationId?: number;
  /** Token of that installation, which is not stored. */
  readonly installationToken?: Secret;
};

type ConnectCall = Pick<Call, "db" | "sealer" | "remotes" | "now" | "principal" | "catalogue"> & {
  readonly params: { readonly deploymentId: number };
};

/** A connection whose remote was read. */
export interface PreparedConnection {
  readonly connection: RemoteColumns & Pick<ConnectionRow, "pinned_commit">;
  /** The state that determined the remote. It must be the same when the connection is stored. */
  readonly seen: Seen;
  readonly secrets: GitSecrets;
  readonly branch: string;
  readonly root: string;
  /** The files of the branch; undefined if the remote is empty, or the deployment stays connected to it. */
  readonly fetched: FetchedCommit | undefined;
  /** Whether only credentials change. */
  readonly isSame: boolean;
  /** Whether the repository and folder stay, so that branches keep their common commits with it. */
  readonly isSameRemote: boolean;
}

/** The connection and settings at the time of a request. */
interface Seen {
  readonly connection: ConnectionRow | undefined;
  readonly deployment: Row<"deployments">;
}

/** Throws `conflict` if another request changed the connection or its settings. */
function requireSame(seen: Seen, now: Seen): void {
  const state = ({ connection, deployment }: Seen) => [
    connection?.id,
    connection?.remote_url,
    connection?.pinned_commit,
    // Each encryption of the same secrets is different.
    connection?.sealed_secrets,
    deployment.deploy_branch_name,
    deployment.deploy_project_root,
  ];
  const current = state(now);
  if (state(seen).every((value, index) => value === current[index])) return;
  throw new Failure("conflict", "another request changed the connection; try again");
}

/** Reads the remote. Throws `invalid` if it cannot be read, or does not have the branch. */
export async function prepareConnection(
  call: ConnectCall,
  input: ConnectInput,
): Promise<PreparedConnection> {
  const { db, params, remotes } = call;
  const deployment = await readDeployment(db, params.deploymentId);
  const before = await findConnection(db, deployment.id);
  const { url, kind, host, port } = parseRemoteUrl(input.remoteUrl);
  const stored = before && parseRemoteUrl(before.remote_url);
  // Secrets are only sent to the host and port that they were given for.
  const isSameHost = stored?.host === host && stored.port === port && stored.kind === kind;
  const known = before && isSameHost ? openSecrets(before, call.sealer) : {};
  const secrets = secretsOf(input, known);
  const knownHosts = input.knownHosts ?? (isSameHost ? before?.known_hosts : undefined);
  refuseUnusable(kind, { input, secrets, knownHosts: knownHosts ?? "" });
  const remote = {
    remote_url: url,
    username: input.username || null,
    known_hosts: knownHosts || null,
    installation_id: input.installationId ?? null,
  };
  const root = rootOf(input, deployment);
  const access = remoteAccess(remote, secrets, input.installationToken);
  const read = async (session: RemoteSession) => {
    const branch = await chooseBranch(session, { input, deployment });
    const isSameRepository = before?.remote_url === url;
    const isSameRemote = isSameRepository && root === projectRoot(deployment);
    const isSameName = branch.name === deployment.deploy_branch_name;
    const kept = isSameRepository && isSameName ? before.pinned_commit : null;
    const pin = input.commit === undefined ? kept : input.commit;
    const connection = { ...remote, pinned_commit: pin };
    const isSame = isSameRemote && isSameName && before.pinned_commit === pin;
    const commit =
      isSame || pin === null ? branch.commit : await requireOnBranch(session, branch, pin);
    const fetched =
      isSame || commit === undefined
        ? undefined
        : await fetchFiles(call, session, { commit, root });
    const seen = { connection: before, deployment };
    return { connection, seen, secrets, root, branch: branch.name, fetched, isSame, isSameRemote };
  };
  try {
    return await remotes.open(access, undefined, read);
  } catch (error) {
    if (isFailure(error, "unavailable")) {
      throw remoteError(`the remote cannot be read: ${error.message}`, error);
    }
    throw error;
  }
}

/** Returns the secrets of a connection after a request. Omitted secrets stay, and empty ones are removed. */
export function secretsOf(input: SecretInput, known: GitSecrets): GitSecrets {
  const names = ["token", "privateKey", "webhookSecret"] as const;
  const values = names.flatMap((name) => {
    const value = input[name] ?? known[name] ?? "";
    return value === "" ? [] : [[name, value]];
  });
  return Object.fromEntries(values) as GitSecrets;
}

/** Secrets in a request. */
export type SecretInput = Pick<ConnectInput, "token" | "privateKey" | "webhookSecret">;

/** Throws `invalid` for secrets that the kind of remote does not use, and for missing ones. */
export function refuseUnusable(
  kind: string,
  { input, secrets, knownHosts }: { input: SecretInput; secrets: GitSecrets; knownHosts: string },
): void {
  const isHttp = kind === "https" || kind === "http";
  if (input.token && !isHttp) {
    throw fieldError("token", ["invalid", "token is for https only; send privateKey for SSH"]);
  }
  if (input.privateKey && kind !== "ssh") {
    throw fieldError("privateKey", ["invalid", "privateKey is for SSH only; send token for https"]);
  }
  if (kind !== "ssh") return;
  if (knownHosts.trim() === "") {
    throw fieldError("knownHosts", [
      "invalid",
      "knownHosts is required for SSH; send what `ssh-keyscan HOST` prints, after you compared it with what the provider publishes",
    ]);
  }
  if (secrets.privateKey === undefined) {
    throw fieldError("privateKey", ["invalid", "privateKey is required for SSH"]);
  }
}

function rootOf({ deployProjectRoot }: ConnectInput, deployment: Row<"deployments">): string {
  const deploy_project_root = deployProjectRoot ?? deployment.deploy_project_root;
  const root = projectRoot({ deploy_project_root });
  return root === "" ? "" : normalizePath(root);
}

/** Returns the branch to connect to, and its commit; undefined if the remote is empty. */
async function chooseBranch(
  session: RemoteSession,
  { input, deployment }: { input: ConnectInput; deployment: Row<"deployments"> },
): Promise<{ readonly name: string; readonly commit: string | undefined }> {
  const { heads, defaultBranch } = await listRefs(session);
  const name = input.branch ?? defaultBranch ?? deployment.deploy_branch_name;
  refOf(name);
  const commit = heads.get(name);
  if (commit !== undefined || heads.size === 0) return { name, commit };
  const some = [...heads.keys()].slice(0, 5).join(", ");
  const message = `the remote has no branch ${JSON.stringify(name)}; it has ${some}${heads.size > 5 ? " and others" : ""}`;
  throw fieldError("branch", ["invalid", message]);
}

/** Returns a commit. Throws `invalid` if the branch never had its state, or too long ago. */
async function requireOnBranch(
  session: RemoteSession,
  branch: Awaited<ReturnType<typeof chooseBranch>>,
  commit: string,
): Promise<string> {
  const head = branch.commit;
  for (const most of head === undefined ? [] : [limits.gitHistory, limits.gitPinHistory]) {
    const listed = await listFirstParents(session, head ?? "", most);
    if (listed.some((one) => one.commit === commit)) return commit;
  }
  throw fieldError("commit", [
    "invalid",
    `${commit} is none of the newest ${limits.gitPinHistory} commits of the branch ${branch.name} of the remote; svc git commits lists the last ones`,
  ]);
}

/**
 * Stores a connection, and replaces the files of the deploy branch with the files of the remote. Throws `conflict` if
 * files would be lost and the request does not allow it.
 */
export async function storeConnection(
  call: ConnectCall,
  prepared: PreparedConnection,
  replaceFiles: boolean,
): Promise<void> {
  const { connection, seen, secrets, branch, root, fetched, isSame, isSameRemote } = prepared;
  const { db, params, sealer } = call;
  const before = await readDeployment(db, params.deploymentId);
  // Concurrent requests wait here.
  if (seen.connection) await lockConnection(db, seen.connection);
  requireSame(seen, { connection: await findConnection(db, before.id), deployment: before });
  const row = {
    deployment_id: before.id,
    ...connection,
    attempts: 0,
    next_attempt_at: null,
    sealed_secrets: sealer.seal(
      toJson({ ...secrets }),
      gitSealContext({ deployment_id: before.id }),
    ),
  };
  await db
    .insertInto("git_connections")
    .values({ ...row, pull_requested: 0, synced_at: null })
    .onConflict((on) => on.column("deployment_id").doUpdateSet(row))
    .execute();
  if (isSame) return;
  const isSaved = await hasPushed(db, before, branch);
  if (!isSameRemote) await forgetRemote(db, before.id);
  const after = await db
    .updateTable("deployments")
    .set({ deploy_branch_name: branch, deploy_project_root: root })
    .where("id", "=", before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const on = { ...(await branchContext(call)), deployment: after };
  if (after.deploy_branch_name !== before.deploy_branch_name) {
    await switchDeployBranch(db, { before, after }, on);
  }
  if (fetched === undefined) return;
  await takeFiles(on, fetched, {
    mayReplace: isSaved || replaceFiles,
    isPinned: connection.pinned_commit !== null,
  });
}

/**
 * Returns whether the previous remote of a deployment has the files that a connection to the branch replaces. These are
 * the files of the branch, or of the deploy branch if the branch is new.
 */
async function hasPushed(db: Db, deployment: Row<"deployments">, name: string): Promise<boolean> {
  const on = { db, deployment };
  const replaced =
    (await findBranch(on, name)) ?? (await findBranch(on, deployment.deploy_branch_name));
  if (replaced === undefined) return false;
  return (await findGitBranch(db, replaced.id))?.commit_id === replaced.head_id;
}

async function takeFiles(
  on: BranchContext,
  fetched: FetchedCommit,
  { mayReplace, isPinned }: { readonly mayReplace: boolean; readonly isPinned: boolean },
): Promise<void> {
  const branch = await deployBranch(on);
  // A branch of the same remote can be known already. What it has not pushed yet stays, unless it is pinned.
  const row = await findGitBranch(on.db, branch.id);
  const isKept = !isPinned || row?.commit_id === branch.head_id;
  if (row?.remote_commit === fetched.commit && isKept) return;
  if (!mayReplace) await refuseLoss(on, branch, fetched);
  const connection = await readConnection(on.db, on.deployment.id);
  const of = { connection, branchId: branch.id, row, after: branch.head_id };
  const { id: head, treeId } = await addFetchedCommit(on, of, fetched);
  const changed = await changeBranch(on, branch, { treeId, head, isPin: true });
  // A connection starts a build even if the files were already stored.
  if (!changed.isBuilt) await queueBuild(on.db, changed.branch, on);
}

/** The file of a new deployment, which may be replaced without asking. */
const starterFile = "model/README.md";

async function refuseLoss(
  { db }: BranchContext,
  branch: BranchRow,
  { files }: FetchedCommit,
): Promise<void> {
  const current = [...(await readTree(db, branch.tree_id))];
  const lost = current.filter(
    ([path, { contentId }]) => path !== starterFile && files.get(path)?.contentId !== contentId,
  );
  if (lost.length === 0) return;
  const shown = lost.slice(0, 5).map(([path]) => path);
  const rest = lost.length > 5 ? ` and ${lost.length - 5} more` : "";
  throw new Failure(
    "conflict",
    `the remote does not have the deploy branch's version of ${shown.join(", ")}${rest}; send replaceFiles: true to replace these files, or connect an empty repository, which receives them`,
    { details: { files: lost.map(([path]) => path).slice(0, 100) } },
  );
}
