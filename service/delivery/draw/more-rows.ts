// Says how many rows and columns of a table are not shown, and where to see them. Pure.
import { pluralize } from "../../../core/text/escape-text.ts";

/** Returns what is not shown; "" if everything is. `isCut` says that the query has more rows than were read. */
export function moreText(
  { rows, columns = 0 }: { readonly rows: number; readonly columns?: number },
  isCut: boolean,
): string {
  const parts = [rowsText(rows, isCut), columns === 0 ? "" : pluralize(columns, "more column")];
  const shown = parts.filter((part) => part !== "");
  return shown.length === 0 ? "" : `${shown.join(" and ")} on the dashboard`;
}

function rowsText(left: number, isCut: boolean): string {
  if (isCut) return left === 0 ? "more rows" : `${left}+ more rows`;
  return left === 0 ? "" : pluralize(left, "more row");
}
