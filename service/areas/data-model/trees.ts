// Trees: the sets of files of branches. Contents are stored once by hash, and a tree never changes.
import { createHash } from "node:crypto";
import { isUtf8 } from "node:buffer";
import { chunksOf } from "../../../core/chunks.ts";
import { Failure, invariant } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { isLfsPointer, lfsPointerError } from "../../../core/system/unfollowed-files.ts";
import { toTimestamp } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";
import { inTransaction } from "../../store/transaction.ts";
import { refuseClashes } from "./paths.ts";

/** A file of a tree. */
export interface TreeFile {
  readonly contentId: number;
  /** SHA-1 of the content, hexadecimal. */
  readonly sha1: string;
  readonly bytes: number;
}

/** The files of a tree by path. */
export type TreeFiles = ReadonlyMap<string, TreeFile>;

/** A file with its content. */
export interface FileContent {
  readonly path: string;
  readonly content: string;
  readonly encoding: "utf8" | "base64";
}

/** Rows of one insert; each has few columns, and databases limit the parameters of a statement. */
const rowsPerQuery = 500;

/** Divides rows, of which each has few columns, among statements. */
export function statementParts<Row>(rows: readonly Row[]): Iterable<readonly Row[]> {
  return chunksOf(rows, rowsPerQuery);
}

/** Returns the files of a tree, without their contents. */
export async function readTree(db: Db, treeId: number): Promise<TreeFiles> {
  const rows = await db
    .selectFrom("model_tree_files")
    .innerJoin("model_contents", "model_contents.id", "model_tree_files.content_id")
    .select(["path", "content_id", "sha1", "bytes"])
    .where("tree_id", "=", treeId)
    .orderBy("path")
    .execute();
  return new Map(
    rows.map(({ path, content_id, sha1, bytes }) => [path, { contentId: content_id, sha1, bytes }]),
  );
}

/** Returns the paths of a tree. */
export async function readPaths(db: Db, treeId: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("model_tree_files")
    .select("path")
    .where("tree_id", "=", treeId)
    .execute();
  return rows.map(({ path }) => path);
}

/** Returns the contents of files, in the order of `files`. */
export async function readContents(
  db: Db,
  files: Iterable<readonly [string, TreeFile]>,
): Promise<readonly FileContent[]> {
  const found: FileContent[] = [];
  for (const part of statementParts([...files])) {
    const rows = await db
      .selectFrom("model_contents")
      .select(["id", "content", "encoding"])
      .where(
        "id",
        "in",
        part.map(([, { contentId }]) => contentId),
      )
      .execute();
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const [path, { contentId }] of part) {
      const row = byId.get(contentId);
      invariant(row, `a tree with the missing content ${contentId}`);
      found.push({ path, content: row.content, encoding: row.encoding as FileContent["encoding"] });
    }
  }
  return found;
}

/**
 * Returns the SHA-1 of a content, and whether it is text. Throws `too_large` for a content that exceeds the limit of a
 * data model.
 */
export function describeContent(
  bytes: Buffer,
  path: string,
): {
  readonly sha1: string;
  readonly isText: boolean;
} {
  if (bytes.length > limits.modelFileBytes) {
    throw new Failure(
      "too_large",
      `${path} has ${bytes.length} bytes; a file of a data model can have at most ${limits.modelFileBytes}`,
    );
  }
  if (isLfsPointer(bytes)) throw lfsPointerError(path, "invalid");
  const sha1 = createHash("sha1").update(bytes).digest("hex");
  return { sha1, isText: isUtf8(bytes) && !bytes.includes(0) };
}

/** Stores a content, unless it is stored already, and returns its file. */
export async function storeContent(tx: Db, bytes: Buffer, now: Date): Promise<TreeFile> {
  const [file] = (await storeContents(tx, new Map([["a file", bytes]]), now)).values();
  invariant(file, "a content that was not stored");
  return file;
}

/** Stores contents by path, unless they are stored already, and returns their files. */
export async function storeContents(
  tx: Db,
  contents: ReadonlyMap<string, Buffer>,
  now: Date,
): Promise<TreeFiles> {
  const rows = [...contents].map(([path, bytes]) => [path, contentRow(path, bytes, now)] as const);
  const ids = await storeRows(
    tx,
    rows.map(([, row]) => row),
  );
  return new Map(
    rows.map(([path, { sha256, sha1, bytes }]) => {
      const contentId = ids.get(sha256);
      invariant(contentId !== undefined, "a content that was not stored");
      return [path, { contentId, sha1, bytes }];
    }),
  );
}

/** Contents that one transaction of {@link storeContentsInBatches} stores, because other writers wait. */
const contentsPerWrite = 200;

