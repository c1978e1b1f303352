// Patterns of strings with their descriptions, and formats that ajv does not provide.
import { devModePrefix } from "./branch-names.ts";
import { calendarUnits } from "./calendar-units.ts";
import { provisioner } from "./provisioner.ts";

/** Text without surrounding white space. Names with surrounding white space are rejected, not trimmed. Allows the empty string. */
export const trimmedPattern = "^(?:\\S(?:[\\s\\S]*\\S)?)?$";

/** As {@link trimmedPattern}, without the reserved prefix `system:`. */
export const unreservedNamePattern = `^(?!system:)${trimmedPattern.slice(1)}`;

/** A public ID of a dashboard or a report. */
export const publicIdPattern = "^[0-9A-Za-z]{12}$";

/** A name in a data model. */
export const identifierPattern = "^[A-Za-z_][A-Za-z0-9_]*$";

const unit = `(?:${calendarUnits.join("|")})s?`;
const length = `[1-9]\\d* ${unit}`;

/** A length of time in a data model that may be negative: `1 day`, `-2 weeks`. */
export const offsetPattern = `^-?${length}(?: -?${length})*$`;

/** A positive length of time in a data model: `1 day`, `2 weeks 3 days`. */
export const intervalPattern = `^${length}(?: ${length})*$`;

/** The secret of an OAuth client; a separate rule limits its length. */
export const oauthSecretPattern = "^[!-~]*$";

/** Control characters, for a class of characters: C0, DEL and C1. */
const controlCharacters = String.raw`\u0000-\u001f\u007f-\u009f`;

const reservedCharacters = String.raw`${controlCharacters}\\:*?"<>|`;
const pathCharacter = `${reservedCharacters}/`;

/** A character that no name of a file can have. */
export const reservedCharacterPattern = `[${reservedCharacters}]`;

/** At most 255 bytes, which file systems can have: characters of ASCII have one, and others four at most. */
const shortName = String.raw`(?=[\u0000-.0-\u007f]{1,255}(?:/|$)|[^/]{1,63}(?:/|$))`;
const pathName = String.raw`${shortName}(?!\.[gG][iI][tT](?:/|$))(?:[^${pathCharacter}\s.]|[^${pathCharacter}\s][^${pathCharacter}]*[^${pathCharacter}\s.])`;

/** The cursor of a page, which a server made. */
export const cursorPattern = "^[A-Za-z0-9_-]+$";

/**
 * Path of a file in a data model, as every file system can have it: names of folders and of the file with `/` between
 * them, none of which is `.git`, begins with a space, or ends with a space or dot.
 */
export const modelPathPattern = `^/*${pathName}(?:/${pathName})*$`;

/** The scheme of an HTTP or HTTPS URL. */
export const httpUrlPattern = "^[hH][tT][tT][pP][sS]?://";

/** The origin of a page, or of all below a domain: `https://app.example.com`, `https://*.example.com`. */
export const pageOriginPattern =
  "^https?://(?:\\*\\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::[1-9][0-9]{0,4})?$";

/** A redirect URI without a fragment: https, or http on this machine's IPv4 loopback address. */
export const oauthRedirectPattern =
  "^(?:https://[^#\\s]+|http://127\\.0\\.0\\.1(?::[0-9]+)?/[^#\\s]*)$";

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

/** The names of documents, stacks, stages and sources. */
export const namePattern = "^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$";

/** The name of a source of a controller, in which * stands for any text. */
export const sourceGlobPattern = "^[A-Za-z0-9*][A-Za-z0-9._*-]*$";

/** `Kind/name`. */
export const addressPattern = "^[A-Z][A-Za-z0-9]*/.+$";

/** An environment variable, or a variable of a Stack, which may contain hyphens. */
export const variablePattern = "^[A-Za-z_][A-Za-z0-9_-]*$";

/** A platform version. */
export const versionPattern = "^([^:]+:v|v)?[0-9]+\\.[0-9]+\\.[0-9]+$";

