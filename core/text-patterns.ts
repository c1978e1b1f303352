// Forms that texts have to have, each with what it means in words, and the formats that the schema compiler lacks.

/** Text without white space at its ends. Names are such texts; one that is not is refused, never mended. How long is said apart. */
export const trimmedPattern = "^(?:\\S(?:[\\s\\S]*\\S)?)?$";

/** As {@link trimmedPattern}, and not one of the names that the service keeps for itself. */
export const unreservedNamePattern = `^(?!system:)${trimmedPattern.slice(1)}`;

/** An address of the web, as far as its scheme goes. */
export const httpUrlPattern = "^[hH][tT][tT][pP][sS]?://";

const hostLabelPattern = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
const hostLabelsPattern = `${hostLabelPattern}(\\.${hostLabelPattern})*`;

/** A host: labels of letters, digits and hyphens; other letters have to be spelt in ASCII. How long is said apart. */
export const hostNamePattern = `^${hostLabelsPattern}$`;

/** As {@link hostNamePattern}, or empty, which clears it. */
export const optionalHostNamePattern = `^(${hostLabelsPattern})?$`;

const hostDescription =
  "must be a host in lower case such as analytics.example.com, without a port; spell other letters in ASCII (xn--...)";

const patternDescriptions: ReadonlyMap<string, string> = new Map([
  [trimmedPattern, "must not begin or end with white space"],
  [unreservedNamePattern, 'must neither begin with "system:" nor begin or end with white space'],
  [hostNamePattern, hostDescription],
  [optionalHostNamePattern, hostDescription],
  [httpUrlPattern, "must begin with http:// or https://"],
]);

/** What a pattern asks for: in words where it is one of ours, else the pattern itself. */
export function describePattern(pattern: string): string {
  return patternDescriptions.get(pattern) ?? `must match the pattern ${pattern}`;
}

/** What no address holds as it is, in any script: white space, control characters and a few marks. */
const invalidIriCharacters = /[\s\p{Cc}"<>\\^`{|}]|%(?![0-9A-Fa-f]{2})/u;

/** True for an absolute address whose host and path may be in any script: the format `iri` of JSON Schema. */
export function isIri(text: string): boolean {
  return !invalidIriCharacters.test(text) && URL.canParse(text);
}

/** True for a time zone that this machine knows: the format `time-zone`. */
export function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
