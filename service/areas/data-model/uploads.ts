// Uploads: changed files are sent one by one or many in one call, and the last call replaces the files of the branch in one step.
import { randomUUID } from "node:crypto";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { toTimestamp } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { changeBranch, commitFiles, requireWritable } from "./branch-changes.ts";
import { type BranchContext, type BranchRow, readBranchById } from "./branches.ts";
import { requireModelPaths } from "./model-paths.ts";
import { normalizePath } from "./paths.ts";
import {
  readTree,
  requireModelSize,
  statementParts,
  storeContents,
  storeTree,
  type TreeFile,
  type TreeFiles,
} from "./trees.ts";

type UploadRow = Row<"uploads">;

/** Starts an upload to a branch and returns its id. Ends an earlier one of the same credential to the same branch. */
export async function beginUpload(on: BranchContext, branch: BranchRow): Promise<string> {
  await requireWritable(on, branch, "upload");
  const { db, now, deployment, principal } = on;
  await endUnusable(on, branch);
  const open = await db
    .selectFrom("uploads")
    .select("id")
    .where("deployment_id", "=", deployment.id)
    .where("expires_at", ">", toTimestamp(now))
    .execute();
  if (open.length >= limits.uploads) {
    throw new Failure(
      "limit_reached",
      `a deployment can have at most ${limits.uploads} open uploads; finish one, or wait an hour`,
    );
  }
  const id = randomUUID();
  const expires_at = toTimestamp(now.getTime() + limits.uploadMs);
  await db
    .insertInto("uploads")
    .values({
      id,
      deployment_id: deployment.id,
      branch_id: branch.id,
      credential: principal.credentialId,
      base_tree_id: branch.tree_id,
      expires_at,
    })
    .execute();
  return id;
}

/** Ends the uploads that a new one replaces, and those whose branch changed since their start: those cannot succeed. */
async function endUnusable(
  { db, deployment, principal }: BranchContext,
  branch: BranchRow,
): Promise<void> {
  await db
    .deleteFrom("uploads")
    .where("deployment_id", "=", deployment.id)
    .where((eb) => {
      const current = eb
        .selectFrom("branches")
        .select("branches.id")
        .whereRef("branches.id", "=", "uploads.branch_id")
        .whereRef("branches.tree_id", "=", "uploads.base_tree_id");
      const isReplaced = eb.and([
        eb("branch_id", "=", branch.id),
        eb("credential", "=", principal.credentialId),
      ]);
      return eb.or([isReplaced, eb.not(eb.exists(current))]);
    })
    .execute();
}

async function readUpload({ db, deployment, now }: BranchContext, id: string): Promise<UploadRow> {
  const found = await db
    .selectFrom("uploads")
    .selectAll()
    .where("id", "=", id)
    .where("deployment_id", "=", deployment.id)
    .where("expires_at", ">", toTimestamp(now))
    .executeTakeFirst();
  if (found) return found;
  throw new Failure(
    "not_found",
    "there is no such upload: it was finished, it ended, or the branch changed since its start; start a new one",
  );
}

/** A file of a request. */
interface SentFile {
  readonly fileName: string;
  readonly bytes: Buffer;
}

/** Adds files to an upload, in place of earlier ones with their paths. */
export async function addUploadFiles(
  on: BranchContext,
  { id }: { readonly id: string },
  sent: readonly SentFile[],
): Promise<void> {
  const contents = new Map(sent.map(({ fileName, bytes }) => [normalizePath(fileName), bytes]));
  const paths = [...contents.keys()];
  await readUpload(on, id);
  await requireModelPaths(on, paths);
  const files = await storeContents(on.db, contents, on.now);
  await countFiles(on.db, id, files);
  const rows = [...files].map(([path, { contentId }]) => ({
    upload_id: id,
    path,
    content_id: contentId,
  }));
  for (const part of statementParts(rows)) {
    await on.db
      .insertInto("upload_files")
      .values(part)
      .onConflict((conflict) =>
        conflict
          .columns(["upload_id", "path"])
          .doUpdateSet((eb) => ({ content_id: eb.ref("excluded.content_id") })),
      )
      .execute();
  }
}

