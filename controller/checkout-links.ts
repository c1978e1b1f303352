// Restores the symbolic links of a checkout. They are resolved in the commit, so that the file system follows none out of it.
import { mkdir, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import { gitBytes, type GitRun, rawGit } from "../git/command.ts";

/** Where the commit is. */
export interface LinkSource {
  /** Absolute path of the bare repository. */
  readonly store: string;
  readonly commit: string;
  readonly run: GitRun;
}

/** What a commit has at a path; `text` is the target of a link. */
type CommitEntry = { readonly type: "folder" | "file" } | { readonly type: "link"; text: string };

/** The links of a commit, which are resolved while its entries become known. */
interface LinkWalk {
  readonly link: string;
  /** The path so far, without links. */
  readonly done: string[];
  /** The names that follow. */
  rest: string[];
  followed: number;
}

/**
 * Returns the path in the commit that each link leads to, without links; of a broken link, a path that the commit does not have.
 * Fails with `refused` for a link that leaves the repository, and for links in a circle.
 */
export async function resolveLinks(
  source: LinkSource,
  links: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const entries = new Map<string, CommitEntry | undefined>();
  await readEntries(source, links, entries);
  const targets = new Map<string, string>();
  let walks = links.map((link): LinkWalk => {
    const parts = namesOf(link);
    return { link, done: parts.slice(0, -1), rest: parts.slice(-1), followed: 0 };
  });
  while (walks.length > 0) {
    const open: LinkWalk[] = [];
    for (const walk of walks) {
      const target = advance(walk, entries);
      if (target === undefined) open.push(walk);
      else targets.set(walk.link, target);
    }
    await readEntries(source, open.flatMap(nextPaths), entries);
    walks = open;
  }
  return targets;
}

/** Creates the links in a folder that has the files of the commit. */
export async function createLinks(
  tree: string,
  targets: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [link, target] of targets) {
    const file = path.join(tree, link);
    await rm(file, { force: true });
    await mkdir(path.dirname(file), { recursive: true });
    await symlink(path.relative(path.dirname(link), target) || ".", file);
  }
}

/** Follows a link as far as the entries are known. Returns its target at the end. */
function advance(
  walk: LinkWalk,
  entries: ReadonlyMap<string, CommitEntry | undefined>,
): string | undefined {
  for (let name = walk.rest[0]; name !== undefined; name = walk.rest[0]) {
    if (name === "..") {
      if (walk.done.pop() === undefined) throw leavesError(walk.link);
      walk.rest.shift();
      continue;
    }
    const at = [...walk.done, name].join("/");
    if (!entries.has(at)) return undefined;
    const entry = entries.get(at);
    walk.rest.shift();
    if (entry?.type === "link") follow(walk, entry.text);
    else walk.done.push(name);
    if (entry === undefined) return at;
    // Nothing is below a file, so that the link stays broken.
    if (entry.type === "file" && walk.rest.length > 0) return `${at}/-`;
  }
  return walk.done.join("/") || ".";
}

function follow(walk: LinkWalk, text: string): void {
  walk.followed++;
  if (walk.followed > limits.linksFollowed) {
    throw new Failure("refused", `${walk.link} is a symbolic link in a circle`, {
      remedy: "replace it by a file",
    });
  }
  if (text.startsWith("/")) throw leavesError(walk.link);
  walk.rest.unshift(...namesOf(text));
}

function leavesError(link: string): Failure {
  return new Failure("refused", `${link} is a symbolic link out of the repository`, {
    remedy: "replace it by a file, or remove it",
  });
}

function namesOf(text: string): string[] {
  return text.split("/").filter((name) => name !== "" && name !== ".");
}

/** Returns the next paths of a walk that may have to be known. */
function nextPaths({ done, rest }: LinkWalk): readonly string[] {
  const end = rest.indexOf("..");
  const names = end < 0 ? rest : rest.slice(0, end);
  return names.map((_, index) => [...done, ...names.slice(0, index + 1)].join("/"));
}

/** Reads the entries of a commit at these paths, with the targets of links. */
async function readEntries(
  { store, commit, run }: LinkSource,
  paths: readonly string[],
  entries: Map<string, CommitEntry | undefined>,
): Promise<void> {
  const all = [...new Set(paths)].filter((one) => !entries.has(one));
  const unknown = all.slice(0, pathsOfCall);
  if (unknown.length === 0) return;
  const list = ["ls-tree", "-t", "-z", "--full-tree", commit, "--", ...unknown];
  const lines = (await rawGit([`--git-dir=${store}`, ...list], run)).split("\0");
  const found = new Map(
    lines.flatMap((line) => {
      const [head = "", file] = line.split("\t");
      const [mode = "", , hash = ""] = head.split(" ");
      return file === undefined ? [] : [[file, { mode, hash }] as const];
    }),
  );
  const links = [...found.values()].filter(({ mode }) => mode === linkMode);
  const texts = await readTexts(
    { store, commit, run },
    links.map(({ hash }) => hash),
  );
  for (const one of unknown) {
    const { mode, hash = "" } = found.get(one) ?? {};
    if (mode === undefined) entries.set(one, undefined);
    else if (mode === linkMode) entries.set(one, { type: "link", text: texts.get(hash) ?? "" });
    else entries.set(one, { type: mode === "040000" || mode === "160000" ? "folder" : "file" });
  }
  return readEntries({ store, commit, run }, all.slice(pathsOfCall), entries);
}

/** Paths of one call, whose command line is limited. */
const pathsOfCall = 500;

/** The mode of a symbolic link in a tree. */
export const linkMode = "120000";

/** Returns the contents of objects by their hashes. */
async function readTexts(
  { store, run }: LinkSource,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (hashes.length === 0) return new Map();
  const input = `${[...new Set(hashes)].join("\n")}\n`;
  const bytes = await gitBytes([`--git-dir=${store}`, "cat-file", "--batch"], { ...run, input });
  const texts = new Map<string, string>();
  // `<hash> blob <bytes>`, a line end, the content, a line end.
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf("\n", at);
    const [hash = "", , size = "0"] = bytes.toString("latin1", at, end).split(" ");
    texts.set(hash, bytes.toString("utf8", end + 1, end + 1 + Number(size)));
    at = end + 2 + Number(size);
  }
  return texts;
}
