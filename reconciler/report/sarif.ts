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

/**
 * Formats one run, with findings as results and their codes as rules. Several reports share it, because readers accept few
 * runs in a file.
 */
export function sarifJson(...reports: readonly [Report, ...Report[]]): JsonObject {
  const [first] = reports;
  const all = reports.flatMap((report) =>
    report.type === "failure"
      ? []
      : findingsOf(report).map((finding) => ({
          finding,
          of: reports.length === 1 ? [] : [name(report)],
        })),
  );
  const kept = all.slice(0, limits.sarifResults);
  const codes = [...new Set(kept.map(({ finding }) => finding.code))].toSorted();
  const rules = codes.map((code) => ({ id: code, shortDescription: { text: meaningOf(code) } }));
  const id = reports.length === 1 ? encodeURIComponent(name(first)) : "stacks";
  return {
    $schema: schema,
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "svc", rules } },
        automationDetails: { id: `svc/${first.type}/${id}` },
        columnKind: "utf16CodeUnits",
        invocations: [invocation(reports, all.length - kept.length)],
        results: kept.map(({ finding, of }) => resultOf(finding, codes, of)),
      },
    ],
  };
}

function name(report: Report): string {
  return (stackOf(report) ?? "").toWellFormed();
}

/** Notifications about the run: its failures, and omitted results. */
function invocation(reports: readonly Report[], left: number): JsonObject {
  const failed = reports.flatMap((report) => (report.type === "failure" ? findingsOf(report) : []));
  const notes = [
    ...failed.map((finding) => ({ level: "error", message: { text: textOf(finding) } })),
    ...(left > 0
      ? [{ level: "warning", message: { text: `${pluralize(left, "result")} more omitted` } }]
      : []),
  ];
  const executionSuccessful = failed.length === 0;
  return { executionSuccessful, toolExecutionNotifications: notes };
}

/** `of` tells equal findings of several stacks apart. */
function resultOf(finding: Finding, codes: readonly string[], of: readonly string[]): JsonObject {
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
    partialFingerprints: { "svc/v1": digest([code, address ?? "", message, ...of]) },
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