/** Adds files to the counters of their upload; throws `limit_reached` for too many files or bytes, since an upload stores its files before it ends. */
async function countFiles(db: Db, id: string, files: TreeFiles): Promise<void> {
  const earlier: number[] = [];
  for (const part of statementParts([...files.keys()])) {
    const rows = await db
      .selectFrom("upload_files")
      .innerJoin("model_contents", "model_contents.id", "upload_files.content_id")
      .select("bytes")
      .where("upload_id", "=", id)
      .where("path", "in", part)
      .execute();
    earlier.push(...rows.map(({ bytes }) => bytes));
  }
  const added = sum([...files.values()].map(({ bytes }) => bytes)) - sum(earlier);
  const size = await db
    .updateTable("uploads")
    .set((eb) => ({
      file_count: eb("file_count", "+", files.size - earlier.length),
      file_bytes: eb("file_bytes", "+", added),
    }))
    .where("id", "=", id)
    .returning(["file_count as count", "file_bytes as bytes"])
    .executeTakeFirstOrThrow();
  requireModelSize(size, "an upload");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The last call of an upload. */
export interface UploadEnd {
  readonly id: string;
  /** Every file of the project by path. */
  readonly files: Readonly<Record<string, { readonly hash: string }>>;
  readonly removesOthers: boolean;
  readonly message: string | null;
  /** Branch of the upload, if the request repeats it; "" for none. */
  readonly branchName: string;
}

/**
 * Replaces the files of the branch and ends the upload. Throws `invalid` for files that were neither uploaded nor are
 * on the branch, and `conflict` if the branch changed since the start.
 */
export async function endUpload(
  on: BranchContext,
  { id, files, removesOthers, message, branchName }: UploadEnd,
): Promise<string> {
  const upload = await readUpload(on, id);
  const branch = await readBranchById(on, upload.branch_id);
  if (branchName !== "" && branchName !== branch.name) {
    throw new Failure(
      "invalid",
      `branchName: the upload was started for ${branch.name}, not ${JSON.stringify(branchName)}`,
    );
  }
  await requireWritable(on, branch, "upload");
  if (branch.tree_id !== upload.base_tree_id) {
    throw new Failure(
      "conflict",
      `the branch ${branch.name} changed since the upload started; start again, and only the new differences are uploaded`,
    );
  }
  const [before, uploaded] = [
    await readTree(on.db, branch.tree_id),
    await uploadedFiles(on.db, id),
  ];
  const after = new Map(removesOthers ? [] : before);
  await requireModelPaths(on, Object.keys(files).map(normalizePath));
  const missing: string[] = [];
  for (const [name, { hash }] of Object.entries(files)) {
    const path = normalizePath(name);
    const file = [uploaded.get(path), before.get(path)].find((one) => one?.sha1 === hash);
    if (file) after.set(path, file);
    else missing.push(path);
  }
  if (missing.length > 0) throw missingFilesFailure(missing);
  const tree = await storeTree(on.db, after, { deploymentId: on.deployment.id, now: on.now });
  // Files of a dev-mode branch stay uncommitted until its user commits them.
  const isShared = branch.dev_user_id === null && tree.id !== branch.tree_id;
  const head = isShared
    ? await commitFiles(on, branch, { treeId: tree.id, message: message ?? "Upload" })
    : branch.head_id;
  await changeBranch(on, branch, { treeId: tree.id, head });
  await on.db
    .updateTable("branches")
    .set({ upload_tree_id: tree.id })
    .where("id", "=", branch.id)
    .execute();
  await on.db.deleteFrom("uploads").where("id", "=", id).execute();
  return tree.hash;
}

function missingFilesFailure(missing: readonly string[]): Failure {
  const shown = missing.slice(0, 5).join(", ");
  const rest = missing.length > 5 ? ` and ${missing.length - 5} more` : "";
  return new Failure(
    "invalid",
    `no content with the given hash was uploaded for ${shown}${rest}; upload these files first`,
    {
      details: { files: [...missing] },
    },
  );
}

async function uploadedFiles(db: Db, id: string): Promise<ReadonlyMap<string, TreeFile>> {
  const rows = await db
    .selectFrom("upload_files")
    .innerJoin("model_contents", "model_contents.id", "upload_files.content_id")
    .select(["path", "content_id", "sha1", "bytes"])
    .where("upload_id", "=", id)
    .execute();
  return new Map(
    rows.map(({ path, content_id, sha1, bytes }) => [path, { contentId: content_id, sha1, bytes }]),
  );
}
