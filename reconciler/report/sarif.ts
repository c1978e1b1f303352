// Formats a report as SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0).
import { createHash } from "node:crypto";
import type { Place } from "../../core/diagnostics.ts";
import type { JsonObject } from "../../core/json.ts";
import { address as addressOf } from "../../core/kind/identity.ts";
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
    findingsOf(report).map((finding) => ({
      finding,
      location: locationOf({ ...finding, place: finding.place ?? stackPlace(report) }),
      of: reports.length === 1 ? [] : [name(report)],
      isFailure: report.type === "failure",
    })),
  );
  // Readers refuse a file with a result that is nowhere.
  const isResult = ({ location, isFailure }: (typeof all)[number]): boolean =>
    !isFailure && Object.keys(location).length > 0;
  const results = all.filter(isResult);
  const kept = results.slice(0, limits.sarifResults);
  const others = all.filter((one) => !isResult(one)).map(({ finding }) => finding);
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
        invocations: [invocation(reports, others, results.length - kept.length)],
        results: kept.map((one) => resultOf(one, codes)),
      },
    ],
  };
}

function name(report: Report): string {
  return (stackOf(report) ?? "").toWellFormed();
}

/** Returns the place of the Stack, where findings about no document are. */
function stackPlace(report: Report): Place | undefined {
  return "places" in report ? report.places.get(addressOf("Stack", name(report))) : undefined;
}

/** Notifications about the run: its failures, findings that are nowhere, and omitted results. */
function invocation(
  reports: readonly Report[],
  others: readonly Finding[],
  left: number,
): JsonObject {
  const notes = [
    ...others.map((finding) => ({
      level: levels[finding.level],
      message: { text: textOf(finding) },
    })),
    ...(left > 0
      ? [{ level: "warning", message: { text: `${pluralize(left, "result")} more omitted` } }]
      : []),
  ];
  const executionSuccessful = !reports.some(({ type }) => type === "failure");
  return { executionSuccessful, toolExecutionNotifications: notes };
}

interface Located {
  readonly finding: Finding;
  readonly location: JsonObject;
  /** Tells equal findings of several stacks apart. */
  readonly of: readonly string[];
}

function resultOf({ finding, location, of }: Located, codes: readonly string[]): JsonObject {
  const { code, level, address, message } = finding;
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: levels[level],
    message: { text: textOf(finding) },
    locations: [location],
    partialFingerprints: { "svc/v1": digest([code, address ?? "", message, ...of]) },
  };
}

/** Returns where a finding is in a file, and its object; empty if it is nowhere. */
function locationOf({ place, address }: Pick<Finding, "place" | "address">): JsonObject {
  return {
    ...(place !== undefined && place.file !== "<stdin>" && physicalOf(place)),
    ...(address !== undefined && {
      logicalLocations: [{ fullyQualifiedName: address, kind: "resource" }],
    }),
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
