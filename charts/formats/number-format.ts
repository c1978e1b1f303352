// Formats numbers by the names of data models and by d3-format, in the language of the viewer. Decimals keep every digit.
import { formatLocale, formatSpecifier } from "d3-format";
import { intlFormats } from "./intl-formats.ts";

/** How a column formats its numbers. */
export interface NumberStyle {
  readonly format?: string | undefined;
  readonly currency?: string | undefined;
}

/** What a format says, whoever wrote it. */
interface ParsedFormat {
  readonly kind: "number" | "currency" | "id" | "d3";
  /** Whether the value is a share, which is multiplied by 100. */
  readonly isShare?: boolean;
  readonly currency?: string | undefined;
  readonly isAccounting?: boolean;
  readonly notation?: "compact" | "scientific" | undefined;
  readonly isGrouped: boolean;
  /** Fraction digits; undefined for as many as the value has. */
  readonly digits?: number;
  readonly isTrimmed?: boolean;
  readonly sign?: "exceptZero";
  /** Fill, alignment and width, and the formats that only d3 writes. */
  readonly d3?: ReturnType<typeof formatSpecifier>;
}

const parsed = new Map<string, ParsedFormat>();

function parseFormat({ format = "", currency }: NumberStyle): ParsedFormat {
  const key = `${format}\n${currency ?? ""}`;
  const cached = parsed.get(key);
  if (cached !== undefined) return cached;
  const result = namedFormat(format, currency) ?? d3Format(format, currency) ?? plain;
  if (parsed.size > 500) parsed.clear();
  parsed.set(key, result);
  return result;
}

const plain: ParsedFormat = { kind: "number", isGrouped: true };

function namedFormat(format: string, currency: string | undefined): ParsedFormat | undefined {
  const [, name = "", places] = /^([a-z]+)(?:_(\d{1,2}))?$/iu.exec(format) ?? [];
  const digits = places === undefined ? {} : { digits: Math.min(20, Number(places)) };
  switch (name.toLowerCase()) {
    case "":
      return format === "" && currency !== undefined
        ? { kind: "currency", currency: currencyCode(currency), isGrouped: true }
        : undefined;
    case "number":
    case "decimal":
      return { kind: "number", isGrouped: true, ...digits };
    case "percent":
      return { kind: "number", isShare: true, isGrouped: true, ...digits };
    case "currency":
    case "accounting": {
      const code = currencyCode(currency);
      const isAccounting = name.toLowerCase() === "accounting";
      return {
        kind: "currency",
        currency: code,
        isAccounting,
        isGrouped: true,
        ...(code === undefined && { digits: 2 }),
        ...digits,
      };
    }
    case "abbr":
      return {
        kind: "number",
        notation: "compact",
        isGrouped: true,
        digits: 1,
        isTrimmed: true,
        ...digits,
      };
    case "id":
      return { kind: "id", isGrouped: false };
    default:
      return undefined;
  }
}

/** Returns a code that Intl takes; undefined for any other text. */
function currencyCode(currency: string | undefined): string | undefined {
  return currency !== undefined && /^[a-z]{3}$/iu.test(currency)
    ? currency.toUpperCase()
    : undefined;
}

/** Returns whether a text is a format of numbers: a name, or d3-format. */
export function isNumberFormat(format: string): boolean {
  return namedFormat(format, undefined) !== undefined || d3Format(format, undefined) !== undefined;
}

