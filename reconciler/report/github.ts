// Formats a report as workflow commands of GitHub Actions, which show as annotations.
import { limits } from "../../core/limits/limits.ts";
import { type Finding, findingsOf } from "./findings.ts";
import { actionStyles } from "./actions.ts";
import { changeLines } from "./change-text.ts";
import { isBlockedByDependency } from "./dependent-chains.ts";
import { headline } from "./headline.ts";
import { keepAdvice } from "../model/keep-advice.ts";
import type { Report } from "./report.ts";
import { pluralize, truncate, escapeInvisible } from "../../core/text/escape-text.ts";

/** Name of manifests from standard input, which have no file. */
const standardInput = "<stdin>";
const annotationLevels = { error: "error", warning: "warning", info: "notice" } as const;

/** Formats one command per finding, worst first, then a summary. */
export function githubText(report: Report): string {
  const all = findingsOf(report);
  const sorted = Object.keys(annotationLevels).flatMap((level) =>
    all.filter((finding) => finding.level === level),
  );
  const shown = sorted.slice(0, limits.diagnosticsShown);
  const left = sorted.length - shown.length;
  const rest = left === 0 ? [] : [`${pluralize(left, "finding")} more not shown as annotations`];
  const advice = report.type === "plan" ? keepAdvice(report.plan) : undefined;
  const parts = [...rest, changesList(report), advice ?? "", headline(report)].filter(
    (text) => text !== "",
  );
  return [...shown.map(annotation), ...parts.map((text) => notice(text))]
    .map((line) => `${line}\n`)
    .join("");
}

/** Lists the changes of a plan, or the results of an apply. Drift is listed in separate findings. */
function changesList(report: Report): string {
  if (report.type === "plan") {
    const { plan, kinds, names } = report;
    const style = { color: false, width: 200, names, ...(kinds && { kinds }) };
    const listed = plan.changes.filter((change) => !isBlockedByDependency(change));
    const lines = listed.flatMap((change) => changeLines(change, style));
    return truncate(lines.join("\n"), limits.annotationCharacters);
  }
  if (report.type !== "apply") return "";
  const done = report.applied.outcomes.filter(({ result }) => result === "done");
  const lines = done.map(
    ({ action, address }) => `${actionStyles[action].sign} ${escapeInvisible(address)}`,
  );
  return truncate(lines.join("\n"), limits.annotationCharacters);
}

function annotation(finding: Finding): string {
  const { code, level, message, detail, remedy, place } = finding;
  const position: Readonly<Record<string, string>> =
    place === undefined || place.file === standardInput
      ? {}
      : { file: escapeInvisible(place.file), line: `${place.line}`, col: `${place.column}` };
  const properties = Object.entries({ ...position, title: `svc: ${code}` })
    .map(([name, value]) => `${name}=${property(value)}`)
    .join(",");
  const text = [message, ...detail.slice(1), ...(remedy === undefined ? [] : [`→ ${remedy}`])];
  return `::${annotationLevels[level]} ${properties}::${data(truncate(text.join("\n"), limits.annotationCharacters))}`;
}

function notice(text: string): string {
  return `::notice title=svc::${data(text)}`;
}

/** The runner ends a command at a line break. */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
