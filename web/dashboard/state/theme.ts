// The theme of the page: custom properties that the style sheet reads. The account's theme is a style sheet of the service;
// a session, a dashboard and the host may change it.
import { signal } from "@preact/signals";
import {
  schemeOf,
  themeTokens,
  themeValues,
  type WidgetStyle,
  widgetStyleOf,
} from "../../../charts/theme.ts";
import { readableOn } from "../../../charts/scales/colors.ts";
import type { JsonObject } from "../../../core/json.ts";

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

/** The CSS properties that the style of a widget sets. */
const styleProperties: Readonly<Record<keyof WidgetStyle, string>> = {
  backgroundColor: "background-color",
  borderColor: "border-color",
  borderRadius: "border-radius",
  borderStyle: "border-style",
  borderWidth: "border-width",
  padding: "padding",
  titleColor: "--title-color",
  titleSize: "--title-size",
  titleWeight: "--title-weight",
  titleFont: "--title-font",
};

/** Returns the style of a widget as properties of CSS. */
export function styleOf(style: JsonObject): Record<string, string> {
  const set = Object.entries(widgetStyleOf(style)) as [keyof WidgetStyle, string][];
  return Object.fromEntries(set.map(([member, value]) => [styleProperties[member], value]));
}

/** Returns a text among the settings of a session. */
export function settingText(settings: JsonObject, name: string): string | undefined {
  const value = settings[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
