// Says how many rows of a table are not shown. Pure.
import { pluralize } from "../../../core/text/escape-text.ts";

/** Returns how many rows are not shown; empty if all are. `isCut` says that the query has more rows than were read. */
export function moreRowsText(left: number, isCut: boolean): string {
  if (isCut) return left === 0 ? "more rows" : `${left}+ more rows`;
  return left === 0 ? "" : pluralize(left, "more row");
}
