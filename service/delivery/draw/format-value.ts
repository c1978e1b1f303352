// Formats values of results for people: grouped digits, and dates in the precision of their granularity.
import { pluralize } from "../../../core/text/escape-text.ts";
import type { ResultValue } from "../../engine/engine.ts";
import type { ResultColumn } from "./picture-input.ts";

/** Returns a value as text; a dash if there is none. */
export function formatValue(value: ResultValue | undefined, column: ResultColumn): string {
  if (value === null || value === undefined) return "–";
  if (column.type === "time" && typeof value === "string") {
    return formatTime(value, column.granularity);
  }
  if (column.type !== "number") return String(value);
  return formatNumber(String(value), column.format);
}

/** Returns the number to draw for a value; null if it is not a number. */
export function numberOf(value: ResultValue | undefined): number | null {
  if (value === null || value === undefined || value === "") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
const withCents = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

const short = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });

function formatNumber(text: string, format: string | undefined): string {
  if (!/^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(text)) return text;
  // Formatted as text, because a double does not hold every digit.
  const number = text as `${number}`;
  if (format === "percent") return `${grouped.format(number)}%`;
  if (format === "currency") return withCents.format(number);
  // A longer fraction comes from a division.
  return (/\.\d{1,6}$/.test(text) ? short : grouped).format(number);
}

/** Returns a number short enough for an axis: `12k`. */
export function shortNumber(number: number): string {
  return new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 }).format(
    number,
  );
}

function formatTime(text: string, granularity: string | undefined): string {
  const match = /^(\d{4,})-(\d{2})-(\d{2})T(\d{2}:\d{2})(?::\d{2})?/.exec(text);
  if (!match) return text;
  const [, year = "", month = "", day = "", time = ""] = match;
  switch (granularity) {
    case "year":
      return year;
    case "quarter":
      return `${year} Q${Math.ceil(Number(month) / 3)}`;
    case "month":
      return `${year}-${month}`;
    case "week":
    case "day":
      return `${year}-${month}-${day}`;
    default:
      return time === "00:00" ? `${year}-${month}-${day}` : `${year}-${month}-${day} ${time}`;
  }
}

/** Returns how many rows are not shown; empty if all are. `isCut` says that the query has more rows than were read. */
export function moreRowsText(left: number, isCut: boolean): string {
  if (isCut) return left === 0 ? "more rows" : `${left}+ more rows`;
  return left === 0 ? "" : pluralize(left, "more row");
}
