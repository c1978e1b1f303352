// Reads which files, folders and symbolic links a commit has, each path once, as nodes below its root.
import { chunksOf } from "../core/chunks.ts";
import { limits } from "../core/limits/limits.ts";
import { isLfsPointer, lfsPointerBytes } from "../core/system/unfollowed-files.ts";
import { parseTreeEntries, type TreeEntry, treeModes } from "../core/system/tree-entries.ts";
import { gitBytes, type GitRun, rawGit } from "../git/command.ts";

/** The location of a commit. */
export interface CommitSource {
  /** Absolute path of the bare repository. */
  readonly store: string;
  readonly commit: string;
  readonly run: GitRun;
}

/** A path of a commit, without links in it. */
export interface TreeNode {
  /** Undefined for the root. */
  readonly parent: TreeNode | undefined;
  readonly name: string;
  readonly children: Map<string, TreeNode>;
  /** The object of the commit at this path; undefined if that is unknown. */
  type: "folder" | "file" | "link" | "submodule" | "missing" | undefined;
  /** Whether all files at and below the path are known. */
  isListed: boolean;
  hash: string;
  bytes: number;
  /** The text of a link, once it is read. */
  text: string | undefined;
}

/** The known part of a commit. */
export interface CommitTree {
  readonly root: TreeNode;
  /** The files and links at and below the listed paths, by path. */
  readonly files: ReadonlyMap<string, TreeEntry>;
  /** Lists all files at and below paths. */
  list(paths: readonly string[]): Promise<void>;
  /** Finds the objects of the commit at nodes. Folders above `deeper` paths become known too, if they exist. */
  look(nodes: readonly TreeNode[], deeper: readonly string[]): Promise<void>;
  /** Reads the texts of links. */
  readTexts(links: readonly TreeNode[]): Promise<void>;
  /** Returns the path of a listed file that is a Git LFS pointer; undefined if there is none. */
  findLfsPointer(): Promise<string | undefined>;
}

/** Returns the known part of a commit, which at first is only its root. */
export function openCommitTree(source: CommitSource): CommitTree {
  const root = newNode(undefined, "");
  root.type = "folder";
  const files = new Map<string, TreeEntry>();
  return {
    root,
    files,
    list: async (paths) => {
      const open = paths.filter((one) => !nodeAt(root, one).isListed);
      for (const batch of batchesOf(open)) {
        for (const entry of await readTree(source, ["-r"], batch)) {
          files.set(entry.path, entry);
          addEntry(root, entry);
        }
      }
      for (const one of open) markListed(nodeAt(root, one));
    },
    look: async (nodes, deeper) => {
      for (const batch of batchesOf([...nodes.map(pathOf), ...deeper])) {
        for (const entry of await readTree(source, ["-t"], batch)) addEntry(root, entry);
      }
      for (const node of nodes) node.type ??= "missing";
    },
    readTexts: async (links) => {
      const texts = new Map<string, string>();
      const hashes = [...new Set(links.map(({ hash }) => hash))];
      for (const part of chunksOf(hashes, textsPerCall)) await readBlobs(source, part, texts);
      for (const link of links) link.text = texts.get(link.hash) ?? "";
    },
    findLfsPointer: async () => {
      const small = [...files.values()].filter(
        ({ mode, bytes }) => mode.startsWith("100") && bytes > 0 && bytes < lfsPointerBytes,
      );
      for (const part of chunksOf(small, textsPerCall)) {
        const texts = new Map<string, string>();
        await readBlobs(source, [...new Set(part.map(({ hash }) => hash))], texts);
        const found = part.find(({ hash }) => isLfsPointer(Buffer.from(texts.get(hash) ?? "")));
        if (found !== undefined) return found.path;
      }
      return undefined;
    },
  };
}

