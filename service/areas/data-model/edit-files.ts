// Changes of files on dev-mode branches: put, delete and rename. Each call changes all its files or none.
import { Failure } from "../../../core/errors.ts";
import { changeBranch } from "./branch-changes.ts";
import type { BranchContext, BranchRow } from "./branches.ts";
import { requireModelPaths } from "./model-paths.ts";
import { normalizePath } from "./paths.ts";
import { readTree, storeContents, storeTree, type TreeFile } from "./trees.ts";

type EditableFiles = Map<string, TreeFile>;

async function editFiles(
  on: BranchContext,
  branch: BranchRow,
  edit: (files: EditableFiles) => void | Promise<void>,
): Promise<void> {
  const files = new Map(await readTree(on.db, branch.tree_id));
  await edit(files);
  const tree = await storeTree(on.db, files, { deploymentId: on.deployment.id, now: on.now });
  if (tree.id !== branch.tree_id) await changeBranch(on, branch, { treeId: tree.id });
}

/** Creates or replaces files. */
export async function putFiles(
  on: BranchContext,
  branch: BranchRow,
  puts: readonly { readonly path: string; readonly content: string }[],
): Promise<void> {
  const contents = new Map(
    puts.map(({ path, content }) => [normalizePath(path), Buffer.from(content)]),
  );
  await requireModelPaths(on, [...contents.keys()]);
  await editFiles(on, branch, async (files) => {
    for (const [path, file] of await storeContents(on.db, contents, on.now)) files.set(path, file);
  });
}

/** Deletes files, and all files of folders. Ignores paths that do not exist. */
export async function deleteFiles(
  on: BranchContext,
  branch: BranchRow,
  paths: readonly string[],
): Promise<void> {
  const deletedPaths = new Set(paths.map(normalizePath));
  await editFiles(on, branch, (files) => {
    for (const name of files.keys()) {
      if (deletedPaths.has(name) || foldersOf(name).some((folder) => deletedPaths.has(folder)))
        files.delete(name);
    }
  });
}

/** Returns the folders that contain a file, the nearest last. */
function foldersOf(path: string): readonly string[] {
  const steps = path.split("/").slice(0, -1);
  return steps.map((_, at) => steps.slice(0, at + 1).join("/"));
}

/** Renames files and folders. Throws `not_found` for a missing path, and `conflict` for a new path that exists. */
export async function renameFiles(
  on: BranchContext,
  branch: BranchRow,
  renames: readonly { readonly path: string; readonly newPath: string }[],
): Promise<void> {
  await requireModelPaths(
    on,
    renames.map(({ newPath }) => normalizePath(newPath)),
  );
  await editFiles(on, branch, (files) => {
    for (const rename of renames) {
      const [from, to] = [normalizePath(rename.path), normalizePath(rename.newPath)];
      const names = filesAt(files, from);
      if (names.length === 0) {
        throw new Failure("not_found", `the branch ${branch.name} has no file or folder ${from}`);
      }
      const moved = names.map((name) => [name, to + name.slice(from.length)] as const);
      for (const [name, target] of moved) {
        const file = files.get(name);
        files.delete(name);
        if (files.has(target))
          throw new Failure("conflict", `${target} already exists; delete it first`);
        if (file) files.set(target, file);
      }
    }
  });
}

/** Returns the file with a path, or all files of the folder with it. */
function filesAt(files: EditableFiles, path: string): readonly string[] {
  if (files.has(path)) return [path];
  const folder = `${path}/`;
  return [...files.keys()].filter((name) => name.startsWith(folder));
}
