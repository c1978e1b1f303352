// Converts names to kebab and snake case, finds the closest match of a misspelled name, and matches wildcards.
import { distance } from "fastest-levenshtein";

/** `EmbedTenant` -> `embed-tenant`, `OAuthIntegration` -> `oauth-integration`. */
export function kebabCase(name: string): string {
  return words(name).join("-");
}

/** `EmbedTenant`, `embedTenant` -> `embed_tenant`. */
export function snakeCase(name: string): string {
  return words(name).join("_");
}

/** `EmbedTenant` -> `svc_embed_tenant`, the type in Terraform; of a plural, that of a list resource. */
export function terraformType(name: string): string {
  return `svc_${snakeCase(name)}`;
}

/** `EmbedTenant` -> `an EmbedTenant`, `User` -> `a User`. */
export function withArticle(name: string): string {
  return `${/^[AEIO]/u.test(name) ? "an" : "a"} ${name}`;
}

function words(name: string): string[] {
  return name
    .replaceAll("OAuth", "Oauth")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[\s_-]+/)
    .filter((word) => word !== "");
}

/** Shortest beginning of a name that suggests the whole. */
const shortestBeginning = 2;

/**
 * Returns the candidate closest to `name` by edit distance, if it is close enough for a "did you mean" suggestion;
 * otherwise the only one that begins with `name`. `most` limits the distance.
 */
export function closestMatch(
  name: string,
  candidates: Iterable<string>,
  most?: number,
): string | undefined {
  const all = [...candidates];
  const near = nearestByDistance(name, all, most);
  if (near !== undefined || name.length < shortestBeginning) return near;
  const begun = all.filter((one) => one.toLowerCase().startsWith(name.toLowerCase()));
  return begun.length === 1 ? begun[0] : undefined;
}

/** Returns the candidate that differs from `name` in one letter or its place. */
export function oneTypoMatch(name: string, candidates: readonly string[]): string | undefined {
  return nearestByDistance(name, candidates, 1);
}

function nearestByDistance(
  name: string,
  candidates: readonly string[],
  most = name.length < 4 ? 1 : Math.max(2, Math.floor(name.length / 3)),
): string | undefined {
  let best: string | undefined;
  let fewest = most + 1;
  for (const candidate of candidates) {
    // A long name is slow to compare.
    if (Math.abs(name.length - candidate.length) > most) continue;
    const mistakes = mistakesIn(name.toLowerCase(), candidate.toLowerCase());
    if (mistakes < fewest) [best, fewest] = [candidate, mistakes];
  }
  return best;
}

/** Returns how many letters to insert, delete or replace; one letter at another place counts as one. */
function mistakesIn(name: string, meant: string): number {
  const edits = distance(name, meant);
  const letters = (text: string): string => Array.from(text).toSorted().join("");
  return edits === 2 && letters(name) === letters(meant) ? 1 : edits;
}

/**
 * Returns the remedy `Did you mean …?` with the candidate closest to `name`, as `write` shows it; undefined if none is
 * close. Quote a name where the message quotes it: `didYouMean(name, names, quoted)`.
 */
export function didYouMean(
  name: string,
  candidates: Iterable<string>,
  write = (candidate: string): string => candidate,
): string | undefined {
  const meant = closestMatch(name, candidates);
  return meant === undefined ? undefined : suggestionRemedy(meant, write);
}

/** Begins a text in lower case; an abbreviation such as YAML stays. */
export function lowerFirst(text: string): string {
  return text.replace(/^[A-Z](?![A-Z])/u, (letter) => letter.toLowerCase());
}

/** Begins a text with a capital letter. */
export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Converts `EmbedTenant` to `embedTenant`. */
export function camelCase(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** Returns the remedy of a value that is not one of the choices: the nearest, and all of them if there are several. */
export function choicesRemedy(given: string, choices: readonly string[]): string {
  // All choices are listed, so a name of which half differs suggests none: `tcsh` is not `bash`.
  const near = closestMatch(given, choices, given.length < 5 ? 1 : undefined);
  const meant = near && suggestionRemedy(near, String);
  if (choices.length === 1) return meant ?? `Use ${choices.join("")}.`;
  return sentences(meant, `Use one of ${choices.join(", ")}.`);
}

/** Writes a name in double quotes, as JSON does. */
export function quoted(name: string): string {
  return JSON.stringify(name);
}

/** Returns the remedy of a diagnostic about a name that is probably a misspelling of `meant`, as `write` shows it. */
export function suggestionRemedy(meant: string, write: (name: string) => string = quoted): string {
  return `Did you mean ${write(meant)}?`;
}

/** Joins names: `a, b or c`. */
export function orList(names: readonly string[]): string {
  return [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" or ");
}

/** Joins the sentences that there are. */
export function sentences(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join(" ");
}

/**
 * Returns `. Did you mean …?` with the closest candidate in its full form, or an empty text. It ends a message of the
 * service, which has no remedy; diagnostics have {@link didYouMean}.
 */
export function suggestion(
  name: string,
  candidates: Iterable<string>,
  fullName = (candidate: string): string => candidate,
): string {
  // Above this number, the search costs more than the hint is worth.
  const some = [...candidates];
  const hint = some.length > 500 ? undefined : didYouMean(name, some, fullName);
  return hint === undefined ? "" : `. ${hint}`;
}

/** Returns the candidates that resemble a name most, the nearest first. */
export function nearestMatches(
  name: string,
  candidates: Iterable<string>,
  count: number,
): readonly string[] {
  const distanceOf = (one: string): number => distance(name.toLowerCase(), one.toLowerCase());
  const ranked = [...new Set(candidates)].map((one) => ({ one, distance: distanceOf(one) }));
  ranked.sort((left, right) => left.distance - right.distance);
  return ranked.slice(0, count).map(({ one }) => one);
}

/** Returns whether a name matches a pattern, in which `*` matches any text. */
export function matchesWildcard(name: string, pattern: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return name === pattern;
  const tail = rest.pop() ?? "";
  if (!name.startsWith(head) || name.length < head.length + tail.length) return false;
  let at = head.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.endsWith(tail) && at <= name.length - tail.length;
}
