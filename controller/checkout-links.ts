// Restores the symbolic links of a checkout. They are resolved in the commit, so that the file system follows none out of it.
import { lstat, mkdir, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { submoduleError } from "../core/system/unfollowed-files.ts";
import { childOf, type CommitTree, namesOf, nodeAt, pathOf, type TreeNode } from "./commit-tree.ts";

/** The target of a link. */
export interface LinkTarget {
  /** A path in the commit without links; of a broken link, one that the commit does not have. */
  readonly path: string;
  /** Whether the files at and below the path are listed. */
  readonly isListed: boolean;
}

/** A link that is followed while the entries of the commit become known. */
interface LinkWalk {
  readonly link: string;
  /** The path that was reached so far, without links. */
  node: TreeNode;
  /** The names that follow, the next one last. */
  readonly rest: string[];
  followed: number;
}

/**
 * Returns where each link leads. Fails with `refused` for a link that leaves the repository, one with a text that is too long,
 * and for links in a cycle; with `too_large` if that takes too many steps.
 */
export async function resolveLinks(
  tree: CommitTree,
  links: readonly string[],
): Promise<ReadonlyMap<string, LinkTarget>> {
  const targets = new Map<string, LinkTarget>();
  const remaining = { names: limits.linkNames };
  let walks = links.map((link): LinkWalk => {
    const node = nodeAt(tree.root, link);
    return { link, node: node.parent ?? node, rest: [node.name], followed: 0 };
  });
  for (let round = 0; walks.length > 0; round++) {
    if (round >= limits.linkRounds) throw tooManyError();
    const open: LinkWalk[] = [];
    for (const walk of walks) {
      const target = advance(walk, remaining);
      if (target === undefined) open.push(walk);
      else targets.set(walk.link, target);
    }
    await readNext(tree, open);
    walks = open;
  }
  return targets;
}

/**
 * Creates the links in a folder that has the files of the commit. Fails with `refused` where the file system has a link in place
 * of a folder, because it ignores the case of names: the new link would be elsewhere.
 */
export async function createLinks(
  tree: string,
  targets: ReadonlyMap<string, LinkTarget>,
): Promise<void> {
  const folders = new Set<string>();
  for (const [link, { path: target }] of targets) {
    const folder = path.dirname(link);
    try {
      if (!folders.has(folder)) await makeFolder(tree, folder);
      folders.add(folder);
      const file = path.join(tree, link);
      await rm(file, { force: true });
      await symlink(path.relative(folder, target) || ".", file);
    } catch (error) {
      const { code } = error as { readonly code?: string };
      throw new Failure("refused", `${link} cannot be created as a symbolic link: ${code}`, {
        remedy: "Replace it by a file, and give it a name that differs not only in its case.",
      });
    }
  }
}

/** Creates a folder of the checkout, of which no part may be a link. */
async function makeFolder(tree: string, folder: string): Promise<void> {
  let place = tree;
  for (const name of namesOf(folder)) {
    place = path.join(place, name);
    const found = await lstat(place).catch(() => undefined);
    if (found === undefined) await mkdir(place);
    else if (!found.isDirectory()) throw Object.assign(new Error(place), { code: "ENOTDIR" });
  }
}

/** Follows a link as far as the entries are known. Returns its target at the end. */
function advance(walk: LinkWalk, remaining: { names: number }): LinkTarget | undefined {
  for (let name = walk.rest.at(-1); name !== undefined; name = walk.rest.at(-1)) {
    if (remaining.names-- <= 0) throw tooManyError();
    if (name === "..") {
      if (walk.node.parent === undefined) throw leavesError(walk.link);
      walk.node = walk.node.parent;
      walk.rest.pop();
      continue;
    }
    const child = childOf(walk.node, name);
    if (isUnread(child)) return undefined;
    walk.rest.pop();
    if (child.type === "link") {
      follow(walk, child);
      continue;
    }
    if (child.type === "submodule") throw submoduleError(pathOf(child), "refused");
    walk.node = child;
    if (child.type === "missing") break;
    // Nothing is below a file, so the link stays broken.
    if (child.type === "file" && walk.rest.length > 0) {
      return { path: `${pathOf(child)}/-`, isListed: child.isListed };
    }
  }
  return { path: pathOf(walk.node), isListed: walk.node.isListed };
}

function isUnread({ type, text }: TreeNode): boolean {
  return type === undefined || (type === "link" && text === undefined);
}

function follow(walk: LinkWalk, { text = "" }: TreeNode): void {
  walk.followed++;
  if (walk.followed > limits.linksFollowed) {
    throw new Failure("refused", `${walk.link} is part of a cycle of symbolic links`, {
      remedy: "Replace it by a file.",
    });
  }
  if (text.startsWith("/")) throw leavesError(walk.link);
  for (const name of namesOf(text).toReversed()) walk.rest.push(name);
}

/** Reads the next input of each link: an entry of the commit or the text of a link. */
async function readNext(tree: CommitTree, walks: readonly LinkWalk[]): Promise<void> {
  const unknown = new Set<TreeNode>();
  const deeper = new Set<string>();
  for (const walk of walks) {
    const child = childOf(walk.node, walk.rest.at(-1) ?? "");
    if (child.type !== undefined) continue;
    const next = pathOf(child);
    if (Buffer.byteLength(next) > limits.pathBytes) throw longPathError(walk.link);
    unknown.add(child);
    deeper.add(deepestPath(next, walk.rest));
  }
  await tree.look([...unknown], [...deeper]);
  const links = new Set<TreeNode>();
  for (const { node, rest } of walks) {
    const child = childOf(node, rest.at(-1) ?? "");
    if (child.type !== "link" || child.text !== undefined) continue;
    if (child.bytes > limits.pathBytes) throw longTextError(child);
    links.add(child);
  }
  await tree.readTexts([...links]);
}

/** Returns the path with the names that follow its last one, as far as they only lead down. */
function deepestPath(next: string, rest: readonly string[]): string {
  const names = [next];
  let bytes = Buffer.byteLength(next);
  for (let at = rest.length - 2; at >= 0; at--) {
    const name = rest[at] ?? "";
    bytes += Buffer.byteLength(name) + 1;
    if (name === ".." || bytes > limits.pathBytes) break;
    names.push(name);
  }
  return names.join("/");
}

function leavesError(link: string): Failure {
  return new Failure("refused", `${link} is a symbolic link out of the repository`, {
    remedy: "Replace it by a file, or remove it.",
  });
}

function longTextError(link: TreeNode): Failure {
  return new Failure(
    "refused",
    `${pathOf(link)} is a symbolic link with a text of ${link.bytes} bytes; the limit is ${limits.pathBytes}`,
    { remedy: "Replace it by a file, or remove it." },
  );
}

function longPathError(link: string): Failure {
  return new Failure(
    "refused",
    `${link} is a symbolic link to a path of more than ${limits.pathBytes} bytes`,
    { remedy: "Replace it by a file, or remove it." },
  );
}

function tooManyError(): Failure {
  return new Failure(
    "too_large",
    `the symbolic links lead through more than ${limits.linkNames} names, or one through more than ${limits.linkRounds} unknown folders`,
    { remedy: "Replace links by files." },
  );
}
