// What the themes of an account and of a dashboard make of the colors of pages, pictures and mails. Pure.
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { joinPointer } from "../core/pointer.ts";
import { didYouMean, quoted } from "../core/text/naming.ts";
import type { ConfigProblem } from "./layout/check-layout.ts";
import { colorAt } from "./scales/colors.ts";

/** The colors of what is drawn. */
export interface Look {
  readonly scheme: "light" | "dark";
  readonly surface: string;
  readonly card: string;
  readonly border: string;
  readonly text: string;
  readonly muted: string;
  readonly accent: string;
  readonly danger: string;
  readonly dangerSurface: string;
  /** Radius of the corners of cards, in pixels. */
  readonly radius: number;
  /** Names of fonts, of which mails use the first that the reader has. */
  readonly font?: string;
}

/** The looks without a theme. The style sheet of pages has the same values. */
export const plainLooks: Readonly<Record<Look["scheme"], Look>> = {
  light: {
    scheme: "light",
    surface: "#f4f5f7",
    card: "#ffffff",
    border: "#dfe3e8",
    text: "#1b2330",
    muted: "#5b6573",
    accent: "#1d4ed8",
    danger: "#a61b12",
    dangerSurface: "#fdf1f0",
    radius: 8,
  },
  dark: {
    scheme: "dark",
    surface: "#12161c",
    card: "#1a2028",
    border: "#303945",
    text: "#e8ecf1",
    muted: "#a3adba",
    accent: "#82aaff",
    danger: "#ff9a90",
    dangerSurface: "#2c1a1a",
    radius: 8,
  },
};

/** Colors of an account for one color scheme. */
interface ThemeMode {
  readonly accentColor?: string;
  readonly backgroundColor?: string;
  readonly foregroundColor?: string;
  /** Contrast of borders, in percent. */
  readonly contrast?: number;
}

/** The theme of an account. */
export interface AccountTheme {
  readonly light?: ThemeMode;
  readonly dark?: ThemeMode;
  readonly typography?: { readonly body?: string };
}

const color = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/iu;
const length = /^\d{1,3}(?:\.\d{1,2})?(?:px|rem|em)?$/u;
const font = /^[\p{L}\p{N} _-]{1,80}(?:, *[\p{L}\p{N} _-]{1,80}){0,5}$/u;
const colorScheme = /^(?:light|dark|auto)$/u;
const line = /^(?:none|solid|dashed|dotted)$/u;
const weight = /^(?:[1-9]00|normal|bold)$/u;

/** Members of a theme or of a style: what each sets, and the values that it takes. */
type Members<Target extends string> = Readonly<
  Record<string, readonly [sets: Target, pattern: RegExp]>
>;

/** A part of a look that the theme of a dashboard can set, by its name in the style sheet of pages. */
type ThemeToken = "accent" | "surface" | "text" | "card" | "border" | "radius" | "font-body";

const schemeMembers: Members<"mode"> = {
  mode: ["mode", colorScheme],
  scheme: ["mode", colorScheme],
};

const themed: Members<ThemeToken> = {
  primaryColor: ["accent", color],
  accentColor: ["accent", color],
  backgroundColor: ["surface", color],
  foregroundColor: ["text", color],
  cardColor: ["card", color],
  borderColor: ["border", color],
  borderRadius: ["radius", length],
  font: ["font-body", font],
};

/** What values are called, by their patterns. */
const words = new Map([
  [color, "a hexadecimal color such as #0a7d5c"],
  [length, "a number of pixels, or a length such as 0.5rem"],
  [font, "names of fonts such as Inter, sans-serif"],
  [colorScheme, "light, dark or auto"],
  [line, "none, solid, dashed or dotted"],
  [weight, "normal, bold, or a number such as 600"],
]);

/** Returns the members of the theme of a dashboard that there are not, and those that do not take their value. */
export function themeProblems(theme: JsonObject): readonly ConfigProblem[] {
  return memberProblems(theme, { ...schemeMembers, ...themed }, { of: "a theme" });
}

function memberProblems(
  values: JsonObject,
  members: Members<string>,
  { of, others = [] }: { readonly of: string; readonly others?: readonly string[] },
): readonly ConfigProblem[] {
  return Object.entries(values).flatMap(([member, value]) => {
    if (value === undefined) return [];
    const path = joinPointer([member]);
    const [, pattern] = Object.hasOwn(members, member) ? (members[member] ?? []) : [];
    if (pattern === undefined) {
      const remedy = didYouMean(member, [...Object.keys(members), ...others], quoted);
      return [{ path, message: `is not a member of ${of}`, remedy }];
    }
    if (textOf(value, pattern) !== undefined) return [];
    return [{ path, message: `must be ${words.get(pattern)}: ${JSON.stringify(value)}` }];
  });
}

