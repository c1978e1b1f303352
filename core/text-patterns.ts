// Patterns of strings with their descriptions, and formats that ajv does not provide.

/** Text without surrounding white space. Names with surrounding white space are rejected, not trimmed. Allows the empty string. */
export const trimmedPattern = "^(?:\\S(?:[\\s\\S]*\\S)?)?$";

/** As {@link trimmedPattern}, without the reserved prefix `system:`. */
export const unreservedNamePattern = `^(?!system:)${trimmedPattern.slice(1)}`;

/** A name in a data model. */
export const identifierPattern = "^[A-Za-z_][A-Za-z0-9_]*$";

const unit = "(?:second|minute|hour|day|week|month|quarter|year)s?";
const length = `[1-9]\\d* ${unit}`;

/** A length of time in a data model that may be negative: `1 day`, `-2 weeks`. */
export const offsetPattern = `^-?${length}(?: -?${length})*$`;

/** A positive length of time in a data model: `1 day`, `2 weeks 3 days`. */
export const intervalPattern = `^${length}(?: ${length})*$`;

/** The scheme of an HTTP or HTTPS URL. */
export const httpUrlPattern = "^[hH][tT][tT][pP][sS]?://";

/** A duration: `30s`, `90m`, `24h`, `1d12h`; zero is not allowed. */
export const durationPattern =
  "^(?=.*[1-9])([0-9]{1,4}d)?([0-9]{1,4}h)?([0-9]{1,5}m)?([0-9]{1,6}s)?$";

const hostLabelPattern = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
const hostLabelsPattern = `${hostLabelPattern}(\\.${hostLabelPattern})*`;

/** A host name in ASCII: labels of letters, digits and hyphens. */
export const hostNamePattern = `^${hostLabelsPattern}$`;

/** As {@link hostNamePattern}, or the empty string, which clears the value. */
export const optionalHostNamePattern = `^(${hostLabelsPattern})?$`;

const hostDescription =
  "must be a lowercase host name without a port, such as analytics.example.com; use Punycode (xn--...) for other letters";

const patternDescriptions: ReadonlyMap<string, string> = new Map([
  [trimmedPattern, "must not start or end with white space"],
  [
    unreservedNamePattern,
    'must not start with "system:", and must not start or end with white space',
  ],
  [hostNamePattern, hostDescription],
  [optionalHostNamePattern, hostDescription],
  [httpUrlPattern, "must start with http:// or https://"],
  [durationPattern, "must be a duration such as 8h, 90m or 1d12h"],
  [
    identifierPattern,
    "must be a letter or underscore, followed by letters, digits and underscores",
  ],
  [intervalPattern, "must be a positive interval, such as 1 day or 2 weeks"],
  [offsetPattern, "must be an interval, such as 1 day or -2 weeks"],
]);

/** Returns what one of the patterns above requires, in words; undefined for other patterns. */
export function describePattern(pattern: string): string | undefined {
  return patternDescriptions.get(pattern);
}

/** Characters that are not allowed in IRIs: white space, control characters and some punctuation. */
const invalidIriCharacters = /[\s\p{Cc}"<>\\^`{|}]|%(?![0-9A-Fa-f]{2})/u;

/** Returns whether a string is an absolute URL with characters of any script: the format `iri` of JSON Schema. */
export function isIri(text: string): boolean {
  return !invalidIriCharacters.test(text) && URL.canParse(text);
}

/** Returns whether a time zone is known on this machine: the format `time-zone`. */
export function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
