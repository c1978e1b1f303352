// The texts of pages in the language of the viewer. Components that read a text are drawn again when the language changes.
import { IntlMessageFormat } from "intl-messageformat";
import { signal } from "@preact/signals";
import english from "./en-US.json";
import type { Language } from "./languages.ts";

/** The key of a text. */
export type TextKey = keyof typeof english;

/** Values in a text. */
export type TextValues = Readonly<Record<string, string | number>>;

/** A text: those with plurals are parsed in the bundle. The formatter of others would delay a first chart. */
type Text = ConstructorParameters<typeof IntlMessageFormat>[0];
type Texts = Readonly<Record<string, Text>>;

/** The other languages, each a file of its own that is loaded when a viewer needs it. */
const files: Readonly<Record<Exclude<Language, "en-US">, () => Promise<{ default: Texts }>>> = {
  "de-DE": () => import("./de-DE.json"),
  "es-ES": () => import("./es-ES.json"),
  "es-MX": () => import("./es-MX.json"),
  "fr-FR": () => import("./fr-FR.json"),
  "it-IT": () => import("./it-IT.json"),
  "ja-JP": () => import("./ja-JP.json"),
  "nb-NO": () => import("./nb-NO.json"),
  "pt-BR": () => import("./pt-BR.json"),
  "pt-PT": () => import("./pt-PT.json"),
  "sv-SE": () => import("./sv-SE.json"),
  "vi-VN": () => import("./vi-VN.json"),
};

interface Current {
  readonly language: Language;
  readonly texts: Texts;
  readonly formats: Map<string, IntlMessageFormat>;
}

const current = signal<Current>({ language: "en-US", texts: english, formats: new Map() });

/** Loads the texts of a language and shows them. A language whose file cannot be loaded leaves the page as it is. */
export async function showLanguage(language: Language): Promise<void> {
  if (language === current.value.language) return;
  const texts = language === "en-US" ? english : (await files[language]()).default;
  current.value = { language, texts, formats: new Map() };
  document.documentElement.lang = language;
}

/** Returns the language that is shown. */
export function shownLanguage(): Language {
  return current.value.language;
}

/** Returns whether there is a text. */
export function hasText(key: string): key is TextKey {
  return Object.hasOwn(english, key);
}

/** Returns a text in the language of the viewer. */
export function t(key: TextKey, values: TextValues = {}): string {
  const { language, texts, formats } = current.value;
  const pattern = texts[key] ?? english[key];
  if (typeof pattern === "string") {
    return pattern.replaceAll(/\{(\w+)\}/gu, (_, name: string) => String(values[name]));
  }
  let format = formats.get(key);
  if (format === undefined) {
    format = new IntlMessageFormat(pattern, language);
    formats.set(key, format);
  }
  return String(format.format({ ...values }));
}
