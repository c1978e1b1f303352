// The title of the workspace in the language of the viewer. Pure.
import type { AppConfig } from "./app-config.ts";

/**
 * Returns the title in the first language that has one, and otherwise the default one. Undefined if the account has no
 * title or hides it. A language is a BCP 47 tag, which a title of its language without the region matches too (RFC 4647).
 */
export function workspaceTitle(
  { creatorMode = {} }: Pick<AppConfig, "creatorMode">,
  languages: readonly string[],
): string | undefined {
  const { workspaceTitle: general, localizedTitles = [], showWorkspaceTitle } = creatorMode;
  if (showWorkspaceTitle === false) return undefined;
  const titles = new Map(
    localizedTitles.map(({ locale, title }) => [locale.toLowerCase(), title] as const),
  );
  for (const language of languages) {
    const subtags = language.toLowerCase().split("-");
    for (let count = subtags.length; count > 0; count--) {
      const title = titles.get(subtags.slice(0, count).join("-"));
      if (title !== undefined) return title;
    }
  }
  return general;
}

/** Returns the languages of an `Accept-Language` header, the preferred ones first. */
export function acceptedLanguages(header: string | undefined): readonly string[] {
  return (header ?? "")
    .split(",")
    .map((entry) => {
      const [language = "", quality] = entry.trim().split(/\s*;\s*q=/i);
      return { language, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ language, quality }) => language !== "" && quality > 0)
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ language }) => language);
}
