// Formats a report as Markdown for a pull-request comment: a summary by risk, then folded details, cut
// to the size limit.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { countCascaded } from "../engine/cascade.ts";
import type { ApplyResult, Change, Plan } from "../model/index.ts";
import { actionStyles, plannedText } from "./actions.ts";
import { actions, countActions } from "../model/actions.ts";
import { keepAdvice } from "../model/keep-advice.ts";
import { appliedText } from "./applied-text.ts";
import { isBlockedByDependency } from "./dependent-chains.ts";
import { type ChangeStyle, changeLines } from "./change-text.ts";
import { diagnosticsText } from "./diagnostics-text.ts";
import { headline } from "./headline.ts";
import { truncateToFit, type Section } from "./truncate-markdown.ts";
import { type PlanReport, type Report, stackOf } from "./report.ts";
import { type Risk, riskOf, risks } from "./risk.ts";
import { notesFor, otherDiagnostics } from "./plan-text.ts";
import { directions, directionHeadings, unmanagedHeading, unmanagedLines } from "./drift-text.ts";
import { pluralize, truncate, escapeInvisible } from "../../core/text/escape-text.ts";

/**
 * Returns at most `limits.markdownCharacters` characters. The first line is a comment with the report
 * type and the stack, which lets a pipeline find its previous comment. Untrusted text is always
 * formatted as code.
 */
export function markdownText(report: Report): string {
  const stack = stackOf(report);
  const title = stack === undefined ? titles[report.type] : `${titles[report.type]} ${code(stack)}`;
  const head = [
    `<!-- svc ${report.type} ${encodeURIComponent((stack ?? "").toWellFormed())} -->`,
    `### ${title}`,
    "",
    ...summaryOf(report),
  ];
  return truncateToFit(head, sectionsOf(report));
}

const titles: Readonly<Record<Report["type"], string>> = {
  plan: "Plan for stack",
  drift: "Drift of stack",
  apply: "Apply of stack",
  manifests: "Manifests of stack",
  failure: "svc failed",
};

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

function byRisk(
  all: readonly Change[],
): readonly { readonly risk: Risk; readonly changes: readonly Change[] }[] {
  const groups = Map.groupBy(all, riskOf);
  return (Object.keys(risks) as Risk[]).flatMap((risk) => {
    const changes = groups.get(risk);
    return changes === undefined ? [] : [{ risk, changes }];
  });
}

/** Formats `2 to delete, 1 to replace`, and counts cascaded deletes. */
function countsText(changes: readonly Change[]): string {
  const counts = countActions(changes);
  const cascaded = countCascaded(changes);
  return [
    ...actions.filter((one) => counts[one] > 0).map((one) => `${counts[one]} ${plannedText(one)}`),
    ...(cascaded > 0 ? [`${cascaded} more inside them`] : []),
  ].join(", ");
}

function sectionsOf(report: Report): readonly Section[] {
  switch (report.type) {
    case "failure":
      return [];
    case "manifests":
      return findings(report.manifestDiagnostics);
    case "plan": {
      const { plan, manifestDiagnostics } = report;
      const changed = byRisk(plan.changes).map(({ risk, changes }) => ({
        title: `${risk}: ${countsText(changes)}`,
        open: risk === "destroys" || risk === "blocked",
        blocks: blocksOf(
          changes.filter((change) => !isBlockedByDependency(change)),
          plan,
          report,
        ),
      }));
      const [loud, notes] = findings([...manifestDiagnostics, ...otherDiagnostics(plan)]);
      return [loud, ...changed, notes];
    }
    case "drift": {
      const { plan, manifestDiagnostics } = report;
      const differing = plan.changes.filter(({ action }) => action !== "none");
      const sections = directions.map((direction): Section => {
        const changes = differing.filter((change) => change.direction === direction);
        return {
          title: `${directionHeadings[direction]}: ${pluralize(changes.length, "object")}`,
          open: direction !== "pending",
          blocks: blocksOf(changes, plan, { ...report, isDrift: true }),
        };
      });
      const [loud, notes] = findings([...manifestDiagnostics, ...otherDiagnostics(plan)]);
      return [loud, ...sections, unmanagedSection(report), notes];
    }
    case "apply":
      return [...findings(report.manifestDiagnostics), ...appliedSections(report.applied, report)];
  }
}

function unmanagedSection({ unmanaged = [] }: PlanReport): Section {
  return {
    title: `${unmanagedHeading}: ${pluralize(unmanaged.length, "object")}`,
    open: true,
    blocks: unmanagedLines(unmanaged).map((line) => [line]),
  };
}

function appliedSections(
  applied: ApplyResult,
  { kinds, names }: Pick<ChangeStyle, "kinds" | "names">,
): readonly Section[] {
  const style = { ...plain, names, ...(kinds === undefined ? {} : { kinds }) };
  // The last block is the headline, which is already at the top.
  const undone = appliedText(applied, style).trimEnd().split("\n\n").slice(0, -1);
  const done = applied.outcomes.filter(({ result }) => result === "done");
  const { length } = done;
  return [
    { title: "failures", open: true, blocks: undone.map((text) => text.split("\n")) },
    {
      title: `done: ${pluralize(length, "change")}`,
      open: false,
      blocks: done.map(({ action, address }) => [
        `${actionStyles[action].sign} ${escapeInvisible(address)}`,
      ]),
    },
  ];
}

const plain = { color: false, width: 100 } as const;

function blocksOf(
  changes: readonly Change[],
  plan: Plan,
  { kinds, names, isDrift }: Pick<ChangeStyle, "kinds" | "names" | "isDrift">,
): readonly (readonly string[])[] {
  const about = notesFor(plan);
  const style = { ...plain, names, ...(kinds && { kinds }), ...(isDrift && { isDrift }) };
  return changes.map((change) => changeLines(change, style, about(change)));
}

/** Returns the errors and warnings, which are open, and the notes, which are folded. */
function findings(all: readonly Diagnostic[]): readonly [Section, Section] {
  const [loud, quiet] = [true, false].map((isLoud) =>
    all.filter(({ severity }) => (severity !== "info") === isLoud),
  );
  const section = (title: string, open: boolean, some: readonly Diagnostic[] = []): Section => ({
    title: `${title}: ${some.length}`,
    open,
    blocks:
      some.length === 0
        ? []
        : diagnosticsText(some, plain)
            .split("\n")
            .map((line) => [line]),
  });
  return [section("errors and warnings", true, loud), section("notes", false, quiet)];
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
