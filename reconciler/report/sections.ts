// Divides a report into sections, for Markdown and HTML: changes by risk or direction, and messages.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { escapeInvisible, pluralize } from "../../core/text/escape-text.ts";
import { countCascaded } from "../engine/cascade.ts";
import { actions, countActions } from "../model/actions.ts";
import type { ApplyResult, Change, Plan } from "../model/index.ts";
import { actionStyles, plannedText } from "./actions.ts";
import { appliedText } from "./applied-text.ts";
import { type ChangeStyle, changeLines } from "./change-text.ts";
import { isBlockedByDependency } from "./dependent-chains.ts";
import { diagnosticsText } from "./diagnostics-text.ts";
import { directionHeadings, directions, unmanagedHeading, unmanagedLines } from "./drift-text.ts";
import { notesFor, otherDiagnostics } from "./plan-text.ts";
import type { PlanReport, Report } from "./report.ts";
import { type Risk, riskOf, risks } from "./risk.ts";
import { paint, type TextStyle } from "./style.ts";

/** A change or a message, of a few lines. */
export interface Block {
  readonly lines: readonly string[];
  readonly change?: Change;
}

/** A foldable section of a report. */
export interface Section {
  /** Trusted text. */
  readonly title: string;
  readonly open: boolean;
  readonly blocks: readonly Block[];
}

/** Returns the title of a report, which the name of its stack follows. */
export function titleOf({ type }: Report): string {
  return titles[type];
}

const titles: Readonly<Record<Report["type"], string>> = {
  plan: "Plan for stack",
  drift: "Drift of stack",
  apply: "Apply of stack",
  manifests: "Manifests of stack",
  failure: "svc failed",
};

/** Groups changes by risk, worst first. */
export function byRisk(
  all: readonly Change[],
): readonly { readonly risk: Risk; readonly changes: readonly Change[] }[] {
  const groups = Map.groupBy(all, riskOf);
  return (Object.keys(risks) as Risk[]).flatMap((risk) => {
    const changes = groups.get(risk);
    return changes === undefined ? [] : [{ risk, changes }];
  });
}

/** Formats `2 to delete, 1 to replace`, and counts cascaded deletes. */
export function countsText(changes: readonly Change[]): string {
  const counts = countActions(changes);
  const cascaded = countCascaded(changes);
  return [
    ...actions
      .filter((action) => counts[action] > 0)
      .map((action) => `${counts[action]} ${plannedText(action)}`),
    ...(cascaded > 0 ? [`${cascaded} more inside them`] : []),
  ].join(", ");
}

/** Returns the sections of a report, with their lines in a style; sections may be empty. */
export function sectionsOf(report: Report, style: TextStyle): readonly Section[] {
  switch (report.type) {
    case "failure":
      return [];
    case "manifests":
      return findings(report.manifestDiagnostics, style);
    case "plan": {
      const { plan, manifestDiagnostics } = report;
      const changed = byRisk(plan.changes).map(({ risk, changes }) => ({
        title: `${risk}: ${countsText(changes)}`,
        open: risk === "destroys" || risk === "blocked",
        blocks: blocksOf(
          changes.filter((change) => !isBlockedByDependency(change)),
          plan,
          { ...style, ...report },
        ),
      }));
      const [loud, notes] = findings([...manifestDiagnostics, ...otherDiagnostics(plan)], style);
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
          blocks: blocksOf(changes, plan, { ...style, ...report, isDrift: true }),
        };
      });
      const [loud, notes] = findings([...manifestDiagnostics, ...otherDiagnostics(plan)], style);
      return [loud, ...sections, unmanagedSection(report), notes];
    }
    case "apply":
      return [
        ...findings(report.manifestDiagnostics, style),
        ...appliedSections(report.applied, { ...style, ...report }),
      ];
  }
}

function unmanagedSection({ unmanaged = [] }: PlanReport): Section {
  return {
    title: `${unmanagedHeading}: ${pluralize(unmanaged.length, "object")}`,
    open: true,
    blocks: unmanagedLines(unmanaged).map((line) => ({ lines: [line] })),
  };
}

function appliedSections(applied: ApplyResult, style: ChangeStyle): readonly Section[] {
  // The last block is the headline, which is already at the top.
  const undone = appliedText(applied, style).trimEnd().split("\n\n").slice(0, -1);
  const done = applied.outcomes.filter(({ result }) => result === "done");
  return [
    {
      title: "failures",
      open: true,
      blocks: undone.map((text) => ({ lines: text.split("\n") })),
    },
    {
      title: `done: ${pluralize(done.length, "change")}`,
      open: false,
      blocks: done.map(({ action, address }) => {
        const { sign, color } = actionStyles[action];
        return { lines: [paint(style, color, `${sign} ${escapeInvisible(address)}`)] };
      }),
    },
  ];
}

function blocksOf(changes: readonly Change[], plan: Plan, style: ChangeStyle): readonly Block[] {
  const about = notesFor(plan);
  return changes.map((change) => ({ change, lines: changeLines(change, style, about(change)) }));
}

/** Returns the errors and warnings, which are open, and the notes, which are folded. */
function findings(all: readonly Diagnostic[], style: TextStyle): readonly [Section, Section] {
  const [loud, quiet] = [true, false].map((isLoud) =>
    all.filter(({ severity }) => (severity !== "info") === isLoud),
  );
  const section = (title: string, open: boolean, some: readonly Diagnostic[] = []): Section => ({
    title: `${title}: ${some.length}`,
    open,
    blocks:
      some.length === 0
        ? []
        : diagnosticsText(some, style)
            .split("\n")
            .map((line) => ({ lines: [line] })),
  });
  return [section("errors and warnings", true, loud), section("notes", false, quiet)];
}
