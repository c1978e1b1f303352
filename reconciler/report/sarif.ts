// Formats a report as SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0).
import { createHash } from "node:crypto";
import type { Place } from "../../core/diagnostics.ts";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { type Finding, findingsOf, meaningOf } from "./findings.ts";
import { type Report, stackOf } from "./report.ts";
import { pluralize } from "../../core/text/escape-text.ts";

const schema =
  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const levels = { error: "error", warning: "warning", info: "note" } as const;

/** Formats one run, with findings as results and their codes as rules. */
export function sarifJson(report: Report): JsonObject {
  const all = report.type === "failure" ? [] : findingsOf(report);
  const results = all.slice(0, limits.sarifResults);
  const codes = [...new Set(results.map(({ code }) => code))].toSorted();
  const rules = codes.map((code) => ({ id: code, shortDescription: { text: meaningOf(code) } }));
  return {
    $schema: schema,
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "svc", rules } },
        automationDetails: { id: `svc/${report.type}/${encodeURIComponent(name(report))}` },
        columnKind: "utf16CodeUnits",
        invocations: [invocation(report, all.length - results.length)],
        results: results.map((finding) => resultOf(finding, codes)),
      },
    ],
  };
}

function name(report: Report): string {
  return (stackOf(report) ?? "").toWellFormed();
}

/** Notifications about the run: its failure, and omitted results. */
function invocation(report: Report, left: number): JsonObject {
  const failed = report.type === "failure" ? findingsOf(report) : [];
  const notes = [
    ...failed.map((finding) => ({ level: "error", message: { text: textOf(finding) } })),
    ...(left > 0
      ? [{ level: "warning", message: { text: `${pluralize(left, "result")} more omitted` } }]
      : []),
  ];
  const executionSuccessful = failed.length === 0;
  return { executionSuccessful, toolExecutionNotifications: notes };
}

function resultOf(finding: Finding, codes: readonly string[]): JsonObject {
  const { code, level, place, address, message } = finding;
  const logical =
    address === undefined
      ? {}
      : { logicalLocations: [{ fullyQualifiedName: address, kind: "resource" }] };
  const physical = place === undefined || place.file === "<stdin>" ? {} : physicalOf(place);
  const location = { ...physical, ...logical };
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: levels[level],
    message: { text: textOf(finding) },
    ...(Object.keys(location).length === 0 ? {} : { locations: [location] }),
    partialFingerprints: { "svc/v1": digest([code, address ?? "", message]) },
  };
}

function physicalOf({ file, line, column }: Place): JsonObject {
  const uri = file.toWellFormed().split("/").map(encodeURIComponent).join("/");
  return {
    physicalLocation: {
      artifactLocation: { uri: file.startsWith("/") ? `file://${uri}` : uri },
      region: { startLine: line, startColumn: column },
    },
  };
}

/** Returns a fingerprint that is stable across runs and moved lines. */
function digest(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function textOf({ message, detail, remedy }: Finding): string {
  const lines = [message, ...detail.slice(1), ...(remedy === undefined ? [] : [`→ ${remedy}`])];
  return lines.map((line) => line.trimEnd()).join("\n");
}
