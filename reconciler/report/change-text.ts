// Formats one change: its symbol and address, its fields, and notes.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { DriftDirection } from "../../core/spec/diff.ts";
import { readableKey } from "../../core/kind/identity.ts";
import { equal, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import type { DifferenceCause } from "../model/changed-after-write.ts";
import type { Action, Change, PlannedField } from "../model/index.ts";
import { actionStyles } from "./actions.ts";
import { type BlockText, blockTexts } from "./blocked-text.ts";
import { changedPathLines } from "./changed-paths.ts";
import { driftedField, isRecreated } from "./drift-field.ts";
import { dependentsText } from "./dependent-chains.ts";
import { placeText } from "./diagnostics-text.ts";
import { shownFields } from "../model/masked-fields.ts";
import { itemDiff, lineDiff, shownLines } from "./line-diff.ts";
import { withReferenceNames, type ReferenceNames } from "./reference-names.ts";
import { type TextStyle, paint } from "./style.ts";
import { fitsIn, pairText, valueText } from "../model/value-text.ts";
import { readablePointer } from "../../core/pointer.ts";
import { truncate, escapeInvisible } from "../../core/text/escape-text.ts";

/** How to show changes. */
export interface ChangeStyle extends TextStyle, ReferenceNames {
  /** Set to show the fields of creates. */
  readonly kinds?: readonly Kind[];
  /** Set to show the changes since the last apply instead of the changes that an apply would make. */
  readonly isDrift?: true;
  /** Set for the plan of an undo, whose deletes no document can prevent, and whose conflicts are changes after the run. */
  readonly isUndo?: boolean | undefined;
}

const directionTexts: Readonly<Record<DriftDirection, string>> = {
  pending: "",
  drifted: "changed on the server",
  conflict: "changed here and on the server",
};

const causeTexts: Readonly<Record<DifferenceCause, string>> = {
  ignored: "written, but the server kept the previous value",
  normalized: "written, but the server normalized the value",
  changed: "changed again after the write",
};

const indent = "    ";

/** Context of a change in its plan. */
export interface ChangeNotes {
  /** Diagnostics about the change; reasons that block it are shown with it. */
  readonly findings?: readonly Diagnostic[] | undefined;
  /** Changes that are blocked only because they depend on this one. */
  readonly dependents?: readonly Change[] | undefined;
}

/**
 * Returns the lines of a change. A blocked change shows its reasons and the changes that depend on it.
 */
export function changeLines(
  change: Change,
  style: ChangeStyle,
  notes: ChangeNotes = {},
): readonly string[] {
  const isGone = style.isDrift === true && isRecreated(change);
  const { sign, color: ink } = actionStyles[isGone ? "delete" : change.action];
  const note = noteOf(change, style);
  const head = paint(style, ink, `${sign} ${escapeInvisible(change.address)}`);
  return [
    note === "" ? head : `${head}  ${paint(style, "dim", `(${note})`)}`,
    ...(isGone ? [] : shownFields(change, style.kinds ?? [])).flatMap((field) =>
      fieldLines(withReferenceNames(field, change, style), change, style),
    ),
    ...remarks(change, style),
    ...blockTexts(change, notes.findings ?? []).flatMap((reason) => blockedLines(reason, style)),
    ...dependentsText(notes.dependents).map((text) => `${indent}${paint(style, "red", text)}`),
  ];
}

function noteOf(
  { action, direction, cascadedBy, movedTo, abandoned }: Change,
  { isUndo }: ChangeStyle,
): string {
  const changed = isUndo === true ? "changed again after the run" : "changed on the server too";
  const again = action === "delete" && direction === "conflict" ? changed : "";
  if (cascadedBy !== undefined) {
    const cause = `deleted with ${escapeInvisible(cascadedBy)}`;
    return again === "" ? cause : `${cause}; ${again}`;
  }
  if (isRecreated({ action, direction })) return "deleted on the server";
  if (abandoned === true) return "abandoned: stays on the server and is no longer managed";
  if (action === "forget") {
    const why = movedTo === undefined ? "already deleted" : `now ${escapeInvisible(movedTo)}`;
    return `${why}; only the inventory changes`;
  }
  if (again !== "") return again;
  if (action === "none") return "matches the manifest; only the inventory changes";
  if (action === "orphan") return "no longer declared; kept";
  return "";
}

function fieldLines(
  planned: PlannedField,
  { action }: Change,
  style: ChangeStyle,
): readonly string[] {
  const { field, sideNote } = sideOf(planned, style);
  const path = `${indent}${escapeInvisible(readablePointer(field.path))}:`;
  const who = field.cause === undefined ? sideNote : causeTexts[field.cause];
  const notes = [who, ...(field.replaces ? replacementNote(action) : []), unverifiedNote(field)];
  const reported = notes.filter((note) => note !== "").join("; ");
  const tail = reported === "" ? "" : `  (${reported})`;
  const dim = paint(style, "dim", tail);
  const room = style.width - path.length - tail.length - 1;
  const text = textLines(field, style) ?? itemLines(field, style, room);
  if (text !== undefined) return [`${path}${dim}`, ...text];
  if (action === "create" || hasNoLiveValue(field))
    return [`${path} ${afterText(field, room)}${dim}`];
  return [`${path} ${beforeAfterText(field, room - 3)}${dim}`];
}

/** Returns the two values to show, and a note on which side changed; of a conflict, with the third value. */
function sideOf(
  planned: PlannedField,
  { isDrift, isUndo }: ChangeStyle,
): { readonly field: PlannedField; readonly sideNote: string } {
  const { direction, base } = planned;
  const isChangedAgain = isUndo === true && direction === "conflict";
  const sideNote = isChangedAgain ? "changed again after the run" : directionTexts[direction];
  const third = (name: string, value: JsonValue | undefined): string =>
    `${sideNote}; ${name}: ${afterText({ ...planned, after: value }, baseWidth)}`;
  const isUnknown = hasNoLiveValue(planned) || unverifiedNote(planned) !== "";
  if (isDrift !== true || direction === "pending" || isUnknown) {
    return {
      field: planned,
      sideNote:
        base === undefined
          ? sideNote
          : third(isChangedAgain ? "value of the run" : "last applied", base),
    };
  }
  const { declared, ...field } = driftedField(planned);
  return { field, sideNote: direction === "conflict" ? third("manifest", declared) : sideNote };
}

/** Columns for the third value of a conflict. */
const baseWidth = 30;

/** Nothing is known about the live value. */
function hasNoLiveValue(field: PlannedField): boolean {
  return field.before === undefined && unverifiedNote(field) !== "";
}

function afterText({ after, sensitive }: PlannedField, room: number): string {
  return sensitive && typeof after === "string" ? after : valueText(after, room);
}

/** Masks are not quoted, so that they do not look like values. */
function beforeAfterText({ before, after, reason, sensitive }: PlannedField, room: number): string {
  const [old, fresh] = sensitive
    ? [before, after].map((mask) => (typeof mask === "string" ? mask : valueText(mask, room)))
    : pairText(before, after, room);
  const isRemoved = reason === "cleared" && after === undefined;
  return `${old} → ${isRemoved ? "(removed)" : fresh}`;
}

function replacementNote(action: Action): readonly string[] {
  return action === "create" ? [] : ["cannot change in place; forces replacement"];
}

function unverifiedNote({ reason, direction }: PlannedField): string {
  if (reason === "reference-replaced") return "the object it refers to is replaced";
  if (reason === "fingerprint")
    return "differs from the last applied value; the API does not return it";
  return reason === "unverified" && direction === "pending" ? "the API does not return it" : "";
}

/** Returns a diff of multi-line texts; undefined for other values. */
function textLines(
  { before, after, sensitive }: PlannedField,
  style: TextStyle,
): string[] | undefined {
  const [old, fresh] = [before ?? "", after ?? ""];
  if (sensitive || typeof old !== "string" || typeof fresh !== "string") return undefined;
  if (!old.includes("\n") && !fresh.includes("\n")) return undefined;
  const lines = old === "" ? fresh.split("\n").map(added) : lineDiff(old, fresh);
  const room = Math.max(20, style.width - 2 * indent.length - 2);
  return shownLines(lines).map((line) => signedLine(truncate(escapeInvisible(line), room), style));
}

/** Returns a diff of lists or objects that do not fit on the line of the field; undefined for other values. */
function itemLines(
  field: PlannedField,
  style: TextStyle,
  room: number,
): readonly string[] | undefined {
  const { before, after, sensitive } = field;
  const isAdded = before === undefined;
  const values = isAdded ? [after] : [before, after];
  // A cleared value and a value that cannot be compared have no changed items.
  if (sensitive || (after ?? null) === null || hasNoLiveValue(field)) return undefined;
  if (fitsIn(values, isAdded ? room : room - 3)) return undefined;
  const lineRoom = Math.max(20, style.width - 2 * indent.length);
  const how = { room: lineRoom, isWhole: style.verbose === true };
  const paths = isAdded ? undefined : changedPathLines(before ?? null, after ?? null, how);
  if (paths !== undefined) return paths.map((line) => `${indent}${indent}${line}`);
  const items = itemDiff(before, after);
  return items && shownLines(items, "item").map((line) => signedLine(line, style));
}

function signedLine(line: string, style: TextStyle): string {
  const ink = line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "dim";
  return `${indent}${indent}${paint(style, ink, line)}`;
}

function added(text: string): { readonly sign: "+"; readonly text: string } {
  return { sign: "+", text };
}

/** Formats labels, such as `tier=1, team=shop`, or says that there are none. */
export function labelsText(labels: Readonly<Record<string, string>>): string {
  const labelTexts = Object.entries(labels).map(
    ([label, value]) => `${escapeInvisible(label)}=${escapeInvisible(value)}`,
  );
  return labelTexts.length === 0 ? "no labels" : `labels ${labelTexts.join(", ")}`;
}

/** Rules on labels apply to current and previous labels. */
function labelChanges({ metadata, previousMetadata }: Change): readonly string[] {
  const [now, then] = [metadata?.labels, previousMetadata?.labels];
  if (now === undefined || then === undefined || equal(now, then)) return [];
  return [`${labelsText(now)}; ${labelsText(then)} at the last apply`];
}

/** Formats the natural key and id of the object that a change deletes. */
function deletedObjectText({ from, key, kind, id }: Change): string {
  const named = `deletes ${kind} ${escapeInvisible(readableKey(from?.key ?? key))}`;
  return id === undefined ? named : `${named}, id ${escapeInvisible(id)}`;
}

/** Formats a rename: in a plan from the live key to the declared one, in drift as it happened. A replacement renames nothing. */
function renameTexts(change: Change, style: ChangeStyle): readonly string[] {
  const { from, key, kind, action } = change;
  if (from === undefined || from.key === key) return [];
  const [live, declared] = [from.key, key].map((name) => escapeInvisible(readableKey(name)));
  const named = style.kinds?.find(({ name }) => name === kind)?.key ?? [];
  const renamed = change.fields.find(({ field }) => named.includes(field)) ?? change;
  if (style.isDrift !== true || renamed.direction === "pending")
    return action === "replace" ? [] : [`renamed from ${live} to ${declared}`];
  return renamed.direction === "conflict"
    ? [`renamed on the server to ${live}; the manifest names it ${declared}`]
    : [`renamed from ${declared} to ${live}`];
}

function remarks(change: Change, style: ChangeStyle): readonly string[] {
  const { action, formerAddress, notVerifiable, secretTo, lifecycle = {}, released = [] } = change;
  const say = (text: string): string => `${indent}${paint(style, "dim", text)}`;
  const writtenSecret = action === "create" || action === "replace" ? secretTo : undefined;
  const isNew = ["create", "adopt", "none"].includes(action);
  const hidden = action === "create" || action === "delete" ? [] : notVerifiable;
  return [
    ...(action === "delete" || action === "replace" ? [say(deletedObjectText(change))] : []),
    ...renameTexts(change, style).map(say),
    ...(formerAddress === undefined
      ? []
      : [say(`its inventory entry moves from ${escapeInvisible(formerAddress)}`)]),
    ...labelChanges(change).map(say),
    ...(released.length === 0
      ? []
      : [say(`no longer managed, keeps its value: ${released.map(escapeInvisible).join(", ")}`)]),
    ...(writtenSecret === undefined
      ? []
      : [say(`its generated secret is written to ${escapeInvisible(writtenSecret.file)}`)]),
    ...(isNew && lifecycle.protect
      ? [say("protected; `svc protect --off` lifts the protection")]
      : []),
    ...(isNew && lifecycle.onRemoval
      ? [say("stays on the server when its document is removed")]
      : []),
    ...(hidden.length > 0
      ? [say(`cannot be verified: ${hidden.map(escapeInvisible).join(", ")}`)]
      : []),
  ];
}

function blockedLines(
  { text, diagnostic: finding }: BlockText,
  style: TextStyle,
): readonly string[] {
  const place = finding?.place === undefined ? "" : `  ${placeText(finding.place)}`;
  const tail = finding === undefined ? "" : paint(style, "dim", ` [${finding.code}]${place}`);
  const remedy =
    finding?.remedy === undefined ? [] : [`${indent}→ ${escapeInvisible(finding.remedy)}`];
  return [`${indent}${paint(style, "red", "blocked:")} ${escapeInvisible(text)}${tail}`, ...remedy];
}