/** A platform version or the name of a release channel. */
export const channelOrVersionPattern =
  "^(?:latest|release|(?:v|[^:]+:v)?[0-9]+\\.[0-9]+\\.[0-9]+)$";

/** Any value but the mask of the API. */
export const unmaskedPattern = "^(?!\\[ENCRYPTED\\]$)";

/** Text without capital letters of ASCII, as emails. */
export const lowercasePattern = "^[^A-Z]+$";

const lowercase = "[^\\p{Changes_When_Lowercased}]";
const lowercaseVisible = "[^\\p{Changes_When_Lowercased}\\s]";
const lowercaseTrimmed = `${lowercaseVisible}(${lowercase}*${lowercaseVisible})?`;

/** Text without capital letters of any script. */
export const unicodeLowercasePattern = `^${lowercase}+$`;

/** An ID in the user's own system: lowercase, without surrounding white space. */
export const externalIdPattern = `^${lowercaseTrimmed}$`;

/** As {@link externalIdPattern}, without a reserved ID. */
export const unreservedExternalIdPattern = `^(?!${provisioner}$)${lowercaseTrimmed}$`;

/** The name of an embed tenant. */
export const embedTenantNamePattern = "^[a-z](?:[a-z0-9-]*[a-z0-9])?$";

const embedTenantDescription =
  "must be lowercase letters, digits and hyphens that begin with a letter and do not end with a hyphen, such as acme-stores";

/** As {@link embedTenantNamePattern}, or the empty string for no tenant. */
export const optionalEmbedTenantNamePattern = `^$|${embedTenantNamePattern}`;

/** The slug of a workbook. */
export const slugPattern = "^[a-z0-9]+([._-]+[a-z0-9]+)*$";

/** A slug or a public ID of a dashboard. */
export const dashboardPattern = "^[A-Za-z0-9._-]+$";

/** A parameter of the address of a link: a name, or the member of a cube or view. */
export const linkParameterPattern = "^[A-Za-z_][A-Za-z0-9_]*(?:\\.[A-Za-z0-9_]+)*$";

/** As {@link slugPattern}, in any case and with white space around it, which the service removes. */
export const looseSlugPattern = "^\\s*[A-Za-z0-9]+(?:[._-]+[A-Za-z0-9]+)*\\s*$";

/** A color as CSS writes it. */
export const colorPattern = "^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";

/** The name of a configuration of OIDC tokens. */
export const oidcConfigNamePattern = "^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$";

/** The subject of an OIDC token, with placeholders. */
export const oidcSubjectPattern =
  "^(?:[A-Za-z0-9:_-]|\\{deployment_id\\}|\\{component\\}|\\{region\\})+$";

/** The name of an environment variable in capital letters. */
export const environmentVariablePattern = "^[A-Z_][A-Z0-9_]*$";

/** A scope of OAuth 2. */
export const oauthScopePattern = "^[!#-\\[\\]-~]+$";

/** The name of a claim whose value a trust checks: not one that is checked in every token. */
export const claimNamePattern = "^(?!(?:iss|aud|exp|iat|nbf|jti)$)[A-Za-z0-9_.:/-]+$";

/** The name of a state. */
export const stateNamePattern = "^[A-Za-z0-9][A-Za-z0-9._@-]{0,199}$";

/** The name of a state, or a prefix followed by `*`. */
export const stateSelectorPattern = "^[A-Za-z0-9][A-Za-z0-9._@-]*\\*?$";

/** The ID of a lock of a state. */
export const lockIdPattern = "^[!-~]*$";

/** A member of the data model: `orders.status`. */
export const memberPattern = "^[^.\\s]+\\.[^.\\s]+$";

/** The beginning of a time zone's name, which excludes offsets. */
export const timeZonePattern = "^[A-Za-z]";