function d3Format(format: string, currency: string | undefined): ParsedFormat | undefined {
  if (format === "") return undefined;
  let d3: ReturnType<typeof formatSpecifier>;
  try {
    d3 = formatSpecifier(format);
  } catch {
    return undefined;
  }
  // A precision beyond that of Intl and of doubles has no meaning.
  const precision = d3.precision === undefined ? undefined : Math.min(20, d3.precision);
  const fixed = { "": undefined, f: precision ?? 6, "%": precision ?? 6, d: 0 }[d3.type as "f"];
  const code = d3.symbol === "$" ? (currencyCode(currency) ?? "USD") : undefined;
  const isOwn = ["f", "%", "d"].includes(d3.type) || (d3.type === "" && precision === undefined);
  if (!isOwn) {
    const isKnown = /^[a-z%]?$/iu.test(d3.type) && "eginoprsbxXcdf%".includes(d3.type);
    return isKnown ? { kind: "d3", isGrouped: d3.comma, currency: code, d3 } : undefined;
  }
  return {
    kind: d3.symbol === "$" ? "currency" : "number",
    isShare: d3.type === "%",
    currency: code,
    isAccounting: d3.sign === "(",
    isGrouped: d3.comma,
    ...(fixed !== undefined && { digits: fixed }),
    isTrimmed: d3.trim,
    ...(d3.sign === "+" && { sign: "exceptZero" as const }),
    d3,
  };
}

const intlOf = intlFormats<Intl.NumberFormatOptions, Intl.NumberFormat>(Intl.NumberFormat);

/** Decimal text that Intl formats without a double. */
const decimal = /^-?\d{1,400}(?:\.\d{1,400})?(?:e[-+]?\d{1,3})?$/iu;

/** Returns a number as text; any other text unchanged. */
export function formatNumber(value: string | number, style: NumberStyle, locale: string): string {
  const text = String(value);
  if (!decimal.test(text)) return text;
  const format = parseFormat(style);
  if (format.kind === "id") return text;
  if (format.kind === "d3") return formatByD3(Number(text), format, locale);
  const shown = intlOf(locale, intlOptions(format, fractionDigits(text, format))).format(
    text as `${number}`,
  );
  return padded(inParentheses(shown, text, format), format);
}

/** Returns the digits after the point: those of the format, or up to six; a longer fraction comes from a division. */
function fractionDigits(text: string, { digits, isTrimmed, kind, currency }: ParsedFormat) {
  if (digits !== undefined) return [isTrimmed === true ? 0 : digits, digits] as const;
  if (kind === "currency" && currency !== undefined) return undefined;
  return [0, /\.\d{1,6}$/u.test(text) ? 6 : 2] as const;
}

function intlOptions(
  { kind, isShare, currency, isAccounting, notation, isGrouped, sign }: ParsedFormat,
  digits: readonly [number, number] | undefined,
): Intl.NumberFormatOptions {
  const style: Intl.NumberFormatOptions =
    kind === "currency" && currency !== undefined
      ? { style: "currency", currency, currencyDisplay: "narrowSymbol" }
      : isShare === true
        ? { style: "percent" }
        : {};
  return {
    ...style,
    useGrouping: isGrouped,
    ...(isAccounting === true && style.style === "currency" && { currencySign: "accounting" }),
    ...(notation !== undefined && { notation }),
    ...(sign !== undefined && { signDisplay: sign }),
    ...(digits && { minimumFractionDigits: digits[0], maximumFractionDigits: digits[1] }),
  };
}

/** Writes a negative number in parentheses if the format says so and Intl does not. */
function inParentheses(
  shown: string,
  text: string,
  { isAccounting, kind, currency }: ParsedFormat,
) {
  const isDone = kind === "currency" && currency !== undefined;
  if (isAccounting !== true || isDone || !text.startsWith("-")) return shown;
  return `(${shown.replace(/[-\u2212\u200e]/gu, "")})`;
}

function padded(shown: string, { d3 }: ParsedFormat): string {
  const missing = Math.min(100, d3?.width ?? 0) - shown.length;
  if (d3 === undefined || missing <= 0) return shown;
  const left = d3.align === "<" ? 0 : d3.align === "^" ? Math.floor(missing / 2) : missing;
  return d3.fill.repeat(left) + shown + d3.fill.repeat(missing - left);
}

