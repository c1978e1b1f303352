// Converts path and query parameters from text to the types in their schemas. Bodies are never coerced.
import type { TObject, TSchema } from "typebox";
import { Failure } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { unstorableTextReason } from "../../core/text/storable-text.ts";

type RawValues = Readonly<Record<string, unknown>>;

/**
 * Converts the texts to values. A text that does not match its schema's type stays a text, so that validation rejects
 * it. A list can be sent as `name=` or `name[]=`.
 */
export function coerce(schema: TObject, texts: unknown): Record<string, unknown> {
  const values = listsByName(schema, texts as RawValues).map(([name, text]): [string, unknown] => {
    for (const part of Array.isArray(text) ? text : [text]) refuseUnstorableText(name, part);
    const property: TSchema | undefined = Object.hasOwn(schema.properties, name)
      ? schema.properties[name]
      : undefined;
    return [name, property === undefined ? text : coerceValue(property, text)];
  });
  // Unlike an assignment, this also creates a member named `__proto__`, which validation then rejects.
  return Object.fromEntries(values);
}

/** Returns the parameters; a list that is sent as `name[]` appears under `name`. */
function listsByName(schema: TObject, texts: RawValues): [string, unknown][] {
  const entries = Object.entries(texts);
  const isOfList = ([name]: readonly [string, unknown]) =>
    name.endsWith("[]") && isList(schema, name.slice(0, -2));
  if (!entries.some(isOfList)) return entries;
  const merged = Map.groupBy(entries, (entry) =>
    isOfList(entry) ? entry[0].slice(0, -2) : entry[0],
  );
  return [...merged].map(([name, same]) => {
    const [one] = same;
    return [name, same.length === 1 ? one?.[1] : same.flatMap(([, text]) => text)];
  });
}

function isList({ properties }: TObject, name: string): boolean {
  const property: unknown = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isObject(property) && property["type"] === "array";
}

/** Throws `invalid` for a query with percent-encoding that is not UTF-8. The router checks the path. */
export function refuseInvalidPercentEncoding(url: string): void {
  const at = url.indexOf("?");
  if (at === -1 || !url.includes("%", at)) return;
  try {
    decodeURIComponent(url.slice(at + 1));
  } catch (cause) {
    throw new Failure("invalid", "the query is not valid; percent-encode its values as UTF-8", {
      cause,
    });
  }
}

function refuseUnstorableText(name: string, text: unknown): void {
  const problem = typeof text === "string" ? unstorableTextReason(`${name}${text}`) : undefined;
  if (problem !== undefined) throw new Failure("invalid", `the parameter ${problem}`);
}

function coerceValue(schema: TSchema, text: unknown): unknown {
  const { type, items } = schema as { type?: unknown; items?: TSchema };
  if (type === "array") {
    const texts: readonly unknown[] = Array.isArray(text) ? text : [text];
    return items === undefined ? texts : texts.map((item) => coerceValue(items, item));
  }
  if (typeof text !== "string") return text;
  if (type === "integer" && /^-?[0-9]+(?:\.0+)?$/.test(text)) return saturated(Number(text));
  if (type === "number" && /^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** Returns the nearest integer that a number represents exactly, so that a larger page size still means a full page. */
function saturated(value: number): number {
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}
