// A pipeline and what was done with it, as text, JSON and Markdown.
import type { JsonObject } from "../core/json.ts";
import { escapeInvisible } from "../reconciler/report/escape-text.ts";
import { type TextStyle, paint } from "../reconciler/report/style.ts";
import { durationText } from "../reconciler/model/duration.ts";
import type { StatusCell, StageStatus, PipelineStatus } from "./status.ts";
import type { Promotion, ManualAction } from "./record.ts";
import type { CompletedStep } from "./promotion-run.ts";
import type { PromotionStep } from "./decide.ts";

/** What there is to report of a pipeline. */
export interface PipelineReport {
  readonly status: PipelineStatus;
  /** The newest first. */
  readonly history: readonly Promotion[];
  /** What people said, the newest first. */
  readonly manualActions: readonly ManualAction[];
  /** What this run action; left out where it only looked. */
  readonly done?: readonly CompletedStep[];
  /** What was committed, or would be. */
  readonly diff?: string;
}

/** Promotions shown of the history, and words. */
const shownHistory = 5;

/** Runs and commits shown of one promotion, the last ones. */
const shownTraces = 3;

/** Characters shown of a commit's name. */
const shortCommit = 12;

/** The matrix, what each stage waits for, and what was done. */
export function pipelineText(report: PipelineReport, look: TextStyle): string {
  const { status, history, manualActions, done, diff = "" } = report;
  const rows = matrixRows(status);
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  const lines = rows.map((row, index) => {
    const line = row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
    return index === 0 ? paint(look, "bold", line) : line;
  });
  return [
    ...doneLines(done),
    `Pipeline ${escapeInvisible(status.pipeline)}`,
    ...lines,
    ...omittedVersionsLine(status),
    "",
    ...status.stages.flatMap((stage) => stageLines(stage, look)),
    ...manualActionLines(manualActions),
    ...historyLines(history),
    ...(diff === "" ? [] : ["", ...diff.trimEnd().split("\n").map(escapeInvisible)]),
  ].join("\n");
}

/** The same for a comment on a pull request; begins with a mark by which a later one replaces it. */
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
    ...doneLines(done).map((line) => (line === "" ? "" : `- ${escapeMarkdown(line)}`)),
    ...status.stages.map((stage) => {
      const [first = "", ...more] = stageLines(stage, { color: false });
      return [
        `- ${escapeMarkdown(first)}`,
        ...more.map((line) => `  - ${escapeMarkdown(line.trim())}`),
      ].join("\n");
    }),
    ...markdownList(manualActionLines(manualActions)),
    ...markdownList(historyLines(history)),
    ...(diff === "" ? [] : [fencedDiff(diff.trimEnd())]),
    "",
  ].join("\n");
}

/** A heading with what stands below it, as a list of Markdown. */
function markdownList([head, ...lines]: readonly string[]): readonly string[] {
  if (head === undefined) return [];
  return ["", head, ...lines.map((line) => `- ${escapeMarkdown(line.trim())}`)];
}

