// Formats the explanation of one object.
import type { Kind } from "../../core/kind/kind.ts";
import type { ObjectExplanation, FieldComparison } from "../verbs/object-explanation.ts";
import { actionStyles } from "./actions.ts";
import { changeLines, labelsText } from "./change-text.ts";
import { diagnosticsText, placeText } from "./diagnostics-text.ts";
import { type TextStyle, paint } from "./style.ts";
import { valueText } from "../model/value-text.ts";
import { joinBlocks, pluralize, escapeInvisible } from "../../core/text/escape-text.ts";

/** How to show an explanation. */
export interface WhyStyle extends TextStyle {
  readonly kinds: readonly Kind[];
}

/** Formats the object, its fields, its change, the reasons that the change is blocked, and ignored fields. */
export function whyText(explanation: ObjectExplanation, style: WhyStyle): string {
  const { address, stack, origin, notes } = explanation;
  return joinBlocks([
    `${paint(style, "bold", escapeInvisible(address))} in stack ${escapeInvisible(stack)} on ${escapeInvisible(origin)}`,
    statusRows(explanation).join("\n"),
    fieldsText(explanation, style).join("\n"),
    changeText(explanation, style).join("\n"),
    obstaclesText(explanation, style).join("\n"),
    diagnosticsText(notes, style),
  ]);
}

function row(name: string, text: string): string {
  return `  ${name.padEnd(9)} ${text}`;
}

function statusRows({ declared, owned, live, change }: ObjectExplanation): readonly string[] {
  const style = change && actionStyles[change.action];
  return [
    row("declared", declared === undefined ? "nowhere" : placeText(declared.place)),
    ...ruleRows(declared?.rules),
    row("owned", ownedText(owned)),
    row("live", live === undefined ? "no such object" : idText(live.id)),
    row("plan", style === undefined ? "nothing to do" : (style.state ?? style.verb)),
  ];
}

function ruleRows(rules: NonNullable<ObjectExplanation["declared"]>["rules"]): readonly string[] {
  if (rules === undefined) return [];
  const lines = [
    ...(rules.protect === undefined ? [] : [`protect: ${rules.protect}`]),
    ...(rules.onRemoval === undefined ? [] : [`onRemoval: ${rules.onRemoval}`]),
    ...(rules.manage === undefined ? [] : [`manage: ${rules.manage.join(", ")}`]),
    ...(rules.movedFrom === undefined ? [] : [`movedFrom: ${rules.movedFrom}`]),
    ...(rules.ignore ?? []).map(({ path, reason, expires }) => {
      const until = expires === undefined ? "" : `, until the end of ${expires}`;
      return `ignore ${path}: ${reason}${until}`;
    }),
  ];
  return lines.map((text) => row("", escapeInvisible(text)));
}

function ownedText(owned: ObjectExplanation["owned"]): string {
  if (owned === undefined) return "not managed by this stack";
  const { id, appliedAt, pending, lifecycle = {}, secretTo, metadata } = owned;
  const { labels = {} } = metadata ?? {};
  return [
    `${idText(id)}, applied ${appliedAt}`,
    ...(pending ? ["started, but never finished"] : []),
    ...(lifecycle.protect === true ? ["protected; `svc protect --off` lifts the protection"] : []),
    ...(lifecycle.onRemoval === undefined
      ? []
      : ["stays on the server when its document is removed"]),
    ...(secretTo === undefined ? [] : [`its secret is in ${escapeInvisible(secretTo.file)}`]),
    ...(Object.keys(labels).length === 0 ? [] : [`${labelsText(labels)} at the last apply`]),
  ].join("; ");
}

function idText(id: string | undefined): string {
  return id === undefined ? "without an id" : `id ${escapeInvisible(id)}`;
}

function fieldsText(
  { fields, declared, live }: ObjectExplanation,
  style: TextStyle,
): readonly string[] {
  const differing = fields.filter(({ inSync }) => !inSync);
  const unverified = fields.filter((field) => field.inSync && field.unverified);
  const undeclared = declared === undefined ? [] : fields.filter(isUndeclared);
  const others = new Set([...differing, ...unverified, ...undeclared]);
  const alike = fields.length - others.size;
  const rest =
    live === undefined
      ? []
      : [
          ...(alike > 0 ? [`  in sync: ${alike} of ${pluralize(fields.length, "field")}`] : []),
          ...(unverified.length > 0
            ? [`  cannot be verified: ${escapeInvisible(fieldNames(unverified))}`]
            : []),
          ...(undeclared.length > 0
            ? [`  not declared: ${escapeInvisible(fieldNames(undeclared))}`]
            : []),
        ];
  return [...differing.flatMap((field) => fieldLines(field, style)), ...rest];
}

/** True for a field that the stack applied before, and that its document leaves out now. The value is kept. */
function isUndeclared({ declared, hidden }: FieldComparison): boolean {
  return declared === undefined && !hidden;
}

function fieldNames(fields: readonly FieldComparison[]): string {
  return fields.map(({ field }) => field).join(", ");
}

function fieldLines(
  { field, declared, lastApplied, live, hidden }: FieldComparison,
  style: TextStyle,
) {
  const seen = (value: FieldComparison["live"]): string =>
    hidden && value === undefined ? "(not shown)" : valueText(value, style.width - 18);
  const isSecret = hidden && [declared, lastApplied, live].every((value) => value === undefined);
  if (isSecret) return [`  ${escapeInvisible(field)}`, "    a secret: its values are not shown"];
  return [
    `  ${escapeInvisible(field)}`,
    `    declared     ${seen(declared)}`,
    `    last applied ${seen(lastApplied)}`,
    `    live         ${seen(live)}`,
  ];
}

function changeText({ change }: ObjectExplanation, style: WhyStyle): readonly string[] {
  // Blocking reasons are shown separately.
  return change === undefined ? [] : changeLines({ ...change, blockedBy: [] }, style);
}

function obstaclesText({ obstacles }: ObjectExplanation, style: TextStyle): readonly string[] {
  return obstacles.flatMap(({ code, reason, remedy }) => [
    `${paint(style, "red", "blocked:")} ${escapeInvisible(reason)} ${paint(style, "dim", `[${code}]`)}`,
    ...(remedy === undefined ? [] : [`    → ${escapeInvisible(remedy)}`]),
  ]);
}
