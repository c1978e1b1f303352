// Long lists in text: of what is alike and has nothing to compare in it, the first few of a kind are told, then the number and some names.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { parseAddress } from "../../core/identity.ts";
import { limits } from "../../core/limits.ts";
import type { Change } from "../model.ts";
import { actionLooks } from "./actions.ts";
import type { Said } from "./change-text.ts";
import { type Look, paint } from "./style.ts";
import { counted, visible } from "./visible.ts";

/** What is shown of changes. */
export interface Folded {
  readonly shown: readonly Change[];
  /** What is said of those that are not shown. */
  readonly lines: readonly string[];
}

/** The changes with those folded that are like others of their kind; `about` tells what else there is to say of each. */
export function foldChanges(
  changes: readonly Change[],
  about: (change: Change) => Said,
  look: Look,
): Folded {
  const alike = (["create", "adopt"] as const).map((action) => {
    const ones = changes.filter((one) => one.action === action && isPlain(one, about(one)));
    return { ...actionLooks[action], folded: beyond(ones, ({ kind }) => kind, look) };
  });
  const foreign = foldForeign(
    changes.filter((change) => isForeign(change, about(change))),
    look,
  );
  const hidden = new Set([
    ...alike.flatMap(({ folded }) => folded.flatMap(({ rest }) => rest)),
    ...foreign.hidden,
  ]);
  return {
    shown: changes.filter((change) => !hidden.has(change)),
    lines: [
      ...alike.flatMap(({ sign, ink, folded }) =>
        folded.map(({ kind, rest }) =>
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
  { full }: Pick<Look, "full">,
): readonly string[] {
  const folded = beyond(addresses, (one) => parseAddress(one)?.kind ?? "", { full: full === true });
  const hidden = new Set(folded.flatMap(({ rest }) => rest));
  return [
    ...addresses.filter((one) => !hidden.has(one)).map((one) => `${said} ${visible(one)}`),
    ...folded.map(({ kind, rest }) => `${said} ${moreOf(kind, rest)}`),
  ];
}

/** Objects that exist and that nobody owns need one and the same thing done, so that it is told once where they are many. */
function foldForeign(
  foreign: readonly Change[],
  look: Look,
): { readonly hidden: readonly Change[]; readonly lines: readonly string[] } {
  if (look.full === true || foreign.length <= limits.alikeWhole) return { hidden: [], lines: [] };
  const { sign, ink } = actionLooks.refuse;
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

interface Rest<T> {
  readonly kind: string;
  readonly rest: readonly T[];
}

/** What is not shown of each kind of which there are many. */
function beyond<T>(
  all: readonly T[],
  kindOf: (one: T) => string,
  { full = false }: Pick<Look, "full">,
): readonly Rest<T>[] {
  if (full) return [];
  return [...Map.groupBy(all, kindOf)].flatMap(([kind, ones]) =>
    ones.length <= limits.alikeWhole + limits.alikeNamed
      ? []
      : [{ kind, rest: ones.slice(limits.alikeWhole) }],
  );
}

function moreOf(kind: string, rest: readonly string[]): string {
  return `${rest.length} more of ${kind}: ${someOf(rest)}; --full shows them`;
}

function someOf(addresses: readonly string[]): string {
  const names = addresses.slice(0, limits.alikeNamed).map(visible).join(", ");
  const more = addresses.length - limits.alikeNamed;
  return more > 0 ? `${names} and ${counted(more, "other")}` : names;
}

function addressesOf(changes: readonly Change[]): readonly string[] {
  return changes.map(({ address }) => address);
}

/** There is nothing to compare, and nothing else to say. */
function isPlain(change: Change, { findings = [], behind = [] }: Said): boolean {
  const { action, direction, carriedBy, blockedBy, fields } = change;
  const isSame = action === "adopt" ? fields.length === 0 : direction === "unshipped";
  const isQuiet = findings.length === 0 && behind.length === 0;
  return isSame && isQuiet && carriedBy === undefined && blockedBy.length === 0;
}

/** Refused for no other reason than that it exists; one that is to be renamed into another's key is told whole. */
function isForeign(change: Change, { findings = [], behind = [] }: Said): boolean {
  const { action, id, from } = change;
  const isTaken = action === "refuse" && id !== undefined && from === undefined;
  return isTaken && behind.length === 0 && isNotOurs(findings);
}

function isNotOurs(findings: readonly Diagnostic[]): boolean {
  const [first, ...others] = findings;
  return first?.code === "not-ours" && others.length === 0;
}
