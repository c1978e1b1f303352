// Plans and drift as text for people.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { DriftDirection } from "../../core/diff.ts";
import type { Action, Change, Plan } from "../model/index.ts";
import { actionStyles, actions, countActions } from "./actions.ts";
import { labelOf, type Unmanaged } from "../verbs/unmanaged.ts";
import { blockedChains, isBlockedByDependency } from "./dependent-chains.ts";
import { type ChangeStyle, changeLines, type ChangeNotes } from "./change-text.ts";
import { diagnosticsText } from "./diagnostics-text.ts";
import { foldChanges } from "./fold-lists.ts";
import { type Color, paint } from "./style.ts";
import { joinBlocks, pluralize, escapeInvisible } from "./escape-text.ts";

export { diagnosticsText } from "./diagnostics-text.ts";

/** Everything that applying the plan would do, what stands in its way, and what it costs. */
export function planText(plan: Plan, look: ChangeStyle): string {
  return joinBlocks([
    basisLine(plan),
    changesText(
      plan.changes.filter((change) => !isBlockedByDependency(change)),
      plan,
      look,
    ),
    diagnosticsText(otherDiagnostics(plan), look),
    notVerifiedText(plan),
    planSummary(plan),
  ]);
}

/** Every difference between the manifests and the server, with who moved: conflicts first. */
export function driftText(plan: Plan, look: ChangeStyle, unmanaged?: readonly Unmanaged[]): string {
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
      const head = paint(look, inks[direction], directionHeadings[direction]);
      return `${head}\n${changesText(changes, plan, look)}`;
    });
  const findings = diagnosticsText(otherDiagnostics(plan), look);
  const others = unmanagedLines(unmanaged ?? []);
  const undeclared =
    others.length === 0 ? [] : [[paint(look, "yellow", unmanagedHeading), ...others].join("\n")];
  const summary = driftSummary(plan, unmanaged);
  return joinBlocks([basisLine(plan), ...sections, ...undeclared, findings, summary]);
}

/** How many objects differ by whose hand, in one line. */
export function driftSummary(
  { changes, unchanged, cost }: Plan,
  unmanaged?: readonly Unmanaged[],
): string {
  const differing = changes.filter(({ action }) => action !== "none");
  const counts = directions.map((direction) => {
    const count = differing.filter((change) => change.direction === direction).length;
    return `${count} ${direction}`;
  });
  const alike = unchanged + changes.length - differing.length;
  const others = unmanaged === undefined ? "" : `, ${unmanaged.length} unmanaged`;
  return `Drift: ${counts.join(", ")}, ${alike} as declared${others}; ${pluralize(cost.readCalls, "call")} to read.`;
}

/** What is said of objects that nobody declared. */
export const unmanagedHeading = "unmanaged: exists, and nobody declared it";

/** A line for each of them. */
export function unmanagedLines(unmanaged: readonly Unmanaged[]): readonly string[] {
  return unmanaged.map((one) => `  ? ${escapeInvisible(labelOf(one))}`);
}

/** Who may have moved, the worst first. */
export const directions: readonly DriftDirection[] = ["conflict", "drifted", "pending"];

/** What is said of each of them. */
export const directionHeadings: Readonly<Record<DriftDirection, string>> = {
  conflict: "conflict: changed here and on the server",
  drifted: "drifted: changed on the server",
  pending: "pending: changed here, not applied yet",
};

function notVerifiedText({ notVerified = [] }: Plan): string {
  return notVerified.map((one) => `Not verified: ${escapeInvisible(one)}.`).join("\n");
}

function basisLine({ basis }: Plan): string {
  return `Stack ${escapeInvisible(basis.stack)} on ${escapeInvisible(basis.origin)}`;
}

/** What a plan would do and what it costs, in one line. */
export function planSummary({ changes, unchanged, cost }: Plan): string {
  const counts = countActions(changes);
  const stuck = countActions(changes.filter(({ blockedBy }) => blockedBy.length > 0));
  const blocked = (action: Action): string =>
    stuck[action] === 0 || action === "refuse" ? "" : ` (${stuck[action]} of them blocked)`;
  const todo = actions
    .filter((action) => counts[action] > 0)
    .map((action) => `${counts[action]} ${actionStyles[action].planned}${blocked(action)}`);
  const said = todo.length === 0 ? ["nothing to do"] : todo;
  const { seconds } = cost;
  const time =
    seconds === undefined ? "" : `, in ${pluralize(seconds, "second")} or more at the stack's rate`;
  const calls = `${pluralize(cost.readCalls, "call")} to read, ${cost.writeCalls} to write${time}`;
  return `Plan: ${[...said, `${unchanged} unchanged`].join(", ")}; ${calls}.`;
}

function changesText(changes: readonly Change[], plan: Plan, look: ChangeStyle): string {
  const about = notesFor(plan);
  const { shown, lines } = foldChanges(changes, about, look);
  const told = shown.flatMap((change) => changeLines(change, look, about(change)));
  return [...told, ...lines].join("\n");
}

/** What a plan says of each of its changes. */
export function notesFor({ changes, diagnostics }: Plan): (change: Change) => ChangeNotes {
  const about = Map.groupBy(diagnostics, ({ address }) => address);
  const chains = blockedChains(changes);
  return ({ address }) => ({ findings: about.get(address), dependents: chains.get(address) });
}

/** The diagnostics that no change tells already; what is said of every orphan alike is said once. */
export function otherDiagnostics({ changes, diagnostics }: Plan): readonly Diagnostic[] {
  const blocked = new Map(changes.map(({ address, blockedBy }) => [address, blockedBy]));
  const rest = diagnostics.filter(
    ({ address, summary }) =>
      address === undefined || blocked.get(address)?.includes(summary) !== true,
  );
  const orphans = Map.groupBy(
    rest.filter(({ code }) => code === "orphan"),
    ({ remedy }) => remedy,
  );
  const merged = [...orphans.values()].flatMap((alike) => {
    const [first] = alike;
    if (first === undefined || alike.length === 1) return alike;
    const { address: _, place: __, path: ___, ...said } = first;
    return [{ ...said, summary: `${alike.length} objects are no longer declared and are kept` }];
  });
  return [...rest.filter(({ code }) => code !== "orphan"), ...merged];
}
