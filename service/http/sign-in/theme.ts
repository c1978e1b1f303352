// The theme of an account as the style of its sign-in pages: colors, fonts and logo. Pure.
import { readableOn } from "../../../charts/scales/colors.ts";
import type { AppConfig } from "../../areas/app/app-config.ts";

type Theme = NonNullable<AppConfig["appTheme"]>;
type Mode = NonNullable<Theme["light"]>;

/** Returns the style that follows the one of all pages; "" if the account's theme is only for embedded pages. */
export function themeStyle({
  applyThemeGlobally,
  appTheme = {},
}: Pick<AppConfig, "applyThemeGlobally" | "appTheme">): string {
  if (!applyThemeGlobally) return "";
  const { light = {}, dark = {}, typography = {} } = appTheme;
  const darkRules = [...modeRules(dark), ...logoRule(dark.logoUrl)];
  return [
    ...fontRule("body, button, input", typography.body),
    ...fontRule("h1", typography.heading),
    ...modeRules(light),
    ...logoRule(light.logoUrl),
    ...(darkRules.length > 0 ? ["@media (prefers-color-scheme: dark) {", ...darkRules, "}"] : []),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

/** Returns the theme as custom properties of the pages that show dashboards. Their own style sheet has the defaults. */
export function pageThemeStyle({ appTheme = {} }: Pick<AppConfig, "appTheme">): string {
  const { light = {}, dark = {}, typography = {} } = appTheme;
  const fonts = [
    ...fontProperty("--font-body", typography.body),
    ...fontProperty("--font-heading", typography.heading),
  ];
  const darkRules = modeProperties(dark);
  return [
    rule(":root", [...fonts, ...modeProperties(light)]),
    darkRules.length === 0
      ? ""
      : `@media (prefers-color-scheme: dark) { ${rule(':root:not([data-scheme="light"])', darkRules)} }`,
    rule(':root[data-scheme="dark"]', darkRules),
  ]
    .filter((one) => one !== "")
    .map((line) => `${line}\n`)
    .join("");
}

function rule(selector: string, properties: readonly string[]): string {
  return properties.length === 0 ? "" : `${selector} { ${properties.join(" ")} }`;
}

function modeProperties({
  accentColor,
  backgroundColor,
  foregroundColor,
  contrast,
}: Mode): readonly string[] {
  return [
    ...(accentColor === undefined
      ? []
      : [`--accent: ${accentColor};`, `--on-accent: ${readableOn(accentColor)};`]),
    ...(backgroundColor === undefined ? [] : [`--surface: ${backgroundColor};`]),
    ...(foregroundColor === undefined ? [] : [`--text: ${foregroundColor};`]),
    ...(contrast === undefined
      ? []
      : [`--border: color-mix(in srgb, var(--text) ${contrast}%, var(--card));`]),
  ];
}

function fontProperty(name: string, names: string | undefined): readonly string[] {
  const families = familiesOf(names);
  return families === undefined ? [] : [`${name}: ${families};`];
}

/**
 * Returns the rules for the colors of the theme. If it has only one of the two colors, the other is a readable
 * contrast. Borders mix both.
 */
function modeRules(mode: Mode): readonly string[] {
  const { accentColor, backgroundColor, foregroundColor, contrast } = mode;
  const background = backgroundColor ?? (foregroundColor && readableOn(foregroundColor));
  const text = foregroundColor ?? (backgroundColor && readableOn(backgroundColor));
  return [
    ...(background !== undefined && text !== undefined
      ? [`body, input, button { background: ${background}; color: ${text}; }`]
      : []),
    ...(contrast === undefined
      ? []
      : [
          `input, button, a.button { border-color: color-mix(in srgb, ${text ?? "CanvasText"} ${contrast}%, ${background ?? "Canvas"}); }`,
        ]),
    ...(accentColor === undefined
      ? []
      : [
          `button.main { background: ${accentColor}; border-color: ${accentColor}; color: ${readableOn(accentColor)}; }`,
        ]),
  ];
}

/** Returns a rule for the logo above the title; no rule for a logo that a page could not load over HTTPS. */
function logoRule(logoUrl: string | undefined): readonly string[] {
  const url = logoUrl === undefined ? null : URL.parse(logoUrl);
  if (url?.protocol !== "https:") return [];
  const quoted = url.href.replace(/["'()\\]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  return [
    `main::before { content: ""; display: block; height: 3rem; margin-bottom: 1.5rem; background: url("${quoted}") left / contain no-repeat; }`,
  ];
}

const fontNames = /^[\p{L}\p{N} _-]+(?:, *[\p{L}\p{N} _-]+)*$/u;

/** Returns a rule for font names; no rule for a text that could be something else in a style sheet. */
function fontRule(selector: string, names: string | undefined): readonly string[] {
  const families = familiesOf(names);
  return families === undefined ? [] : [`${selector} { font-family: ${families}; }`];
}

function familiesOf(names: string | undefined): string | undefined {
  if (names === undefined || !fontNames.test(names)) return undefined;
  const quoted = names.split(",").map((name) => `"${name.trim()}"`);
  return `${quoted.join(", ")}, system-ui, sans-serif`;
}
