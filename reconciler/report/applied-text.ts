// What an apply came to, as text for people: failures that are alike told together, and what was not tried counted.
import { limits } from "../../core/limits.ts";
import type { ApplyResult, Change, Outcome } from "../model/index.ts";
import { actionStyles, actions, countActions } from "./actions.ts";
import { dependentsText, type DependentChains, skippedChains } from "./dependent-chains.ts";
import { type ChangeStyle, changeLines } from "./change-text.ts";
import { type Color, paint } from "./style.ts";
import { joinBlocks, pluralize, escapeInvisible } from "./escape-text.ts";

/** What failed or was skipped, what still differs and by whose hand, and how much was done. */
export function appliedText(applied: ApplyResult, look: ChangeStyle): string {
  const { outcomes, stopped, residual, unverified } = applied;
  const of = (result: Outcome["result"]): readonly Outcome[] =>
    outcomes.filter((outcome) => outcome.result === result);
  const skipped = of("skipped");
  const chains = skippedChains(applied);
  const told = new Set([...chains.values()].flat().map(({ address }) => address));
  const others = skipped.filter(({ address }) => !told.has(address));
  return joinBlocks([
    outcomeLines(of("failed"), { ink: "red", chains }, look).join("\n"),
    stopped === undefined
      ? outcomeLines(others, { ink: "yellow", chains }, look).join("\n")
      : stoppedText(stopped, skipped.length, look),
    ...residualText(residual, look),
    unverified === undefined
      ? ""
      : `Could not be read again: ${escapeInvisible(unverified.replace(/\.$/u, ""))}.`,
    appliedSummary(applied),
  ]);
}

function stoppedText(
  { code, message }: NonNullable<ApplyResult["stopped"]>,
  untried: number,
  look: ChangeStyle,
): string {
  const head = `Stopped: ${escapeInvisible(message)} ${paint(look, "dim", `[${code}]`)}`;
  const rest = untried === 0 ? "" : `${pluralize(untried, "change")} not tried. `;
  return `${head}\n    → ${rest}Run it again once the server is well: what is done is not done twice.`;
}

const faultHeading = "Still differs after the apply, by a fault of the kind; please report it:";
const changedAgainHeading = "Differs again after the apply, by another's hand:";

/** A fault of the kind, and what somebody else has changed in the meantime, apart. */
function residualText(residual: readonly Change[], look: ChangeStyle): readonly string[] {
  const faults = residual.filter(isFault);
  const others = residual.filter((change) => !faults.includes(change));
  const section = (title: string, changes: readonly Change[]): string =>
    changes.length === 0
      ? ""
      : [title, ...changes.flatMap((change) => changeLines(withoutDirection(change), look))].join(
          "\n",
        );
  return [section(faultHeading, faults), section(changedAgainHeading, others)];
}

/** What was to go and is still there was not heeded either. */
function isFault({ action, fields }: Change): boolean {
  return action === "delete" || fields.some(({ cause }) => cause !== "changed");
}

/** Who moved is told by the cause. */
function withoutDirection(change: Change): Change {
  const fields = change.fields.map((field) => ({ ...field, direction: "pending" as const }));
  return { ...change, fields };
}

/** How much was done, failed and differs still, in one line. */
export function appliedSummary({ outcomes, residual, calls }: ApplyResult): string {
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
  const said = [...words, ...bad];
  return `Applied: ${said.length === 0 ? "nothing to do" : said.join(", ")}; ${pluralize(calls, "call")}.`;
}

interface OutcomeStyle {
  readonly ink: Color;
  readonly chains: DependentChains;
}

/** Outcomes that ended alike for the same reason are one entry, with what waited for any of them. */
function outcomeLines(
  outcomes: readonly Outcome[],
  how: OutcomeStyle,
  look: ChangeStyle,
): string[] {
  const alike = Map.groupBy(outcomes, ({ action, failure }) =>
    JSON.stringify([action, failure ?? null]),
  );
  const entries = [...alike.values()];
  const shown = entries.slice(0, limits.diagnosticsShown);
  const rest = entries.slice(shown.length).flat().length;
  const lines = shown.flatMap((group) => groupLines(group, how, look));
  return rest > 0 ? [...lines, `… and ${rest} more ${outcomes[0]?.result}`] : lines;
}

const maxNamed = 5;

function groupLines(
  group: readonly Outcome[],
  { ink, chains }: OutcomeStyle,
  look: ChangeStyle,
): string[] {
  const [first] = group;
  if (first === undefined) return [];
  const { action, result, failure } = first;
  const names = group.slice(0, maxNamed).map(({ address }) => escapeInvisible(address));
  const more = group.length > names.length ? ` and ${group.length - names.length} more` : "";
  const code = failure === undefined ? "" : ` ${paint(look, "dim", `[${failure.code}]`)}`;
  const why = failure === undefined ? "" : `: ${escapeInvisible(failure.message)}${code}`;
  const head = `${paint(look, ink, `${result} to ${action}`)} ${names.join(", ")}${more}${why}`;
  const remedy = failure?.remedy === undefined ? [] : [`    → ${escapeInvisible(failure.remedy)}`];
  const behind = dependentsText(group.flatMap(({ address }) => chains.get(address) ?? []));
  return [head, ...remedy, ...behind.map((text) => `    ${text}`)];
}
