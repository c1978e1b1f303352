// Formats commands of `svc promote` for messages.
import { whoText } from "../core/text/who-text.ts";
import { stackCommand } from "../reconciler/sessions.ts";
import type { BlockedReason } from "./blocked-reasons.ts";
import { approversText } from "./approvers.ts";
import type { Pipeline, Stage } from "./pipeline.ts";
import type { Rollout, StageRecord, Who } from "./record.ts";

/** Returns a command on a pipeline, with the stack after it and the options last: `svc promote run platform release --direct`. */
export function promoteCommand(
  pipeline: Pick<Pipeline, "name" | "displayPath">,
  verb: "run" | "approve" | "release",
  ...options: readonly string[]
): string {
  const { name, displayPath } = pipeline;
  return [stackCommand({ displayPath: displayPath ?? "" }, "promote", verb, name), ...options].join(
    " ",
  );
}

/** Returns the option of `svc promote` that continues a promotion of this mode, and records it. */
export function modeOption(mode: Rollout["mode"]): string {
  return mode === "direct" ? "--direct" : "--write";
}

/** Returns the command that brings a version to a stage. A pull request is written on a branch. */
export function promoteToCommand(
  pipeline: Pick<Pipeline, "name" | "displayPath">,
  { stage, version }: { readonly stage: string; readonly version?: string },
  mode: Rollout["mode"],
): string {
  const named = version === undefined ? [] : ["--version", version];
  const request = mode === "request" ? ["--request"] : [];
  return promoteCommand(pipeline, "run", "--to", stage, ...named, modeOption(mode), ...request);
}

/** Returns the reason for a change that is made by the merge of a pull request, with the command that writes it. */
export function unrequestedReason(
  pipeline: Pick<Pipeline, "name" | "displayPath">,
  change: {
    readonly action: "move" | "revert" | "rollback";
    readonly stage: string;
    readonly version: string;
  },
): BlockedReason {
  const { action, stage, version } = change;
  const messages = {
    move: `${stage} continues with ${version} by a pull request`,
    revert: `a pull request takes back the pins of ${version} in ${stage}, which are not applied`,
    rollback: `${stage} is rolled back to ${version} by a pull request`,
  };
  const command = promoteToCommand(pipeline, { stage }, "request");
  return {
    code: "needs-request",
    message: messages[action],
    remedy: `Write it on a branch: ${command}`,
  };
}

/**
 * Returns the reason for a version without an approval, with the command that approves it, and why its `merge` was none where a stage
 * names its approvers.
 */
export function unapprovedReason(
  pipeline: Pick<Pipeline, "name" | "displayPath">,
  {
    stage,
    version,
    merge,
  }: { readonly stage: Stage; readonly version: string; readonly merge: Who | undefined },
): BlockedReason & { readonly remedy: string } {
  const { name } = stage;
  const command = promoteCommand(pipeline, "approve", "--stage", name, "--version", version);
  const isUnnamed = merge !== undefined && merge.vouchedBy === undefined;
  const why = isUnnamed
    ? ": no merge commit names who merged it, only a squash, rebase or push, or a clone without its history"
    : merge && `: ${merge.by} merged it, who is no approver`;
  const who = stage.approvers && ` as one of its approvers (${approversText(stage)})`;
  const verb = isUnnamed
    ? "Merge the next one with a merge commit, and approve this one"
    : "Approve it";
  return {
    code: "needs-approval",
    message: `${version} is not approved for ${name}${why ?? ""}`,
    remedy: `${verb}${who ?? ""}: ${command}`,
  };
}

/** Returns the reason for a held stage, with the command that releases it. */
export function heldReason(
  pipeline: Pick<Pipeline, "name" | "displayPath">,
  stage: string,
  { at, reason, ...who }: NonNullable<StageRecord["hold"]>,
): BlockedReason {
  return {
    code: "held",
    message: `${stage} is held by ${whoText(who)} since ${at}: ${reason}`,
    remedy: `Release it: ${promoteCommand(pipeline, "release", "--stage", stage)}`,
  };
}
