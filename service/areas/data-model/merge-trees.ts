// Three-way merges of trees: whole files first, then the lines of files that both sides changed.
import { Failure, isFailure } from "../../../core/errors.ts";
import type { Db } from "../../store/schema.ts";
import { type RemainingSteps, remainingSteps, mergeLines } from "./merge-lines.ts";
import { readContents, readTree, storeContent, type TreeFile, type TreeFiles } from "./trees.ts";

/** Trees of a merge: the last common one, the one that receives, and the one whose changes are taken. */
export interface MergeInput {
  readonly base: number;
  readonly ours: number;
  readonly theirs: number;
}

/** The side whose version of a file with a conflict a merge takes. */
export type ConflictSide = "ours" | "theirs";

/** Options of a merge. */
export interface MergeOptions {
  readonly now: Date;
  /** Undefined to refuse conflicts. */
  readonly resolve: ConflictSide | undefined;
}

/** Maximum number of files in a conflict's message; its details list all. */
const filesShown = 5;

/** Returns the merged files. Throws `conflict` with `merge_conflict` and the files that both sides changed. */
export async function mergeTrees(
  tx: Db,
  { base, ours, theirs }: MergeInput,
  { now, resolve }: MergeOptions,
): Promise<TreeFiles> {
  if (base === ours) return readTree(tx, theirs);
  if (base === theirs) return readTree(tx, ours);
  const [from, own, other] = [
    await readTree(tx, base),
    await readTree(tx, ours),
    await readTree(tx, theirs),
  ];
  const merged = new Map<string, TreeFile>();
  const conflicts: string[] = [];
  const remaining = remainingSteps();
  for (const path of new Set([...own.keys(), ...other.keys()])) {
    const versions = [from.get(path), own.get(path), other.get(path)] as const;
    const [old, mine, incoming] = versions;
    if (isSame(mine, incoming) || isSame(old, incoming)) {
      if (mine) merged.set(path, mine);
    } else if (isSame(old, mine)) {
      if (incoming) merged.set(path, incoming);
    } else {
      const lines = await mergeFile(tx, path, { versions, remaining, now });
      const kept = resolve === "ours" ? mine : resolve === "theirs" ? incoming : undefined;
      const file = lines ?? kept;
      if (file) merged.set(path, file);
      else if (resolve === undefined) conflicts.push(path);
    }
  }
  if (conflicts.length > 0) throw conflictFailure(conflicts);
  return merged;
}

function conflictFailure(conflicts: readonly string[]): Failure {
  return mergeConflict(
    conflicts,
    (files) =>
      `both branches changed the same lines of ${files}; pull the parent into your branch with resolveMergeConflict: "ours" keeps the files of your branch, and "theirs" takes those of the parent`,
  );
}

/** Returns the failure for files in which both sides of a merge changed the same lines. */
export function mergeConflict(
  conflicts: readonly string[],
  messageFor: (files: string) => string,
): Failure {
  const files = conflicts.toSorted();
  const shown = files.slice(0, filesShown).join(", ");
  const rest = files.length > filesShown ? ` and ${files.length - filesShown} more` : "";
  return new Failure("merge_conflict", messageFor(`${shown}${rest}`), { details: { files } });
}

/** Returns a `merge_conflict` that names the Git remote as the other side; any other error unchanged. */
export function remoteMergeConflict(error: unknown, happened: (files: string) => string): unknown {
  if (!isFailure(error, "merge_conflict")) return error;
  const { files } = error.details ?? {};
  const paths = Array.isArray(files) ? files.filter((one) => typeof one === "string") : [];
  return mergeConflict(
    paths,
    (shown) =>
      `${happened(shown)}; pull the branch with resolveMergeConflict: "ours" keeps the files here, and "theirs" takes those of the remote`,
  );
}

function isSame(one: TreeFile | undefined, other: TreeFile | undefined): boolean {
  return one?.contentId === other?.contentId;
}

/**
 * Returns the merged file; undefined if both changed the same lines, or if one side deleted a file that the other
 * changed.
 */
async function mergeFile(
  tx: Db,
  path: string,
  {
    versions,
    remaining,
    now,
  }: { versions: readonly (TreeFile | undefined)[]; remaining: RemainingSteps; now: Date },
): Promise<TreeFile | undefined> {
  const present = versions.filter((file) => file !== undefined);
  if (present.length < versions.length) return undefined;
  const files = await readContents(
    tx,
    present.map((file) => [path, file] as const),
  );
  if (files.some(({ encoding }) => encoding !== "utf8")) return undefined;
  const [base = "", ours = "", theirs = ""] = files.map(({ content }) => content);
  const merged = mergeLines({ base, ours, theirs }, remaining);
  return merged === undefined ? undefined : storeContent(tx, Buffer.from(merged), now);
}
