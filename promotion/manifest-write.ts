// Moves objects to a version by writing it into their manifests, as one commit of the repository that they are in.
import { chmodSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { Failure, invariant } from "../core/errors.ts";
import { isObject } from "../core/json.ts";
import { writeAtomically } from "../reconciler/operator/atomic-write.ts";
import type { DesiredObject } from "../reconciler/model/index.ts";
import type { Session } from "../reconciler/verbs/session.ts";
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
import { releasesOf } from "./snapshot.ts";

/** How manifests are written. */
export interface ManifestWriteOptions {
  /** Push what was committed to the branch's upstream. */
  readonly push: boolean;
  /** Write nothing: only the diff is wanted. */
  readonly dryRun: boolean;
  /** It is for a pull request, whose merge approves it: approved for this run alone, and nothing of it is recorded. */
  readonly forPullRequest?: boolean;
}

/** What is to be written, and why. */
export interface ManifestWrite extends ManifestWriteOptions {
  readonly addresses: readonly string[];
  readonly version: string;
  readonly stage: string;
  readonly pipeline: string;
  readonly by: string;
  /** Of the rollout; the commit names it. */
  readonly id: string;
  /** The current folder, which the files of places are seen from. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What was committed, or would be. */
export interface ManifestWriteResult {
  readonly diff: string;
  readonly commit: string | undefined;
}

/** A manifest as it is, and as it is to be. */
interface ManifestChange {
  /** Absolute. */
  readonly file: string;
  /** From the repository's root, with slashes. */
  readonly path: string;
  readonly current: string;
  readonly next: string;
}

/**
 * Commits the manifests with the version in them, then writes them; answers the diff, and the commit where one was made. The commit is one step, so that a run
 * that ends here has committed all or nothing; files that it did not come to write are written by the next one. Fails with
 * `refused`, and nothing written, where a manifest has changes that are not committed.
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
  invariant(first !== undefined, "something is to be written");
  const repository = await repositoryAt(path.dirname(first), env);
  const changes = [...byFile].map(([file, inFile]) =>
    changeOf(file, inFile, { writing, repository }),
  );
  const open: ManifestChange[] = [];
  for (const change of changes) {
    const known = await readCommitted(repository, change.path, env);
    // Committed by a run that ended before it wrote the file.
    if (known === change.next) continue;
    if (known !== change.current) throw uncommittedError(change.path);
    open.push(change);
  }
  const files = open.map(({ path: at, next }) => ({ path: at, text: next }));
  const made = await prepareCommit(repository, files, {
    message: commitMessage(writing, objects),
    env,
  });
  if (writing.dryRun) return { diff: made.diff, commit: undefined };
  if (open.length > 0) await advanceBranch(repository, made, env);
  const paths = changes.map((change) => change.path);
  await resetIndex(repository, paths, env);
  // Last of all: what is not written yet is what the next run finds to be done.
  for (const { file, next } of changes) {
    const { mode } = statSync(file);
    writeAtomically(file, [next], () => undefined);
    chmodSync(file, mode);
  }
  return { diff: made.diff, commit: open.length > 0 ? made.commit : undefined };
}

/** Fails with `refused` where nothing could be committed, before anything is done or recorded. */
export async function requireBranch(session: Session, env: ManifestWrite["env"]): Promise<void> {
  await repositoryAt(session.desired.stack.folder, env);
}

/** Pushes promotions that were committed and not pushed; answers whether there were any. */
export async function pushPending(session: Session, env: ManifestWrite["env"]): Promise<boolean> {
  const repository = await repositoryAt(session.desired.stack.folder, env);
  if ((await unpushedPromotions(repository, env)).length === 0) return false;
  await push(repository, env);
  return true;
}

function fileOf(name: string, cwd: string): string {
  if (name !== "<stdin>") return realpathSync(path.resolve(cwd, name));
  throw new Failure("refused", "manifests from standard input cannot be written", {
    remedy: "name the files or their folder",
  });
}

function changeOf(
  file: string,
  objects: readonly DesiredObject[],
  { writing, repository }: { writing: ManifestWrite; repository: Repository },
): ManifestChange {
  const at = path.relative(repository.root, file).split(path.sep).join("/");
  if (at.startsWith("../")) {
    throw new Failure("refused", `${file} is not in the repository of the other manifests`, {
      remedy: "keep the documents of a stage in one repository",
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
  const { field } = releasesOf(kind);
  const release = spec[field];
  const from = isObject(release) ? release["version"] : undefined;
  invariant(typeof from === "string", "only what pins a version is written");
  return { address, place, path: ["spec", field, "version"], from, to };
}

function uncommittedError(file: string): Failure {
  return new Failure(
    "refused",
    `${file} has changes that are not committed, so it is not written`,
    {
      remedy: "commit or take back what was changed there",
    },
  );
}

function commitMessage(
  { stage, version, pipeline, by, id }: ManifestWrite,
  objects: readonly DesiredObject[],
): string {
  const names = objects.map(({ address }) => `- ${address}`).join("\n");
  return `Promote ${stage} to ${version}\n\n${names}\n\nPipeline: ${pipeline}\nAsked-by: ${by.replace(/\s+/gu, " ")}\nPromotion: ${id}\n`;
}
