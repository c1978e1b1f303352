// Decides who writes the manifests of a promotion: nobody, the run, or the merge of a pull request.
import { Failure } from "../core/errors.ts";
import { splitPointer } from "../core/pointer.ts";
import { isIgnored } from "../reconciler/sessions.ts";
import type { DesiredObject } from "../reconciler/index.ts";
import { candidateKinds } from "./candidate-kinds.ts";
import type { Stage } from "./pipeline.ts";
import { modeOption } from "./promote-command.ts";
import { type PipelineRecord, type Rollout, stageRecord } from "./record.ts";
import { releasesOf, type StageObject } from "./snapshot.ts";

/** Returns whether merges of pull requests make the changes of a rollout. */
export function isByRequest(
  stage: Pick<Stage, "isByRequest">,
  { mode }: Pick<Rollout, "mode">,
): boolean {
  return mode === "request" || (mode === "write" && stage.isByRequest);
}

/** Returns the mode of the active rollout of a stage, or of its last one. */
function lastMode(stage: string, record: PipelineRecord): Rollout["mode"] | undefined {
  const { rollout } = stageRecord(record, stage);
  return (rollout ?? record.history.find((one) => one.stage === stage))?.mode as Rollout["mode"];
}

/** Returns who would write the manifests of a stage next. */
export function nextMode(
  stage: Pick<Stage, "name" | "isByRequest">,
  record: PipelineRecord,
  objects: readonly StageObject[],
): Rollout["mode"] {
  if (objects.every(({ pinned }) => pinned === undefined)) return "direct";
  return stage.isByRequest || lastMode(stage.name, record) === "request" ? "request" : "write";
}

/**
 * Returns who writes the manifests of a rollout. What continues a promotion by pull request, or rolls it back, is one itself,
 * whoever runs the command.
 */
export function modeOfRollout(
  { version, cause }: Pick<Rollout, "version" | "cause">,
  stage: Stage,
  { record, ofRun }: { readonly record: PipelineRecord; readonly ofRun: Rollout["mode"] },
): Rollout["mode"] {
  if (ofRun !== "write") return ofRun;
  const continues =
    cause === "rollback" || stageRecord(record, stage.name).rollout?.version === version;
  const isRequest = stage.isByRequest || (continues && lastMode(stage.name, record) === "request");
  return isRequest ? "request" : "write";
}

/** Fails with `refused` if a run may not continue a rollout that was started in another mode. */
export function requireSameMode(
  stage: Stage,
  rollout: Pick<Rollout, "mode">,
  ofRun: Rollout["mode"],
): void {
  const isContinued = ofRun === "write" && rollout.mode === "request";
  const isRequested = ofRun === "request" && isByRequest(stage, rollout);
  if (rollout.mode === ofRun || isContinued || isRequested) return;
  const option = modeOption(rollout.mode);
  const message = `the promotion of ${stage.name} was started with ${option}`;
  throw new Failure("refused", message, { remedy: `Continue it with ${option}.` });
}

/** Fails with `refused` if the manifests of a stage do not match the mode of the promotion. */
export function requireMatchingManifests(
  {
    declared,
    objects,
  }: {
    readonly declared: readonly DesiredObject[];
    readonly objects: readonly StageObject[];
  },
  mode: Rollout["mode"],
  now: Date,
): void {
  const kept = declared.find((one) =>
    isIgnored(one, splitPointer(releasesOf(one.kind).versionAt), now),
  );
  if (kept !== undefined) {
    const message = `${kept.address} ignores its version: the document's lifecycle excludes updates of it`;
    throw new Failure("refused", message, {
      remedy: "Allow updates in metadata.lifecycle.manage, or remove the object from the stage.",
    });
  }
  const [first] = declared;
  const { noun, isDirect } =
    candidateKinds[first === undefined ? "versions" : releasesOf(first.kind).candidates];
  if (mode === "direct" && !isDirect) {
    const message = `--direct writes no manifest, and a ${noun} is pinned there`;
    throw new Failure("refused", message, { remedy: "Promote with --write." });
  }
  const pinned = objects.find((one) => one.pinned !== undefined);
  if (mode === "direct" && pinned !== undefined) {
    const message = `${pinned.address} pins its version in the manifest, so the next apply would revert a direct promotion`;
    throw new Failure("refused", message, {
      remedy: "Promote with --write, or remove the version from the document.",
    });
  }
  const free = objects.find((one) => one.pinned === undefined);
  if (mode !== "direct" && free !== undefined) {
    const message = `${free.address} pins no ${noun} in its document, so there is no ${noun} to write`;
    const remedy = isDirect
      ? "Promote with --direct, or pin the running version in the document."
      : `Pin the ${noun} that it runs: ${free.version ?? "none yet"}`;
    throw new Failure("refused", message, { remedy });
  }
}
