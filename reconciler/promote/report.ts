// A pipeline and what was done with it, as text, JSON and Markdown.
import type { JsonObject } from "../../core/json.ts";
import { visible } from "../report/visible.ts";
import { type Look, paint } from "../report/style.ts";
import { durationText } from "../duration.ts";
import type { Cell, StageStatus, Status } from "./matrix.ts";
import type { Promotion, Word } from "./record.ts";
import type { Done } from "./run.ts";
import type { Step } from "./decide.ts";

/** What there is to report of a pipeline. */
export interface PipelineReport {
  readonly status: Status;
  /** The newest first. */
  readonly history: readonly Promotion[];
  /** What people said, the newest first. */
  readonly words: readonly Word[];
  /** What this run did; left out where it only looked. */
  readonly done?: readonly Done[];
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
export function pipelineText(report: PipelineReport, look: Look): string {
  const { status, history, words, done, diff = "" } = report;
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
    `Pipeline ${visible(status.pipeline)}`,
    ...lines,
    ...leftOutLine(status),
    "",
    ...status.stages.flatMap((stage) => stageLines(stage, look)),
    ...wordLines(words),
    ...historyLines(history),
    ...(diff === "" ? [] : ["", ...diff.trimEnd().split("\n").map(visible)]),
  ].join("\n");
}

/** The same for a comment on a pull request; begins with a mark by which a later one replaces it. */
export function pipelineMarkdown(report: PipelineReport): string {
  const { status, history, words, done, diff = "" } = report;
  const [head = [], ...rows] = matrixRows(status);
  const row = (cells: readonly string[]): string => `| ${cells.map(cellText).join(" | ")} |`;
  return [
    `<!-- svc promote ${status.pipeline} -->`,
    `### Pipeline \`${status.pipeline}\``,
    "",
    row(head),
    `|${head.map(() => "---").join("|")}|`,
    ...rows.map(row),
    ...leftOutLine(status),
    "",
    ...doneLines(done).map((line) => (line === "" ? "" : `- ${cellText(line)}`)),
    ...status.stages.map((stage) => {
      const [first = "", ...more] = stageLines(stage, { color: false });
      return [`- ${cellText(first)}`, ...more.map((line) => `  - ${cellText(line.trim())}`)].join(
        "\n",
      );
    }),
    ...listOf(wordLines(words)),
    ...listOf(historyLines(history)),
    ...(diff === "" ? [] : [fenced(diff.trimEnd())]),
    "",
  ].join("\n");
}

/** A heading with what stands below it, as a list of Markdown. */
function listOf([head, ...lines]: readonly string[]): readonly string[] {
  if (head === undefined) return [];
  return ["", head, ...lines.map((line) => `- ${cellText(line.trim())}`)];
}

