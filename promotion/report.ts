// Formats the status and history of a pipeline as text, JSON and Markdown.
import type { JsonObject } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { alignColumns } from "../core/text/align-columns.ts";
import { escapeInvisible, pluralize, truncate } from "../core/text/escape-text.ts";
import { type TextStyle, paint, reportFormat } from "../reconciler/sessions.ts";
import { durationText } from "../core/text/duration.ts";
import { whoText } from "../core/text/who-text.ts";
import { shortCommits } from "./candidate-kinds.ts";
import type { StatusCell, StageStatus, PipelineStatus } from "./status.ts";
import type { Promotion, ManualAction } from "./record.ts";
import type { CompletedStep } from "./promotion-run.ts";
import type { PromotionStep } from "./decide.ts";
import type { PlannedRollout } from "./planned-rollout.ts";

/** The content of a pipeline report. */
export interface PipelineReport {
  readonly status: PipelineStatus;
  /** Newest first. */
  readonly history: readonly Promotion[];
  /** Approvals, holds and other manual actions, newest first. */
  readonly manualActions: readonly ManualAction[];
  /** The completed steps of this run; absent if the run only read. */
  readonly done?: readonly CompletedStep[] | undefined;
  /** The committed diff, or the diff of a dry run. */
  readonly diff?: string;
}

/** Number of promotions and manual actions shown. */
const shownHistory = 5;

/** Number of the latest runs and commits shown of one promotion. */
const shownTraces = 3;

/** Characters shown of the subject of a commit. */
const titleMax = 50;

/** Characters shown of a commit id. */
const shortCommit = 12;

/** Formats a report as text. */
export function pipelineText(report: PipelineReport, look: TextStyle): string {
  const { status, history, manualActions, done, diff = "" } = report;
  const lines = alignColumns(matrixRows(status)).map((line, index) =>
    index === 0 ? paint(look, "bold", line) : line,
  );
  return [
    ...doneLines(done, status),
    `Pipeline ${escapeInvisible(status.pipeline)}`,
    ...lines,
    ...omittedVersionsLine(status),
    "",
    ...status.stages.flatMap((stage) => stageLines(stage, look)),
    ...manualActionLines(manualActions),
    ...historyLines(history).map(shortCommits),
    ...(diff === "" ? [] : ["", ...diff.trimEnd().split("\n").map(escapeInvisible)]),
  ].join("\n");
}

/** Formats a report as Markdown for a pull-request comment. The first line is a marker, by which a later comment replaces it. */
export function pipelineMarkdown(report: PipelineReport): string {
  const { status, history, manualActions, done, diff = "" } = report;
  const [head = [], ...rows] = matrixRows(status);
  const row = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(" | ")} |`;
  return [
    `<!-- svc promote ${status.pipeline} -->`,
    `### Pipeline \`${status.pipeline}\``,
    "",
    row(head),
    `|${head.map(() => "---").join("|")}|`,
    ...rows.map(row),
    ...omittedVersionsLine(status),
    "",
    ...doneLines(done, status).map((line) => (line === "" ? "" : `- ${escapeMarkdown(line)}`)),
    ...status.stages.map((stage) => {
      const [first = "", ...more] = stageLines(stage, { color: false });
      return [
        `- ${escapeMarkdown(first)}`,
        ...more.map((line) => `  - ${escapeMarkdown(line.trim())}`),
      ].join("\n");
    }),
    ...markdownList(manualActionLines(manualActions)),
    ...markdownList(historyLines(history).map(shortCommits)),
    ...(diff === "" ? [] : [fencedDiff(diff.trimEnd())]),
    "",
  ].join("\n");
}

/** Formats a heading and its lines as a Markdown list. */
function markdownList([head, ...lines]: readonly string[]): readonly string[] {
  if (head === undefined) return [];
  return ["", head, ...lines.map((line) => `- ${escapeMarkdown(line.trim())}`)];
}

