// Formats the values of results for people. Tables, axes, tooltips and mails use it; CSV files keep the values.
import type { ChartValue, ResultColumn } from "../model/model.ts";
import { formatNumber } from "./number-format.ts";
import { formatTime } from "./time-format.ts";

/** What decides how a value is formatted. */
export type ValueStyle = Pick<ResultColumn, "type" | "granularity" | "format" | "currency">;

/** The text of a missing value. */
export const missing = "–";

/** Returns a value as text; a dash if there is none. */
export function formatValue(
  value: ChartValue | undefined,
  { type, format, granularity, currency }: ValueStyle,
  { locale }: { readonly locale: string },
): string {
  if (value === null || value === undefined || value === "") return missing;
  if (type === "time" && typeof value === "string") {
    return formatTime(value, { format, granularity }, locale);
  }
  if (type !== "number" || typeof value === "boolean") return String(value);
  return formatNumber(value, { format, currency }, locale);
}

/** Numbers beyond are not drawn: sums and scales of them would not be finite. */
const largest = 1e300;

/** Returns the number to draw for a value; null if it is not a number. */
export function numberOf(value: ChartValue | undefined): number | null {
  if (value === null || value === undefined || value === "" || typeof value === "boolean") {
    return null;
  }
  const number = Number(value);
  return Number.isFinite(number) && Math.abs(number) <= largest ? number : null;
}

/** Returns the exact sum of decimal numbers; null if one is not decimal, or there is none. Missing values count as nothing. */
export function sumExactly(values: readonly (ChartValue | undefined)[]): string | null {
  const texts = values.flatMap((value) => (value == null || value === "" ? [] : [String(value)]));
  if (texts.length === 0) return null;
  const parts = texts.map((text) => /^(-?)(\d{1,400})(?:\.(\d{1,400}))?$/u.exec(text));
  if (parts.some((part) => part === null)) {
    const sum = values.reduce<number>((total, value) => total + (numberOf(value) ?? 0), 0);
    return texts.some((text) => numberOf(text) === null) ? null : String(sum);
  }
  const scale = parts.reduce((most, part) => Math.max(most, part?.[3]?.length ?? 0), 0);
  let sum = 0n;
  for (const part of parts) {
    const [, sign = "", whole = "0", fraction = ""] = part ?? [];
    const scaled = BigInt(whole + fraction.padEnd(scale, "0"));
    sum += sign === "-" ? -scaled : scaled;
  }
  const digits = String(sum < 0n ? -sum : sum).padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/u, "");
  return `${sum < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}
