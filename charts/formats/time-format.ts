// Formats times without a zone by strftime, or by their granularity in the language of the viewer.
import { calendarUnits, isCalendarUnit } from "../../core/text/calendar-units.ts";
import { intlFormats } from "./intl-formats.ts";

/** The parts of a time. */
export interface TimeParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  /** As milliseconds, as if the zone were UTC. */
  readonly at: number;
}

/** Reads `2026-01-05T14:30:00.000`, or a part of it; undefined for any other text. */
export function parseTime(text: string): TimeParts | undefined {
  const match =
    /^(\d{4,6})-(\d{2})(?:-(\d{2}))?(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(?:Z|[+-]\d{2}:?\d{2})?$/u.exec(
      text,
    );
  if (!match) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => (part === undefined ? undefined : Number(part)));
  const millisecond = Number((match[7] ?? "0").slice(0, 3).padEnd(3, "0"));
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, millisecond);
  const at = date.getTime();
  if (Number.isNaN(at)) return undefined;
  return { year, month, day, hour, minute, second, millisecond, at };
}

const formatsOf = intlFormats<Intl.DateTimeFormatOptions, Intl.DateTimeFormat>(Intl.DateTimeFormat);

/** Returns a format of times without a zone. */
function intlOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return formatsOf(locale, { timeZone: "UTC", ...options });
}

const dayForm = { year: "numeric", month: "short", day: "numeric" } as const;

/** Returns a time as text: by strftime if its format writes nothing finer than the granularity, otherwise in the precision of the granularity. */
export function formatTime(
  text: string,
  {
    format,
    granularity,
  }: { readonly format?: string | undefined; readonly granularity?: string | undefined },
  locale: string,
): string {
  const time = parseTime(text);
  if (time === undefined) return text;
  if (format !== undefined && suits(format, granularity)) return strftime(time, format, locale);
  const write = (options: Intl.DateTimeFormatOptions) => intlOf(locale, options).format(time.at);
  switch (granularity) {
    case "year":
      return write({ year: "numeric" });
    case "quarter":
      return `Q${quarterOf(time)} ${time.year}`;
    case "month":
      return write({ year: "numeric", month: "short" });
    case "week":
    case "day":
      return write(dayForm);
    default:
      return write({ ...dayForm, ...clockForm(time, granularity) });
  }
}

/** Returns the precision of the clock: none at midnight unless the granularity is finer than a day. */
function clockForm(
  { hour, minute, second, millisecond }: TimeParts,
  granularity: string | undefined,
): Intl.DateTimeFormatOptions {
  const isFine = granularity === "hour" || granularity === "minute" || granularity === "second";
  if (!isFine && hour + minute + second + millisecond === 0) return {};
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return second > 0 || granularity === "second" ? { ...clock, second: "2-digit" } : clock;
}

function quarterOf({ month }: TimeParts): number {
  return Math.ceil(month / 3);
}

/** Returns whether a text is a format of times. */
export function isTimeFormat(format: string): boolean {
  const directives = [...format.matchAll(/%([-_0]?)(.?)/gu)].map(([, , letter = ""]) => letter);
  return directives.length > 0 && directives.every((letter) => letter in writers || letter === "%");
}

/** The directives of each unit. A week is written by its first day. */
const directives: Readonly<Record<string, string>> = {
  second: "SLfscXT",
  minute: "M",
  hour: "HIp",
  week: "deajuwxFAUWVG",
  month: "mbB",
  quarter: "q",
};

/** Returns whether a format is strftime that writes nothing finer than a granularity: a month has no day and no hour. */
function suits(format: string, granularity: string | undefined): boolean {
  if (!format.includes("%")) return false;
  const unit = granularity === "day" ? "week" : granularity;
  const finer = calendarUnits.slice(
    0,
    Math.max(
      0,
      calendarUnits.findIndex((one) => one === unit),
    ),
  );
  const letters = finer.map((one) => directives[one] ?? "").join("");
  return ![...format.matchAll(/%[-_0]?(.)/gu)].some(([, letter = ""]) => letters.includes(letter));
}

type Writer = (time: TimeParts, locale: string) => string | readonly [number, number];

