// Converts names to kebab and snake case, finds the closest match of a misspelled name, and matches wildcards.

/** `EmbedTenant` -> `embed-tenant`, `OAuthIntegration` -> `oauth-integration`. */
export function kebabCase(name: string): string {
  return words(name).join("-");
}

/** `EmbedTenant`, `embedTenant` -> `embed_tenant`. */
export function snakeCase(name: string): string {
  return words(name).join("_");
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
const shortestBeginning = 3;

/**
 * Returns the candidate closest to `name` by edit distance, if it is close enough for a "did you mean" suggestion;
 * otherwise the only one that begins with `name`.
 */
export function closestMatch(name: string, candidates: Iterable<string>): string | undefined {
  const all = [...candidates];
  const near = nearestByDistance(name, all);
  if (near !== undefined || name.length < shortestBeginning) return near;
  const begun = all.filter((one) => one.toLowerCase().startsWith(name.toLowerCase()));
  return begun.length === 1 ? begun[0] : undefined;
}

function nearestByDistance(name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Returns `. Did you mean …?` with the closest candidate in its full form, or an empty text. */
export function suggestion(
  name: string,
  candidates: Iterable<string>,
  fullName = (candidate: string): string => candidate,
): string {
  // Above this number, the search costs more than the hint is worth.
  const some = [...candidates];
  const closest = some.length > 500 ? undefined : closestMatch(name, some);
  return closest === undefined ? "" : `. Did you mean ${fullName(closest)}?`;
}

/** Returns the candidates that resemble a name most, the nearest first. */
export function nearestMatches(
  name: string,
  candidates: Iterable<string>,
  count: number,
): readonly string[] {
  const distanceOf = (one: string): number =>
    editDistance(name.toLowerCase(), one.toLowerCase(), Number.POSITIVE_INFINITY);
  const ranked = [...new Set(candidates)].map((one) => ({ one, distance: distanceOf(one) }));
  ranked.sort((left, right) => left.distance - right.distance);
  return ranked.slice(0, count).map(({ one }) => one);
}

/** Returns the Levenshtein distance, or `stop` if it is at least `stop`. */
export function editDistance(left: string, right: string, stop: number): number {
  if (Math.abs(left.length - right.length) >= stop) return stop;
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const swap = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? stop;
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