/** Stores contents like {@link storeContents}, each batch in a transaction of its own. `db` is not a transaction. */
export async function storeContentsInBatches(
  db: Db,
  contents: readonly (readonly [path: string, bytes: Buffer])[],
  now: () => Date,
): Promise<TreeFiles> {
  const files = new Map<string, TreeFile>();
  for (const batch of chunksOf(contents, contentsPerWrite)) {
    const stored = await inTransaction(db, (tx) => storeContents(tx, new Map(batch), now()));
    for (const [path, file] of stored) files.set(path, file);
  }
  return files;
}

type ContentRow = ReturnType<typeof contentRow>;

function contentRow(path: string, bytes: Buffer, now: Date) {
  const { sha1, isText } = describeContent(bytes, path);
  const encoding = isText ? "utf8" : "base64";
  return {
    sha256: createHash("sha256").update(bytes).digest("hex"),
    sha1,
    bytes: bytes.length,
    encoding,
    content: bytes.toString(encoding),
    used_at: toTimestamp(now),
  } as const;
}

/** Stores contents that are not stored yet, and returns the IDs of all by SHA-256. */
async function storeRows(
  tx: Db,
  rows: readonly ContentRow[],
): Promise<ReadonlyMap<string, number>> {
  // A statement can write a row only once. Sorted rows make concurrent requests lock them in the same order.
  const bySha256 = new Map(rows.map((row) => [row.sha256, row]));
  const sorted = [...bySha256.values()].toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  const ids = new Map<string, number>();
  for (const part of statementParts(sorted)) {
    const stored = await tx
      .insertInto("model_contents")
      .values(part)
      // The update locks the row against the deletion of unused contents.
      .onConflict((on) =>
        on.column("sha256").doUpdateSet((eb) => ({ used_at: eb.ref("excluded.used_at") })),
      )
      .returning(["id", "sha256"])
      .execute();
    for (const { id, sha256 } of stored) ids.set(sha256, id);
  }
  return ids;
}

/** Returns the hash of files: SHA-1 over their paths and hashes. */
export function treeHash(files: ReadonlyMap<string, Pick<TreeFile, "sha1">>): string {
  const hash = createHash("sha1");
  for (const [path, { sha1 }] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${path}\0${sha1}\n`);
  }
  return hash.digest("hex");
}

/** A stored tree. */
export interface Tree {
  readonly id: number;
  readonly hash: string;
}

/** Stores a tree, unless the deployment has it already. Throws `invalid` for clashing paths, `limit_reached` for too many. */
export async function storeTree(
  tx: Db,
  files: TreeFiles,
  { deploymentId, now }: { deploymentId: number; now: Date },
): Promise<Tree> {
  requireStorable(files);
  const hash = treeHash(files);
  const used_at = toTimestamp(now);
  // The update locks the row against the deletion of unused trees.
  const known = await tx
    .updateTable("model_trees")
    .set({ used_at })
    .where("deployment_id", "=", deploymentId)
    .where("hash", "=", hash)
    .returning(["id", "hash"])
    .executeTakeFirst();
  if (known) return known;
  const created = await tx
    .insertInto("model_trees")
    .values({ deployment_id: deploymentId, hash, used_at })
    .onConflict((on) => on.columns(["deployment_id", "hash"]).doNothing())
    .returning(["id", "hash"])
    .executeTakeFirst();
  // Another replica stored the same tree at the same time.
  if (!created)
    throw new Failure("conflict", "the files are being changed by another request; try again");
  const rows = [...files].map(([path, { contentId }]) => ({
    tree_id: created.id,
    path,
    content_id: contentId,
  }));
  for (const part of statementParts(rows))
    await tx.insertInto("model_tree_files").values(part).execute();
  return created;
}

/** Throws `invalid` for clashing paths, and `limit_reached` for too many files or bytes. */
export function requireStorable(files: ReadonlyMap<string, Pick<TreeFile, "bytes">>): void {
  refuseClashes(files.keys());
  const bytes = [...files.values()].reduce((sum, file) => sum + file.bytes, 0);
  requireModelSize({ count: files.size, bytes }, "a branch");
}

/** Throws `limit_reached` for too many files or bytes of `what`, a branch or the files of a future branch. */
export function requireModelSize(
  { count, bytes }: { readonly count: number; readonly bytes: number },
  what: string,
): void {
  if (count > limits.modelFiles) {
    throw new Failure(
      "limit_reached",
      `${what} can have at most ${limits.modelFiles} files; this would have ${count}`,
    );
  }
  if (bytes > limits.modelBytes) {
    throw new Failure(
      "limit_reached",
      `the files of ${what} can have at most ${limits.modelBytes} bytes; these have ${bytes}`,
    );
  }
}

/** Returns the hash of a tree. */
export async function hashOfTree(db: Db, id: number): Promise<string> {
  const { hash } = await db
    .selectFrom("model_trees")
    .select("hash")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return hash;
}
