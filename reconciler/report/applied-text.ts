// What an apply came to, as text for people: failures that are alike told together, and what was not tried counted.
import { limits } from "../../core/limits.ts";
import type { Applied, Change, Outcome } from "../model.ts";
import { actionLooks, actions, countActions } from "./actions.ts";
import { behindText, type Chains, skippedChains } from "./chains.ts";
import { type ChangeLook, changeLines } from "./change-text.ts";
import { type Ink, paint } from "./style.ts";
import { blocks, counted, visible } from "./visible.ts";

/** What failed or was skipped, what still differs and by whose hand, and how much was done. */
export function appliedText(applied: Applied, look: ChangeLook): string {
  const { outcomes, stopped, residual, unverified } = applied;
  const of = (result: Outcome["result"]): readonly Outcome[] =>
    outcomes.filter((outcome) => outcome.result === result);
  const skipped = of("skipped");
  const chains = skippedChains(applied);
  const told = new Set([...chains.values()].flat().map(({ address }) => address));
  const others = skipped.filter(({ address }) => !told.has(address));
  return blocks([
    outcomeLines(of("failed"), { ink: "red", chains }, look).join("\n"),
    stopped === undefined
      ? outcomeLines(others, { ink: "yellow", chains }, look).join("\n")
      : stoppedText(stopped, skipped.length, look),
    ...residue(residual, look),
    unverified === undefined
      ? ""
      : `Could not be read again: ${visible(unverified.replace(/\.$/u, ""))}.`,
    appliedSummary(applied),
  ]);
}

function stoppedText(
  { code, message }: NonNullable<Applied["stopped"]>,
  untried: number,
  look: ChangeLook,
): string {
  const head = `Stopped: ${visible(message)} ${paint(look, "dim", `[${code}]`)}`;
  const rest = untried === 0 ? "" : `${counted(untried, "change")} not tried. `;
  return `${head}\n    → ${rest}Run it again once the server is well: what is done is not done twice.`;
}

const faulty = "Still differs after the apply, by a fault of the kind; please report it:";
const moved = "Differs again after the apply, by another's hand:";

/** A fault of the kind, and what somebody else has changed in the meantime, apart. */
function residue(residual: readonly Change[], look: ChangeLook): readonly string[] {
  const faults = residual.filter(isFault);
  const others = residual.filter((change) => !faults.includes(change));
  const section = (title: string, changes: readonly Change[]): string =>
    changes.length === 0
      ? ""
      : [title, ...changes.flatMap((change) => changeLines(unattributed(change), look))].join("\n");
  return [section(faulty, faults), section(moved, others)];
}

/** What was to go and is still there was not heeded either. */
function isFault({ action, fields }: Change): boolean {
  return action === "delete" || fields.some(({ cause }) => cause !== "changed");
}

/** Who moved is told by the cause. */
function unattributed(change: Change): Change {
  const fields = change.fields.map((field) => ({ ...field, direction: "unshipped" as const }));
  return { ...change, fields };
}

/** How much was done, failed and differs still, in one line. */
export function appliedSummary({ outcomes, residual, calls }: Applied): string {
  const done = countActions(outcomes.filter(({ result }) => result === "done"));
  const words = actions
    .filter((action) => done[action] > 0)
    .map((action) => `${done[action]} ${actionLooks[action].done}`);
  const count = (result: Outcome["result"]): number =>
    outcomes.filter((outcome) => outcome.result === result).length;
  const bad = [
    ...(count("failed") > 0 ? [`${count("failed")} failed`] : []),
    ...(count("skipped") > 0 ? [`${count("skipped")} skipped`] : []),
    ...(residual.length > 0 ? [`${residual.length} still different`] : []),
  ];
  const said = [...words, ...bad];
  return `Applied: ${said.length === 0 ? "nothing to do" : said.join(", ")}; ${counted(calls, "call")}.`;
}

interface How {
  readonly ink: Ink;
  readonly chains: Chains;
}

/** Outcomes that ended alike for the same reason are one entry, with what waited for any of them. */
function outcomeLines(outcomes: readonly Outcome[], how: How, look: ChangeLook): string[] {
  const alike = Map.groupBy(outcomes, ({ action, failure }) =>
    JSON.stringify([action, failure ?? null]),
  );
  const entries = [...alike.values()];
  const shown = entries.slice(0, limits.diagnosticsShown);
  const rest = entries.slice(shown.length).flat().length;
  const lines = shown.flatMap((group) => groupLines(group, how, look));
  return rest > 0 ? [...lines, `… and ${rest} more ${outcomes[0]?.result}`] : lines;
}

const namedAtMost = 5;

function groupLines(group: readonly Outcome[], { ink, chains }: How, look: ChangeLook): string[] {
  const [first] = group;
  if (first === undefined) return [];
  const { action, result, failure } = first;
  const names = group.slice(0, namedAtMost).map(({ address }) => visible(address));
  const more = group.length > names.length ? ` and ${group.length - names.length} more` : "";
  const code = failure === undefined ? "" : ` ${paint(look, "dim", `[${failure.code}]`)}`;
  const why = failure === undefined ? "" : `: ${visible(failure.message)}${code}`;
  const head = `${paint(look, ink, `${result} to ${action}`)} ${names.join(", ")}${more}${why}`;
  const remedy = failure?.remedy === undefined ? [] : [`    → ${visible(failure.remedy)}`];
  const behind = behindText(group.flatMap(({ address }) => chains.get(address) ?? []));
  return [head, ...remedy, ...behind.map((text) => `    ${text}`)];
}
