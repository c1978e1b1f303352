// Every form of a report, by name.
import type { JsonObject } from "../../core/json.ts";
import { appliedText } from "./applied-text.ts";
import { githubText } from "./github.ts";
import { headline } from "./headline.ts";
import { appliedJson, driftJson, manifestsJson, planJson } from "./json.ts";
import { jsonText } from "./json-text.ts";
import { junitText } from "./junit.ts";
import { markdownText } from "./markdown.ts";
import type { Report } from "./report.ts";
import { sarifJson } from "./sarif.ts";
import type { TextStyle } from "./style.ts";
import { driftText, planText } from "./plan-text.ts";

/** The forms for other programs, made from a report alone. */
const formats = {
  markdown: markdownText,
  sarif: (report: Report) => jsonText(sarifJson(report)),
  junit: junitText,
  github: githubText,
} as const;

/** One of the forms that is neither text nor JSON. */
export type ReportFormat = keyof typeof formats;

/** Their names. */
export const formatNames = Object.keys(formats) as readonly ReportFormat[];

/** The report in a form. */
export function renderReport(form: ReportFormat, report: Report): string {
  return formats[form](report);
}

/** The report as text for people. What is found in manifests, and why a run failed, is told apart from the result: it is not in it. */
export function reportText(report: Report, look: TextStyle): string {
  switch (report.type) {
    case "failure":
      return "";
    case "manifests":
      return report.stack === undefined ? "" : headline(report);
    case "plan":
      return planText(report.plan, { ...look, kinds: report.kinds, names: report.names });
    case "drift":
      return driftText(
        report.plan,
        { ...look, kinds: report.kinds, names: report.names },
        report.unmanaged,
      );
    case "apply":
      return appliedText(report.applied, { ...look, kinds: report.kinds, names: report.names });
  }
}

/** The report as JSON; see schemas/report.json. */
export function reportJson(report: Report): JsonObject {
  switch (report.type) {
    case "failure": {
      const { code, message, remedy } = report;
      return { error: { code, message, remedy } };
    }
    case "manifests":
      return manifestsJson(report);
    case "plan":
      return planJson(report.plan, report);
    case "drift":
      return driftJson(report.plan, report);
    case "apply":
      return appliedJson(report.applied, report);
  }
}
