// Splits the text of a statement into words, values and signs, and tells where it has an error.
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";

/** A word in lower case, a name in double quotes, text, a number as written, a sign, or the end of the text. */
export interface Token {
  readonly kind: "word" | "name" | "text" | "number" | "sign" | "end";
  readonly value: string;
  /** The place of its first character. */
  readonly start: number;
}

const pattern =
  /(?<space>\s+|--.*)|(?<text>'(?:[^']|'')*')|(?<name>"(?:[^"]|"")*")|(?<number>\d+\.?\d*|\.\d+)|(?<sign>[eE]'|[<>!]=|<>|::|[^\p{L}_])|(?<word>[\p{L}_][\p{L}\p{N}_]*)/gu;

/** The tokens of a text, read from its start to its end. */
export class Tokens {
  readonly text: string;
  readonly #tokens: readonly Token[];
  #position = 0;

  /** Throws `invalid` for a text that is too long. */
  constructor(text: string) {
    if (text.length > limits.sqlTextLength) {
      throw new Failure("invalid", `the SQL has more than ${limits.sqlTextLength} characters`);
    }
    this.text = text;
    this.#tokens = [...text.matchAll(pattern)].flatMap(({ 0: written, index, groups }) => {
      const kinds = ["word", "name", "text", "number", "sign"] as const;
      const kind = kinds.find((name) => groups?.[name] !== undefined);
      return kind ? [{ kind, value: valueOf(kind, written), start: index }] : [];
    });
    if (this.#tokens.length > limits.sqlTokens) {
      const most = `${limits.sqlTokens} words, values and signs`;
      throw new Failure("invalid", `the SQL has more than ${most}`);
    }
  }

  /** The next token, or a later one. */
  peek(offset = 0): Token {
    const end = { kind: "end", value: "", start: this.text.length } as const;
    return this.#tokens[this.#position + offset] ?? end;
  }

  take(): Token {
    const token = this.peek();
    this.#position++;
    return token;
  }

  /** Whether these words or signs come next. */
  isNext(...values: readonly string[]): boolean {
    return values.every((expected, offset) => {
      const { kind, value } = this.peek(offset);
      return (kind === "word" || kind === "sign") && value === expected;
    });
  }

  /** Takes these words or signs if all of them come next. */
  accept(...values: readonly string[]): boolean {
    const isAccepted = this.isNext(...values);
    if (isAccepted) this.#position += values.length;
    return isAccepted;
  }

  /** Takes a word or sign. Throws `invalid` for another token. */
  expect(value: string): void {
    if (!this.accept(value)) throw this.unexpected();
  }

  /** Returns a refusal at the next token. */
  refusal(message: string): Failure {
    return refusal(this.text, this.peek(), message);
  }

  /** Returns the refusal of the next token itself. */
  unexpected(): Failure {
    const { kind, value, start } = this.peek();
    if (kind === "end") {
      return this.refusal("the SQL ends too early; write SELECT columns FROM a cube or view");
    }
    const isSign = kind === "sign" && !/^[\p{L}<>=(),.;:]/u.test(value);
    const message = kind === "word" || kind === "sign" ? unsupported.get(value) : undefined;
    if (message !== undefined) return this.refusal(message);
    if (isSign) return this.refusal(`the sign ${value} is not supported`);
    const place = placeOf(this.text, start);
    return new Failure("invalid", `the SQL has a syntax error in ${place}`);
  }
}

function valueOf(kind: Token["kind"], written: string): string {
  if (kind === "text") return written.slice(1, -1).replaceAll("''", "'");
  if (kind === "name") return written.slice(1, -1).replaceAll('""', '"');
  return kind === "word" || kind === "sign" ? written.toLowerCase() : written;
}

export const oneSelect = "write one SELECT, without WITH, UNION and subqueries";
const noWindow = "functions take no FILTER, OVER and WITHIN GROUP here";

/** Words and signs of SQL that statements do not support. */
const unsupported: ReadonlyMap<string, string> = new Map([
  ...["select", "with", "union", "intersect", "except"].map((word) => [word, oneSelect] as const),
  ...["filter", "over", "within"].map((word) => [word, noWindow] as const),
  ["for", "FOR UPDATE is not supported"],
  ["case", "CASE is not supported"],
  ["$", "parameters are not supported; write their values"],
  ["/", "divisions and comments in /* */ are not supported"],
  ["e'", "text with escapes is not supported; write it in single quotes alone"],
  ["'", "text in single quotes has no end"],
  ['"', "a name in double quotes has no end"],
]);

/** Returns the refusal of a part of a statement, with its place. */
export function refusal(
  text: string,
  { start }: { readonly start: number },
  message: string,
): Failure {
  return new Failure("invalid", `${message} (${placeOf(text, start)})`);
}

function placeOf(text: string, start: number): string {
  const before = text.slice(0, start).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