/** The URL of a Git remote, or a folder on the server. The service checks more: the host, and that a part begins with no hyphen. */
export const gitRemotePattern =
  "^(?:[hH][tT][tT][pP][sS]?://(?:[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*|\\[[0-9A-Fa-f:.]+\\])(?::[0-9]{1,5})?(?:/[^\\s?#]*)?|[sS][sS][hH]://(?:[A-Za-z0-9_.-]+@)?(?:\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9.-]+)(?::[0-9]{1,5})?/[^\\s?#]+|[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:[^\\s?#]+|(?:[fF][iI][lL][eE]://)?/\\S*)$";

/** Base64 as encoders write it: with padding, without white space, and with no bits left over. */
export const base64Pattern =
  "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$";

/** The name of a new branch. Names that begin with `dev-` belong to dev mode. */
export const branchNamePattern = `^(?!${devModePrefix})(?!.*(?:\\.\\.|//|\\.lock$))[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9_-])?$`;

/** A BCP 47 language tag. */
export const localePattern = "^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$";

/** A SHA-1 in hexadecimal. */
export const sha1Pattern = "^[0-9a-f]{40}$";

/** The ID of an embed session. */
export const sessionIdPattern = "^[0-9a-f]{32}$";

/** A numeric ID as text. */
export const idTextPattern = "^[1-9][0-9]{0,9}$";

/** An object in a policy of a role: a numeric ID as text, or all objects. */
export const policyObjectPattern = "^(?:All|[1-9][0-9]{0,9})$";

/** A date. */
export const datePattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";

/** A time with an offset. */
export const offsetTimePattern =
  "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?(Z|[+-]\\d{2}:\\d{2})$";

/** Text with a visible character. */
export const visiblePattern = "\\S";

/** An absolute path. */
export const absolutePathPattern = "^/";

/** An absolute path of a file. */
export const absoluteFilePattern = "^/.*[^/]$";

/** What addresses begin with, up to a separator. */
export const addressPrefixPattern = "^.+[/:]$";

/** The origin of a server. */
export const originPattern = "^https?://[^/?#@\\s]+$";

/** As {@link originPattern}, with or without a slash at the end. */
export const serverUrlPattern = "^https?://[^/?#@\\s]+/?$";

/** The name of a branch or tag that a Git remote is asked for. */
export const gitRefNamePattern =
  "^(?!.*(?:\\.\\.|//|/\\.|\\.lock(?:/|$)))[A-Za-z0-9_](?:[A-Za-z0-9._/-]*[A-Za-z0-9_-])?$";

/** The hash of a commit, in full: SHA-1 or SHA-256. */
export const gitCommitPattern = "^(?:[0-9a-f]{40}|[0-9a-f]{64})$";

/** A reference of Git. */
export const gitReferencePattern = "^refs/[^\\s:^~?*\\[\\\\]+$";

/** A user name of HTTP basic authentication. */
export const userNamePattern = "^[^:\\s]+$";

/** As {@link durationPattern}, or zero. */
export const durationOrZeroPattern = `^0s$|${durationPattern}`;

/** The name of a repository on GitHub. */
export const repositoryNamePattern = "^(?!\\.{1,2}$)[A-Za-z0-9._-]+$";

/** A JSON Pointer into the spec of a document. */
export const specPointerPattern = "^/spec/.";

/** A JSON Pointer. */
export const pointerPattern = "^(/.*)?$";

/** The name of a policy rule. */
export const ruleNamePattern = "^[a-z][a-z0-9-]*$";

/** Path segments other than `.` and `..`, separated by single slashes. YAML files are excluded, because they would be read as manifests. */
export const secretFilePattern =
  "^(?!.*\\.[yY][aA]?[mM][lL]$)(?!(.*/)?\\.{1,2}(/|$))[^/\\\\\\u0000-\\u001f\\u007f-\\u009f]+(/[^/\\\\\\u0000-\\u001f\\u007f-\\u009f]+)*$";

