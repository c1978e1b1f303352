// Renders a report in every format, by name.
import type { JsonObject } from "../../core/json.ts";
import { appliedText } from "./applied-text.ts";
import type { ReportFormat } from "./format-names.ts";
import { githubText } from "./github.ts";
import { headline } from "./headline.ts";
import { planJson } from "../engine/plan-json.ts";
import { appliedJson, driftJson, manifestsJson } from "./json.ts";
import { jsonText } from "./json-text.ts";
import { junitText } from "./junit.ts";
import { markdownText } from "./markdown.ts";
import type { Report } from "./report.ts";
import { sarifJson } from "./sarif.ts";
import type { TextStyle } from "./style.ts";
import { planText } from "./plan-text.ts";
import { driftText } from "./drift-text.ts";

const formats: Readonly<Record<ReportFormat, (report: Report) => string>> = {
  markdown: markdownText,
  sarif: (report) => jsonText(sarifJson(report)),
  junit: junitText,
  github: githubText,
};

/** Renders the report in a format. */
export function renderReport(form: ReportFormat, report: Report): string {
  return formats[form](report);
}

/** Renders the report as text. Diagnostics of manifests and errors go to standard error instead. */
export function reportText(report: Report, style: TextStyle): string {
  switch (report.type) {
    case "failure":
      return "";
    case "manifests":
      return report.stack === undefined ? "" : headline(report);
    case "plan":
      return planText(report.plan, { ...style, kinds: report.kinds, names: report.names });
    case "drift":
      return driftText(
        report.plan,
        { ...style, kinds: report.kinds, names: report.names },
        report.unmanaged,
      );
    case "apply":
      return appliedText(report.applied, { ...style, kinds: report.kinds, names: report.names });
  }
}

/** Renders the report as JSON; see schemas/report.json. */
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
