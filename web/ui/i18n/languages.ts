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

/** Returns the language of the first tag that has one: the exact one, otherwise the first of its short code. */
export function languageOf(tags: readonly string[]): Language {
  for (const tag of tags) {
    const exact = languages.find((one) => one.toLowerCase() === tag.toLowerCase());
    const short = tag.split("-")[0]?.toLowerCase();
    const found =
      exact ?? languages.find((one) => one.split("-")[0] === (short === "no" ? "nb" : short));
    if (found !== undefined) return found;
  }
  return "en-US";
}
