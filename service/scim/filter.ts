// Filters of SCIM (RFC 7644, section 3.4.2.2): parsing and evaluation. A custom parser, because the libraries treat
// `emails[type eq "work"].value eq "x"` as two conditions on different emails, and do not decode the escapes of
// strings.
import type { JsonValue } from "../../core/json.ts";
import { scimError } from "./scim-error.ts";

/** Operators that compare with a value. */
export type Comparison = "eq" | "ne" | "co" | "sw" | "ew" | "gt" | "ge" | "lt" | "le";

/** A parsed filter. Paths have the spelling of the filter. */
export type Filter =
  | { readonly op: "and" | "or"; readonly filters: readonly Filter[] }
  | { readonly op: "not"; readonly filter: Filter }
  | { readonly op: "pr"; readonly path: string }
  | { readonly op: Comparison; readonly path: string; readonly value: ComparedValue }
  /** Some element of a multi-valued attribute matches the inner filter, whose paths are its sub-attributes. */
  | { readonly op: "element"; readonly path: string; readonly filter: Filter };

/** A value in a filter. */
export type ComparedValue = string | number | boolean | null;

const comparisons = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"];

/** Characters of a filter. */
const charactersMax = 4096;

/** Levels of parentheses and brackets. */
const depthMax = 32;

const token =
  /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.:$-]))|(\.?[\w$][\w$.:-]*))/y;

