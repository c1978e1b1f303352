// Formats why stages are blocked, with their manual actions, as text, JSON and Markdown.
import type { JsonObject } from "../core/json.ts";
import { reportFormat, type TextStyle } from "../reconciler/sessions.ts";
import type { StageStatus } from "./status.ts";
import type { ManualAction } from "./record.ts";
import {
  escapeMarkdown,
  type PipelineReport,
  plainJson,
  stageLines,
  stepText,
  manualActionLines,
} from "./report.ts";

/** Why some stages are blocked. */
export interface WhyReport {
  readonly pipeline: string;
  readonly stages: readonly StageStatus[];
  /** Manual actions of these stages, newest first. */
  readonly manualActions: readonly ManualAction[];
}

/** Limits a report to one stage. */
export function whyOf(
  { status, manualActions }: Pick<PipelineReport, "status" | "manualActions">,
  only: string | undefined,
): WhyReport {
  const isAsked = ({ stage }: { readonly stage: string }): boolean =>
    only === undefined || stage === only;
  const { pipeline, stages } = status;
  return { pipeline, stages: stages.filter(isAsked), manualActions: manualActions.filter(isAsked) };
}

/** Formats each stage and its reasons as text. */
export function whyText(report: WhyReport, look: Pick<TextStyle, "color">): string {
  return [
    ...report.stages.flatMap((stage) => linesOf(stage, look)),
    ...manualActionLines(report.manualActions),
  ].join("\n");
}

/** Formats each stage and its reasons as Markdown, for a pull-request comment. */
export function whyMarkdown({ pipeline, stages, manualActions }: WhyReport): string {
  const [head, ...lines] = manualActionLines(manualActions);
  const item = (line: string): string =>
    `${line.startsWith("  ") ? "  " : ""}- ${escapeMarkdown(line.trim())}`;
  return [
    `### Pipeline \`${pipeline}\``,
    "",
    ...stages.flatMap((stage) => linesOf(stage, { color: false }).map(item)),
    ...(head === undefined
      ? []
      : ["", head, ...lines.map((line) => `- ${escapeMarkdown(line.trim())}`)]),
    "",
  ].join("\n");
}

/** Formats each stage and its reasons as JSON; see schemas/promotion.json. */
export function whyJson({ pipeline, stages, manualActions }: WhyReport): JsonObject {
  return plainJson({
    format: reportFormat,
    report: "pipeline-why",
    pipeline,
    stages: stages.map(({ stage, running, candidate, step, reasons, hold, approvals }) => ({
      stage,
      running,
      candidate,
      next: step && stepText(step),
      reasons,
      hold,
      approvals,
      manualActions: manualActions.filter((one) => one.stage === stage),
    })),
  });
}

function linesOf(stage: StageStatus, look: Pick<TextStyle, "color">): readonly string[] {
  const lines = stageLines(stage, look);
  if (stage.reasons.length > 0 || stage.step !== undefined) return lines;
  const { candidate, running } = stage;
  const isRunning = candidate !== undefined && candidate === running;
  return [...lines, `  not blocked; ${isRunning ? `it runs ${running}` : "it has no candidate"}`];
}
