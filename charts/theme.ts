// What the themes of an account and of a dashboard make of the colors of pages, pictures and mails. Pure.
import { isObject, type JsonObject } from "../core/json.ts";
import { orList } from "../core/text/naming.ts";
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

/** A part of a look that the theme of a dashboard can set, by its name in the style sheet of pages. */
type ThemeToken = "accent" | "surface" | "text" | "card" | "border" | "radius" | "font-body";

/** Members of a theme: what each sets, and the values that it takes. */
const members: Readonly<Record<string, readonly [token: ThemeToken, pattern: RegExp]>> = {
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
]);

const schemes = ["light", "dark", "auto"] as const;

/** Something wrong in a theme. */
export interface ThemeProblem {
  readonly member: string;
  /** A predicate whose subject is the member. */
  readonly message: string;
}

/** Returns the members of the theme of a dashboard that there are not, and those that do not take their value. */
export function themeProblems(theme: JsonObject): readonly ThemeProblem[] {
  return Object.entries(theme).flatMap(([member, value]): readonly ThemeProblem[] => {
    if (value === undefined) return [];
    if (member === "mode" || member === "scheme") {
      const isScheme = schemes.some((one) => one === value);
      return isScheme
        ? []
        : [{ member, message: `must be ${orList(schemes)}: ${JSON.stringify(value)}` }];
    }
    const [token, pattern] = Object.hasOwn(members, member) ? (members[member] ?? []) : [];
    if (token === undefined || pattern === undefined) {
      return [{ member, message: "is not a member of a theme" }];
    }
    if (themeValues({ [member]: value })[token] !== undefined) return [];
    return [{ member, message: `must be ${words.get(pattern)}: ${JSON.stringify(value)}` }];
  });
}

/** The members of a theme. */
export const themeMembers: readonly string[] = ["mode", ...Object.keys(members)];

/** The names of all that the theme of a dashboard can set. */
export const themeTokens: readonly ThemeToken[] = [
  ...new Set(Object.values(members).map(([token]) => token)),
];

/** Returns what the theme of a dashboard sets. Other members and values are ignored. */
export function themeValues(theme: JsonObject): Readonly<Partial<Record<ThemeToken, string>>> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([member, [token, pattern]]) => {
      const value = theme[member];
      const text = typeof value === "number" ? `${value}px` : value;
      return typeof text === "string" && pattern.test(text) ? [[token, text]] : [];
    }),
  );
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

const styleMembers: Readonly<Record<StyleMember, RegExp>> = {
  backgroundColor: color,
  borderColor: color,
  borderRadius: length,
  borderStyle: /^(?:none|solid|dashed|dotted)$/u,
  borderWidth: length,
  padding: length,
  titleColor: color,
  titleSize: length,
  titleWeight: /^(?:[1-9]00|normal|bold)$/u,
  titleFont: font,
};

/** Reads the style of a widget. Members and values that it does not take are ignored. */
export function widgetStyleOf(style: JsonObject): WidgetStyle {
  const { title } = style;
  const nested = isObject(title) && {
    titleColor: title["color"],
    titleSize: title["size"],
    titleWeight: title["weight"],
    titleFont: title["family"],
  };
  const all: JsonObject = { ...style, ...nested };
  return Object.fromEntries(
    Object.entries(styleMembers).flatMap(([member, pattern]) => {
      const value = all[member];
      const unit = pattern === length ? "px" : "";
      const text = typeof value === "number" ? `${value}${unit}` : value;
      return typeof text === "string" && pattern.test(text) ? [[member, text]] : [];
    }),
  );
}
