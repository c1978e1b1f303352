// Names of time zones: whether this machine knows one, and its spelling in the IANA database.
import { closestMatch, suggestionRemedy, upperFirst } from "./naming.ts";

/** Areas of the database whose names end with places, such as `Europe/Isle_of_Man`. */
const placeNames =
  /^(?:africa|america|antarctica|arctic|asia|atlantic|australia|brazil|canada|chile|europe|indian|mexico|pacific|us)\//iu;

/** Words in the names of places that do not begin with their only capital letter. */
const spelledWords: ReadonlyMap<string, string> = new Map(
  "au es of ACT LHI NSW US BajaNorte BajaSur ComodRivadavia DeNoronha DumontDUrville EasterIsland McMurdo"
    .split(" ")
    .map((word) => [word.toLowerCase(), word]),
);

/** Returns whether a time zone is known on this machine, in any case. */
export function isTimeZone(name: string): boolean {
  return canonicalZone(name) !== undefined;
}

/** Returns whether a text is the name of a known time zone in the spelling of the IANA database: the format `time-zone`. */
export function isTimeZoneName(name: string): boolean {
  return timeZoneName(name) === name;
}

/**
 * Returns a time zone, given in any case, in the spelling of the IANA database; undefined if it is unknown. Runtimes do not
 * list the other names of a time zone, so the spelling of such a name is derived.
 */
export function timeZoneName(name: string): string | undefined {
  const canonical = canonicalZone(name);
  if (canonical === undefined) return undefined;
  if (canonical.toLowerCase() === name.toLowerCase()) return canonical;
  if (placeNames.test(name)) return capitalized(name);
  return name.split("/").every((part) => /^[A-Z]/u.test(part)) ? name : canonical;
}

/** Returns the remedy for a text that is not the name of a time zone: the name that it probably means. Undefined if none is close. */
export function timeZoneRemedy(text: string): string | undefined {
  // A long text is not a misspelling, and comparing it is slow.
  const meant = timeZoneName(text) ?? closestMatch(text.slice(0, 80), timeZoneNames());
  return meant === undefined ? undefined : suggestionRemedy(meant);
}

/** Returns the names of time zones that a misspelled name may mean. */
export function timeZoneNames(): readonly string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone")];
}

function capitalized(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[a-z]+/gu, (word) => spelledWords.get(word) ?? upperFirst(word));
}

/** The canonical names by name, for at most {@link rememberedNames} names: a runtime takes a tenth of a millisecond for one. */
const canonicalNames = new Map<string, string | undefined>();
const rememberedNames = 1000;

/** Returns the canonical name of a time zone, given in any case; undefined if it is unknown. */
export function canonicalZone(name: string): string | undefined {
  if (name.length > 100) return undefined;
  if (!canonicalNames.has(name)) {
    if (canonicalNames.size === rememberedNames) canonicalNames.clear();
    canonicalNames.set(name, resolveZone(name));
  }
  return canonicalNames.get(name);
}

function resolveZone(name: string): string | undefined {
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