/** Returns what a folder of a commit contains, without what is below; nothing if there is no such folder. */
export async function readFolder(
  source: CommitSource,
  folder: string,
): Promise<readonly TreeEntry[]> {
  return readTree(source, [], folder === "" ? [] : [`${folder}/`]);
}

/** Returns the child of a folder. The child is missing if the files of the folder are known and do not include it. */
export function childOf(folder: TreeNode, name: string): TreeNode {
  const found = folder.children.get(name);
  if (found !== undefined) return found;
  const node = newNode(folder, name);
  folder.children.set(name, node);
  return node;
}

/** Returns the node at a path. */
export function nodeAt(root: TreeNode, path: string): TreeNode {
  return namesOf(path).reduce(childOf, root);
}

/** Returns the path of a node from the root, which is `.`. */
export function pathOf(node: TreeNode): string {
  const names: string[] = [];
  for (let at = node; at.parent !== undefined; at = at.parent) names.push(at.name);
  return names.toReversed().join("/") || ".";
}

/** Returns the names of a path or of a link's text, without empty names and `.`. */
export function namesOf(text: string): readonly string[] {
  return text.split("/").filter((name) => name !== "" && name !== ".");
}

function newNode(parent: TreeNode | undefined, name: string): TreeNode {
  const isListed = parent?.isListed === true;
  const type = isListed ? "missing" : undefined;
  return { parent, name, children: new Map(), type, isListed, hash: "", bytes: 0, text: undefined };
}

const nodeTypes = new Map<string, TreeNode["type"]>([
  [treeModes.folder, "folder"],
  [treeModes.link, "link"],
  [treeModes.submodule, "submodule"],
]);

function addEntry(root: TreeNode, { path, mode, hash, bytes }: TreeEntry): void {
  const node = nodeAt(root, path);
  node.type = nodeTypes.get(mode) ?? "file";
  node.hash = hash;
  node.bytes = bytes;
  for (let at = node.parent; at !== undefined && at.type !== "folder"; at = at.parent) {
    at.type = "folder";
  }
}

/** Marks a path as listed, with everything below it that is not marked yet. */
function markListed(first: TreeNode): void {
  const open = [first];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.isListed) continue;
    node.isListed = true;
    node.type ??= "missing";
    for (const child of node.children.values()) open.push(child);
  }
}

/** Maximum number of paths in one call, because the system limits the command line. */
const pathsPerCall = 500;
const bytesOfCall = 64 * 1024;

/** Maximum number of texts that one call reads, because its output is limited. */
const textsPerCall = 5000;

/**
 * Divides the paths into batches for one command line each. Leaves out paths that are too long, because no file has such a
 * path.
 */
function batchesOf(paths: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const path of new Set(paths)) {
    const size = Buffer.byteLength(path) + 1;
    if (size > limits.pathBytes + 1) continue;
    if (bytes + size > bytesOfCall || (batches.at(-1)?.length ?? 0) >= pathsPerCall) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(path);
    bytes += size;
  }
  return batches;
}

async function readTree(
  { store, commit, run }: CommitSource,
  options: readonly string[],
  paths: readonly string[],
): Promise<readonly TreeEntry[]> {
  const list = ["ls-tree", "-l", "-z", "--full-tree", ...options, commit, "--", ...paths];
  return parseTreeEntries(await rawGit([`--git-dir=${store}`, ...list], run));
}

async function readBlobs(
  { store, run }: CommitSource,
  hashes: readonly string[],
  texts: Map<string, string>,
): Promise<void> {
  const input = `${hashes.join("\n")}\n`;
  const bytes = await gitBytes([`--git-dir=${store}`, "cat-file", "--batch"], { ...run, input });
  // `<hash> blob <bytes>`, a line end, the content, a line end.
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf("\n", at);
    const [hash = "", , size = "0"] = bytes.toString("latin1", at, end).split(" ");
    texts.set(hash, bytes.toString("utf8", end + 1, end + 1 + Number(size)));
    at = end + 2 + Number(size);
  }
}
