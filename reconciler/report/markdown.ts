// Formats a report as Markdown for a pull-request comment: a summary by risk, then folded details, cut
// to the size limit.
import { escapeInvisible, pluralize, truncate } from "../../core/text/escape-text.ts";
import { keepAdvice } from "../model/keep-advice.ts";
import type { Plan } from "../model/index.ts";
import { directionHeadings, directions, unmanagedHeading } from "./drift-text.ts";
import { headline } from "./headline.ts";
import { type PlanReport, type Report, stackOf } from "./report.ts";
import { risks } from "./risk.ts";
import { byRisk, countsText, sectionsOf, titleOf } from "./sections.ts";
import { truncateToFit } from "./truncate-markdown.ts";

/**
 * Returns at most `limits.markdownCharacters` characters. The first line is a comment with the report
 * type and the stack, which lets a pipeline find its previous comment. Untrusted text is always
 * formatted as code.
 */
export function markdownText(report: Report): string {
  const stack = stackOf(report);
  const title = titleOf(report);
  const head = [
    `<!-- svc ${report.type} ${encodeURIComponent((stack ?? "").toWellFormed())} -->`,
    `### ${stack === undefined ? title : `${title} ${code(stack)}`}`,
    "",
    ...summaryOf(report),
  ];
  return truncateToFit(head, sectionsOf(report, plain));
}

function summaryOf(report: Report): readonly string[] {
  if (report.type === "failure") {
    const remedy = report.remedy === undefined ? [] : ["", code(`→ ${report.remedy}`)];
    return [`${code(report.message)} (${code(report.code)})`, ...remedy];
  }
  if (report.type === "manifests") {
    return [
      report.stack === undefined ? headline(report) : pluralize(report.stack.objects, "object"),
    ];
  }
  const plan = report.type === "apply" ? report.applied.plan : report.plan;
  const where = [`On ${code(plan.basis.origin)}.`, "", `**${headline(report)}**`];
  if (report.type === "plan") {
    const advice = keepAdvice(plan);
    return [...where, ...riskTable(plan), ...(advice === undefined ? [] : ["", advice])];
  }
  return report.type === "drift" ? [...where, ...directionTable(report)] : where;
}

/** A table of the differences by direction, with the undeclared objects. */
function directionTable({ plan, unmanaged = [] }: PlanReport): readonly string[] {
  const differing = plan.changes.filter(({ action }) => action !== "none");
  const counted = directions.map(
    (direction) =>
      [
        directionHeadings[direction],
        differing.filter((change) => change.direction === direction).length,
      ] as const,
  );
  const rows = [...counted, [unmanagedHeading, unmanaged.length] as const]
    .filter(([, count]) => count > 0)
    .map(([heading, count]) => `| ${heading.replace(": ", " | ")} | ${count} |`);
  return rows.length === 0 ? [] : ["", "| drift | meaning | objects |", "|---|---|---|", ...rows];
}

function riskTable(plan: Plan): readonly string[] {
  const rows = byRisk(plan.changes).map(
    ({ risk, changes }) => `| **${risk}** | ${risks[risk]} | ${countsText(changes)} |`,
  );
  return rows.length === 0 ? [] : ["", "| risk | meaning | changes |", "|---|---|---|", ...rows];
}

/** Formats text as inline code, between more backticks than it contains. */
function code(text: string): string {
  const shown = truncate(escapeInvisible(text), maxShown);
  const runs = shown.match(/`+/gu) ?? [];
  const fence = "`".repeat(Math.max(0, ...runs.map(({ length }) => length)) + 1);
  const pad = /^`|`$|^ .* $/u.test(shown) || shown === "" ? " " : "";
  return `${fence}${pad}${shown}${pad}${fence}`;
}

const maxShown = 1000;
const plain = { color: false, width: 100 } as const;
