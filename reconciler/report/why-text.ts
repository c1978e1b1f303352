// Everything about one object, on one page.
import type { Kind } from "../../core/kind.ts";
import type { ObjectExplanation, FieldComparison } from "../verbs/why.ts";
import { actionStyles } from "./actions.ts";
import { changeLines, labelsText } from "./change-text.ts";
import { diagnosticsText, placeText } from "./diagnostics-text.ts";
import { type TextStyle, paint } from "./style.ts";
import { valueText } from "./value-text.ts";
import { joinBlocks, pluralize, escapeInvisible } from "./escape-text.ts";

/** How an explanation is shown. */
export interface WhyStyle extends TextStyle {
  readonly kinds: readonly Kind[];
}

/** The page: what is said of the object, its fields, its change, what keeps that, and what is left alone. */
export function whyText(explanation: ObjectExplanation, look: WhyStyle): string {
  const { address, stack, origin, notes } = explanation;
  return joinBlocks([
    `${paint(look, "bold", escapeInvisible(address))} in stack ${escapeInvisible(stack)} on ${escapeInvisible(origin)}`,
    statusRows(explanation).join("\n"),
    fieldsText(explanation, look).join("\n"),
    changeText(explanation, look).join("\n"),
    obstaclesText(explanation, look).join("\n"),
    diagnosticsText(notes, look),
  ]);
}

function row(name: string, text: string): string {
  return `  ${name.padEnd(9)} ${text}`;
}

function statusRows({ declared, owned, live, change }: ObjectExplanation): readonly string[] {
  const does = change === undefined ? "nothing to do" : actionStyles[change.action].planned;
  return [
    row("declared", declared === undefined ? "nowhere" : placeText(declared.place)),
    ...ruleRows(declared?.rules),
    row("owned", ownedText(owned)),
    row("live", live === undefined ? "no such object" : idText(live.id)),
    row("plan", does),
  ];
}

function ruleRows(rules: NonNullable<ObjectExplanation["declared"]>["rules"]): readonly string[] {
  if (rules === undefined) return [];
  const said = [
    ...(rules.protect === undefined ? [] : [`protect: ${rules.protect}`]),
    ...(rules.onRemoval === undefined ? [] : [`onRemoval: ${rules.onRemoval}`]),
    ...(rules.manage === undefined ? [] : [`manage: ${rules.manage.join(", ")}`]),
    ...(rules.movedFrom === undefined ? [] : [`movedFrom: ${rules.movedFrom}`]),
    ...(rules.ignore ?? []).map(({ path, reason, expires }) => {
      const until = expires === undefined ? "" : `, until the end of ${expires}`;
      return `ignore ${path}: ${reason}${until}`;
    }),
  ];
  return said.map((text) => row("", escapeInvisible(text)));
}

function ownedText(owned: ObjectExplanation["owned"]): string {
  if (owned === undefined) return "not by this stack";
  const { id, appliedAt, pending, guards = {}, sink, knownAs } = owned;
  const { labels = {} } = knownAs ?? {};
  return [
    `${idText(id)}, applied ${appliedAt}`,
    ...(pending ? ["begun, and its end was never recorded"] : []),
    ...(guards.protect === true ? ["protected until svc unprotect lifts it"] : []),
    ...(guards.onRemoval === undefined ? [] : ["stays on the server once its document is gone"]),
    ...(sink === undefined ? [] : [`its secret is in ${escapeInvisible(sink.file)}`]),
    ...(Object.keys(labels).length === 0 ? [] : [`${labelsText(labels)} when it was written last`]),
  ].join("; ");
}

function idText(id: string | undefined): string {
  return id === undefined ? "without an id" : `id ${escapeInvisible(id)}`;
}

function fieldsText({ fields, live }: ObjectExplanation, look: TextStyle): readonly string[] {
  const differing = fields.filter(({ inSync: alike }) => !alike);
  const alike = fields.length - differing.length;
  const isTold = alike > 0 && live !== undefined;
  const rest = isTold
    ? [`  the same everywhere: ${alike} of ${pluralize(fields.length, "field")}`]
    : [];
  return [...differing.flatMap((field) => fieldLines(field, look)), ...rest];
}

function fieldLines(
  { field, declared, lastApplied, live, hidden }: FieldComparison,
  look: TextStyle,
) {
  const seen = (value: FieldComparison["live"]): string =>
    hidden && value === undefined ? "(not shown)" : valueText(value, look.width - 18);
  return [
    `  ${escapeInvisible(field)}`,
    `    declared     ${seen(declared)}`,
    `    last applied ${seen(lastApplied)}`,
    `    live         ${seen(live)}`,
  ];
}

function changeText({ change }: ObjectExplanation, look: WhyStyle): readonly string[] {
  // What keeps it is told apart, with more.
  return change === undefined ? [] : changeLines({ ...change, blockedBy: [] }, look);
}

function obstaclesText({ obstacles }: ObjectExplanation, look: TextStyle): readonly string[] {
  return obstacles.flatMap(({ by, why, remedy }) => [
    `${paint(look, "red", "blocked:")} ${escapeInvisible(why)} ${paint(look, "dim", `[${by}]`)}`,
    ...(remedy === undefined ? [] : [`    → ${escapeInvisible(remedy)}`]),
  ]);
}