/** A share of a whole. */
export const percentPattern = "^([1-9][0-9]?|100)%$";

/** A field of a cron expression: values or ranges, each with an optional step, separated by commas. */
function cronField(value: string): string {
  const item = `(\\*|(${value})(-(${value}))?)(/[1-9][0-9]?)?`;
  return `${item}(,${item})*`;
}

const cronFields = [
  cronField("[1-5]?[0-9]"),
  cronField("1?[0-9]|2[0-3]"),
  cronField("[1-9]|[12][0-9]|3[01]"),
  cronField("[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC"),
  cronField("[0-7]|SUN|MON|TUE|WED|THU|FRI|SAT"),
];

/** A cron expression in the notation of the API: five fields separated by single spaces, names in uppercase. */
export const cronPattern = `^${cronFields.join(" ")}$`;

const patternDescriptions: ReadonlyMap<string, string> = new Map([
  [
    namePattern,
    "must be letters, digits, dots, hyphens and underscores that begin and end with a letter or digit, such as acme-viewers",
  ],
  [sourceGlobPattern, "must be the name of a source, in which * stands for any text"],
  [addressPattern, "must be an address such as Kind/name"],
  [
    variablePattern,
    "must be letters, digits, hyphens and underscores that do not begin with a digit, such as region",
  ],
  [versionPattern, "must be a version such as 1.7.20 or v1.7.20"],
  [channelOrVersionPattern, "must be latest, release, or a version such as 1.7.20"],
  [unmaskedPattern, "must not be [ENCRYPTED], the mask of a stored secret"],
  [lowercasePattern, "must be lowercase, such as jane@example.com"],
  [unicodeLowercasePattern, "must be lowercase, such as jane@example.com"],
  [
    externalIdPattern,
    "must be lowercase, without white space at the start or end, such as jane-4711",
  ],
  [
    unreservedExternalIdPattern,
    `must be lowercase, without white space at the start or end, such as jane-4711; ${provisioner} is reserved`,
  ],
  [embedTenantNamePattern, embedTenantDescription],
  [optionalEmbedTenantNamePattern, embedTenantDescription],
  [addressPrefixPattern, "must end with / or :, such as https://git.example.com/"],
  [
    slugPattern,
    "must be lowercase letters and digits, separated by dots, hyphens or underscores, such as sales-overview",
  ],
  [dashboardPattern, "must be a public ID, or a slug such as sales-overview"],
  [linkParameterPattern, "must be a name, such as orders.city"],
  [
    looseSlugPattern,
    "must be letters and digits, separated by dots, hyphens or underscores, such as sales-overview",
  ],
  [colorPattern, "must be a color of three or six hexadecimal digits, such as #1a2b3c"],
  [
    oidcConfigNamePattern,
    "must be lowercase letters, digits and hyphens that begin and end with a letter or digit, such as cloud-storage",
  ],
  [
    oidcSubjectPattern,
    "must be letters, digits, colons, hyphens, underscores, {deployment_id}, {component} and {region}, such as svc:deployment:{deployment_id}",
  ],
  [
    environmentVariablePattern,
    "must be capital letters, digits and underscores that do not begin with a digit, such as TOKEN_FILE",
  ],
  [oauthScopePattern, 'must be visible ASCII characters other than " and \\, such as data.read'],
  [oauthSecretPattern, "must be visible ASCII characters without spaces"],
  [
    oauthRedirectPattern,
    "must be an https address without a fragment, or http://127.0.0.1/ with a path, such as https://portal.example.com/callback",
  ],
  [
    claimNamePattern,
    "must be letters, digits and _.:/- such as repository_id; every token is checked for iss, aud, exp, iat, nbf and jti",
  ],
  [
    stateNamePattern,
    "must be at most 200 letters, digits, dots, hyphens, underscores and @ that begin with a letter or digit, such as svc-inventory.shop",
  ],
  [stateSelectorPattern, "must be the name of a state, or a prefix followed by *, such as svc-*"],
  [lockIdPattern, "must be visible ASCII characters, such as 4f1c2a7e"],
  [memberPattern, "must be a cube and a member, such as orders.status"],
  [timeZonePattern, "must be a time zone such as Europe/Berlin"],
  [
    branchNamePattern,
    "must be letters, digits and ._/- as Git allows them, such as feature/orders; dev- is reserved",
  ],
  [localePattern, "must be a language tag such as en-US"],
  [sha1Pattern, "must be 40 hexadecimal digits in lowercase"],
  [sessionIdPattern, "must be 32 hexadecimal digits in lowercase"],
  [idTextPattern, 'must be a positive integer as text, such as "42"'],
  [policyObjectPattern, 'must be a positive integer as text, such as "42", or "All"'],
  [datePattern, "must be a date such as 2027-03-01"],
  [offsetTimePattern, "must be a time with an offset, such as 2026-12-20T18:00:00+01:00"],
  [visiblePattern, "must not be blank"],
  [absolutePathPattern, "must be an absolute path, such as /etc/svc/keys"],
  [absoluteFilePattern, "must be the absolute path of a file, such as /etc/svc/key.txt"],
  [pageOriginPattern, "must be an origin such as https://app.example.com or https://*.example.com"],
  [originPattern, "must be an origin such as https://acme.example.com"],
  [serverUrlPattern, "must be an origin such as https://acme.example.com"],
  [
    gitRefNamePattern,
    "must be a branch or tag with letters, digits and ._/- as Git allows them, such as release/1.2",
  ],
  [gitCommitPattern, "must be the hash of a commit, with all its 40 or 64 digits in lowercase"],
  [gitReferencePattern, "must be a reference such as refs/tags/v1"],
  [userNamePattern, "must not contain white space or a colon"],
  [durationOrZeroPattern, "must be a duration such as 8h, 90m or 0s"],
  [
    repositoryNamePattern,
    "must be letters, digits, dots, hyphens and underscores, such as analytics-model",
  ],
  [specPointerPattern, "must be a JSON Pointer into the spec, such as /spec/description"],
  [pointerPattern, "must be a JSON Pointer, such as /spec/description"],
  [
    ruleNamePattern,
    "must be lowercase letters, digits and hyphens that begin with a letter, such as no-public-groups",
  ],
  [
    secretFilePattern,
    "must be a path below the stack's folder, not of a YAML file, such as secrets/ci-key",
  ],
  [percentPattern, "must be a percentage from 1% to 100%"],
  [
    cronPattern,
    "must be a cron expression of minute 0-59, hour 0-23, day of the month 1-31, month 1-12 or JAN-DEC, and day of the week 0-7 or SUN-SAT, such as 0 9 * * MON-FRI",
  ],
  [trimmedPattern, "must not start or end with white space"],
  [publicIdPattern, "must be 12 letters and digits"],
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
    "must be a letter or underscore, followed by letters, digits and underscores, such as order_count",
  ],
  [intervalPattern, "must be a positive interval, such as 1 day or 2 weeks"],
  [offsetPattern, "must be an interval, such as 1 day or -2 weeks"],
]);

/** Returns the requirement of one of the patterns above, in words; undefined for other patterns. */
export function describePattern(pattern: string): string | undefined {
  return patternDescriptions.get(pattern);
}

/** Returns every described pattern with its description. */
export function describedPatterns(): readonly (readonly [pattern: string, description: string])[] {
  return [...patternDescriptions];
}

/** Characters that are not allowed in IRIs: white space, control characters and some punctuation. */
const invalidIriCharacters = /[\s\p{Cc}"<>\\^`{|}]|%(?![0-9A-Fa-f]{2})/u;

/** Returns whether a string is an absolute URL with characters of any script: the format `iri` of JSON Schema. */
export function isIri(text: string): boolean {
  return !invalidIriCharacters.test(text) && URL.canParse(text);
}