/** The text between more backticks than it holds, so that nothing in it is Markdown. */
function fencedDiff(text: string): string {
  const runs = text.match(/`+/gu) ?? [];
  const fence = "`".repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
  return `\n${fence}diff\n${text}\n${fence}`;
}

/** The same for programs; see schemas/promotion.json. */
export function pipelineJson({
  status,
  history,
  manualActions,
  done,
  diff,
}: PipelineReport): JsonObject {
  const { pipeline, stages, versions, cells, omittedVersions } = status;
  return plainJson({
    format: 1,
    report: "pipeline",
    pipeline,
    stages,
    versions,
    cells,
    omittedVersions,
    manualActions,
    history,
    done,
    diff,
  });
}

/** Without what is undefined. */
export function plainJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function matrixRows({ stages, versions, cells }: PipelineStatus): readonly (readonly string[])[] {
  const head = ["version", ...stages.map(({ stage }) => stage)];
  const rows = versions.map((version) => [
    version,
    ...cells.filter((cell) => cell.version === version).map(cellSummary),
  ]);
  return [head, ...rows];
}

function omittedVersionsLine({ omittedVersions }: PipelineStatus): readonly string[] {
  return omittedVersions === 0 ? [] : [`… ${omittedVersions} older versions`];
}

/** `3/3, passed 2 h ago`. */
function cellSummary(cell: StatusCell): string {
  const { running, total, verification, ageMs = 0, isApproved, isCandidate, rollout } = cell;
  const words = [
    running > 0 && `${running}/${total}`,
    verification !== undefined && `${verification} ${durationText(ageMs)} ago`,
    rollout === "in-progress" && "in-progress",
    isCandidate && running < total && "candidate",
    isApproved && running < total && "approved",
  ];
  return words.filter((word) => word !== false).join(", ") || "-";
}

/** A stage and what it waits for, line by line. */
export function stageLines(stage: StageStatus, look: Pick<TextStyle, "color">): readonly string[] {
  const { enters, objects, hold, rollout, reasons, step, approvals } = stage;
  const head = `${escapeInvisible(stage.stage)}: ${objects} in it; ${enters}`;
  const isHoldTold = reasons.some(({ code }) => code === "held");
  return [
    head,
    ...(rollout === undefined
      ? []
      : [
          `  ${rollout.version} comes in since ${rollout.at} (${rollout.cause}, by ${escapeInvisible(rollout.by)}, --${rollout.mode})`,
        ]),
    ...(hold === undefined || isHoldTold
      ? []
      : [
          `  held by ${escapeInvisible(hold.by)} since ${hold.at}: ${escapeInvisible(hold.reason)}`,
        ]),
    ...approvals.map(
      (one) => `  ${one.version} approved by ${escapeInvisible(one.by)} at ${one.at}`,
    ),
    ...(step === undefined ? [] : [`  next: ${stepText(step)}`]),
    ...reasons.map(({ code, message, until }) => {
      const end = until === undefined ? "" : `, until ${until}`;
      return `  ${paint(look, "yellow", code)}: ${escapeInvisible(message)}${end}`;
    }),
  ];
}

/** One step in words: `move 2 of staging to 1.8.0`. */
export function stepText(step: PromotionStep): string {
  const { stage, version } = step;
  if (step.action === "start") {
    const to = step.each === undefined ? version : "what each passed with last";
    return `${step.cause === "rollback" ? "take back" : "bring"} ${stage} to ${to}`;
  }
  if (step.action === "finish") return `${stage} runs ${version}, verified`;
  const count = step.addresses.length;
  if (step.action === "revert")
    return `write ${version} back in ${stage} (${count}), which is not applied`;
  return step.action === "move"
    ? `move ${count} of ${stage} to ${version}`
    : `verify ${version} in ${stage} (${count})`;
}

function doneLines(done: readonly CompletedStep[] | undefined): readonly string[] {
  if (done === undefined) return [];
  if (done.length === 0) return ["Nothing was done.", ""];
  const lines = done.map((step) => {
    const passed =
      step.action !== "verify" ? "" : step.passed === true ? ": passed" : ": did not pass";
    return `${stepText(step)}${passed}`;
  });
  return [...lines, ""];
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
    const how = [one.cause, `by ${escapeInvisible(one.by)}`, ...traces].join(", ");
    return `  ${one.endedAt} ${one.stage} to ${one.to}${from}: ${one.result} (${how})`;
  });
  return ["Last promotions:", ...lines];
}

function idsText(what: string, ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return [];
  return [`${what}${ids.length === 1 ? "" : "s"} ${ids.join(" ")}`];
}

/** What people said, the newest first, with a heading; empty where nobody action. */
export function manualActionLines(manualActions: readonly ManualAction[]): readonly string[] {
  if (manualActions.length === 0) return [];
  return [
    "Last decisions:",
    ...manualActions.slice(0, shownHistory).map((one) => `  ${manualActionText(one)}`),
  ];
}

/** `2026-03-02T09:00:00.000Z production: ada approved 1.8.0: tested by hand (commit 1a2b3c4d5e6f)`. */
function manualActionText({ action, stage, by, at, version, reason, commit }: ManualAction): string {
  const why = reason === undefined ? "" : `: ${escapeInvisible(reason)}`;
  const from = commit === undefined ? "" : ` (commit ${commit.slice(0, shortCommit)})`;
  return `${at} ${stage}: ${escapeInvisible(by)} ${actionText(action, version)}${why}${from}`;
}

function actionText(action: ManualAction["action"], version: string | undefined): string {
  if (action === "requested") return `asked for ${version ?? "a version"}`;
  if (action === "approval-withdrawn") return `withdrew the approval of ${version ?? "a version"}`;
  if (action === "rolled-back") return version === undefined ? action : `${action} to ${version}`;
  return action === "approved" ? `${action} ${version ?? "a version"}` : `${action} it`;
}

/** Text from elsewhere as plain text in a table or list of Markdown. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>|@#&~]/gu, (mark) => `\\${mark}`);
}
