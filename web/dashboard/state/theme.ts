// The theme of the page: custom properties that the style sheet reads. The account's theme is a style sheet of the service;
// a session, a dashboard and the host may change it.
import { signal } from "@preact/signals";
import { schemeOf, stylePatterns, themeTokens, themeValues } from "../../../charts/theme.ts";
import { readableOn } from "../../../charts/scales/colors.ts";
import { isObject, type JsonObject } from "../../../core/json.ts";

/** The color scheme that is drawn. */
export type Scheme = "light" | "dark";

/** The schemes that a host may choose. */
export const colorSchemes: readonly string[] = ["light", "dark", "auto"];

const preference = matchMedia("(prefers-color-scheme: dark)");
let chosen: Scheme | "auto" = "auto";

/** The scheme that is shown now. */
export const scheme = signal<Scheme>(preference.matches ? "dark" : "light");
/** Changes whenever custom properties change, so that charts are drawn again. */
export const themeVersion = signal(0);

preference.addEventListener("change", () => showScheme(chosen));

/** Shows a color scheme, or the browser's. */
export function showScheme(next: string): void {
  chosen = next === "light" || next === "dark" ? next : "auto";
  const shown = chosen === "auto" ? (preference.matches ? "dark" : "light") : chosen;
  document.documentElement.dataset["scheme"] = shown;
  scheme.value = shown;
  themeVersion.value++;
}

/** Sets the properties of a theme. Other members and values are ignored. */
export function setTheme(theme: JsonObject): void {
  const { style } = document.documentElement;
  const values = themeValues(theme);
  for (const [token, value] of Object.entries(values)) style.setProperty(`--${token}`, value);
  if (values.accent !== undefined) style.setProperty("--on-accent", readableOn(values.accent));
  themeVersion.value++;
}

/** Applies the theme that a session names, and the one of a dashboard, in place of those of another dashboard. */
export function applyTheme({
  name,
  dashboard,
}: {
  readonly name: string | undefined;
  readonly dashboard: JsonObject;
}): void {
  const { style } = document.documentElement;
  for (const token of [...themeTokens, "on-accent"]) style.removeProperty(`--${token}`);
  showScheme(schemeOf(name, dashboard));
  setTheme(dashboard);
}

/** Returns the value of a custom property. */
export function propertyOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const { color, length, font } = stylePatterns;

/** Style members of a widget, and the CSS properties that they set. */
const widgetStyles: Readonly<Record<string, readonly [name: string, pattern: RegExp]>> = {
  backgroundColor: ["background-color", color],
  borderColor: ["border-color", color],
  borderRadius: ["border-radius", length],
  borderStyle: ["border-style", /^(?:none|solid|dashed|dotted)$/u],
  borderWidth: ["border-width", length],
  padding: ["padding", length],
  titleColor: ["--title-color", color],
  titleSize: ["--title-size", length],
  titleWeight: ["--title-weight", /^(?:[1-9]00|normal|bold)$/u],
  titleFont: ["--title-font", font],
};

/** Returns the style of a widget as properties of CSS. Members and values that it does not take are ignored. */
export function styleOf(style: JsonObject): Record<string, string> {
  const { title } = style;
  const nested = isObject(title)
    ? {
        titleColor: title["color"],
        titleSize: title["size"],
        titleWeight: title["weight"],
        titleFont: title["family"],
      }
    : {};
  const all: JsonObject = { ...style, ...nested };
  return Object.fromEntries(
    Object.entries(widgetStyles).flatMap(([member, [name, pattern]]) => {
      const value = all[member];
      const isWeight = member === "titleWeight";
      const text =
        typeof value === "number"
          ? `${value}${isWeight ? "" : "px"}`
          : typeof value === "string"
            ? value
            : "";
      return pattern.test(text) ? [[name, text]] : [];
    }),
  );
}

/** Returns a text among the settings of a session. */
export function settingText(settings: JsonObject, name: string): string | undefined {
  const value = settings[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
