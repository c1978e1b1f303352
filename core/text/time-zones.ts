// Names of time zones: whether this machine knows one, and its spelling in the IANA database.

/** Areas of the database whose names end with places, such as `Europe/Isle_of_Man`. */
const placeNames =
  /^(?:africa|america|antarctica|arctic|asia|atlantic|australia|europe|indian|pacific)\//iu;

/** Small words in the names of places. */
const smallWords: ReadonlySet<string> = new Set(["au", "es", "of"]);

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
  const isSpelled = name.split("/").every((part) => /^[A-Z]/u.test(part));
  const isShouted = placeNames.test(name) && !/[a-z]/u.test(name);
  if (isSpelled && !isShouted) return name;
  return placeNames.test(name) ? capitalized(name) : canonical;
}

/** Returns the names of time zones that a misspelled name may mean. */
export function timeZoneNames(): readonly string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone")];
}

function capitalized(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[a-z]+/gu, (word) =>
      smallWords.has(word) ? word : word.charAt(0).toUpperCase() + word.slice(1),
    );
}

function canonicalZone(name: string): string | undefined {
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