/** Returns a value that is safe in a style sheet; undefined for another. A length may be a number of pixels. */
function textOf(value: JsonValue | undefined, pattern: RegExp): string | undefined {
  const text = typeof value === "number" ? `${value}${pattern === length ? "px" : ""}` : value;
  return typeof text === "string" && pattern.test(text) ? text : undefined;
}

function textsOf<Target extends string>(
  values: JsonObject,
  members: Members<Target>,
): Readonly<Partial<Record<Target, string>>> {
  const texts = Object.entries(members).flatMap(([member, [sets, pattern]]) => {
    const text = textOf(values[member], pattern);
    return text === undefined ? [] : [[sets, text] as const];
  });
  return Object.fromEntries(texts) as Partial<Record<Target, string>>;
}

/** The names of all that the theme of a dashboard can set. */
export const themeTokens: readonly ThemeToken[] = [
  ...new Set(Object.values(themed).map(([token]) => token)),
];

/** Returns what the theme of a dashboard sets. Other members and values are ignored. */
export function themeValues(theme: JsonObject): Readonly<Partial<Record<ThemeToken, string>>> {
  return textsOf(theme, themed);
}

/** Returns the color scheme that the theme of a session names, otherwise that of the dashboard. */
export function schemeOf(name: string | undefined, dashboard: JsonObject): Look["scheme"] | "auto" {
  const mode = dashboard["mode"] ?? dashboard["scheme"];
  const found = [name, mode].find((one) => one === "light" || one === "dark");
  return found === "light" || found === "dark" ? found : "auto";
}

/** Returns the look of a dashboard where no browser has a preference: the theme of the dashboard is before the account's. */
export function lookOf({
  account = {},
  dashboard = {},
  name,
}: {
  readonly account?: AccountTheme | undefined;
  readonly dashboard?: JsonObject;
  /** The theme that a session names. */
  readonly name?: string | undefined;
}): Look {
  const scheme = schemeOf(name, dashboard) === "dark" ? "dark" : "light";
  const plain = plainLooks[scheme];
  const { accentColor, backgroundColor, foregroundColor, contrast } = account[scheme] ?? {};
  const own = themeValues(dashboard);
  const text = own.text ?? foregroundColor ?? plain.text;
  const card = own.card ?? plain.card;
  const mixed = contrast === undefined ? plain.border : colorAt([card, text], contrast / 100);
  const body = account.typography?.body;
  const names = own["font-body"] ?? (body !== undefined && font.test(body) ? body : undefined);
  return {
    ...plain,
    surface: own.surface ?? backgroundColor ?? plain.surface,
    card,
    text,
    border: own.border ?? mixed,
    accent: own.accent ?? accentColor ?? plain.accent,
    radius: own.radius === undefined ? plain.radius : pixelsOf(own.radius),
    ...(names !== undefined && { font: names }),
  };
}

/** Returns a length in pixels. */
export function pixelsOf(text: string): number {
  return Number.parseFloat(text) * (text.endsWith("em") ? 16 : 1);
}

/** The style of a widget: values that are safe in a style sheet. */
export type WidgetStyle = Readonly<Partial<Record<StyleMember, string>>>;

type StyleMember =
  | "backgroundColor"
  | "borderColor"
  | "borderRadius"
  | "borderStyle"
  | "borderWidth"
  | "padding"
  | "titleColor"
  | "titleSize"
  | "titleWeight"
  | "titleFont";

const boxMembers: Members<StyleMember> = {
  backgroundColor: ["backgroundColor", color],
  borderColor: ["borderColor", color],
  borderRadius: ["borderRadius", length],
  borderStyle: ["borderStyle", line],
  borderWidth: ["borderWidth", length],
  padding: ["padding", length],
};

const titleMembers: Members<StyleMember> = {
  color: ["titleColor", color],
  size: ["titleSize", length],
  weight: ["titleWeight", weight],
  family: ["titleFont", font],
};

/** Reads the style of a widget. Members and values that it does not take are ignored. */
export function widgetStyleOf(style: JsonObject): WidgetStyle {
  const { title } = style;
  return { ...textsOf(style, boxMembers), ...textsOf(isObject(title) ? title : {}, titleMembers) };
}

/** Returns the members of the style of a widget that there are not, and those that do not take their value. */
export function styleProblems({ title = {}, ...box }: JsonObject): readonly ConfigProblem[] {
  const inTitle = isObject(title)
    ? memberProblems(title, titleMembers, { of: "the title of a style" })
    : [{ path: "", message: "must be an object" }];
  return [
    ...memberProblems(box, boxMembers, { of: "a style", others: ["title"] }),
    ...inTitle.map((problem) => ({ ...problem, path: `/title${problem.path}` })),
  ];
}
