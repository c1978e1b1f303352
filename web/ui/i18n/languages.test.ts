// The texts of pages in all languages.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { chartTexts } from "../../../charts/index.ts";
import { languageOf, languages } from "./languages.ts";

type Texts = Readonly<Record<string, string>>;
const textsOf = (language: string): Texts =>
  JSON.parse(readFileSync(new URL(`${language}.json`, import.meta.url), "utf8")) as Texts;
const english = textsOf("en-US");
const valuesOf = (text: string) => [...text.matchAll(/\{(\w+)/gu)].map(([, name]) => name);

it.each(languages)("%s has each text with its values", (language) => {
  const texts = textsOf(language);
  expect(Object.keys(texts)).toEqual(Object.keys(english));
  for (const [key, text] of Object.entries(texts)) {
    expect(new Set(valuesOf(text)), key).toEqual(new Set(valuesOf(english[key] ?? "")));
  }
});

it("has each text of charts, with its values", () => {
  for (const [key, text] of Object.entries(chartTexts)) {
    expect(new Set(valuesOf(english[key] ?? "")), key).toEqual(new Set(valuesOf(text)));
  }
});

it("is the first language that has texts, by its short code too", () => {
  expect(languageOf(["nl-NL", "de-AT", "fr"])).toBe("de-DE");
  expect(languageOf(["es-AR"])).toBe("es-ES");
  expect(languageOf(["es-mx"])).toBe("es-MX");
  expect(languageOf(["no"])).toBe("nb-NO");
  expect(languageOf(["xx"])).toBe("en-US");
});
