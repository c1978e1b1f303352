// The colors that themes of accounts and dashboards give pages, pictures and mails.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import {
  lookOf,
  plainLooks,
  schemeOf,
  styleProblems,
  themeProblems,
  themeValues,
  widgetStyleOf,
} from "./theme.ts";

it("has the values of the style sheet without a theme", () => {
  const sheet = readFileSync(new URL("../web/ui/tokens.css", import.meta.url), "utf8");
  const tokens: Readonly<Record<string, string>> = {
    surface: "page",
    dangerSurface: "danger-surface",
  };
  const { scheme: _, radius, ...colors } = plainLooks.light;
  for (const name of Object.keys(colors) as (keyof typeof colors)[]) {
    const both = `light-dark(${plainLooks.light[name]}, ${plainLooks.dark[name]})`;
    expect(sheet).toContain(`--${tokens[name] ?? name}: ${both};`);
  }
  expect(sheet).toContain(`--radius: ${radius}px;`);
});

it("takes the colors of the account, and those of the dashboard before them", () => {
  const account = {
    light: {
      accentColor: "#aa0000",
      backgroundColor: "#fffff0",
      foregroundColor: "#000",
      contrast: 50,
    },
    dark: { accentColor: "#ff8888" },
    typography: { body: "Noto Sans" },
  };
  expect(lookOf({ account })).toMatchObject({
    accent: "#aa0000",
    surface: "#fffff0",
    text: "#000",
    border: "#808080",
    muted: plainLooks.light.muted,
    font: "Noto Sans",
  });
  const dashboard = { mode: "dark", primaryColor: "#123456", borderRadius: "1rem", font: "Lato" };
  expect(lookOf({ account, dashboard })).toEqual({
    ...plainLooks.dark,
    accent: "#123456",
    radius: 16,
    font: "Lato",
  });
  expect(lookOf({ account, dashboard, name: "light" }).scheme).toBe("light");
});

it("ignores what could be more than a value of a style", () => {
  const dashboard = {
    cardColor: "red; background: url(x)",
    font: 'a"}',
    borderRadius: -1,
    mode: "neon",
  };
  expect(themeValues(dashboard)).toEqual({});
  expect(schemeOf("neon", dashboard)).toBe("auto");
  expect(lookOf({ account: { typography: { body: "x;y" } }, dashboard })).toEqual(plainLooks.light);
});

it("names members that there are not, and values that a member does not take", () => {
  const found = (theme: object) =>
    themeProblems(theme as JsonObject).map(({ path, message }) => `${path} ${message}`);
  expect(found({ mode: "dark", primaryColor: "#0a7d5c", borderRadius: 4, font: "Inter" })).toEqual(
    [],
  );
  expect(found({ mode: "darkk", primaryColour: "#fff", cardColor: "red", constructor: 1 })).toEqual(
    [
      '/mode must be light, dark or auto: "darkk"',
      "/primaryColour is not a member of a theme",
      '/cardColor must be a hexadecimal color such as #0a7d5c: "red"',
      "/constructor is not a member of a theme",
    ],
  );
});

it("names what is wrong in the style of a widget", () => {
  const found = (style: JsonObject) =>
    styleProblems(style).map(({ path, message, remedy = "" }) => `${path} ${message} ${remedy}`);
  const style = { padding: 8, borderStyle: "dashed", borderWidth: "0.5rem" };
  const title = { color: "#0a7d5c", size: 18, weight: 600, family: "Inter" };
  expect(found({ ...style, title })).toEqual([]);
  expect(widgetStyleOf({ ...style, title })).toEqual({
    padding: "8px",
    borderStyle: "dashed",
    borderWidth: "0.5rem",
    titleColor: "#0a7d5c",
    titleSize: "18px",
    titleWeight: "600",
    titleFont: "Inter",
  });
  expect(found({ bordercolor: "#fff", padding: "calc(1px)", title: { weight: "heavy" } })).toEqual([
    '/bordercolor is not a member of a style Did you mean "borderColor"?',
    '/padding must be a number of pixels, or a length such as 0.5rem: "calc(1px)" ',
    '/title/weight must be normal, bold, or a number such as 600: "heavy" ',
  ]);
  expect(found({ title: "big" })).toEqual(["/title must be an object "]);
  expect(found({ titel: {} })).toEqual(['/titel is not a member of a style Did you mean "title"?']);
  const [wrong] = themeProblems({ moed: "dark" });
  expect(wrong?.remedy).toBe('Did you mean "mode"?');
});
