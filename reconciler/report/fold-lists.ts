// Shortens long lists in text output: the first few similar changes of a kind, then a count and some
// names.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { parseAddress } from "../../core/kind/identity.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Change } from "../model/index.ts";
import { actionStyles } from "./actions.ts";
import type { ChangeNotes } from "./change-text.ts";
import { type TextStyle, paint } from "./style.ts";
import { pluralize, escapeInvisible } from "../../core/text/escape-text.ts";

/** Changes to show. */
export interface Folded {
  readonly shown: readonly Change[];
  /** Lines for the changes that are not shown. */
  readonly lines: readonly string[];
}

/** Folds similar changes of a kind; `about` returns the notes of each. */
export function foldChanges(
  changes: readonly Change[],
  about: (change: Change) => ChangeNotes,
  style: TextStyle,
): Folded {
  const alike = (["create", "adopt", "none"] as const).map((action) => {
    const ones = changes.filter(
      (change) => change.action === action && isPlain(change, about(change)),
    );
    return { ...actionStyles[action], folded: overflowByKind(ones, ({ kind }) => kind, style) };
  });
  const foreign = foldUnowned(
    changes.filter((change) => isOnlyUnowned(change, about(change))),
    style,
  );
  const hidden = new Set([
    ...alike.flatMap(({ folded }) => folded.flatMap(({ hidden: rest }) => rest)),
    ...foreign.hidden,
  ]);
  return {
    shown: changes.filter((change) => !hidden.has(change)),
    lines: [
      ...alike.flatMap(({ sign, color, folded }) =>
        folded.map(({ kind, hidden: rest }) =>
          paint(style, color, `${sign} ${moreOf(kind, addressesOf(rest))}`),
        ),
      ),
      ...foreign.lines,
    ],
  };
}

/**
 * Formats `added Kind/name` for each address; for many of a kind, the first few, a count and some
 * names.
 */
export function foldNames(
  label: string,
  addresses: readonly string[],
  { full }: Pick<TextStyle, "full">,
): readonly string[] {
  const folded = overflowByKind(addresses, (name) => parseAddress(name)?.kind ?? "", {
    full: full === true,
  });
  const hidden = new Set(folded.flatMap(({ hidden: rest }) => rest));
  return [
    ...addresses
      .filter((name) => !hidden.has(name))
      .map((name) => `${label} ${escapeInvisible(name)}`),
    ...folded.map(({ kind, hidden: rest }) => `${label} ${moreOf(kind, rest)}`),
  ];
}

/** Groups objects that exist and that no stack owns, because the same remedy applies to all. */
function foldUnowned(
  foreign: readonly Change[],
  style: TextStyle,
): { readonly hidden: readonly Change[]; readonly lines: readonly string[] } {
  if (style.full === true || foreign.length <= limits.similarShownInFull)
    return { hidden: [], lines: [] };
  const { sign, color } = actionStyles.refuse;
  const lines = [...Map.groupBy(foreign, ({ kind }) => kind)].map(([kind, ones]) =>
    paint(style, color, `${sign} ${ones.length} of ${kind}: ${someOf(addressesOf(ones))}`),
  );
  return {
    hidden: foreign,
    lines: [
      ...lines,
      `    ${paint(style, "red", "blocked:")} these ${foreign.length} objects exist and are not ` +
        "managed by this stack; --full shows each",
      "    → `svc adopt` adopts them all",
    ],
  };
}

interface HiddenOfKind<T> {
  readonly kind: string;
  readonly hidden: readonly T[];
}

/** Lines for the changes of each kind that are not shown. */
function overflowByKind<T>(
  all: readonly T[],
  kindOf: (item: T) => string,
  { full = false }: Pick<TextStyle, "full">,
): readonly HiddenOfKind<T>[] {
  if (full) return [];
  return [...Map.groupBy(all, kindOf)].flatMap(([kind, ones]) =>
    ones.length <= limits.similarShownInFull + limits.similarNamed
      ? []
      : [{ kind, hidden: ones.slice(limits.similarShownInFull) }],
  );
}

function moreOf(kind: string, rest: readonly string[]): string {
  return `${rest.length} more of ${kind}: ${someOf(rest)}; --full shows them`;
}

function someOf(addresses: readonly string[]): string {
  const names = addresses.slice(0, limits.similarNamed).map(escapeInvisible).join(", ");
  const more = addresses.length - limits.similarNamed;
  return more > 0 ? `${names} and ${pluralize(more, "other")}` : names;
}

function addressesOf(changes: readonly Change[]): readonly string[] {
  return changes.map(({ address }) => address);
}

/** True for a change without differences or notes. */
function isPlain(change: Change, { findings = [], dependents = [] }: ChangeNotes): boolean {
  const { action, direction, cascadedBy, blockedBy, fields, formerAddress, released } = change;
  // Of a change that only the inventory needs, an entry that moves is shown.
  const isSame =
    action === "create"
      ? direction === "pending"
      : fields.length === 0 && (action === "adopt" || formerAddress === undefined);
  const isQuiet = findings.length === 0 && dependents.length === 0 && released === undefined;
  return isSame && isQuiet && cascadedBy === undefined && blockedBy.length === 0;
}

/**
 * True for a change that is blocked only because its object exists. A rename to the key of another
 * object is shown in full.
 */
function isOnlyUnowned(change: Change, { findings = [], dependents = [] }: ChangeNotes): boolean {
  const { action, id, from } = change;
  const isTaken = action === "refuse" && id !== undefined && from === undefined;
  return isTaken && dependents.length === 0 && isNotOwned(findings);
}

function isNotOwned(findings: readonly Diagnostic[]): boolean {
  const [first, ...others] = findings;
  return first?.code === "not-owned" && others.length === 0;
}