/** The directives; a number has its width, and `%-d` writes it without padding. */
const writers: Readonly<Record<string, Writer>> = {
  Y: ({ year }) => [year, 4],
  y: ({ year }) => [year % 100, 2],
  m: ({ month }) => [month, 2],
  d: ({ day }) => [day, 2],
  e: ({ day }) => String(day).padStart(2, " "),
  H: ({ hour }) => [hour, 2],
  I: ({ hour }) => [hour % 12 === 0 ? 12 : hour % 12, 2],
  M: ({ minute }) => [minute, 2],
  S: ({ second }) => [second, 2],
  L: ({ millisecond }) => [millisecond, 3],
  f: ({ millisecond }) => [millisecond * 1000, 6],
  p: ({ hour }) => (hour < 12 ? "AM" : "PM"),
  q: (time) => String(quarterOf(time)),
  j: (time) => [dayOfYear(time), 3],
  u: ({ at }) => String(((new Date(at).getUTCDay() + 6) % 7) + 1),
  w: ({ at }) => String(new Date(at).getUTCDay()),
  U: (time) => [Math.floor((dayOfYear(time) + 6 - new Date(time.at).getUTCDay()) / 7), 2],
  W: (time) => [
    Math.floor((dayOfYear(time) + 6 - ((new Date(time.at).getUTCDay() + 6) % 7)) / 7),
    2,
  ],
  V: (time) => [isoWeek(time).week, 2],
  G: (time) => [isoWeek(time).year, 4],
  b: ({ at }, locale) => intlOf(locale, { month: "short" }).format(at),
  B: ({ at }, locale) => intlOf(locale, { month: "long" }).format(at),
  a: ({ at }, locale) => intlOf(locale, { weekday: "short" }).format(at),
  A: ({ at }, locale) => intlOf(locale, { weekday: "long" }).format(at),
  c: ({ at }, locale) => intlOf(locale, { dateStyle: "medium", timeStyle: "medium" }).format(at),
  x: ({ at }, locale) => intlOf(locale, { dateStyle: "short" }).format(at),
  X: ({ at }, locale) => intlOf(locale, { timeStyle: "medium" }).format(at),
  F: (time) => `${time.year}-${two(time.month)}-${two(time.day)}`,
  T: (time) => `${two(time.hour)}:${two(time.minute)}:${two(time.second)}`,
  s: ({ at }) => String(Math.floor(at / 1000)),
  Z: () => "",
};

function two(number: number): string {
  return String(number).padStart(2, "0");
}

function dayOfYear({ year, at }: TimeParts): number {
  const first = new Date(0);
  first.setUTCFullYear(year, 0, 1);
  return Math.floor((at - first.getTime()) / dayMs) + 1;
}

const dayMs = 86_400_000;

function isoWeek({ at }: TimeParts): { readonly year: number; readonly week: number } {
  const thursday = new Date(at);
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7));
  const year = thursday.getUTCFullYear();
  const first = new Date(0);
  first.setUTCFullYear(year, 0, 1);
  return { year, week: Math.ceil(((thursday.getTime() - first.getTime()) / dayMs + 1) / 7) };
}

function strftime(time: TimeParts, format: string, locale: string): string {
  return format.replace(/%([-_0]?)(.)/gu, (whole, padding: string, letter: string) => {
    if (letter === "%") return "%";
    const written = writers[letter]?.(time, locale);
    if (written === undefined) return whole;
    if (typeof written === "string") return written;
    const [number, width] = written;
    if (padding === "-") return String(number);
    return String(number).padStart(width, padding === "_" ? " " : "0");
  });
}

/** Returns times for an axis: short, and the year only where it changes. */
export function formatTimeTicks(
  texts: readonly string[],
  {
    format,
    granularity,
  }: { readonly format?: string | undefined; readonly granularity?: string | undefined },
  locale: string,
): readonly string[] {
  if ((format !== undefined && suits(format, granularity)) || granularity === "year") {
    return texts.map((text) => formatTime(text, { format, granularity }, locale));
  }
  let before: TimeParts | undefined;
  return texts.map((text) => {
    const time = parseTime(text);
    if (time === undefined) return text;
    const written = timeTick(time, { before, granularity, locale });
    before = time;
    return written;
  });
}

function timeTick(
  time: TimeParts,
  {
    before,
    granularity,
    locale,
  }: { before: TimeParts | undefined; granularity: string | undefined; locale: string },
): string {
  const write = (options: Intl.DateTimeFormatOptions) => intlOf(locale, options).format(time.at);
  const isNewYear = before?.year !== time.year;
  const year = isNewYear ? "\n" + String(time.year) : "";
  if (granularity === "quarter") return `Q${quarterOf(time)}${year}`;
  if (granularity === "month") return write({ month: "short" }) + year;
  const day = write({ month: "short", day: "numeric" });
  const clock = clockForm(time, granularity);
  if (clock.hour === undefined) return day + year;
  const isNewDay = isNewYear || before.month !== time.month || before.day !== time.day;
  return isNewDay ? `${write(clock)}\n${day}` : write(clock);
}

/** Returns the start of the next period; undefined if the granularity is not one of the calendar. */
export function nextPeriod(time: TimeParts, granularity: string | undefined): number | undefined {
  if (granularity === undefined || !isCalendarUnit(granularity)) return undefined;
  const date = new Date(time.at);
  switch (granularity) {
    case "year":
      return date.setUTCFullYear(date.getUTCFullYear() + 1);
    case "quarter":
      return date.setUTCMonth(date.getUTCMonth() + 3);
    case "month":
      return date.setUTCMonth(date.getUTCMonth() + 1);
    case "week":
      return time.at + 7 * dayMs;
    case "day":
      return time.at + dayMs;
    case "hour":
      return time.at + dayMs / 24;
    case "minute":
      return time.at + 60_000;
    case "second":
      return time.at + 1000;
  }
}

/** Returns whether a period that starts at a time has not ended at the present. */
export function isRunning(
  start: string | undefined,
  granularity: string | undefined,
  now: string | undefined,
): boolean {
  const [first, present] = [start, now].map((text) => parseTime(text ?? ""));
  const end = first && nextPeriod(first, granularity);
  return end !== undefined && present !== undefined && present.at < end;
}

/** Returns milliseconds as a time without a zone. */
export function printTime(at: number): string {
  return new Date(at).toISOString().slice(0, 23);
}
