// Formats drift as text: changes made on the server, changes not yet applied, and conflicts.
import type { DriftDirection } from "../../core/spec/diff.ts";
import type { Plan } from "../model/index.ts";
import { escapeInvisible, joinBlocks, pluralize } from "../../core/text/escape-text.ts";
import { labelOf, type Unmanaged } from "../verbs/unmanaged.ts";
import type { ChangeStyle } from "./change-text.ts";
import { diagnosticsText } from "./diagnostics-text.ts";
import { basisLine, changesText, otherDiagnostics } from "./plan-text.ts";
import type { PlanReport } from "./report.ts";
import { type Color, paint } from "./style.ts";

/** Formats every difference with its direction, conflicts first, and the diagnostics of the manifests. */
export function driftText(
  {
    plan,
    unmanaged,
    manifestDiagnostics,
  }: Pick<PlanReport, "plan" | "unmanaged" | "manifestDiagnostics">,
  style: ChangeStyle,
): string {
  const inks: Readonly<Record<DriftDirection, Color>> = {
    conflict: "red",
    drifted: "yellow",
    pending: "plain",
  };
  const differing = plan.changes.filter(({ action }) => action !== "none");
  const parts = directions.map((direction) => ({
    direction,
    changes: differing.filter((change) => change.direction === direction),
  }));
  const sections = parts
    .filter(({ changes }) => changes.length > 0)
    .map(({ direction, changes }) => {
      const head = paint(style, inks[direction], directionHeadings[direction]);
      return `${head}\n${changesText(changes, plan, { ...style, isDrift: true })}`;
    });
  const findings = diagnosticsText([...manifestDiagnostics, ...otherDiagnostics(plan)], style);
  const others = unmanagedLines(unmanaged ?? []);
  const undeclared =
    others.length === 0 ? [] : [[paint(style, "yellow", unmanagedHeading), ...others].join("\n")];
  const summary = driftSummary(plan, unmanaged);
  return joinBlocks([basisLine(plan), ...sections, ...undeclared, findings, summary]);
}

/** Formats the counts by direction in one line. */
export function driftSummary(
  { changes, unchanged, cost }: Plan,
  unmanaged?: readonly Unmanaged[],
): string {
  const differing = changes.filter(({ action }) => action !== "none");
  const counts = directions.map((direction) => {
    const count = differing.filter((change) => change.direction === direction).length;
    return direction === "conflict" ? pluralize(count, direction) : `${count} ${direction}`;
  });
  const alike = unchanged + changes.length - differing.length;
  const others = unmanaged === undefined ? "" : `, ${unmanaged.length} unmanaged`;
  return (
    `Drift: ${counts.join(", ")}, ${alike} in sync${others}; ` +
    `${pluralize(cost.readCalls, "call")} to read.`
  );
}

/** Note on undeclared objects. */
export const unmanagedHeading = "unmanaged: exists and is not declared";

/** Formats one line for each. */
export function unmanagedLines(unmanaged: readonly Unmanaged[]): readonly string[] {
  return unmanaged.map((object) => `  ? ${escapeInvisible(labelOf(object))}`);
}

/** Directions, worst first. */
export const directions: readonly DriftDirection[] = ["conflict", "drifted", "pending"];

/** Notes on each direction. */
export const directionHeadings: Readonly<Record<DriftDirection, string>> = {
  conflict: "conflict: changed in the manifest and on the server",
  drifted: "drifted: changed on the server",
  pending: "pending: changed in the manifest, not applied",
};
