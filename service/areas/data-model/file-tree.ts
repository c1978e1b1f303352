// The files of a branch as a tree of folders.
import type { Static } from "typebox";
import type { FileNode } from "../../../api/data-model.ts";
import type { FileContent } from "./trees.ts";

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
