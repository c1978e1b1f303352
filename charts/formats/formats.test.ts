// Numbers and times as people read them.
import { expect, it } from "vitest";
import { formatValue } from "./format-value.ts";
import { formatTicks, shortNumber } from "./number-format.ts";

const number = (format?: string, currency?: string) => ({
  type: "number",
  ...(format !== undefined && { format }),
  ...(currency !== undefined && { currency }),
});
const time = (granularity?: string, format?: string) => ({
  type: "time",
  ...(granularity !== undefined && { granularity }),
  ...(format !== undefined && { format }),
});

it.each([
  ["0.0456", number(".1%"), "en-US", "4.6%"],
  ["0.005548", number("percent"), "en-US", "0.5548%"],
  ["0.33333333333333331", number("percent"), "de-DE", "33,33 %"],
  ["-1.5", number("percent_1"), "en-US", "-150.0%"],
  ["0.0456", number(), "en-US", "0.0456"],
  ["1234.5", number("$,.2f"), "en-US", "$1,234.50"],
  ["2345678", number("$,.3s", "EUR"), "en-US", "€2.35M"],
  ["2345678", number("$.3s"), "en-US", "$2.35M"],
  ["2345678", number("$.3s", "EUR"), "de-DE", "2,35M €"],
  ["1234.5", number("currency", "EUR"), "de-DE", "1.234,50 €"],
  ["1234.5", number("currency", "JPY"), "en-US", "¥1,235"],
  ["12345678901234567890.25", number(), "en-US", "12,345,678,901,234,567,890.25"],
  ["-9007199254740993", number(), "de-DE", "-9.007.199.254.740.993"],
  ["33.333333333333336", number(), "en-US", "33.33"],
  ["NaN", number(), "en-US", "NaN"],
  ["12345", number("id"), "en-US", "12345"],
  [null, number(), "en-US", "–"],
  ["2026-01-05T00:00:00.000", time("day"), "en-US", "Jan 5, 2026"],
  ["2026-01-05T00:00:00.000", time("day"), "de-DE", "5. Jan. 2026"],
  ["2026-02-01T00:00:00.000", time("quarter"), "en-US", "Q1 2026"],
  ["2026-01-05T00:00:00.000", time("year"), "en-US", "2026"],
  ["2026-01-05T09:07:00.000", time(undefined, "%d.%m.%Y"), "en-US", "05.01.2026"],
  ["2026-01-05T09:00:00.000", time("hour", "%d.%m. %Hh"), "en-US", "05.01. 09h"],
  ["2026-01-05T00:00:00.000", time("week", "%d.%m.%Y"), "en-US", "05.01.2026"],
  ["2026-01-05T00:00:00.000", time("day", "%d.%m.%Y %H:%M"), "en-US", "Jan 5, 2026"],
  ["2026-01-01T00:00:00.000", time("month", "%d.%m.%Y %H:%M"), "en-US", "Jan 2026"],
  ["2026-01-01T00:00:00.000", time("month", "%B %Y"), "de-DE", "Januar 2026"],
  ["2026-01-01T00:00:00.000", time("quarter", "%B %Y"), "en-US", "Q1 2026"],
  ["2026-01-01T00:00:00.000", time("year", "%Y"), "en-US", "2026"],
  ["not a time", time("day"), "en-US", "not a time"],
])("writes %s in the format %j for %s as %s", (value, style, locale, text) => {
  // Intl puts a space that does not break before the sign of a currency.
  expect(formatValue(value, style, { locale }).replaceAll("\u00a0", " ")).toBe(text);
});

it.each([
  [12_000, "12K"],
  [0, "0"],
  [-25_000_000, "-25M"],
  [3e17, "3E17"],
])("shortens %d to %s", (value, text) => {
  expect(shortNumber(value, {}, "en-US")).toBe(text);
});

it("writes ticks of percent as shares of 1", () => {
  expect(formatTicks([0, 0.025, 0.05], { format: "percent" }, "en-US")).toEqual([
    "0%",
    "2.5%",
    "5%",
  ]);
});

it("writes ticks beyond trillions as powers of ten", () => {
  const ticks = (values: readonly number[], locale: string) => formatTicks(values, {}, locale);
  expect(ticks([0, 1e17, 2.5e17], "en-US")).toEqual(["0", "1E17", "2.5E17"]);
  expect(ticks([0, 2.5e17], "de-DE")).toEqual(["0", "2,5E17"]);
  expect(ticks([0, 5e12], "en-US")).toEqual(["0", "5T"]);
  expect(ticks([0, 2e-9], "en-US")).toEqual(["0", "2E-9"]);
});
