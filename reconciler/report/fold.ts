// Long lists of creates in text: there is nothing to compare in them, so beyond the first few of a kind their number and some names are told.
import { limits } from "../../core/limits.ts";
import type { Change } from "../model.ts";
import type { Look } from "./style.ts";
import { visible } from "./visible.ts";

/** What is shown of changes. */
export interface Folded {
  readonly shown: readonly Change[];
  /** A line for each kind of which more is to be created than is shown. */
  readonly lines: readonly string[];
}

/** The changes with creates folded that are like others of their kind; `isPlain` tells those of which nothing else is to be said. */
export function foldCreates(
  changes: readonly Change[],
  isPlain: (change: Change) => boolean,
  { full = false }: Look,
): Folded {
  const alike = changes.filter((change) => isCreate(change) && isPlain(change));
  const folded = [...Map.groupBy(alike, ({ kind }) => kind)].flatMap(([kind, ones]) =>
    full || ones.length <= limits.createsWhole + limits.createsNamed
      ? []
      : [{ kind, rest: ones.slice(limits.createsWhole) }],
  );
  const hidden = new Set(folded.flatMap(({ rest }) => rest));
  return {
    shown: changes.filter((change) => !hidden.has(change)),
    lines: folded.map(({ kind, rest }) => {
      const names = rest.slice(0, limits.createsNamed).map(({ address }) => visible(address));
      const more = rest.length - names.length;
      return `+ ${rest.length} more of ${kind}: ${names.join(", ")} and ${more} others; --full shows them`;
    }),
  };
}

function isCreate({ action, direction, carriedBy, blockedBy }: Change): boolean {
  const isWished = action === "create" && direction === "unshipped";
  return isWished && carriedBy === undefined && blockedBy.length === 0;
}
