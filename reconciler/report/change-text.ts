// One change as lines of text: its sign and address, its fields, and what is to be said of it.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { DriftDirection } from "../../core/diff.ts";
import { readableKey } from "../../core/identity.ts";
import { equal } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import type { DifferenceCause } from "../model/difference-cause.ts";
import type { Action, Change, PlannedField } from "../model/index.ts";
import { actionStyles } from "./actions.ts";
import { dependentsText } from "./dependent-chains.ts";
import { placeText } from "./diagnostics-text.ts";
import { shownFields } from "./masked-fields.ts";
import { lineDiff, shownLines } from "./line-diff.ts";
import { withReferenceNames, type ReferenceNames } from "./reference-names.ts";
import { type TextStyle, paint } from "./style.ts";
import { pairText, valueText } from "./value-text.ts";
import { truncate, escapeInvisible } from "./escape-text.ts";

/** How changes are shown. */
export interface ChangeStyle extends TextStyle, ReferenceNames {
  /** Lets creates show the fields of their wish. */
  readonly kinds?: readonly Kind[];
}

const directionTexts: Readonly<Record<DriftDirection, string>> = {
  pending: "",
  drifted: "changed on the server",
  conflict: "changed here and on the server",
};

const causeTexts: Readonly<Record<DifferenceCause, string>> = {
  ignored: "written, and the server kept what it had",
  respelt: "written, and the server spells it otherwise",
  changed: "changed again since it was written",
};

const indent = "    ";

/** What a plan says of a change beside it. */
export interface ChangeNotes {
  /** The diagnostics about it, of which its own blocked reasons are told with it. */
  readonly findings?: readonly Diagnostic[] | undefined;
  /** What waits for it and has no other reason to. */
  readonly dependents?: readonly Change[] | undefined;
}

/** The lines of a change. What it needs and cannot be carried out is told there, with what waits for it. */
export function changeLines(
  change: Change,
  look: ChangeStyle,
  said: ChangeNotes = {},
): readonly string[] {
  const { sign, color: ink } = actionStyles[change.action];
  const note = noteOf(change);
  const head = paint(look, ink, `${sign} ${escapeInvisible(change.address)}`);
  return [
    note === "" ? head : `${head}  ${paint(look, "dim", `(${note})`)}`,
    ...shownFields(change, look.kinds ?? []).flatMap((field) =>
      fieldLines(withReferenceNames(field, change, look), change, look),
    ),
    ...remarks(change, look),
    ...change.blockedBy
      .filter((reason) => !change.dependsOn.includes(reason))
      .flatMap((reason) => blockedLines(reason, look, said.findings ?? [])),
    ...dependentsText(said.dependents).map((text) => `${indent}${paint(look, "red", text)}`),
  ];
}

function noteOf({
  action,
  direction,
  cascadedBy: carriedBy,
  movedTo,
  abandoned: released,
}: Change): string {
  if (carriedBy !== undefined) return `goes with ${escapeInvisible(carriedBy)}`;
  if (action === "create" && direction !== "pending") return "deleted on the server";
  if (released === true) return "let go: stays on the server, and is no longer ours";
  if (action === "forget") {
    const why = movedTo === undefined ? "already gone" : `now ${escapeInvisible(movedTo)}`;
    return `${why}; only the inventory changes`;
  }
  if (action === "none") return "as wished; only the inventory changes";
  if (action === "orphan") return "no longer declared; kept";
  return "";
}

function fieldLines(field: PlannedField, { action }: Change, look: TextStyle): readonly string[] {
  const path = `${indent}${escapeInvisible(field.path)}:`;
  const who = field.cause === undefined ? directionNote(field) : causeTexts[field.cause];
  const notes = [who, ...(field.replaces ? replacementNote(action) : []), unverifiedNote(field)];
  const told = notes.filter((note) => note !== "").join("; ");
  const tail = told === "" ? "" : `  (${told})`;
  const dim = paint(look, "dim", tail);
  const text = textLines(field, look);
  if (text !== undefined) return [`${path}${dim}`, ...text];
  const room = look.width - path.length - tail.length - 1;
  if (action === "create" || hasNoLiveValue(field))
    return [`${path} ${afterText(field, room)}${dim}`];
  return [`${path} ${beforeAfterText(field, room - 3)}${dim}`];
}

function directionNote({ direction, base }: PlannedField): string {
  const said = directionTexts[direction];
  return base === undefined ? said : `${said}; ${valueText(base, baseWidth)} was applied last`;
}

/** Columns for what was applied last. */
const baseWidth = 30;