/** The text between more backticks than it holds, so that nothing in it is Markdown. */
function fenced(text: string): string {
  const runs = text.match(/`+/gu) ?? [];
  const fence = "`".repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
  return `\n${fence}diff\n${text}\n${fence}`;
}

/** The same for programs; see schemas/promotion.json. */
export function pipelineJson({ status, history, words, done, diff }: PipelineReport): JsonObject {
  const { pipeline, stages, versions, cells, leftOut } = status;
  return plainJson({
    format: 1,
    report: "pipeline",
    pipeline,
    stages,
    versions,
    cells,
    leftOut,
    words,
    history,
    done,
    diff,
  });
}

/** Without what is undefined. */
export function plainJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function matrixRows({ stages, versions, cells }: Status): readonly (readonly string[])[] {
  const head = ["version", ...stages.map(({ stage }) => stage)];
  const rows = versions.map((version) => [
    version,
    ...cells.filter((cell) => cell.version === version).map(cellWords),
  ]);
  return [head, ...rows];
}

function leftOutLine({ leftOut }: Status): readonly string[] {
  return leftOut === 0 ? [] : [`… ${leftOut} older versions`];
}

/** `3/3, passed 2 h ago`. */
function cellWords(cell: Cell): string {
  const { running, of, verification, ageMs = 0, isApproved, isCandidate, rollout } = cell;
  const words = [
    running > 0 && `${running}/${of}`,
    verification !== undefined && `${verification} ${durationText(ageMs)} ago`,
    rollout === "under way" && "under way",
    isCandidate && running < of && "candidate",
    isApproved && running < of && "approved",
  ];
  return words.filter((word) => word !== false).join(", ") || "-";
}

/** A stage and what it waits for, line by line. */
export function stageLines(stage: StageStatus, look: Pick<Look, "color">): readonly string[] {
  const { enters, objects, hold, rollout, reasons, step, approvals } = stage;
  const head = `${visible(stage.stage)}: ${objects} in it; ${enters}`;
  const isHoldTold = reasons.some(({ code }) => code === "held");
  return [
    head,
    ...(rollout === undefined
      ? []
      : [
          `  ${rollout.version} comes in since ${rollout.at} (${rollout.cause}, by ${visible(rollout.by)}, --${rollout.way})`,
        ]),
    ...(hold === undefined || isHoldTold
      ? []
      : [`  held by ${visible(hold.by)} since ${hold.at}: ${visible(hold.reason)}`]),
    ...approvals.map((one) => `  ${one.version} approved by ${visible(one.by)} at ${one.at}`),
    ...(step === undefined ? [] : [`  next: ${stepText(step)}`]),
    ...reasons.map(({ code, said, until }) => {
      const end = until === undefined ? "" : `, until ${until}`;
      return `  ${paint(look, "yellow", code)}: ${visible(said)}${end}`;
    }),
  ];
}

/** One step in words: `move 2 of staging to 1.8.0`. */
export function stepText(step: Step): string {
  const { stage, version } = step;
  if (step.do === "start") {
    const to = step.each === undefined ? version : "what each passed with last";
    return `${step.cause === "rollback" ? "take back" : "bring"} ${stage} to ${to}`;
  }
  if (step.do === "finish") return `${stage} runs ${version}, verified`;
  const count = step.addresses.length;
  if (step.do === "revert")
    return `write ${version} back in ${stage} (${count}), which is not applied`;
  return step.do === "move"
    ? `move ${count} of ${stage} to ${version}`
    : `verify ${version} in ${stage} (${count})`;
}

function doneLines(done: readonly Done[] | undefined): readonly string[] {
  if (done === undefined) return [];
  if (done.length === 0) return ["Nothing was done.", ""];
  const lines = done.map((step) => {
    const passed = step.do !== "verify" ? "" : step.passed === true ? ": passed" : ": did not pass";
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
      ...named("run", runs.slice(-shownTraces)),
      ...named("commit", shortly.slice(-shownTraces)),
    ];
    const how = [one.cause, `by ${visible(one.by)}`, ...traces].join(", ");
    return `  ${one.endedAt} ${one.stage} to ${one.to}${from}: ${one.result} (${how})`;
  });
  return ["Last promotions:", ...lines];
}

function named(what: string, ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return [];
  return [`${what}${ids.length === 1 ? "" : "s"} ${ids.join(" ")}`];
}

/** What people said, the newest first, with a heading; empty where nobody did. */
export function wordLines(words: readonly Word[]): readonly string[] {
  if (words.length === 0) return [];
  return ["Last decisions:", ...words.slice(0, shownHistory).map((one) => `  ${wordText(one)}`)];
}

/** `2026-03-02T09:00:00.000Z production: ada approved 1.8.0: tested by hand (commit 1a2b3c4d5e6f)`. */
function wordText({ did, stage, by, at, version, reason, commit }: Word): string {
  const why = reason === undefined ? "" : `: ${visible(reason)}`;
  const from = commit === undefined ? "" : ` (commit ${commit.slice(0, shortCommit)})`;
  return `${at} ${stage}: ${visible(by)} ${saidText(did, version)}${why}${from}`;
}

function saidText(did: Word["did"], version: string | undefined): string {
  if (did === "asked") return `asked for ${version ?? "a version"}`;
  if (did === "withdrew") return `withdrew the approval of ${version ?? "a version"}`;
  if (did === "rolled back") return version === undefined ? did : `${did} to ${version}`;
  return did === "approved" ? `${did} ${version ?? "a version"}` : `${did} it`;
}

/** Text from elsewhere as plain text in a table or list of Markdown. */
export function cellText(text: string): string {
  return text.replace(/[\\`*_[\]<>|@#&~]/gu, (mark) => `\\${mark}`);
}