/** Returns what a language writes before and after an amount of money. */
function aroundAmount(currency: string, locale: string): [string, string] {
  const digits = { minimumFractionDigits: 0, maximumFractionDigits: 0 };
  const style = { style: "currency", currency, currencyDisplay: "narrowSymbol" } as const;
  const parts = intlOf(locale, { ...style, ...digits }).formatToParts(1);
  const at = parts.findIndex(({ type }) => type === "integer");
  const text = (some: typeof parts) => some.map(({ value }) => value).join("");
  return [text(parts.slice(0, at)), text(parts.slice(at + 1))];
}

function formatByD3(number: number, { d3, currency }: ParsedFormat, locale: string): string {
  const parts = intlOf(locale, { useGrouping: true }).formatToParts(-12345.5);
  const part = (type: string) => parts.find((one) => one.type === type)?.value;
  const local = formatLocale({
    decimal: part("decimal") ?? ".",
    thousands: part("group") ?? ",",
    grouping: [3],
    currency: currency === undefined ? ["", ""] : aroundAmount(currency, locale),
  });
  try {
    return local.format(String(d3))(number);
  } catch {
    return String(number);
  }
}

/** Numbers from here on have no short word: they are written as powers of ten. */
const largestCompact = 1e15;

/** Returns numbers in the shortest form that keeps them apart, such as the ticks of an axis: `0`, `0.5M`, `1M`. */
export function formatTicks(
  values: readonly number[],
  style: NumberStyle,
  locale: string,
): readonly string[] {
  const format = parseFormat(style);
  if (format.kind === "d3") return values.map((value) => formatNumber(value, style, locale));
  const most = values.reduce((large, value) => Math.max(large, Math.abs(value)), 0);
  const scaled = format.isShare === true ? most * 100 : most;
  const isFar = scaled >= largestCompact || (most > 0 && scaled < 1e-6);
  const isLarge = scaled >= 10_000 && format.kind !== "id";
  const notation = isFar ? "scientific" : isLarge ? "compact" : undefined;
  const wanted = new Set(values).size;
  let texts: readonly string[] = [];
  for (let digits = 0; digits <= 8; digits++) {
    const write = (value: number, form: ParsedFormat["notation"]) => {
      const isGrouped = format.isGrouped || form !== undefined;
      const options = intlOptions({ ...format, notation: form, isGrouped }, [0, digits]);
      return intlOf(locale, options).format(value);
    };
    // Zero has no power of ten.
    texts = values.map((value) => (value === 0 ? write(0, undefined) : write(value, notation)));
    const isExact = values.every((value) => isKept(value, { digits, notation, format }));
    if (new Set(texts).size === wanted && isExact) return texts;
  }
  return texts;
}

/** Returns whether a tick loses nothing by the digits, so that steps of 2.5 are not shown as 3. */
function isKept(
  value: number,
  {
    digits,
    notation,
    format,
  }: { digits: number; notation: ParsedFormat["notation"]; format: ParsedFormat },
): boolean {
  const size = Math.abs(value) * (format.isShare === true ? 100 : 1);
  const power = size === 0 ? 0 : Math.floor(Math.log10(size));
  const unit =
    notation === "scientific"
      ? 10 ** power
      : notation === "compact"
        ? 1000 ** Math.max(0, Math.floor(power / 3))
        : 1;
  const shown = (size / unit) * 10 ** digits;
  return Math.abs(shown - Math.round(shown)) <= 1e-6 * Math.max(1, shown) || digits >= 6;
}

/** Returns a number in a short form: `1.2M`. */
export function shortNumber(value: number, style: NumberStyle, locale: string): string {
  const format = parseFormat(style);
  if (format.kind === "d3" || format.kind === "id") return formatNumber(value, style, locale);
  const size = Math.abs(value);
  if (size < 10_000) return formatNumber(String(value), style, locale);
  const notation = size >= largestCompact ? ("scientific" as const) : ("compact" as const);
  const options = { ...format, notation, isGrouped: true };
  return intlOf(locale, intlOptions(options, [0, size % 1000 === 0 ? 0 : 1])).format(value);
}
