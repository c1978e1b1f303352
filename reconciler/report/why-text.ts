// Everything about one object, on one page.
import type { Kind } from "../../core/kind.ts";
import type { Explanation, FieldViews } from "../why.ts";
import { actionLooks } from "./actions.ts";
import { changeLines, labelsText } from "./change-text.ts";
import { diagnosticsText, placeText } from "./diagnostics-text.ts";
import { type Look, paint } from "./style.ts";
import { valueText } from "./value.ts";
import { blocks, counted, visible } from "./visible.ts";

/** How an explanation is shown. */
export interface WhyLook extends Look {
  readonly kinds: readonly Kind[];
}

/** The page: what is said of the object, its fields, its change, what keeps that, and what is left alone. */
export function whyText(explanation: Explanation, look: WhyLook): string {
  const { address, stack, origin, notes } = explanation;
  return blocks([
    `${paint(look, "bold", visible(address))} in stack ${visible(stack)} on ${visible(origin)}`,
    standing(explanation).join("\n"),
    fieldsText(explanation, look).join("\n"),
    changeText(explanation, look).join("\n"),
    obstaclesText(explanation, look).join("\n"),
    diagnosticsText(notes, look),
  ]);
}

function row(name: string, text: string): string {
  return `  ${name.padEnd(9)} ${text}`;
}

function standing({ declared, owned, live, change }: Explanation): readonly string[] {
  const does = change === undefined ? "nothing to do" : actionLooks[change.action].todo;
  return [
    row("declared", declared === undefined ? "nowhere" : placeText(declared.place)),
    ...ruleRows(declared?.rules),
    row("owned", ownedText(owned)),
    row("live", live === undefined ? "no such object" : idText(live.id)),
    row("plan", does),
  ];
}

function ruleRows(rules: NonNullable<Explanation["declared"]>["rules"]): readonly string[] {
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
  return said.map((text) => row("", visible(text)));
}

function ownedText(owned: Explanation["owned"]): string {
  if (owned === undefined) return "not by this stack";
  const { id, appliedAt, pending, guards = {}, sink, knownAs } = owned;
  const { labels = {} } = knownAs ?? {};
  return [
    `${idText(id)}, applied ${appliedAt}`,
    ...(pending ? ["begun, and its end was never recorded"] : []),
    ...(guards.protect === true ? ["protected until svc unprotect lifts it"] : []),
    ...(guards.onRemoval === undefined ? [] : ["stays on the server once its document is gone"]),
    ...(sink === undefined ? [] : [`its secret is in ${visible(sink.file)}`]),
    ...(Object.keys(labels).length === 0 ? [] : [`${labelsText(labels)} when it was written last`]),
  ].join("; ");
}

function idText(id: string | undefined): string {
  return id === undefined ? "without an id" : `id ${visible(id)}`;
}

function fieldsText({ fields, live }: Explanation, look: Look): readonly string[] {
  const differing = fields.filter(({ alike }) => !alike);
  const alike = fields.length - differing.length;
  const isTold = alike > 0 && live !== undefined;
  const rest = isTold
    ? [`  the same everywhere: ${alike} of ${counted(fields.length, "field")}`]
    : [];
  return [...differing.flatMap((field) => fieldLines(field, look)), ...rest];
}

function fieldLines({ field, declared, lastApplied, live, hidden }: FieldViews, look: Look) {
  const seen = (value: FieldViews["live"]): string =>
    hidden && value === undefined ? "(not shown)" : valueText(value, look.width - 18);
  return [
    `  ${visible(field)}`,
    `    declared     ${seen(declared)}`,
    `    last applied ${seen(lastApplied)}`,
    `    live         ${seen(live)}`,
  ];
}

function changeText({ change }: Explanation, look: WhyLook): readonly string[] {
  // What keeps it is told apart, with more.
  return change === undefined ? [] : changeLines({ ...change, blockedBy: [] }, look);
}

function obstaclesText({ obstacles }: Explanation, look: Look): readonly string[] {
  return obstacles.flatMap(({ by, why, remedy }) => [
    `${paint(look, "red", "blocked:")} ${visible(why)} ${paint(look, "dim", `[${by}]`)}`,
    ...(remedy === undefined ? [] : [`    → ${visible(remedy)}`]),
  ]);
}
