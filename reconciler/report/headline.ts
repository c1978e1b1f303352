// Summarizes a report in one line.
import { appliedSummary } from "./applied-text.ts";
import type { Report } from "./report.ts";
import { planSummary } from "./plan-text.ts";
import { driftSummary } from "./drift-text.ts";
import { pluralize, escapeInvisible } from "../../core/text/escape-text.ts";

/** Returns one line without a line break. */
export function headline(report: Report): string {
  switch (report.type) {
    case "failure":
      return `Failed: ${escapeInvisible(report.message)}`;
    case "manifests":
      return manifestsLine(report.stack);
    case "plan":
      return planSummary(report.plan);
    case "drift":
      return driftSummary(report.plan, report.unmanaged);
    case "apply":
      return appliedSummary(report.applied);
  }
}

function manifestsLine(
  stack: { readonly name: string; readonly objects: number } | undefined,
): string {
  if (stack === undefined) return "The manifests contain errors.";
  return `Stack ${escapeInvisible(stack.name)} is valid: ${pluralize(stack.objects, "object")}.`;
}
