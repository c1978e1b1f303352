// The languages of pages, and the one that a page shows. Pure.

/** The languages with texts, the first of each short code first. `en-US` is the fallback. */
export const languages = [
  "en-US",
  "de-DE",
  "es-ES",
  "es-MX",
  "fr-FR",
  "it-IT",
  "ja-JP",
  "nb-NO",
  "pt-BR",
  "pt-PT",
  "sv-SE",
  "vi-VN",
] as const;

/** One of {@link languages}. */
export type Language = (typeof languages)[number];

/** Returns the language of a tag: the exact one, otherwise the first of its short code; undefined if there is none. */
export function languageFor(tag: string): Language | undefined {
  const exact = languages.find((one) => one.toLowerCase() === tag.toLowerCase());
  const short = tag.split("-")[0]?.toLowerCase();
  return exact ?? languages.find((one) => one.split("-")[0] === (short === "no" ? "nb" : short));
}

/** Returns the language of the first tag that has one. */
export function languageOf(tags: readonly string[]): Language {
  return tags.map((tag) => languageFor(tag)).find((one) => one !== undefined) ?? "en-US";
}
