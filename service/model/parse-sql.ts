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
      /** The column; or the condition, with the values of the filter in it. */
      readonly parts: readonly RawPart[];
      /** Values that the condition takes; undefined for a column. */
      readonly values?: number;
      readonly at: number;
    }
  | { readonly kind: "filter_value"; readonly index: number; readonly at: number }
  | { readonly kind: "filter_group"; readonly parts: readonly RawPart[]; readonly at: number }
  | {
      readonly kind: "security_context";
      readonly path: readonly string[];
      /** The column. */
      readonly parts: readonly RawPart[];
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
  text: /^\s*(?:'''([^]*?)'''|"""([^]*?)"""|'([^']*)'|"([^"]*)")\s*$/,
  lambda: /^\s*lambda\s+([\w\s,]+):\s*f([^]*)$/,
};

/** Parses SQL. A lone identifier is a column of the current cube. */
export function parseSql(text: string): ParsedSql {
  if (/^\s*[A-Za-z_]\w*\s*$/.test(text)) {
    return { parts: [{ kind: "name", names: ["CUBE"], at: 0 }, `.${text.trim()}`] };
  }
  return parseParts(text, (inner, at) => parseReference(inner, at));
}

type ReadReference = (inner: string, offset: number) => ParsedReference;

/** Parses text with references in braces. A literal brace is written after a backslash, or twice. */
function parseParts(
  text: string,
  read: ReadReference,
  literalBrace: RegExp = /\\(?=[{}])/y,
): ParsedSql {
  const parts: RawPart[] = [];
  let plain = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    literalBrace.lastIndex = at;
    if (literalBrace.test(text)) {
      plain += text[at + 1] ?? "";
      at++;
    } else if (character === "}") {
      return { error: "there is a } without {; remove it, or write \\} for a literal brace", at };
    } else if (character === "{") {
      const end = closingBrace(text, at);
      if (end < 0)
        return { error: "there is a { without }; close it, or write \\{ for a literal brace", at };
      const parsed = read(text.slice(at + 1, end), at + 1);
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
  for (let at = open; at < text.length; at++) {
    const character = text[at] ?? "";
    if (at > open && (character === "'" || character === '"')) {
      const triple = character.repeat(3);
      const quote = text.startsWith(triple, at) ? triple : character;
      const end = text.indexOf(quote, at + quote.length);
      if (end < 0) return -1;
      at = end + quote.length - 1;
    } else if (character === "{") depth++;
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

/** What `filter()` is called with: a column, or a condition on the values of the filter. */
type Argument =
  | { readonly parts: readonly RawPart[]; readonly values?: number }
  | { readonly error: string };

function parseArgument(argument: string): Argument {
  const lambda = patterns.lambda.exec(argument);
  if (lambda) return parseLambda(lambda);
  const quoted = textOf(argument);
  const bare = argument.trim();
  if (/^(?:lambda\b|\(?\s*(?:\w+\s*)?(?:\)\s*)?=>)/.test(bare) || bare === "")
    return { error: noColumn };
  return parseParts(quoted ?? bare, parseReference);
}

/** Returns the text between quotes; undefined for another text. */
function textOf(argument: string): string | undefined {
  return patterns.text
    .exec(argument)
    ?.slice(1)
    .find((one) => one !== undefined);
}

const noColumn =
  "filter() takes the column as text, such as filter('created_at'), or a text with the values of the filter, such as filter(lambda x, y: f'created_at >= {x} AND created_at <= {y}')";

/** Parses a lambda that returns a text: `lambda x, y: f'…{x}…'`. Its code is not run. */
function parseLambda([, list = "", body = ""]: RegExpExecArray): Argument {
  const names = list.split(",").map((name) => name.trim());
  const text = textOf(body);
  if (text === undefined || !names.every((name) => /^[A-Za-z_]\w*$/.test(name)))
    return { error: noColumn };
  const read: ReadReference = (inner, at) => {
    const index = names.indexOf(inner.trim());
    return index < 0 ? parseReference(inner, at) : { part: { kind: "filter_value", index, at } };
  };
  // Python writes a literal brace twice.
  const parsed = parseParts(text, read, /\{(?=\{)|\}(?=\})/y);
  return "error" in parsed ? parsed : { parts: parsed.parts, values: names.length };
}

function parseFilterParams(
  [, cube, member, argument]: RegExpExecArray,
  at: number,
): ParsedReference {
  const parsed = parseArgument(argument ?? "");
  if ("error" in parsed) return { error: parsed.error, at };
  return { part: { kind: "filter_params", cube: cube ?? "", member: member ?? "", ...parsed, at } };
}

function parseSecurity([, name, method, argument]: RegExpExecArray, at: number): ParsedReference {
  if (method === "unsafeValue") {
    return { error: "unsafeValue() inserts text into SQL and is not supported; use filter()", at };
  }
  const parsed = parseArgument(argument ?? "");
  if ("error" in parsed) return { error: parsed.error, at };
  if (parsed.values !== undefined)
    return {
      error: `SECURITY_CONTEXT.${name ?? ""}.${method ?? ""}() takes the column as text`,
      at,
    };
  const required = method === "requiredFilter";
  return {
    part: {
      kind: "security_context",
      path: (name ?? "").split("."),
      parts: parsed.parts,
      required,
      at,
    },
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
  const quoted = textOf(inner);
  const text = quoted ?? inner;
  if (text.includes("SQL_UTILS")) {
    return { error: "SQL_UTILS.convertTz() cannot contain another one", at };
  }
  // Only a name without quotes is a member.
  const parsed =
    quoted === undefined && patterns.name.test(text.trim())
      ? { parts: [{ kind: "name", names: text.trim().split("."), at } as const] }
      : parseSql(text);
  if ("error" in parsed) return { error: parsed.error, at };
  return { part: { kind: "convert_tz", parts: parsed.parts, at } };
}
