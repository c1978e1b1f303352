// The files of a branch as a tree of folders.
import type { Static } from "typebox";
import type { FileNode } from "../../../api/data-model.ts";
import type { FileContent, TreeFile, TreeFiles } from "./trees.ts";

type Node = Static<typeof FileNode>;

/** Returns the nodes of the top level, sorted by path. `contents` adds the contents of files. */
export function fileTree(
  paths: Iterable<string>,
  contents: ReadonlyMap<string, FileContent>,
): readonly Node[] {
  const folders = new Map<string, Node[]>([["", []]]);
  const listOf = (folder: string): Node[] => {
    const known = folders.get(folder);
    if (known) return known;
    const children: Node[] = [];
    folders.set(folder, children);
    const parent = folder.includes("/") ? folder.slice(0, folder.lastIndexOf("/")) : "";
    listOf(parent).push({ path: `/${folder}`, type: "directory", children });
    return children;
  };
  for (const path of [...paths].toSorted()) {
    const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
    const found = contents.get(path);
    listOf(folder).push({
      path: `/${path}`,
      type: "file",
      ...(found && { content: found.content, encoding: found.encoding }),
    });
  }
  return listOf("");
}

/** A node of the top level, with the files in it. */
interface TopLevelNode {
  /** Decreases in the order of the nodes, because pages order rows by falling id. */
  readonly id: number;
  readonly files: readonly (readonly [path: string, file: TreeFile])[];
}

/** Divides files among the nodes of the top level, in the order of {@link fileTree}. */
export function topLevelNodes(files: TreeFiles): readonly TopLevelNode[] {
  const sorted = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const groups = [...Map.groupBy(sorted, ([path]) => path.split("/", 1)[0]).values()];
  return groups.map((group, index) => ({ id: groups.length - index, files: group }));
}
