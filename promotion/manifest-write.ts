// Writes versions into manifests, as one commit of their repository.
import { chmodSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { Failure, invariant } from "../core/errors.ts";
import { memberAt, splitPointer } from "../core/pointer.ts";
import { writeAtomically } from "../files/atomic-files.ts";
import type { Session } from "../reconciler/sessions.ts";
import { type VersionEdit, applyVersionEdits } from "./version-edit.ts";
import {
  readCommitted,
  advanceBranch,
  resetIndex,
  prepareCommit,
  push,
  type Repository,
  repositoryAt,
  unpushedPromotions,
} from "./git.ts";
import type { Rollout } from "./record.ts";
import { releasesOf } from "./snapshot.ts";
import type { DesiredObject } from "../reconciler/index.ts";

/** How to write manifests. */
export interface ManifestWriteOptions {
  /** Push the commit to the branch's upstream. */
  readonly push: boolean;
  /** Write nothing and return only the diff. */
  readonly dryRun: boolean;
  /** For a pull request, whose merge approves the promotion: the approval holds for this run only and is not recorded. */
  readonly forPullRequest?: boolean;
}

/** One write: the objects, the version, and the text of the commit. */
export interface ManifestWrite extends ManifestWriteOptions {
  readonly addresses: readonly string[];
  readonly version: string;
  readonly stage: string;
  readonly pipeline: string;
  readonly by: string;
  /** Begins the message of the commit. */
  readonly verb: string;
  /** Id of the rollout, named in the commit. */
  readonly id: string;
  /** The stages that it skips, and why. */
  readonly skips: Pick<Rollout, "skipped" | "reason">;
  /** The folder to which places are relative. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The result of a write. */
export interface ManifestWriteResult {
  readonly diff: string;
  readonly commit: string | undefined;
}

/** A manifest and its new text. */
interface ManifestChange {
  /** Absolute. */
  readonly file: string;
  /** Path from the repository's root, with slashes. */
  readonly path: string;
  readonly current: string;
  readonly next: string;
}

/**
 * Commits the manifests with the new version, then writes the files. Returns the diff and the commit. The commit is atomic: a run
 * that is killed has committed all or nothing, and the next run writes the files that are missing. Fails with
 * `refused` before any write if a manifest has uncommitted changes.
 */
export async function writeVersions(
  session: Session,
  writing: ManifestWrite,
): Promise<ManifestWriteResult> {
  const { env, cwd } = writing;
  const wanted = new Set(writing.addresses);
  const objects = session.desired.objects.filter(({ address }) => wanted.has(address));
  const byFile = Map.groupBy(objects, ({ place }) => fileOf(place.file, cwd));
  const [first] = byFile.keys();
  invariant(first !== undefined, "a write has at least one object");
  const repository = await repositoryAt(path.dirname(first), env);
  const changes = [...byFile].map(([file, inFile]) =>
    changeOf(file, inFile, { writing, repository }),
  );
  const open: ManifestChange[] = [];
  for (const change of changes) {
    const known = await readCommitted(repository, change.path, env);
    // Committed by a run that was killed before it wrote the file.
    if (known === change.next) continue;
    if (known !== change.current) throw uncommittedError(change.path);
    open.push(change);
  }
  const files = open.map(({ path: at, next }) => ({ path: at, text: next }));
  const prepared = await prepareCommit(repository, files, {
    message: commitMessage(writing, objects),
    env,
  });
  if (writing.dryRun) return { diff: prepared.diff, commit: undefined };
  if (open.length > 0) await advanceBranch(repository, prepared, env);
  const paths = changes.map((change) => change.path);
  await resetIndex(repository, paths, env);
  // Write the files last, so that the next run finds and writes the missing ones.
  for (const { file, next } of changes) {
    const { mode } = statSync(file);
    writeAtomically(file, [next], { beforeRename: (fresh) => chmodSync(fresh, mode) });
  }
  return { diff: prepared.diff, commit: open.length > 0 ? prepared.commit : undefined };
}

/** Fails with `refused` if no commit is possible, before any change. */
export async function requireBranch(session: Session, env: ManifestWrite["env"]): Promise<void> {
  await repositoryAt(session.desired.stack.folder, env);
}

/** Pushes promotions that are committed but not pushed. Returns whether there were any. */
export async function pushPending(session: Session, env: ManifestWrite["env"]): Promise<boolean> {
  const repository = await repositoryAt(session.desired.stack.folder, env);
  if ((await unpushedPromotions(repository, env)).length === 0) return false;
  await push(repository, env);
  return true;
}

/** Returns the path of a version in a document. */
export function versionPath({ kind }: Pick<DesiredObject, "kind">): readonly string[] {
  return ["spec", ...splitPointer(releasesOf(kind).versionAt)];
}

/** Returns the real path of a manifest. Fails with `refused` for standard input. */
export function fileOf(name: string, cwd: string): string {
  if (name !== "<stdin>") return realpathSync(path.resolve(cwd, name));
  throw new Failure("refused", "manifests read from standard input cannot be changed", {
    remedy: "Pass the files or their folder.",
  });
}

function changeOf(
  file: string,
  objects: readonly DesiredObject[],
  { writing, repository }: { writing: ManifestWrite; repository: Repository },
): ManifestChange {
  const at = path.relative(repository.root, file).split(path.sep).join("/");
  if (at.startsWith("../")) {
    throw new Failure("refused", `${file} is in another repository than the other manifests`, {
      remedy: "Keep the manifests of a stage in one repository.",
    });
  }
  const now = readFileSync(file, "utf8");
  const next = applyVersionEdits(
    now,
    objects.map((declared) => editOf(declared, writing.version)),
  );
  return { file, path: at, current: now, next };
}

function editOf({ address, place, kind, spec }: DesiredObject, to: string): VersionEdit {
  const from = memberAt(spec, releasesOf(kind).versionAt);
  invariant(typeof from === "string", "only pinned versions are written");
  return { address, place, path: versionPath({ kind }), from, to };
}

/** Returns the failure for a manifest with uncommitted changes. */
export function uncommittedError(file: string): Failure {
  return new Failure("refused", `${file} has uncommitted changes`, {
    remedy: "Commit or discard the changes.",
  });
}

function commitMessage(
  { verb, stage, version, pipeline, by, id, skips }: ManifestWrite,
  objects: readonly DesiredObject[],
): string {
  const names = objects.map(({ address }) => `- ${address}`).join("\n");
  const { skipped = [], reason = "" } = skips;
  const warning =
    skipped.length === 0 ? "" : `Not verified in ${skipped.join(", ")}: ${reason}\n\n`;
  const trailers = {
    Pipeline: pipeline,
    "Requested-by": by,
    Promotion: id,
    ...(skipped.length > 0 && { "Skip-reason": reason }),
  };
  const lines = Object.entries(trailers).map(
    ([key, text]) => `${key}: ${text.replace(/\s+/gu, " ")}\n`,
  );
  return `${verb} ${stage} to ${version}\n\n${warning}${names}\n\n${lines.join("")}`;
}