/** Parses a filter. Throws `invalidFilter`. */
export function parseFilter(text: string): Filter {
  const parser = new Parser(text);
  const filter = parser.or(0);
  if (parser.next !== undefined) throw parser.unexpected();
  return filter;
}

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    if (text.length > charactersMax) {
      throw scimError("invalidFilter", `the filter is longer than ${charactersMax} characters`);
    }
    this.#tokens = tokensOf(text);
  }

  get next(): string | undefined {
    return this.#tokens[this.#at];
  }

  or(depth: number): Filter {
    return this.#list("or", depth, () => this.#list("and", depth, () => this.#term(depth)));
  }

  unexpected(): Error {
    const where = this.next === undefined ? "at the end" : `at ${JSON.stringify(this.next)}`;
    return scimError("invalidFilter", `the filter is not valid ${where}`);
  }

  #list(op: "and" | "or", depth: number, read: () => Filter): Filter {
    if (depth > depthMax) {
      throw scimError("invalidFilter", `the filter nests deeper than ${depthMax} levels`);
    }
    const filters = [read()];
    while (this.#takes(op)) filters.push(read());
    const [first] = filters;
    return filters.length === 1 && first !== undefined ? first : { op, filters };
  }

  #term(depth: number): Filter {
    if (this.#takes("(")) return this.#enclosed(")", depth);
    const word = this.#word();
    if (word.toLowerCase() === "not" && this.#takes("(")) {
      return { op: "not", filter: this.#enclosed(")", depth) };
    }
    if (!this.#takes("[")) return this.#condition(word);
    const inner = this.#enclosed("]", depth);
    const sub = this.next?.startsWith(".") === true ? this.#word().slice(1) : undefined;
    if (sub === undefined) return { op: "element", path: word, filter: inner };
    // The condition after the brackets is on the same element.
    return {
      op: "element",
      path: word,
      filter: { op: "and", filters: [inner, this.#condition(sub)] },
    };
  }

  #enclosed(end: ")" | "]", depth: number): Filter {
    const inner = this.or(depth + 1);
    if (!this.#takes(end)) throw this.unexpected();
    return inner;
  }

  #condition(path: string): Filter {
    if (this.#takes("pr")) return { op: "pr", path };
    const op = this.next?.toLowerCase();
    if (op === undefined || !comparisons.includes(op)) throw this.unexpected();
    this.#at++;
    return { op: op as Comparison, path, value: this.#value() };
  }

  #value(): ComparedValue {
    const text = this.next;
    if (text === undefined || !/^(?:["\d-]|(?:true|false|null)$)/i.test(text))
      throw this.unexpected();
    const value = parsedValue(text.startsWith('"') ? text : text.toLowerCase());
    // No value has a null character, and PostgreSQL refuses to look for one.
    if (value === undefined || String(value).includes("\0")) throw this.unexpected();
    this.#at++;
    return value;
  }

  #word(): string {
    const text = this.next;
    if (text === undefined || !/^\.?[A-Za-z$_]/.test(text)) throw this.unexpected();
    this.#at++;
    return text;
  }

  #takes(text: string): boolean {
    if (this.next?.toLowerCase() !== text) return false;
    this.#at++;
    return true;
  }
}

function parsedValue(text: string): ComparedValue | undefined {
  try {
    return JSON.parse(text) as ComparedValue;
  } catch {
    return undefined;
  }
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  let at = 0;
  while (text.slice(at).trim() !== "") {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) {
      throw scimError("invalidFilter", `the filter is not valid at position ${at}`);
    }
    tokens.push(match[0].trim());
    at = token.lastIndex;
  }
  return tokens;
}

/** A path in a filter, resolved against the attributes of a resource. */
export interface ResolvedPath {
  /** Returns the values that a resource, or an element of it, has at the path. */
  readonly valuesOf: (holder: JsonValue) => readonly JsonValue[];
  readonly type: "string" | "boolean" | "dateTime" | "reference" | "complex";
  readonly caseExact: boolean;
  /** The elements from which brackets after the path select; undefined for an attribute without sub-attributes. */
  readonly elements: Elements | undefined;
}

/** The elements of a complex attribute. */
export interface Elements {
  readonly of: (holder: JsonValue) => readonly JsonValue[];
  /** Resolves the name of a sub-attribute. */
  readonly resolve: (path: string) => ResolvedPath;
}

/** Returns a function that evaluates a filter. Throws `invalidFilter` if it does not fit the attributes. */
export function filterTest(
  filter: Filter,
  resolve: (path: string) => ResolvedPath,
): (holder: JsonValue) => boolean {
  switch (filter.op) {
    case "and": {
      const tests = filter.filters.map((one) => filterTest(one, resolve));
      return (holder) => tests.every((test) => test(holder));
    }
    case "or": {
      const tests = filter.filters.map((one) => filterTest(one, resolve));
      return (holder) => tests.some((test) => test(holder));
    }
    case "not": {
      const test = filterTest(filter.filter, resolve);
      return (holder) => !test(holder);
    }
    case "pr": {
      const { valuesOf, elements } = resolve(filter.path);
      return (holder) => (elements?.of ?? valuesOf)(holder).some(isPresent);
    }
    case "element": {
      const { elements } = resolve(filter.path);
      if (elements === undefined) {
        throw scimError("invalidFilter", `${filter.path} has no sub-attributes to filter`);
      }
      const test = filterTest(filter.filter, elements.resolve);
      return (holder) => elements.of(holder).some(test);
    }
    default:
      return comparisonTest(filter, resolve(filter.path));
  }
}

function isPresent(value: JsonValue): boolean {
  if (value === null || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

type ComparisonFilter = Extract<Filter, { readonly op: Comparison }>;

function comparisonTest(filter: ComparisonFilter, path: ResolvedPath) {
  const { op, value } = filter;
  if (value === null) {
    if (op !== "eq" && op !== "ne") throw cannotCompare(filter, "null");
    const isPresentIn = (holder: JsonValue) => path.valuesOf(holder).some(isPresent);
    return (holder: JsonValue) => isPresentIn(holder) === (op === "ne");
  }
  const test = valueTest(filter, path);
  // `ne` is the opposite of `eq`, even for attributes with several values or none.
  return (holder: JsonValue) => path.valuesOf(holder).some(test) !== (op === "ne");
}

function cannotCompare({ op, path }: ComparisonFilter, what: string): Error {
  return scimError("invalidFilter", `${path} cannot be compared with ${what} by ${op}`);
}

/** Returns a test of one value; for `ne`, the test for `eq`. */
function valueTest(filter: ComparisonFilter, path: ResolvedPath): (value: JsonValue) => boolean {
  const op = filter.op === "ne" ? "eq" : filter.op;
  if (path.type === "complex") throw cannotCompare(filter, "a value; name a sub-attribute");
  if (path.type === "boolean") {
    const wanted = toBoolean(filter.value);
    if (wanted === undefined || op !== "eq")
      throw cannotCompare(filter, JSON.stringify(filter.value));
    return (value) => value === wanted;
  }
  if (typeof filter.value !== "string") throw cannotCompare(filter, JSON.stringify(filter.value));
  const isOrdered = op === "gt" || op === "ge" || op === "lt" || op === "le";
  if (path.type === "dateTime" && (isOrdered || op === "eq")) {
    const wanted = Date.parse(filter.value);
    if (Number.isNaN(wanted)) throw cannotCompare(filter, "a text that is not a time");
    return (value) => typeof value === "string" && ordered(op, Date.parse(value), wanted);
  }
  const fold = (text: string) => (path.caseExact ? text : text.toLowerCase());
  const wanted = fold(filter.value);
  return (value) => typeof value === "string" && textMatches(op, fold(value), wanted);
}

/** Identity providers send booleans as text too. */
function toBoolean(value: ComparedValue): boolean | undefined {
  const text = String(value).toLowerCase();
  return text === "true" ? true : text === "false" ? false : undefined;
}

function textMatches(op: Exclude<Comparison, "ne">, text: string, wanted: string): boolean {
  if (op === "co") return text.includes(wanted);
  if (op === "sw") return text.startsWith(wanted);
  if (op === "ew") return text.endsWith(wanted);
  return ordered(op, text, wanted);
}

function ordered<T extends string | number>(op: string, value: T, wanted: T): boolean {
  if (op === "gt") return value > wanted;
  if (op === "ge") return value >= wanted;
  if (op === "lt") return value < wanted;
  return op === "le" ? value <= wanted : value === wanted;
}
