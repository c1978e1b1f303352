// Formats the result of an apply as text. Equal failures are grouped; changes not attempted are
// counted.
import { limits } from "../../core/limits/limits.ts";
import type { ApplyResult, Change, Outcome } from "../model/index.ts";
import { actionStyles } from "./actions.ts";
import { actions, countActions } from "../model/actions.ts";
import { dependentsText, type DependentChains, skippedChains } from "./dependent-chains.ts";
import { type ChangeStyle, changeLines } from "./change-text.ts";
import { type Color, paint } from "./style.ts";
import { joinBlocks, pluralize, escapeInvisible } from "../../core/text/escape-text.ts";

/** Formats failures, skipped changes, remaining differences and the totals. */
export function appliedText(applied: ApplyResult, style: ChangeStyle): string {
  const { outcomes, stopped, residual, unverified, unrecorded } = applied;
  const of = (result: Outcome["result"]): readonly Outcome[] =>
    outcomes.filter((outcome) => outcome.result === result);
  const skipped = of("skipped");
  const chains = skippedChains(applied);
  const reported = new Set([...chains.values()].flat().map(({ address }) => address));
  const others = skipped.filter(({ address }) => !reported.has(address));
  return joinBlocks([
    outcomeLines(of("failed"), { ink: "red", chains }, style).join("\n"),
    stopped === undefined
      ? outcomeLines(others, { ink: "yellow", chains }, style).join("\n")
      : stoppedText(stopped, skipped.length, style),
    ...residualText(residual, style),
    unverified === undefined
      ? ""
      : `Could not read the result back: ${escapeInvisible(unverified.replace(/\.$/u, ""))}.`,
    unrecorded === undefined
      ? ""
      : `The inventory could not be updated after the changes: ${escapeInvisible(unrecorded.message)}`,
    appliedSummary(applied),
  ]);
}

function stoppedText(
  { code, message }: NonNullable<ApplyResult["stopped"]>,
  untried: number,
  style: ChangeStyle,
): string {
  const head = `Stopped: ${escapeInvisible(message)} ${paint(style, "dim", `[${code}]`)}`;
  const rest = untried === 0 ? "" : `${pluralize(untried, "change")} not attempted. `;
  return `${head}\n    → ${rest}Run the same command again once the server is healthy; completed changes are not repeated.`;
}

const faultHeading =
  "Still different after the apply, because of a bug in the resource type; please report it:";
const changedAgainHeading =
  "Changed again after the apply, by someone else or by the service itself:";

/** Formats remaining differences: bugs of the kind, and changes made by others in the meantime. */
function residualText(residual: readonly Change[], style: ChangeStyle): readonly string[] {
  const faults = residual.filter(isFault);
  const others = residual.filter((change) => !faults.includes(change));
  const section = (title: string, changes: readonly Change[]): string =>
    changes.length === 0
      ? ""
      : [title, ...changes.flatMap((change) => changeLines(withoutDirection(change), style))].join(
          "\n",
        );
  return [section(faultHeading, faults), section(changedAgainHeading, others)];
}

/** An object that still exists after its delete is a difference too. */
function isFault({ action, fields }: Change): boolean {
  return action === "delete" || fields.some(({ cause }) => cause !== "changed");
}

/** The cause says which side changed, and entries have moved. */
function withoutDirection({ formerAddress: _, ...change }: Change): Change {
  const fields = change.fields.map((field) => ({ ...field, direction: "pending" as const }));
  return { ...change, fields };
}

/** Formats the totals in one line. */
export function appliedSummary({ outcomes, residual, calls, writeCalls }: ApplyResult): string {
  const done = countActions(outcomes.filter(({ result }) => result === "done"));
  const words = actions
    .filter((action) => done[action] > 0)
    .map((action) => `${done[action]} ${actionStyles[action].done}`);
  const count = (result: Outcome["result"]): number =>
    outcomes.filter((outcome) => outcome.result === result).length;
  const bad = [
    ...(count("failed") > 0 ? [`${count("failed")} failed`] : []),
    ...(count("skipped") > 0 ? [`${count("skipped")} skipped`] : []),
    ...(residual.length > 0 ? [`${residual.length} still different`] : []),
  ];
  const parts = [...words, ...bad];
  return (
    `Applied: ${parts.length === 0 ? "nothing to do" : parts.join(", ")}; ` +
    `${pluralize(writeCalls, "call")} to write, ${calls} in total.`
  );
}

interface OutcomeStyle {
  readonly ink: Color;
  readonly chains: DependentChains;
}

/** Groups results with the same error, including changes that were skipped because of them. */
function outcomeLines(
  outcomes: readonly Outcome[],
  how: OutcomeStyle,
  style: ChangeStyle,
): string[] {
  const alike = Map.groupBy(outcomes, ({ action, failure }) =>
    JSON.stringify([action, failure ?? null]),
  );
  const entries = [...alike.values()];
  const shown = entries.slice(0, limits.diagnosticsShown);
  const rest = entries.slice(shown.length).flat().length;
  const lines = shown.flatMap((group) => groupLines(group, how, style));
  return rest > 0 ? [...lines, `… and ${rest} more ${outcomes[0]?.result}`] : lines;
}

const maxNamed = 5;

function groupLines(
  group: readonly Outcome[],
  { ink, chains }: OutcomeStyle,
  style: ChangeStyle,
): string[] {
  const [first] = group;
  if (first === undefined) return [];
  const { action, result, failure } = first;
  const names = group.slice(0, maxNamed).map(({ address }) => escapeInvisible(address));
  const more = group.length > names.length ? ` and ${group.length - names.length} more` : "";
  const code = failure === undefined ? "" : ` ${paint(style, "dim", `[${failure.code}]`)}`;
  const [summary = "", ...details] = failure?.message.split("\n") ?? [];
  const why = failure === undefined ? "" : `: ${escapeInvisible(summary)}${code}`;
  const { verb } = actionStyles[action];
  const outcome = result === "skipped" ? `skipped: ${verb}` : `${result} to ${verb}`;
  const head = `${paint(style, ink, outcome)} ${names.join(", ")}${more}${why}`;
  const remedy = failure?.remedy === undefined ? [] : [`    → ${escapeInvisible(failure.remedy)}`];
  const behind = dependentsText(group.flatMap(({ address }) => chains.get(address) ?? []));
  // The dash keeps a line of the server from being a command of a CI system.
  const lines = details.map((line) => `    - ${escapeInvisible(line.trim())}`);
  return [head, ...lines, ...remedy, ...behind.map((text) => `    ${text}`)];
}
