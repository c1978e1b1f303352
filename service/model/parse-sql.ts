// Parses the references in SQL of a data model: `{name}`, `{cube.member}`, and the functions of the model language. The
// SQL itself is not parsed, and nothing is evaluated.

/** A parsed part of SQL, before names are resolved. `at` is the offset in the text. */
export type RawPart =
  | string
  | { readonly kind: "name"; readonly names: readonly string[]; readonly at: number }
  | { readonly kind: "sql"; readonly cube: string; readonly at: number }
  | {
      readonly kind: "filter_params";
      readonly cube: string;
      readonly member: string;
      readonly column: string;
      readonly at: number;
    }
  | { readonly kind: "filter_group"; readonly parts: readonly RawPart[]; readonly at: number }
  | {
      readonly kind: "security_context";
      readonly path: readonly string[];
      readonly column: string;
      readonly required: boolean;
      readonly at: number;
    }
  | { readonly kind: "convert_tz"; readonly parts: readonly RawPart[]; readonly at: number };

/** Parsed SQL, or the reason why it cannot be parsed. */
export type ParsedSql =
  | { readonly parts: readonly RawPart[] }
  | { readonly error: string; readonly at: number };

const identifier = "[A-Za-z_]\\w*";
const path = `${identifier}(?:\\.${identifier})*`;
const patterns = {
  name: new RegExp(`^${path}$`),
  sql: new RegExp(`^(${identifier})\\.sql\\(\\s*\\)$`),
  filterParams: new RegExp(
    `^FILTER_PARAMS\\.(${identifier})\\.(${identifier})\\.filter\\((.*)\\)$`,
    "s",
  ),
  filterGroup: /^FILTER_GROUP\((.*)\)$/s,
  security: new RegExp(
    `^(?:SECURITY_CONTEXT|security_context|securityContext)\\.(${path})\\.(filter|requiredFilter|unsafeValue)\\((.*)\\)$`,
    "s",
  ),
  convertTz: /^SQL_UTILS\.convertTz\((.*)\)$/s,
  text: /^\s*(?:'([^']*)'|"([^"]*)")\s*$/,
};

/** Parses SQL. A lone identifier is a column of the current cube. */
export function parseSql(text: string): ParsedSql {
  if (/^\s*[A-Za-z_]\w*\s*$/.test(text)) {
    return { parts: [{ kind: "name", names: ["CUBE"], at: 0 }, `.${text.trim()}`] };
  }
  const parts: RawPart[] = [];
  let plain = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    const next = text[at + 1];
    if (character === "\\" && (next === "{" || next === "}")) {
      plain += next;
      at++;
    } else if (character === "}") {
      return { error: "there is a } without {; remove it, or write \\} for a literal brace", at };
    } else if (character === "{") {
      const end = closingBrace(text, at);
      if (end < 0)
        return { error: "there is a { without }; close it, or write \\{ for a literal brace", at };
      const parsed = parseReference(text.slice(at + 1, end), at + 1);
      if ("error" in parsed) return parsed;
      if (plain !== "") parts.push(plain);
      plain = "";
      parts.push(parsed.part);
      at = end;
    } else plain += character;
  }
  return { parts: plain === "" ? parts : [...parts, plain] };
}

/** Returns the offset of the brace that closes the one at `open`, outside quotes; -1 if there is none. */
function closingBrace(text: string, open: number): number {
  let depth = 0;
  let quote = "";
  for (let at = open; at < text.length; at++) {
    const character = text[at] ?? "";
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (at > open && (character === "'" || character === '"')) quote = character;
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return at;
  }
  return -1;
}

type ParsedReference =
  | { readonly part: Exclude<RawPart, string> }
  | { readonly error: string; readonly at: number };

function parseReference(inner: string, offset: number): ParsedReference {
  const text = inner.trim();
  const at = offset + inner.indexOf(text);
  if (patterns.name.test(text)) return { part: { kind: "name", names: text.split("."), at } };
  const sql = patterns.sql.exec(text);
  if (sql?.[1] !== undefined) return { part: { kind: "sql", cube: sql[1], at } };
  const filter = patterns.filterParams.exec(text);
  if (filter) return parseFilterParams(filter, at);
  const group = patterns.filterGroup.exec(text);
  if (group) return parseGroup(group[1] ?? "", at);
  const security = patterns.security.exec(text);
  if (security) return parseSecurity(security, at);
  const convert = patterns.convertTz.exec(text);
  if (convert) return parseConvert(convert[1] ?? "", at);
  return {
    error: `{${shorten(text)}} is not a reference; write {member}, {cube.member} or {CUBE}, or \\{ for a literal brace`,
    at,
  };
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Returns the column of `filter(column)`: a quoted text or a bare one. Lambdas are code. */
function columnOf(argument: string): string | undefined {
  const quoted = patterns.text.exec(argument);
  if (quoted) return quoted[1] ?? quoted[2];
  const bare = argument.trim();
  return /^(?:lambda\b|\(?\s*(?:\w+\s*)?(?:\)\s*)?=>)/.test(bare) || bare === "" ? undefined : bare;
}

const noLambda =
  "filter() takes the column as text, such as filter('created_at'); a lambda is code and is never executed";

function parseFilterParams(
  [, cube, member, argument]: RegExpExecArray,
  at: number,
): ParsedReference {
  const column = columnOf(argument ?? "");
  if (column === undefined) return { error: noLambda, at };
  return { part: { kind: "filter_params", cube: cube ?? "", member: member ?? "", column, at } };
}

function parseSecurity([, name, method, argument]: RegExpExecArray, at: number): ParsedReference {
  if (method === "unsafeValue") {
    return { error: "unsafeValue() inserts text into SQL and is not supported; use filter()", at };
  }
  const column = columnOf(argument ?? "");
  if (column === undefined) return { error: noLambda, at };
  const required = method === "requiredFilter";
  return {
    part: { kind: "security_context", path: (name ?? "").split("."), column, required, at },
  };
}

/** Parses `FILTER_PARAMS….filter(…)` items that are separated by commas. */
function parseGroup(inner: string, at: number): ParsedReference {
  const parts: RawPart[] = [];
  for (const item of inner.split(/,(?=\s*FILTER_PARAMS\.)/)) {
    const filter = patterns.filterParams.exec(item.trim());
    if (!filter)
      return { error: "FILTER_GROUP takes FILTER_PARAMS.cube.member.filter('column') items", at };
    const parsed = parseFilterParams(filter, at);
    if ("error" in parsed) return parsed;
    parts.push(parsed.part);
  }
  return { part: { kind: "filter_group", parts, at } };
}

function parseConvert(inner: string, at: number): ParsedReference {
  const quoted = patterns.text.exec(inner);
  const text = quoted?.[1] ?? quoted?.[2] ?? inner;
  if (text.includes("SQL_UTILS")) {
    return { error: "SQL_UTILS.convertTz() cannot contain another one", at };
  }
  const parsed = patterns.name.test(text.trim())
    ? { parts: [{ kind: "name", names: text.trim().split("."), at } as const] }
    : parseSql(text);
  if ("error" in parsed) return { error: parsed.error, at };
  return { part: { kind: "convert_tz", parts: parsed.parts, at } };
}
