// Renders a report in every format, by name.
import type { JsonObject } from "../../core/json.ts";
import { appliedText } from "./applied-text.ts";
import { failureJson } from "./failure-json.ts";
import type { ReportFormat } from "./format-names.ts";
import { githubText } from "./github.ts";
import { headline } from "./headline.ts";
import { htmlText } from "./html.ts";
import { planJson } from "../engine/plan-json.ts";
import { appliedJson, driftJson, manifestsJson } from "./json.ts";
import { jsonText } from "./json-text.ts";
import { junitText } from "./junit.ts";
import { markdownText } from "./markdown.ts";
import type { Report } from "./report.ts";
import { sarifJson } from "./sarif.ts";
import type { TextStyle } from "./style.ts";
import { diagnosticsText, planText } from "./plan-text.ts";
import { driftText } from "./drift-text.ts";

type Reports = readonly [Report, ...Report[]];

const eachOf =
  (render: (report: Report) => string) =>
  (...reports: Reports): string =>
    reports.map(render).join("\n");

const formats: Readonly<Record<ReportFormat, (...reports: Reports) => string>> = {
  markdown: eachOf(markdownText),
  html: htmlText,
  sarif: (...reports) => jsonText(sarifJson(...reports)),
  junit: junitText,
  github: eachOf(githubText),
};

/** Renders reports in a format, as one file. */
export function renderReport(form: ReportFormat, ...reports: Reports): string {
  return formats[form](...reports);
}

/**
 * Renders the report as text. Errors of manifests and failures go to standard error instead. An apply shows diagnostics with
 * its plan.
 */
export function reportText(report: Report, style: TextStyle): string {
  if (report.type === "failure") return "";
  const { manifestDiagnostics } = report;
  if (report.type === "manifests") {
    if (report.stack === undefined) return "";
    return [diagnosticsText(manifestDiagnostics, style), headline(report)]
      .filter((text) => text !== "")
      .join("\n");
  }
  const changeStyle = { ...style, kinds: report.kinds, names: report.names };
  switch (report.type) {
    case "plan":
      return planText(report.plan, changeStyle, manifestDiagnostics);
    case "drift":
      return driftText(report, changeStyle);
    case "apply":
      return appliedText(report.applied, changeStyle);
  }
}

/** Renders the report as JSON; see schemas/report.json. */
export function reportJson(report: Report): JsonObject {
  switch (report.type) {
    case "failure": {
      const { code, message, remedy } = report;
      return failureJson({ code, message, remedy });
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
