// Reads a branch of the remote. It does not change branches; `apply.ts` does.
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { listFiles, readFiles } from "../../git/files.ts";
import { fetchCommit, historyOf, subjectOf } from "../../git/refs.ts";
import type { RemoteSession } from "../../git/remote.ts";
import type { Db } from "../../store/schema.ts";
import { inTransaction } from "../../store/transaction.ts";
import { normalizePath, refuseClashes } from "../data-model/paths.ts";
import { storeContentsInBatches, type TreeFile, type TreeFiles } from "../data-model/trees.ts";
import type { ConnectionKey } from "../../git/connections.ts";
import type { GitBranchRow } from "./show-connection.ts";
import { recordCommon } from "./git-branches.ts";

/** A commit of the remote, whose contents are stored. */
export interface FetchedCommit {
  readonly commit: string;
  readonly subject: string;
  readonly files: TreeFiles;
}

/** The store of fetched contents. */
export interface FetchContext {
  /** Not a transaction: contents are stored in batches, so that other writers do not wait long. */
  readonly db: Db;
  readonly now: () => Date;
}

/** Fetches a commit and stores the contents of its files. Contents that no branch uses are deleted a day later. */
export async function fetchFiles(
  { db, now }: FetchContext,
  session: RemoteSession,
  { commit, root }: { commit: string; root: string },
): Promise<FetchedCommit> {
  await fetchCommit(session, commit);
  const entries = await listFiles(session, commit, root);
  for (const { path } of entries) refuseOtherName(path);
  refuseClashes(entries.map(({ path }) => path));
  const files = new Map<string, TreeFile>();
  for await (const batch of readFiles(session, entries)) {
    const contents = batch.map(({ path, bytes }) => [path, bytes] as const);
    for (const [path, file] of await storeContentsInBatches(db, contents, now))
      files.set(path, file);
  }
  return { commit, subject: await subjectOf(session, commit), files };
}

/** Throws `invalid` for a path that a data model would store under another name, or not at all. */
function refuseOtherName(path: string): void {
  if (normalizePath(path) === path) return;
  throw new Failure(
    "invalid",
    `${JSON.stringify(path)} of the remote is not in Unicode normal form C; rename it`,
  );
}

/** A branch, and the remote branch of the same name. */
export interface RemoteBranch {
  readonly connection: ConnectionKey;
  readonly id: number;
  readonly name: string;
  /** The state that both have in common. */
  readonly row: GitBranchRow | undefined;
  /** The last commit at the remote; undefined if it does not have the branch. */
  readonly head: string | undefined;
}

/** Returns the common state of the branch and the remote. Records a push that arrived although its answer was lost. */
async function settlePush(
  db: Db,
  session: RemoteSession,
  { connection, id, row, head }: RemoteBranch,
): Promise<GitBranchRow | undefined> {
  if (head === undefined || row === undefined || head === row.remote_commit) return row;
  const { pushing_commit_id: commitId, pushing_remote_commit: remoteCommit } = row;
  if (commitId === null || remoteCommit === null) return row;
  if (head !== remoteCommit) {
    // Others may have pushed onto it.
    await fetchCommit(session, head, limits.gitHistory);
    if (!(await historyOf(session, head)).includes(remoteCommit)) return row;
  }
  const of = { connection, branchId: id, before: row };
  return inTransaction(db, (tx) => recordCommon(tx, of, { commitId, remoteCommit }));
}

/** A remote branch that moved. */
export interface RemoteChange {
  readonly connection: ConnectionKey;
  readonly row: GitBranchRow | undefined;
  readonly fetched: FetchedCommit;
}

/**
 * Fetches the branch if it moved at the remote; undefined if it did not. Throws `conflict` if the remote has a branch
 * of this name that the service did not push, or no longer has a branch that it pushed.
 */
export async function fetchChange(
  on: FetchContext,
  session: RemoteSession,
  { branch, root }: { branch: RemoteBranch; root: string },
): Promise<RemoteChange | undefined> {
  const { connection, head } = branch;
  const row = await settlePush(on.db, session, branch);
  const known = row?.remote_commit ?? undefined;
  if (head === known) return undefined;
  if (head === undefined) {
    throw new Failure(
      "conflict",
      `the branch ${branch.name} was deleted at the Git remote; delete it here too, or restore it there`,
    );
  }
  if (known === undefined) {
    throw new Failure(
      "conflict",
      `the Git remote has a branch ${branch.name}, to which nothing was pushed from here since its repository or folder was connected; rename or delete one of them`,
    );
  }
  return { connection, row, fetched: await fetchFiles(on, session, { commit: head, root }) };
}
