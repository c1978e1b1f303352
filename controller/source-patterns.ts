// Paths that are patterns: which folders of a commit they match.
import { Failure } from "../core/errors.ts";
import { treeModes } from "../core/system/tree-entries.ts";
import type { GitSource, Source } from "./config.ts";
import { type CommitSource, nodeAt, openCommitTree, pathOf, readFolder } from "./commit-tree.ts";

/** Reports an error at a path in a source. */
export type AddError = (below: string, summary: string, remedy: string) => void;

/** Returns a key of the stack and server that a source writes. */
export function writeTarget({
  name,
  stack = name,
  server,
}: {
  readonly name: string;
  readonly stack?: string | undefined;
  readonly server?: { readonly url: string } | undefined;
}): string {
  return JSON.stringify([stack, server && new URL(server.url).origin]);
}

/** Returns whether a source stands for the sources of a pattern. */
export function isPattern({
  git,
}: {
  readonly git?: { readonly path?: string | undefined } | undefined;
}): boolean {
  return git?.path?.includes("*") === true;
}

/** Fails with `usage` for a pattern, which has no stack of its own. */
export function requireStack(source: Pick<Source, "name" | "git">): void {
  if (!isPattern(source)) return;
  throw new Failure("usage", `${source.name} is a pattern, which has no stack of its own`, {
    remedy: "Name one of its sources: `svc controller list` shows them.",
  });
}

/** Returns a text that is equal for sources that differ in their path only. */
export function remoteKey({ path: _, ...remote }: GitSource): string {
  return JSON.stringify(remote);
}

/** Reports the errors of a source whose path is a pattern. */
export function patternErrors(
  { git, stack }: { readonly git?: { readonly path?: string }; readonly stack?: string },
  report: AddError,
): void {
  if (!isPattern({ git })) return;
  if (git?.path?.split("*").length !== 2)
    report("/git/path", "a pattern has one *", "Write one *, for one folder name or a part of it.");
  if (stack === undefined) return;
  const summary = "the Stacks of a pattern are named as what * stands for";
  report("/stack", summary, "Remove stack.");
}

/** Returns the text of the folder's path that the star stands for; undefined if the folder does not match. */
export function matched(pattern: string, folder: string): string | undefined {
  const [before = "", after = ""] = pattern.split("*");
  const end = folder.length - after.length;
  const fits = folder.startsWith(before) && folder.endsWith(after) && end > before.length;
  const name = fits ? folder.slice(before.length, end) : "";
  return name === "" || name.startsWith(".") || name.includes("/") ? undefined : name;
}

/** Returns the folders of a commit that match the path of a pattern. Fails with `not_found` if none does. */
export async function matchingFolders(
  commit: CommitSource,
  pattern: string,
): Promise<readonly string[]> {
  const segments = pattern.split("/");
  const star = segments.findIndex((name) => name.includes("*"));
  const above = segments.slice(0, star).join("/");
  const below = segments.slice(star + 1);
  const within = segments.slice(0, star + 1).join("/");
  const tree = openCommitTree(commit);
  const nodes = (await readFolder(commit, above))
    .filter((entry) => entry.mode === treeModes.folder && matched(within, entry.path) !== undefined)
    .map((entry) => nodeAt(tree.root, [entry.path, ...below].join("/")));
  await tree.look(nodes, []);
  const folders = nodes.filter(({ type }) => type === "folder").map(pathOf);
  if (folders.length > 0) return folders;
  throw new Failure("not_found", `commit ${commit.commit.slice(0, 12)} has no folder ${pattern}`, {
    remedy: "Set git.path to the folders of the Stacks; the sources that it had stay as they are.",
  });
}
