// Forms that texts have to have, each with what it means in words, and the formats that the schema compiler lacks.

/** Text without white space at its ends. Names are such texts; one that is not is refused, never mended. How long is said apart. */
export const trimmed = "^(?:\\S(?:[\\s\\S]*\\S)?)?$";

/** As {@link trimmed}, and not one of the names that the service keeps for itself. */
export const unreserved = `^(?!system:)${trimmed.slice(1)}`;

/** An address of the web, as far as its scheme goes. */
export const webAddress = "^[hH][tT][tT][pP][sS]?://";

const label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
const host = `${label}(\\.${label})*`;

/** A host: labels of letters, digits and hyphens; other letters have to be spelt in ASCII. How long is said apart. */
export const hostName = `^${host}$`;

/** As {@link hostName}, or empty, which clears it. */
export const hostNameOrNone = `^(${host})?$`;

const hostMeaning =
  "must be a host in lower case such as analytics.example.com, without a port; spell other letters in ASCII (xn--...)";

const meanings: ReadonlyMap<string, string> = new Map([
  [trimmed, "must not begin or end with white space"],
  [unreserved, 'must neither begin with "system:" nor begin or end with white space'],
  [hostName, hostMeaning],
  [hostNameOrNone, hostMeaning],
  [webAddress, "must begin with http:// or https://"],
]);

/** What a pattern asks for: in words where it is one of ours, else the pattern itself. */
export function patternMeaning(pattern: string): string {
  return meanings.get(pattern) ?? `must match the pattern ${pattern}`;
}

/** What no address holds as it is, in any script: white space, control characters and a few marks. */
const outside = /[\s\p{Cc}"<>\\^`{|}]|%(?![0-9A-Fa-f]{2})/u;

/** True for an absolute address whose host and path may be in any script: the format `iri` of JSON Schema. */
export function isIri(text: string): boolean {
  return !outside.test(text) && URL.canParse(text);
}

/** True for a time zone that this machine knows: the format `time-zone`. */
export function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
