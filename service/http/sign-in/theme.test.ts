// The style that a theme gives sign-in pages.
import { expect, it } from "vitest";
import { themeStyle } from "./theme.ts";

it("has the colors and fonts of both modes, with a text that can be read on them", () => {
  const appTheme = {
    light: { accentColor: "#1a6b4c", backgroundColor: "#fafafa" },
    dark: { accentColor: "#7fd1ae", foregroundColor: "#eee", backgroundColor: "#101010" },
    typography: { body: "Inter, Noto Sans", heading: "Inter Display" },
  };
  expect(themeStyle({ applyThemeGlobally: true, appTheme })).toBe(
    `body, button, input { font-family: "Inter", "Noto Sans", system-ui, sans-serif; }
h1 { font-family: "Inter Display", system-ui, sans-serif; }
body, input, button { background: #fafafa; color: #000000; }
button.main { background: #1a6b4c; border-color: #1a6b4c; color: #ffffff; }
@media (prefers-color-scheme: dark) {
body, input, button { background: #101010; color: #eee; }
button.main { background: #7fd1ae; border-color: #7fd1ae; color: #000000; }
}
`,
  );
});

it("draws borders with the contrast of the mode, between its colors or those of the browser", () => {
  const appTheme = {
    light: { contrast: 35.5 },
    dark: { foregroundColor: "#eee", backgroundColor: "#101010", contrast: 80 },
  };
  expect(themeStyle({ applyThemeGlobally: true, appTheme })).toBe(
    `input, button, a.button { border-color: color-mix(in srgb, CanvasText 35.5%, Canvas); }
@media (prefers-color-scheme: dark) {
body, input, button { background: #101010; color: #eee; }
input, button, a.button { border-color: color-mix(in srgb, #eee 80%, #101010); }
}
`,
  );
});

it("shows a logo that HTTPS loads, above the title, and nothing else that its URL says", () => {
  const logo = 'https://cdn.example.com/a".png?b=(1)';
  const style = (logoUrl: string) =>
    themeStyle({ applyThemeGlobally: true, appTheme: { light: { logoUrl } } });
  expect(style(logo)).toContain('url("https://cdn.example.com/a%22.png?b=%281%29")');
  for (const other of ["http://cdn.example.com/a.png", "not a URL"]) expect(style(other)).toBe("");
});

it("is empty for a theme of embedded pages, and without a theme", () => {
  const appTheme = { light: { accentColor: "#1a6b4c" } };
  expect(themeStyle({ applyThemeGlobally: false, appTheme })).toBe("");
  expect(themeStyle({ applyThemeGlobally: true })).toBe("");
});

it("leaves out names of fonts that could be more than names", () => {
  const typography = { body: 'x"} body { background: url(https://evil.example) }', heading: "A;b" };
  expect(themeStyle({ applyThemeGlobally: true, appTheme: { typography } })).toBe("");
});
