// The files of commits: reads the files of a data model, and writes a commit with changed files.
import { createHash } from "node:crypto";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { belongsToModel, codeFile, templateFile } from "../../core/data-model/model-path.ts";
import {
  isLfsPointer,
  lfsPointerError,
  submoduleError,
} from "../../core/system/unfollowed-files.ts";
import { parseTreeEntries, treeModes } from "../../core/system/tree-entries.ts";
import { git, gitBytes, rawGit } from "../../git/command.ts";
import type { RemoteSession } from "./remote.ts";

/** A file with its content. */
export interface RepositoryFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** A file of a commit, without its content. */
export interface RepositoryEntry {
  readonly mode: string;
  readonly blob: string;
  readonly size: number;
  /** Relative to the folder of the data model. */
  readonly path: string;
}

/** Bytes of the contents that one Git command returns. */
const bytesPerRead = limits.gitOutputBytes / 4;

/**
 * Returns the files below a folder of a fetched commit. Files that belong to no data model are left out, also symbolic
 * links. Throws `too_large` or `limit_reached` above the limits of a data model, and `invalid` for a folder that does not
 * exist, for a submodule, and for a link in the place of a file that a build reads.
 */
export async function listFiles(
  session: RemoteSession,
  commit: string,
  root: string,
): Promise<readonly RepositoryEntry[]> {
  const entries = await listEntries(session, commit, root);
  if (entries === undefined) {
    const message = `the branch of the remote has no folder ${JSON.stringify(root)}`;
    throw new Failure("invalid", message);
  }
  const { files, others } = entries;
  for (const { mode, path } of others) {
    if (mode === treeModes.submodule && belongsToModel(path)) throw submoduleError(path, "invalid");
    if (mode === treeModes.link && isReadPlace(path)) throw linkError(path);
  }
  requireWithinLimits(files);
  return files;
}

function linkError(path: string): Failure {
  const message = `${path} of the remote is a symbolic link, which is not followed; replace it by files`;
  return new Failure("invalid", message);
}

/** Returns whether a build would read a file or folder at this path. */
function isReadPlace(path: string): boolean {
  const isCode = codeFile.test(path) || templateFile.test(path);
  return belongsToModel(path) && (isCode || /^(?:model|schema|seeds|agents)(?:\/|$)/.test(path));
}

/**
 * Returns a file of a fetched commit. Throws `invalid` if it does not exist, is a Git LFS pointer, or is or has above it
 * a link or submodule, and `too_large` above the limit.
 */
export async function readTextFile(
  { run }: RemoteSession,
  commit: string,
  { path, maxBytes }: { readonly path: string; readonly maxBytes: number },
): Promise<string> {
  const names = path.split("/");
  const above = names.map((_, index) => names.slice(0, index + 1).join("/"));
  // Git also lists what is beside these paths.
  const listed = parseTreeEntries(
    await rawGit(["ls-tree", "-l", "-z", commit, "--", ...above], run),
  ).filter((entry) => above.includes(entry.path));
  for (const entry of listed) {
    if (entry.mode === treeModes.submodule) throw submoduleError(entry.path, "invalid");
    if (entry.mode === treeModes.link) throw linkError(entry.path);
  }
  const file = listed.find((entry) => entry.path === path && entry.mode.startsWith("100"));
  if (file === undefined) {
    throw new Failure("invalid", `the Git remote has no file ${JSON.stringify(path)}`);
  }
  if (file.bytes > maxBytes) {
    throw new Failure("too_large", `${path} has ${file.bytes} bytes; at most ${maxBytes} are read`);
  }
  const bytes = await gitBytes(["cat-file", "blob", file.hash], run);
  if (isLfsPointer(bytes)) throw lfsPointerError(path, "invalid");
  return bytes.toString("utf8");
}

/** Returns the contents of files of a fetched commit, in batches. */
export async function* readFiles(
  session: RemoteSession,
  entries: readonly RepositoryEntry[],
): AsyncGenerator<readonly RepositoryFile[]> {
  let batch: RepositoryEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (bytes + entry.size > bytesPerRead) {
      yield await readBlobs(session, batch);
      [batch, bytes] = [[], 0];
    }
    batch.push(entry);
    bytes += entry.size;
  }
  if (batch.length > 0) yield await readBlobs(session, batch);
}

/** The entries below a folder. */
interface FolderEntries {
  /** Regular files that belong to a data model. */
  readonly files: readonly RepositoryEntry[];
  /** Symbolic links and submodules, with paths relative to the folder. */
  readonly others: readonly Pick<RepositoryEntry, "mode" | "path">[];
}

/** Returns the entries below a folder; undefined if the folder does not exist. A commit keeps all but the files. */
async function listEntries(
  { run }: RemoteSession,
  commit: string,
  root: string,
): Promise<FolderEntries | undefined> {
  const folder = root === "" ? "" : `${root}/`;
  const paths = folder === "" ? [] : [folder];
  const output = await rawGit(["ls-tree", "-r", "-l", "-z", commit, "--", ...paths], run);
  const entries = parseTreeEntries(output);
  // Git has no empty folders, and lists a submodule as a file.
  if (folder !== "" && !entries.some(({ path }) => path.startsWith(folder))) return undefined;
  const below = entries.map(({ path, mode, hash, bytes }) => {
    return { mode, blob: hash, size: bytes, path: path.slice(folder.length) };
  });
  const isFile = ({ mode }: RepositoryEntry) => mode.startsWith("100");
  return {
    files: below.filter((entry) => isFile(entry) && belongsToModel(entry.path)),
    others: below.filter((entry) => !isFile(entry)),
  };
}