/** Nothing is known of what is there. */
function hasNoLiveValue(field: PlannedField): boolean {
  return field.before === undefined && unverifiedNote(field) !== "";
}

function afterText({ after, sensitive }: PlannedField, room: number): string {
  return sensitive && typeof after === "string" ? after : valueText(after, room);
}

/** Masks stand as they are: quoted, they would read like values. */
function beforeAfterText({ before, after, reason, sensitive }: PlannedField, room: number): string {
  const [old, fresh] = sensitive
    ? [before, after].map((mask) => (typeof mask === "string" ? mask : valueText(mask, room)))
    : pairText(before, after, room);
  const isRemoved = reason === "cleared" && after === undefined;
  return `${old} → ${isRemoved ? "(removed)" : fresh}`;
}

function replacementNote(action: Action): readonly string[] {
  return action === "create" ? [] : ["cannot change, so it is replaced"];
}

function unverifiedNote({ reason, direction }: PlannedField): string {
  if (reason === "reference-replaced") return "what it refers to is made anew";
  if (reason === "fingerprint") return "not what was applied last; the API does not show it";
  return reason === "unverified" && direction === "pending" ? "the API does not show it" : "";
}

/** Texts of several lines, line by line; undefined for anything else. */
function textLines(
  { before, after, sensitive }: PlannedField,
  look: TextStyle,
): string[] | undefined {
  const [old, fresh] = [before ?? "", after ?? ""];
  if (sensitive || typeof old !== "string" || typeof fresh !== "string") return undefined;
  if (!old.includes("\n") && !fresh.includes("\n")) return undefined;
  const lines = old === "" ? fresh.split("\n").map(added) : lineDiff(old, fresh);
  const room = Math.max(20, look.width - 2 * indent.length - 2);
  return shownLines(lines).map((line) => {
    const ink = line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "dim";
    return `${indent}${indent}${paint(look, ink, truncate(escapeInvisible(line), room))}`;
  });
}

function added(text: string): { readonly sign: "+"; readonly text: string } {
  return { sign: "+", text };
}

/** `tier=1, team=shop`, or that there are none. */
export function labelsText(labels: Readonly<Record<string, string>>): string {
  const said = Object.entries(labels).map(
    ([label, value]) => `${escapeInvisible(label)}=${escapeInvisible(value)}`,
  );
  return said.length === 0 ? "not labelled" : `labelled ${said.join(", ")}`;
}

/** Rules on labels go by both. */
function labelChanges({
  metadata: knownAs,
  previousMetadata: wasKnownAs,
}: Change): readonly string[] {
  const [now, then] = [knownAs?.labels, wasKnownAs?.labels];
  if (now === undefined || then === undefined || equal(now, then)) return [];
  return [`${labelsText(now)}; ${labelsText(then)} when it was written last`];
}

function remarks(change: Change, look: TextStyle): readonly string[] {
  const { from, key, action, notVerifiable, secretTo, guards = {} } = change;
  const say = (text: string): string => `${indent}${paint(look, "dim", text)}`;
  const isKnown = from !== undefined && from.key !== key;
  const mints = action === "create" || action === "replace" ? secretTo : undefined;
  const isNew = ["create", "adopt", "none"].includes(action);
  const hidden = action === "create" || action === "delete" ? [] : notVerifiable;
  return [
    ...(isKnown
      ? [
          say(
            `is ${escapeInvisible(readableKey(from.key))} on the server, becomes ${escapeInvisible(readableKey(key))}`,
          ),
        ]
      : []),
    ...labelChanges(change).map(say),
    ...(mints === undefined ? [] : [say(`its secret goes to ${escapeInvisible(mints.file)}`)]),
    ...(isNew && guards.protect ? [say("protected until svc unprotect lifts it")] : []),
    ...(isNew && guards.onRemoval ? [say("stays on the server once its document is gone")] : []),
    ...(hidden.length > 0
      ? [say(`cannot be verified: ${hidden.map(escapeInvisible).join(", ")}`)]
      : []),
  ];
}

function blockedLines(
  reason: string,
  look: TextStyle,
  findings: readonly Diagnostic[],
): readonly string[] {
  const finding = findings.find(({ summary }) => summary === reason);
  const place = finding?.place === undefined ? "" : `  ${placeText(finding.place)}`;
  const tail = finding === undefined ? "" : paint(look, "dim", ` [${finding.code}]${place}`);
  const remedy =
    finding?.remedy === undefined ? [] : [`${indent}→ ${escapeInvisible(finding.remedy)}`];
  return [
    `${indent}${paint(look, "red", "blocked:")} ${escapeInvisible(reason)}${tail}`,
    ...remedy,
  ];
}