/** Fences text with more backticks than it contains. */
function fencedDiff(text: string): string {
  const runs = text.match(/`+/gu) ?? [];
  const fence = "`".repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
  return `\n${fence}diff\n${text}\n${fence}`;
}

/** Formats a report as JSON; see schemas/promotion.json. */
export function pipelineJson({
  status,
  history,
  manualActions,
  done,
  diff,
}: PipelineReport): JsonObject {
  const { pipeline, stages, versions, titles, cells, omittedVersions } = status;
  return plainJson({
    format: reportFormat,
    report: "pipeline",
    pipeline,
    stages,
    versions,
    titles,
    cells,
    omittedVersions,
    manualActions,
    history,
    done,
    diff,
  });
}

/** Returns a copy without undefined members. */
export function plainJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function matrixRows({
  stages,
  versions,
  titles,
  cells,
}: PipelineStatus): readonly (readonly string[])[] {
  const head = ["version", ...stages.map(({ stage }) => stage)];
  const rows = versions.map((version) => [
    [shortCommits(version), truncate(escapeInvisible(titles[version] ?? ""), titleMax)]
      .filter(Boolean)
      .join(" "),
    ...cells.filter((cell) => cell.version === version).map(cellSummary),
  ]);
  return [head, ...rows];
}

function omittedVersionsLine({ omittedVersions }: PipelineStatus): readonly string[] {
  return omittedVersions === 0 ? [] : [`… ${omittedVersions} older versions`];
}

/** Reports call a `promotable` version verified. The age of a `promotable` or `stale` version counts from its verification. */
const verificationTexts: Readonly<Record<NonNullable<StatusCell["verification"]>, string>> = {
  promotable: "verified",
  passed: "soaking, verified",
  stale: "expired, verified",
  failed: "failed",
  "rolled-back": "rolled back",
};

/** `3/3, verified 2 h ago`. */
function cellSummary(cell: StatusCell): string {
  const { running, total, verification, ageMs = 0, isApproved, isCandidate, rollout } = cell;
  const words = [
    running > 0 && `${running}/${total}`,
    verification !== undefined && `${verificationTexts[verification]} ${durationText(ageMs)} ago`,
    rollout === "in-progress" && "in-progress",
    isCandidate && running < total && "candidate",
    isApproved && running < total && "approved",
  ];
  return words.filter((word) => word !== false).join(", ") || "-";
}

/** Formats a stage and its reasons as lines. */
export function stageLines(stage: StageStatus, look: Pick<TextStyle, "color">): readonly string[] {
  const { source, objects, hold, rollout, reasons, step, approvals, batches = [] } = stage;
  const head = `${escapeInvisible(stage.stage)}: ${pluralize(objects, "object")}; takes ${source}`;
  const isHoldReported = reasons.some(({ code }) => code === "held");
  const lines = [
    head,
    ...(rollout === undefined
      ? []
      : [
          `  ${rolloutText(rollout)} since ${rollout.at} (${[rollout.cause, `by ${escapeInvisible(whoText(rollout))}`, `--${rollout.mode}`, ...skipTexts(rollout)].join(", ")})`,
        ]),
    ...(hold === undefined || isHoldReported
      ? []
      : [
          `  held by ${escapeInvisible(whoText(hold))} since ${hold.at}: ${escapeInvisible(hold.reason)}`,
        ]),
    ...approvals
      .filter(({ isPending }) => isPending)
      .map((one) => `  ${one.version} approved by ${escapeInvisible(whoText(one))} at ${one.at}`),
    ...(step === undefined ? [] : [`  next: ${stepText(step)}`]),
    ...batchLines(batches),
    ...reasons.flatMap(({ code, message, until, remedy, outputs = [] }) => {
      const end = until === undefined ? "" : `, until ${until}`;
      return [
        `  ${paint(look, "yellow", code)}: ${escapeInvisible(message)}${end}`,
        ...outputs.flatMap(outputLines),
        ...(remedy === undefined ? [] : [`    → ${escapeInvisible(remedy)}`]),
      ];
    }),
  ];
  return lines.map(shortCommits);
}

/** Formats the last lines of the output of a check. */
function outputLines({ check, output }: { check: string; output: string }): readonly string[] {
  const lines = output.split(/\r?\n/u);
  const shown = lines.slice(-limits.checkOutputLines);
  const rest = lines.length - shown.length;
  return [
    `    output of ${check}:${rest > 0 ? ` (${pluralize(rest, "line")} before)` : ""}`,
    ...shown.map((line) => `      | ${escapeInvisible(line)}`),
  ];
}

/** Formats the first batches: `batch 1 of 2: Deployment/a, Deployment/b`. */
function batchLines(batches: NonNullable<StageStatus["batches"]>): readonly string[] {
  const lines = batches.slice(0, limits.placesNamed).map((batch, index) => {
    const rest = batch.length - limits.placesNamed;
    const named = batch.slice(0, limits.placesNamed).map(escapeInvisible).join(", ");
    return `    batch ${index + 1} of ${batches.length}: ${named}${rest > 0 ? ` and ${rest} more` : ""}`;
  });
  const more = batches.length - lines.length;
  return more > 0 ? [...lines, `    and ${pluralize(more, "more batch", "more batches")}`] : lines;
}

function rolloutText({ version, cause }: NonNullable<StageStatus["rollout"]>): string {
  return cause === "rollback" ? `being rolled back to ${version}` : `${version} being promoted`;
}

/** Formats one step: `move 2 of staging to 1.8.0`. */
export function stepText(step: PromotionStep): string {
  const { stage, version } = step;
  if (step.action === "start") {
    const to = step.each === undefined ? version : "the version that each object passed with last";
    return `${step.cause === "rollback" ? "roll back" : "bring"} ${stage} to ${to}`;
  }
  if (step.action === "finish") return `complete ${stage}: it runs ${version}, verified`;
  const count = step.addresses.length;
  if (step.action === "revert")
    return `revert the pins of ${version} in ${stage} (${count}), which are not applied`;
  return step.action === "move"
    ? `move ${count} of ${stage} to ${version}`
    : `verify ${version} in ${stage} (${count})`;
}

/** Formats a rollout that waits for confirmation: its step, and each object with its version before and after. */
export function plannedRolloutText({ changes, ...step }: PlannedRollout): string {
  const rest = changes.length - limits.similarShownInFull;
  const lines = [
    `${stepText(step)}:`,
    ...changes
      .slice(0, limits.similarShownInFull)
      .map(
        ({ address, from, to }) => `  ${escapeInvisible(address)}: ${from ?? "unknown"} → ${to}`,
      ),
    ...(rest > 0 ? [`  and ${pluralize(rest, "more object")}`] : []),
    ...(step.cause === "rollback"
      ? ["The stage is then held: newer versions wait until `svc promote release`."]
      : []),
  ];
  return shortCommits(lines.join("\n"));
}

function doneLines(
  done: readonly CompletedStep[] | undefined,
  { stages }: PipelineStatus,
): readonly string[] {
  if (done === undefined) return [];
  if (done.length === 0) {
    const blocked = stages.flatMap(({ stage, reasons: [reason] }) =>
      reason === undefined ? [] : `${escapeInvisible(stage)} (${reason.code})`,
    );
    return [blocked.length === 0 ? "No steps." : `No steps; blocked: ${blocked.join(", ")}.`, ""];
  }
  const lines = done.map((step) => {
    const passed = step.action !== "verify" ? "" : step.passed === true ? ": passed" : ": failed";
    return `${stepText(step)}${passed}`;
  });
  return [...lines.map(shortCommits), ""];
}

function historyLines(history: readonly Promotion[]): readonly string[] {
  if (history.length === 0) return [];
  const lines = history.slice(0, shownHistory).map((one) => {
    const from = one.from.length === 0 ? "" : ` from ${one.from.join(", ")}`;
    const { runs = [], commits = [] } = one;
    const shortly = commits.map((commit) => commit.slice(0, shortCommit));
    const traces = [
      ...idsText("run", runs.slice(-shownTraces)),
      ...idsText("commit", shortly.slice(-shownTraces)),
    ];
    const who = `by ${escapeInvisible(whoText(one))}`;
    const how = [one.cause, who, ...traces, ...skipTexts(one)].join(", ");
    return `  ${one.endedAt} ${one.stage} to ${one.to}${from}: ${one.result} (${how})`;
  });
  return ["Last promotions:", ...lines];
}

/** Says which stages a promotion skipped. */
function skipTexts({
  skipped = [],
  reason = "no reason",
}: Pick<Promotion, "skipped" | "reason">): readonly string[] {
  if (skipped.length === 0) return [];
  return [`not verified in ${skipped.join(", ")}: ${escapeInvisible(reason)}`];
}

function idsText(what: string, ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return [];
  return [`${what}${ids.length === 1 ? "" : "s"} ${ids.join(" ")}`];
}

/** Formats manual actions, newest first, under a heading. Empty if there are none. */
export function manualActionLines(manualActions: readonly ManualAction[]): readonly string[] {
  if (manualActions.length === 0) return [];
  return [
    "Last manual actions:",
    ...manualActions
      .slice(0, shownHistory)
      .map((one) => `  ${shortCommits(manualActionText(one))}`),
  ];
}

/** Formats one action: `2026-03-02T09:00:00.000Z production: ada approved 1.8.0: tested by hand (commit 1a2b3c4d5e6f)`. */
function manualActionText({
  action,
  stage,
  at,
  version,
  reason,
  commit,
  ...who
}: ManualAction): string {
  const why = reason === undefined ? "" : `: ${escapeInvisible(reason)}`;
  const from = commit === undefined ? "" : ` (commit ${commit.slice(0, shortCommit)})`;
  return `${at} ${stage}: ${escapeInvisible(whoText(who))} ${actionText(action, version)}${why}${from}`;
}

function actionText(action: ManualAction["action"], version: string | undefined): string {
  if (action === "requested") return `requested ${version ?? "a version"}`;
  if (action === "approval-withdrawn") return `withdrew the approval of ${version ?? "a version"}`;
  if (action === "rolled-back")
    return `rolled back${version === undefined ? "" : ` to ${version}`}`;
  if (action === "approved" || action === "merged") return `${action} ${version ?? "a version"}`;
  return action === "released" ? "released the hold" : `${action} the stage`;
}

/** Escapes text for a Markdown table or list. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>|@#&~]/gu, (mark) => `\\${mark}`);
}
