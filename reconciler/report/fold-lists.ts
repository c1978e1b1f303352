// Long lists in text: of what is alike and has nothing to compare in it, the first few of a kind are told, then the number and some names.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { parseAddress } from "../../core/identity.ts";
import { limits } from "../../core/limits.ts";
import type { Change } from "../model/index.ts";
import { actionStyles } from "./actions.ts";
import type { ChangeNotes } from "./change-text.ts";
import { type TextStyle, paint } from "./style.ts";
import { pluralize, escapeInvisible } from "./escape-text.ts";

/** What is shown of changes. */
export interface Folded {
  readonly shown: readonly Change[];
  /** What is said of those that are not shown. */
  readonly lines: readonly string[];
}

/** The changes with those folded that are like others of their kind; `about` tells what else there is to say of each. */
export function foldChanges(
  changes: readonly Change[],
  about: (change: Change) => ChangeNotes,
  look: TextStyle,
): Folded {
  const alike = (["create", "adopt"] as const).map((action) => {
    const ones = changes.filter((one) => one.action === action && isPlain(one, about(one)));
    return { ...actionStyles[action], folded: overflowByKind(ones, ({ kind }) => kind, look) };
  });
  const foreign = foldUnowned(
    changes.filter((change) => isOnlyUnowned(change, about(change))),
    look,
  );
  const hidden = new Set([
    ...alike.flatMap(({ folded }) => folded.flatMap(({ hidden: rest }) => rest)),
    ...foreign.hidden,
  ]);
  return {
    shown: changes.filter((change) => !hidden.has(change)),
    lines: [
      ...alike.flatMap(({ sign, color: ink, folded }) =>
        folded.map(({ kind, hidden: rest }) =>
          paint(look, ink, `${sign} ${moreOf(kind, addressesOf(rest))}`),
        ),
      ),
      ...foreign.lines,
    ],
  };
}

/** `added Kind/name` for each address; of many of one kind the first, and then their number and some names. */
export function foldNames(
  said: string,
  addresses: readonly string[],
  { full }: Pick<TextStyle, "full">,
): readonly string[] {
  const folded = overflowByKind(addresses, (one) => parseAddress(one)?.kind ?? "", {
    full: full === true,
  });
  const hidden = new Set(folded.flatMap(({ hidden: rest }) => rest));
  return [
    ...addresses.filter((one) => !hidden.has(one)).map((one) => `${said} ${escapeInvisible(one)}`),
    ...folded.map(({ kind, hidden: rest }) => `${said} ${moreOf(kind, rest)}`),
  ];
}

/** Objects that exist and that nobody owns need one and the same thing done, so that it is told once where they are many. */
function foldUnowned(
  foreign: readonly Change[],
  look: TextStyle,
): { readonly hidden: readonly Change[]; readonly lines: readonly string[] } {
  if (look.full === true || foreign.length <= limits.similarShownInFull)
    return { hidden: [], lines: [] };
  const { sign, color: ink } = actionStyles.refuse;
  const lines = [...Map.groupBy(foreign, ({ kind }) => kind)].map(([kind, ones]) =>
    paint(look, ink, `${sign} ${ones.length} of ${kind}: ${someOf(addressesOf(ones))}`),
  );
  return {
    hidden: foreign,
    lines: [
      ...lines,
      `    ${paint(look, "red", "blocked:")} these ${foreign.length} exist already, and this stack did not create them; --full shows each`,
      "    → `svc adopt` takes them all over",
    ],
  };
}

interface HiddenOfKind<T> {
  readonly kind: string;
  readonly hidden: readonly T[];
}

/** What is not shown of each kind of which there are many. */
function overflowByKind<T>(
  all: readonly T[],
  kindOf: (one: T) => string,
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

/** There is nothing to compare, and nothing else to say. */
function isPlain(change: Change, { findings = [], dependents: behind = [] }: ChangeNotes): boolean {
  const { action, direction, cascadedBy: carriedBy, blockedBy, fields } = change;
  const isSame = action === "adopt" ? fields.length === 0 : direction === "pending";
  const isQuiet = findings.length === 0 && behind.length === 0;
  return isSame && isQuiet && carriedBy === undefined && blockedBy.length === 0;
}

/** Refused for no other reason than that it exists; one that is to be renamed into another's key is told whole. */
function isOnlyUnowned(
  change: Change,
  { findings = [], dependents: behind = [] }: ChangeNotes,
): boolean {
  const { action, id, from } = change;
  const isTaken = action === "refuse" && id !== undefined && from === undefined;
  return isTaken && behind.length === 0 && isNotOwned(findings);
}

function isNotOwned(findings: readonly Diagnostic[]): boolean {
  const [first, ...others] = findings;
  return first?.code === "not-owned" && others.length === 0;
}
