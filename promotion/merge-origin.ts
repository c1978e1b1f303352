// Finds who merged the versions that manifests pin: the commits that wrote those lines.
import { readFileSync } from "node:fs";
import path from "node:path";
import { invariant } from "../core/errors.ts";
import type { Session } from "../reconciler/sessions.ts";
import { mayApprove } from "./approvers.ts";
import { skippedStages } from "./admission.ts";
import { isMergeCommit, lineOrigin, repositoryAt, trailerOf } from "./git.ts";
import { fileOf, uncommittedError, versionPath } from "./manifest-write.ts";
import { candidateOf } from "./candidate.ts";
import type { StartStep } from "./decide.ts";
import type { DecisionInput } from "./decision-input.ts";
import { mergedVersion } from "./merged-version.ts";
import type { Stage } from "./pipeline.ts";
import { stageRecord, type Who } from "./record.ts";
import type { RecordUpdate } from "./record-store.ts";
import { type Actor, type Merge, recordMerge } from "./record-transitions.ts";
import { orderIn } from "./snapshot.ts";
import { lineOfVersion } from "./version-edit.ts";

/** Who merged where nothing says so. */
const unknown: Who = { by: "unknown" };

/** Returns the change of the record that takes over a merged version: who asked for it, and the merge as its approval. */
export async function mergeUpdate(
  step: StartStep,
  how: {
    readonly session: Session;
    readonly input: DecisionInput;
    readonly stage: Stage;
    readonly actor: Actor;
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
  },
): Promise<RecordUpdate> {
  const { session, input, stage, actor } = how;
  const snapshot = input.snapshot.get(stage.name);
  const merged = snapshot && mergedVersion(snapshot, stageRecord(input.record, stage.name));
  invariant(snapshot !== undefined && merged !== undefined, "the decision found what was merged");
  const { from } = merged;
  // The history of a shallow clone may not contain it.
  const lacking = { ...unknown, at: actor.at, requester: unknown, commits: [], isApproval: false };
  const found = await findMerge(session, { ...how, addresses: new Set(from.keys()) });
  const merge = found ?? lacking;
  const { version: candidate } = candidateOf(stage, input);
  const isOlder = candidate !== undefined && orderIn(snapshot)(step.version, candidate) < 0;
  const instead = isOlder ? candidate : undefined;
  const id = crypto.randomUUID();
  const skipped = skippedStages(stage, step.version, input);
  return (now) => recordMerge(now, step, { id, snapshot, from, actor, merge, instead, skipped });
}

/**
 * Returns the last merge that changed the pins of some objects. Undefined if the clone does not contain it. Fails with `refused` if a
 * pin is not committed. Only a merge commit names who merged: the author of a squashed or rebased commit is who asked for it.
 */
export async function findMerge(
  session: Session,
  about: {
    readonly addresses: ReadonlySet<string>;
    readonly stage: Stage;
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
  },
): Promise<Merge | undefined> {
  const { addresses, stage, cwd, env } = about;
  const repository = await repositoryAt(session.desired.stack.folder, env);
  const merges: (Omit<Merge, "commits" | "isApproval"> & { readonly commit: string })[] = [];
  for (const declared of session.desired.objects) {
    if (!addresses.has(declared.address)) continue;
    const file = fileOf(declared.place.file, cwd);
    const pinned = { place: declared.place, path: versionPath(declared) };
    const line = lineOfVersion(readFileSync(file, "utf8"), pinned);
    if (line === undefined) continue;
    const pin = { path: path.relative(repository.root, file), line };
    const merge = await lineOrigin(repository, pin, { merged: true, env });
    const written = await lineOrigin(repository, pin, { merged: false, env });
    if (merge === "uncommitted" || written === "uncommitted") throw uncommittedError(pin.path);
    if (merge === undefined || written === undefined) continue;
    const { commit, author, at } = merge;
    const trailer = (key: string) => trailerOf(repository, { commit: written.commit, key }, env);
    const isNamed = await isMergeCommit(repository, commit, env);
    const who: Who = isNamed ? { by: author, vouchedBy: "git" } : unknown;
    const requester = { by: (await trailer("Requested-by")) ?? written.author };
    merges.push({ commit, ...who, at, requester, reason: await trailer("Skip-reason") });
  }
  const ordered = merges.toSorted((left, right) => Date.parse(left.at) - Date.parse(right.at));
  const last = ordered.at(-1);
  if (last === undefined) return undefined;
  const { commit: _, ...merge } = last;
  const isApproval = merge.vouchedBy !== undefined && mayApprove(stage, merge);
  return { ...merge, isApproval, commits: [...new Set(ordered.map(({ commit }) => commit))] };
}
