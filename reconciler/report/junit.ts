// Formats a report as JUnit XML, with one test case per change, difference or result.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Change, Outcome } from "../model/index.ts";
import { labelOf, type Unmanaged } from "../verbs/unmanaged.ts";
import { blockingDependencies, blockTexts } from "./blocked-text.ts";
import { isBlockedByDependency } from "./dependent-chains.ts";
import { type Finding, findingsOf, isDrifted } from "./findings.ts";
import { headline } from "./headline.ts";
import { type Report, stackOf } from "./report.ts";
import { pluralize, escapeInvisible } from "../../core/text/escape-text.ts";

interface Case {
  readonly className: string;
  readonly name: string;
  readonly result: "passed" | "failure" | "error" | "skipped";
  /** Error code of a failed case. */
  readonly type?: string;
  readonly message?: string;
  readonly lines?: readonly string[];
}

/**
 * Formats a suite for each report. A case fails if its change is blocked, its object drifted, or its apply failed. A
 * change that is only planned passes.
 */
export function junitText(...reports: readonly [Report, ...Report[]]): string {
  const suites = reports.map((report) => ({ report, cases: casesOf(report) }));
  const { skipped: _, ...totals } = countsOf(suites.flatMap(({ cases }) => cases));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes(totals)}>`,
    ...suites.flatMap(({ report, cases }) => {
      const name = ["svc", report.type, stackOf(report)].filter((part) => part !== undefined);
      const suite = { name: escapeInvisible(name.join(" ")), ...countsOf(cases) };
      return [
        `  <testsuite${attributes(suite)}>`,
        ...cases.flatMap(caseLines),
        `    <system-out>${xml(headline(report))}</system-out>`,
        "  </testsuite>",
      ];
    }),
    "</testsuites>",
    "",
  ].join("\n");
}

function countsOf(cases: readonly Case[]) {
  const count = (result: Case["result"]): number =>
    cases.filter((item) => item.result === result).length;
  return {
    tests: cases.length,
    failures: count("failure"),
    errors: count("error"),
    skipped: count("skipped"),
  };
}

function casesOf(report: Report): readonly Case[] {
  const findings = findingsOf(report);
  switch (report.type) {
    case "failure":
      return findings.map((finding) => ({ ...caseOf(finding, "run"), result: "error" }));
    case "manifests":
      return orPassing(
        findings.map((finding) => caseOf(finding, "manifests")),
        "manifests",
      );
    case "plan": {
      const { plan } = report;
      const about = Map.groupBy(plan.diagnostics, ({ address }) => address);
      const changes = plan.changes.map((change) =>
        ofChange(change, about.get(change.address) ?? []),
      );
      return orPassing(
        [...changes, ...otherCases(findings, plan.changes)],
        inSyncLabel(plan.unchanged),
      );
    }
    case "drift": {
      const { plan } = report;
      const differing = plan.changes.filter(({ action }) => action !== "none");
      const alike = plan.unchanged + plan.changes.length - differing.length;
      const find = findingByCode(findings);
      const cases = differing.map((change) => ofDifference(change, find));
      const undeclared = (report.unmanaged ?? []).map((object) => ofUnmanaged(object));
      const reported = [...differing, ...undeclared.map(({ name }) => ({ address: name }))];
      return orPassing(
        [...cases, ...undeclared, ...otherCases(findings, reported)],
        inSyncLabel(alike),
      );
    }
    case "apply": {
      const { outcomes, residual } = report.applied;
      const find = findingByCode(findings);
      const cases = outcomes.map((outcome) => ofOutcome(outcome, find));
      return orPassing(
        [...cases, ...otherCases(findings, [...outcomes, ...residual], true)],
        "apply",
      );
    }
  }
}

/** A suite without cases looks like one that did not run. */
function orPassing(cases: readonly Case[], name: string): readonly Case[] {
  return cases.length > 0 ? cases : [{ className: "stack", name, result: "passed" }];
}

function inSyncLabel(count: number): string {
  return `${pluralize(count, "object")} in sync`;
}

function ofChange(change: Change, diagnostics: readonly Diagnostic[]): Case {
  const { action, address, kind } = change;
  const base = { className: kind, name: `${action} ${address}` };
  if (change.blockedBy.length === 0) return { ...base, result: "passed" };
  if (isBlockedByDependency(change)) {
    return {
      ...base,
      result: "skipped",
      message: `depends on ${blockingDependencies(change).join(", ")}`,
    };
  }
  const texts = blockTexts(change, diagnostics);
  const code = texts.find(({ diagnostic }) => diagnostic !== undefined)?.diagnostic?.code;
  const message = texts.map(({ text }) => text).join("; ");
  return { ...base, result: "failure", type: code ?? "blocked", message };
}

/** Finds the first finding about an object with a code. */
type FindingByCode = (address: string, code: string | undefined) => Finding | undefined;

function findingByCode(findings: readonly Finding[]): FindingByCode {
  const about = Map.groupBy(findings, ({ address }) => address);
  return (address, code) =>
    about.get(escapeInvisible(address))?.find((finding) => finding.code === code);
}

function ofDifference(change: Change, find: FindingByCode): Case {
  const base = { className: change.kind, name: change.address };
  const code = change.direction;
  if (!isDrifted(change)) return { ...base, result: "skipped", message: "not applied yet" };
  const reported = find(change.address, code);
  return {
    ...base,
    result: "failure",
    type: code,
    message: reported?.message ?? "",
    lines: reported?.detail ?? [],
  };
}

function ofUnmanaged(object: Unmanaged): Case {
  const message = "exists and is not declared";
  return {
    className: object.kind,
    name: labelOf(object),
    result: "failure",
    type: "unmanaged",
    message,
  };
}

function ofOutcome({ address, action, result, failure }: Outcome, find: FindingByCode): Case {
  const base = { className: address.split("/")[0] ?? "", name: `${action} ${address}` };
  if (result === "skipped")
    return { ...base, result, message: failure?.message ?? "not attempted" };
  if (result === "failed") {
    const remedy = failure?.remedy === undefined ? [] : [`→ ${escapeInvisible(failure.remedy)}`];
    const message = failure?.message ?? "it failed";
    return { ...base, result: "failure", type: failure?.code ?? "", message, lines: remedy };
  }
  const still = find(address, "residual");
  if (still === undefined) return { ...base, result: "passed" };
  const { code, message, detail } = still;
  return { ...base, result: "failure", type: code, message, lines: detail };
}

/** Returns the findings that belong to no case. */
function otherCases(
  findings: readonly Finding[],
  reported: readonly { readonly address: string }[],
  isDone = false,
): readonly Case[] {
  const addresses = new Set(reported.map(({ address }) => escapeInvisible(address)));
  return findings
    .filter(({ level }) => level === "error" || (!isDone && level === "warning"))
    .filter(({ address }) => address === undefined || !addresses.has(address))
    .map((finding) => caseOf(finding, "stack"));
}

/** Warnings and notes pass; use --fail-on to fail on them. */
function caseOf(finding: Finding, of: string): Case {
  const { code, level, message, remedy, place } = finding;
  const where =
    place === undefined ? [] : [`at ${escapeInvisible(place.file)}:${place.line}:${place.column}`];
  const lines = [...where, ...(remedy === undefined ? [] : [`→ ${remedy}`])];
  const result = level === "error" ? "failure" : "passed";
  return { className: of, name: `${code}: ${message}`, result, type: code, message, lines };
}

function caseLines({
  className: of,
  name,
  result,
  type,
  message,
  lines = [],
}: Case): readonly string[] {
  const head = `    <testcase${attributes({ classname: `svc.${escapeInvisible(of)}`, name: escapeInvisible(name) })}`;
  const parts = [message, ...lines].flatMap((line) => line ?? []).map((line) => xml(line));
  if (result === "passed") {
    return parts.length === 0
      ? [`${head}/>`]
      : [`${head}>`, `      <system-out>${parts.join("\n")}</system-out>`, "    </testcase>"];
  }
  const why = attributes({ message: escapeInvisible(message ?? ""), type });
  const body = lines.length === 0 ? "/>" : `>${lines.map(xml).join("\n")}</${result}>`;
  return [`${head}>`, `      <${result}${why}${body}`, "    </testcase>"];
}

function attributes(all: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(all)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${xml(String(value))}"`]))
    .join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Escapes text for XML, including two characters that XML cannot contain. */
function xml(text: string): string {
  return text
    .replace(/[&<>"']/gu, (sign) => entities[sign] ?? sign)
    .replace(/[\ufffe\uffff]/gu, "\ufffd");
}