function requireWithinLimits(entries: readonly RepositoryEntry[]): void {
  const advice = "set deployProjectRoot to the folder of the data model";
  const large = entries.find(({ size }) => size > limits.modelFileBytes);
  if (large !== undefined) {
    throw new Failure(
      "too_large",
      `${large.path} of the remote has ${large.size} bytes, and a file of a data model at most ${limits.modelFileBytes}; ${advice}`,
    );
  }
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  if (entries.length <= limits.modelFiles && bytes <= limits.modelBytes) return;
  throw new Failure(
    "limit_reached",
    `the remote has ${entries.length} files with ${bytes} bytes; a data model can have ${limits.modelFiles} files with ${limits.modelBytes} bytes; ${advice}`,
  );
}

/** Reads blobs with one command. Each is preceded by a line with its size, and followed by a line break. */
async function readBlobs(
  { run }: RemoteSession,
  entries: readonly RepositoryEntry[],
): Promise<readonly RepositoryFile[]> {
  const input = entries.map(({ blob }) => `${blob}\n`).join("");
  const output = await gitBytes(["cat-file", "--batch"], { ...run, input });
  let at = 0;
  return entries.map(({ path, size }) => {
    const start = output.indexOf(10, at) + 1;
    at = start + size + 1;
    return { path, bytes: output.subarray(start, start + size) };
  });
}

/** A commit to write. The same values make the same commit, so that it can be pushed again after a lost answer. */
export interface NewRemoteCommit {
  /** Fetched; undefined for the first commit of a repository. */
  readonly parent: string | undefined;
  /** Folder of the data model. */
  readonly root: string;
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  /** Seconds since 1970. */
  readonly seconds: number;
}

/**
 * Writes a commit in which the given files replace the data model below the folder; other files, links and submodules
 * stay. Returns it, or its parent if no file differs.
 */
export async function writeCommit(
  session: RemoteSession,
  commit: NewRemoteCommit,
  files: readonly RepositoryFile[],
): Promise<string> {
  const { parent, root, message, author, seconds } = commit;
  const before = parent === undefined ? undefined : await listEntries(session, parent, root);
  const own = files.filter(({ path }) => belongsToModel(path));
  // The commit creates a folder that the parent does not have.
  const changes = fileChanges(before?.files ?? [], own, root);
  if (parent !== undefined && changes.length === 0) return parent;
  const person = `${nameText(author.name)} <${nameText(author.email)}> ${seconds} +0000`;
  const text = Buffer.from(message.toWellFormed().slice(0, limits.gitMessageLength));
  const input = Buffer.concat([
    Buffer.from(
      `commit refs/heads/svc\nauthor ${person}\ncommitter ${person}\ndata ${text.length}\n`,
    ),
    text,
    Buffer.from(parent === undefined ? "\n" : `\nfrom ${parent}\n`),
    ...changes,
    Buffer.from("\ndone\n"),
  ]);
  const { run } = session;
  await git(["fast-import", "--quiet", "--force", "--done"], { ...run, input });
  return git(["rev-parse", "--verify", "refs/heads/svc"], run);
}

/** Returns the commands of `git fast-import` that delete and write files. */
function fileChanges(
  before: readonly RepositoryEntry[],
  files: readonly RepositoryFile[],
  root: string,
): readonly Buffer[] {
  const old = new Map(before.map((entry) => [entry.path, entry]));
  const kept = new Set(files.map(({ path }) => path));
  const full = (path: string): string => (root === "" ? path : `${root}/${path}`);
  const deletes = before
    .filter(({ path }) => !kept.has(path))
    .map(({ path }) => Buffer.from(`D ${quotePath(full(path))}\n`));
  const writes = files.flatMap(({ path, bytes }) => {
    const entry = old.get(path);
    if (entry?.blob === blobHash(bytes, entry?.blob.length)) return [];
    const head = `M ${entry?.mode ?? "100644"} inline ${quotePath(full(path))}\ndata ${bytes.length}\n`;
    return [Buffer.from(head), bytes, Buffer.from("\n")];
  });
  return [...deletes, ...writes];
}

/** Quotes a path as Git does: a file of the remote can have any name. */
function quotePath(path: string): string {
  return `"${path.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

/** Returns Git's hash of a content, in the format of the repository. */
function blobHash(bytes: Buffer, length = 40): string {
  const hash = createHash(length === 40 ? "sha1" : "sha256");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** Returns text that is valid in the author line of a commit. */
function nameText(text: string): string {
  const plain = text
    .toWellFormed()
    .replace(/[<>\p{Cc}]/gu, " ")
    .trim()
    .slice(0, 200);
  return plain === "" ? "svc" : plain;
}
