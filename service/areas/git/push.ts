// Pushes the last commit of a branch. Records the intent first, so that a lost answer or a crash is detected.
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { type RepositoryFile, writeCommit } from "../../git/files.ts";
import { fetchCommit, pushRef, readHead } from "../../git/refs.ts";
import type { RemoteSession } from "../../git/remote.ts";
import type { Db, Row } from "../../store/schema.ts";
import { inTransaction } from "../../store/transaction.ts";
import { isDeployBranch } from "../data-model/branches.ts";
import { historyReader } from "../data-model/commits.ts";
import { readContents, readTree } from "../data-model/trees.ts";
import type { ConnectionKey } from "../../git/connections.ts";
import type { GitBranchRow } from "./show-connection.ts";
import { changeGitBranch, recordCommon } from "./git-branches.ts";

/** A branch to push. */
export interface BranchToPush {
  readonly connection: ConnectionKey;
  readonly branch: Row<"branches">;
  readonly row: GitBranchRow | undefined;
  readonly root: string;
  readonly deployment: Row<"deployments">;
}

/**
 * Pushes a branch if its remote has the recorded commit. Returns false if the remote moved meanwhile, so that the
 * caller pulls first. Throws `unavailable` with Git's reason if the remote refuses the push or does not answer.
 */
export async function pushBranch(
  db: Db,
  session: RemoteSession,
  pushed: BranchToPush,
): Promise<boolean> {
  const { connection, branch, row } = pushed;
  const from = row?.remote_commit ?? undefined;
  const parent = from ?? (await nearestRemoteCommit(db, pushed));
  if (parent !== undefined) await fetchCommit(session, parent);
  const to = await writeBranch(db, session, { ...pushed, parent });
  const done = { commitId: branch.head_id, remoteCommit: to };
  const of = { connection, branchId: branch.id, before: row };
  if (to === from) {
    await inTransaction(db, (tx) => recordCommon(tx, of, done));
    return true;
  }
  const intent = { pushing_commit_id: branch.head_id, pushing_remote_commit: to };
  const before = await inTransaction(db, (tx) => changeGitBranch(tx, of, intent));
  try {
    await pushRef(session, { branch: branch.name, from, to });
  } catch (error) {
    const head = await readHead(session, branch.name);
    if (head !== from && head !== to) return false;
    // Otherwise the push arrived, and only its answer was lost.
    if (head === from) throw error;
  }
  await inTransaction(db, (tx) => recordCommon(tx, { ...of, before }, done));
  return true;
}

async function writeBranch(
  db: Db,
  session: RemoteSession,
  { branch, row, root, parent }: BranchToPush & { parent: string | undefined },
): Promise<string> {
  const commits = await commitsToPush(db, branch, row?.commit_id ?? null);
  const [newest] = commits;
  // Messages of users come first, because messages of merges explain less.
  const ordered = commits.toSorted(
    (a, b) => Number(a.second_parent_id !== null) - Number(b.second_parent_id !== null),
  );
  const message = ordered.map((commit) => commit.message).join("\n\n");
  return writeCommit(
    session,
    {
      parent,
      root,
      message: message === "" ? `Update ${branch.name}` : message,
      author: await authorOf(db, newest?.user_id ?? null),
      seconds: Math.floor(Date.parse(newest?.created_at ?? "1970-01-01T00:00:00Z") / 1000),
    },
    await filesOf(db, branch.tree_id),
  );
}

async function filesOf(db: Db, treeId: number): Promise<readonly RepositoryFile[]> {
  const contents = await readContents(db, await readTree(db, treeId));
  return contents.map(({ path, content, encoding }) => ({
    path,
    bytes: Buffer.from(content, encoding),
  }));
}

/** Returns the commits of a branch since the common one, the newest first. Merged histories are not followed. */
async function commitsToPush(
  db: Db,
  branch: Row<"branches">,
  common: number | null,
): Promise<readonly Row<"model_commits">[]> {
  const found: Row<"model_commits">[] = [];
  let id: number | null = branch.head_id;
  while (id !== null && id !== common && found.length < limits.gitMessages) {
    const commit: Row<"model_commits"> = await db
      .selectFrom("model_commits")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    // A new branch begins with commits that the remote already has.
    if (commit.remote_commit !== null && found.length > 0) break;
    found.push(commit);
    id = commit.first_parent_id;
  }
  return found;
}

async function authorOf(db: Db, userId: number | null): Promise<{ name: string; email: string }> {
  const user =
    userId === null
      ? undefined
      : await db
          .selectFrom("users")
          .select(["username", "display_name", "email"])
          .where("id", "=", userId)
          .executeTakeFirst();
  const name = user?.display_name ?? user?.username ?? "svc";
  return { name, email: user?.email ?? `${user?.username ?? "svc"}@localhost` };
}

/** Maximum number of commits known to the remote that are considered as the start of a new branch. */
const candidates = 1000;

/**
 * Returns the newest commit of the remote in the history of a branch that the remote does not have yet; undefined for
 * the deploy branch of an empty remote. Throws `unavailable` if there is none.
 */
async function nearestRemoteCommit(
  db: Db,
  { branch, deployment }: BranchToPush,
): Promise<string | undefined> {
  const rows = await db
    .selectFrom("model_commits")
    .select(["id", "remote_commit"])
    .where("deployment_id", "=", branch.deployment_id)
    .where("remote_commit", "is not", null)
    .orderBy("id", "desc")
    .limit(candidates)
    .execute();
  if (rows.length === 0 && isDeployBranch({ deployment }, branch)) return undefined;
  const known = new Map(rows.map(({ id, remote_commit }) => [id, remote_commit]));
  const parentsOf = historyReader(db, branch.deployment_id, branch.head_id);
  const open = new Set([branch.head_id]);
  for (let visited = 0; open.size > 0 && visited < limits.commitsVisited; visited++) {
    const id = Math.max(...open);
    const commit = known.get(id);
    if (commit !== undefined && commit !== null) return commit;
    open.delete(id);
    for (const parent of await parentsOf(id)) open.add(parent);
  }
  throw new Failure(
    "unavailable",
    `${branch.name} has no commit in common with the Git remote yet; it is pushed after the deploy branch`,
  );
}
