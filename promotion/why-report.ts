// Why the stages of a pipeline do not go on, and what people said of them, as text, JSON and Markdown.
import type { JsonObject } from "../core/json.ts";
import type { TextStyle } from "../reconciler/report/style.ts";
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

/** What there is to tell of some stages. */
export interface WhyReport {
  readonly pipeline: string;
  readonly stages: readonly StageStatus[];
  /** Of these stages, the newest first. */
  readonly manualActions: readonly ManualAction[];
}

/** The same report of one stage alone, or of all. */
export function whyOf(
  { status, manualActions }: Pick<PipelineReport, "status" | "manualActions">,
  only: string | undefined,
): WhyReport {
  const isAsked = ({ stage }: { readonly stage: string }): boolean =>
    only === undefined || stage === only;
  const { pipeline, stages } = status;
  return { pipeline, stages: stages.filter(isAsked), manualActions: manualActions.filter(isAsked) };
}

/** Each stage with what is in its way. */
export function whyText(report: WhyReport, look: Pick<TextStyle, "color">): string {
  return [
    ...report.stages.flatMap((stage) => linesOf(stage, look)),
    ...manualActionLines(report.manualActions),
  ].join("\n");
}

/** The same for a comment on a pull request. */
export function whyMarkdown({ pipeline, stages, manualActions }: WhyReport): string {
  const [head, ...said] = manualActionLines(manualActions);
  const item = (line: string): string =>
    `${line.startsWith("  ") ? "  " : ""}- ${escapeMarkdown(line.trim())}`;
  return [
    `### Pipeline \`${pipeline}\``,
    "",
    ...stages.flatMap((stage) => linesOf(stage, { color: false }).map(item)),
    ...(head === undefined
      ? []
      : ["", head, ...said.map((line) => `- ${escapeMarkdown(line.trim())}`)]),
    "",
  ].join("\n");
}

/** The same for programs. */
export function whyJson({ stages, manualActions }: WhyReport): readonly JsonObject[] {
  return stages.map(({ stage, candidate, step, reasons, hold, approvals }) =>
    plainJson({
      stage,
      candidate,
      next: step && stepText(step),
      reasons,
      hold,
      approvals,
      manualActions: manualActions.filter((one) => one.stage === stage),
    }),
  );
}

function linesOf(stage: StageStatus, look: Pick<TextStyle, "color">): readonly string[] {
  const lines = stageLines(stage, look);
  if (stage.reasons.length > 0 || stage.step !== undefined) return lines;
  const than = stage.candidate === undefined ? "" : ` than ${stage.candidate}`;
  return [...lines, `  nothing is in the way, and there is nothing newer${than}`];
}
