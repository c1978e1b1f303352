// Parses one SELECT statement by recursive descent, in time proportional to its length. Its grammar is what statements
// support; whatever else SQL has is refused at its place.
import { limits } from "../../core/limits/limits.ts";
import { oneSelect, refusal, type Token, Tokens } from "./tokens.ts";

/** A place in the text of a statement. */
interface Place {
  readonly start: number;
}

/** The name of a column; in lower case unless it is quoted. */
export interface NameExpr extends Place {
  readonly type: "name";
  readonly table: string | undefined;
  readonly name: string;
}

export interface CallExpr extends Place {
  readonly type: "call";
  readonly name: string;
  readonly isDistinct: boolean;
  readonly args: readonly Expr[];
}

export interface LikeExpr extends Place {
  readonly type: "like";
  readonly ignoresCase: boolean;
  readonly operand: Expr;
  readonly pattern: Expr;
}

/** Whether a comparison with one of the values is true: `=` has several for IN. */
export interface CompareExpr extends Place {
  readonly type: "compare";
  readonly op: "=" | "<" | "<=" | ">" | ">=";
  readonly operand: Expr;
  readonly values: readonly Expr[];
}

export interface IsExpr extends Place {
  readonly type: "is";
  readonly operand: Expr;
  readonly value: boolean | null;
}

/** An expression. `<>`, NOT IN and the like are `not`, and BETWEEN is `and`. */
export type Expr =
  | NameExpr
  | CallExpr
  | LikeExpr
  | CompareExpr
  | IsExpr
  | (Place & { readonly type: "and" | "or"; readonly operands: readonly Expr[] })
  | (Place & { readonly type: "not"; readonly operand: Expr })
  /** `*` */
  | (Place & { readonly type: "all"; readonly table: string | undefined })
  | (Place & { readonly type: "text"; readonly value: string })
  /** A number as written, because JavaScript rounds it. */
  | (Place & { readonly type: "number"; readonly value: string })
  | (Place & { readonly type: "constant"; readonly value: boolean | null })
  | (Place & { readonly type: "cast"; readonly operand: Expr; readonly to: string });

export interface SelectedColumn {
  readonly expr: Expr;
  readonly alias: string | undefined;
}

/** A cube or view in FROM, with how it is joined: `cross join`, `left join` and the like, or a comma. */
export interface FromItem extends Place {
  readonly name: string;
  readonly alias: string;
  readonly join: string | undefined;
  readonly on: Expr | undefined;
}

export interface OrderItem {
  readonly by: Expr;
  readonly isDescending: boolean;
}

export interface Statement extends Place {
  readonly isDistinct: boolean;
  readonly columns: readonly SelectedColumn[];
  readonly from: readonly FromItem[];
  readonly where: Expr | undefined;
  readonly groupBy: readonly Expr[];
  readonly having: Expr | undefined;
  readonly orderBy: readonly OrderItem[];
  readonly limit: number | undefined;
  readonly offset: number | undefined;
}

/** Parses a statement. Throws `invalid` for a text that is too long, has an error, or is not one SELECT. */
export function parseStatement(text: string): Statement {
  return new Parser(new Tokens(text)).statement();
}

/** Words that are no names, unless they are quoted or follow AS or a period. */
const reserved: ReadonlySet<string> = new Set(
  [
    "all and as asc between by case cast cross desc distinct else end escape except false fetch filter for from full",
    "group having ilike in inner intersect is join left like limit natural not null offset on or order outer over right",
    "select similar then true union using when where window with within",
  ].flatMap((line) => line.split(" ")),
);

const constants: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

const noSubquery =
  "FROM takes cubes and views, not subqueries or functions; write the SELECT on the cube or view itself, with WHERE, GROUP BY and HAVING";

/** Reads the parts of a statement. Each takes the tokens that belong to it, and looks ahead at most at two. */
class Parser {
  readonly #tokens: Tokens;
  #depth = 0;

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  statement(): Statement {
    const tokens = this.#tokens;
    const { kind, start } = tokens.peek();
    if (kind === "end") throw tokens.refusal("the SQL is empty");
    if (!tokens.accept("select")) throw tokens.refusal(oneSelect);
    const isDistinct = tokens.accept("distinct");
    if (tokens.isNext("on")) throw tokens.refusal("DISTINCT ON is not supported");
    const columns = this.#list(() => this.#column());
    tokens.expect("from");
    const from = [this.#table(undefined)];
    for (let join = this.#join(); join !== undefined; join = this.#join()) {
      from.push(this.#table(join));
    }
    const where = tokens.accept("where") ? this.#expression() : undefined;
    const groupBy = tokens.accept("group", "by") ? this.#list(() => this.#expression()) : [];
    const having = tokens.accept("having") ? this.#expression() : undefined;
    const orderBy = tokens.accept("order", "by") ? this.#list(() => this.#order()) : [];
    let offset = this.#rowCount("offset");
    const limit = this.#rowCount("limit");
    offset ??= this.#rowCount("offset");
    tokens.accept(";");
    if (tokens.peek().kind !== "end") throw tokens.unexpected();
    return { start, isDistinct, columns, from, where, groupBy, having, orderBy, limit, offset };
  }

  #list<Item>(item: () => Item): readonly Item[] {
    const items = [item()];
    while (this.#tokens.accept(",")) items.push(item());
    return items;
  }

  #column(): SelectedColumn {
    const expr = this.#expression();
    return { expr, alias: this.#alias() };
  }

  /** Reads a name after AS, which can be any word, or without AS. */
  #alias(): string | undefined {
    if (this.#tokens.accept("as")) return this.#name(isLabel);
    return isName(this.#tokens.peek()) ? this.#tokens.take().value : undefined;
  }

  #name(isAllowed: (token: Token) => boolean): string {
    if (!isAllowed(this.#tokens.peek())) throw this.#tokens.unexpected();
    return this.#tokens.take().value;
  }

  /** Reads the words of a join; undefined if there is none. */
  #join(): string | undefined {
    if (this.#tokens.accept(",")) return ",";
    const words = [];
    for (const word of ["cross", "inner", "left", "right", "full", "outer", "join"]) {
      if (this.#tokens.accept(word)) words.push(word);
    }
    if (words.length === 0) return undefined;
    if (words.at(-1) !== "join") throw this.#tokens.unexpected();
    return words.filter((word) => word !== "outer").join(" ");
  }

  #table(join: string | undefined): FromItem {
    const tokens = this.#tokens;
    const { start } = tokens.peek();
    if (tokens.isNext("(")) throw tokens.refusal(noSubquery);
    const name = this.#name(isName);
    if (tokens.isNext(".")) throw tokens.refusal("cubes and views have no schema");
    if (tokens.isNext("(")) throw tokens.refusal(noSubquery);
    const alias = this.#alias() ?? name;
    const on = join !== undefined && tokens.accept("on") ? this.#expression() : undefined;
    return { start, name, alias, join, on };
  }

  #order(): OrderItem {
    const by = this.#expression();
    const isDescending = this.#tokens.accept("desc");
    if (!isDescending) this.#tokens.accept("asc");
    if (this.#tokens.accept("nulls", "first")) {
      throw refusal(this.#tokens.text, by, "NULLS FIRST is not supported; NULL comes last");
    }
    this.#tokens.accept("nulls", "last");
    return { by, isDescending };
  }

  #rowCount(word: string): number | undefined {
    if (!this.#tokens.accept(word)) return undefined;
    const { kind, value } = this.#tokens.peek();
    const count = kind === "number" ? Number(value) : Number.NaN;
    if (Number.isSafeInteger(count)) {
      this.#tokens.take();
      return count;
    }
    throw this.#tokens.refusal("LIMIT and OFFSET take whole numbers");
  }

  #expression(): Expr {
    return this.#junction("or", () => this.#junction("and", () => this.#negation()));
  }

  #junction(type: "and" | "or", operand: () => Expr): Expr {
    const first = operand();
    if (!this.#tokens.isNext(type)) return first;
    const operands = [first];
    while (this.#tokens.accept(type)) operands.push(operand());
    return { type, operands, start: first.start };
  }

  #negation(): Expr {
    const { start } = this.#tokens.peek();
    let isNegated = false;
    while (this.#tokens.accept("not")) isNegated = !isNegated;
    const operand = this.#predicate();
    return isNegated ? { type: "not", operand, start } : operand;
  }

  /** Reads an operand with at most one comparison or test of it: others have another precedence in each database. */
  #predicate(): Expr {
    const tokens = this.#tokens;
    const operand = this.#operand();
    const { start } = operand;
    const op = (["=", "<=", ">=", "<", ">"] as const).find((sign) => tokens.accept(sign));
    if (op) return { type: "compare", op, operand, values: [this.#operand()], start };
    const isNot = tokens.accept("<>") || tokens.accept("!=");
    if (isNot) {
      return not({ type: "compare", op: "=", operand, values: [this.#operand()], start });
    }
    if (tokens.accept("is")) {
      const isNegated = tokens.accept("not");
      const value = constants.get(tokens.peek().value);
      if (tokens.peek().kind !== "word" || value === undefined) throw tokens.unexpected();
      tokens.take();
      const test: Expr = { type: "is", operand, value, start };
      return isNegated ? not(test) : test;
    }
    const isNegated = tokens.accept("not");
    const test = this.#membership(operand);
    if (test) return isNegated ? not(test) : test;
    if (isNegated) throw tokens.unexpected();
    return operand;
  }

  /** Reads IN, BETWEEN, LIKE or ILIKE after their operand; undefined for other tokens. */
  #membership(operand: Expr): Expr | undefined {
    const tokens = this.#tokens;
    const { start } = operand;
    if (tokens.accept("in")) {
      if (!tokens.isNext("(")) throw tokens.unexpected();
      const values = this.#enclosed(() => this.#list(() => this.#operand()));
      return { type: "compare", op: "=", operand, values, start };
    }
    if (tokens.accept("between")) {
      const low: Expr = { type: "compare", op: ">=", operand, values: [this.#operand()], start };
      tokens.expect("and");
      const high: Expr = { type: "compare", op: "<=", operand, values: [this.#operand()], start };
      return { type: "and", operands: [low, high], start };
    }
    const ignoresCase = tokens.accept("ilike");
    if (!ignoresCase && !tokens.accept("like")) return undefined;
    return { type: "like", ignoresCase, operand, pattern: this.#operand(), start };
  }

  /** Reads a value with its casts. */
  #operand(): Expr {
    let operand = this.#value();
    const { start } = operand;
    while (this.#tokens.accept("::")) {
      operand = { type: "cast", operand, to: this.#name(isName), start };
    }
    return operand;
  }

  #value(): Expr {
    const tokens = this.#tokens;
    if (tokens.isNext("(")) return this.#enclosed(() => this.#expression());
    const { start } = tokens.peek();
    const sign = tokens.accept("-") ? "-" : "";
    const token = tokens.peek();
    if (token.kind === "number") {
      return { type: "number", value: `${sign}${tokens.take().value}`, start };
    }
    if (sign) throw tokens.unexpected();
    if (token.kind === "text") return { type: "text", value: tokens.take().value, start };
    if (tokens.accept("*")) return { type: "all", table: undefined, start };
    if (tokens.accept("cast")) return { ...this.#enclosed(() => this.#cast()), start };
    const constant = token.kind === "word" ? constants.get(token.value) : undefined;
    if (constant !== undefined) {
      tokens.take();
      return { type: "constant", value: constant, start };
    }
    return this.#reference();
  }

  #cast(): Expr {
    const operand = this.#expression();
    this.#tokens.expect("as");
    const words = [this.#name(isName)];
    while (isName(this.#tokens.peek())) words.push(this.#tokens.take().value);
    return { type: "cast", operand, to: words.join(" "), start: operand.start };
  }

  /** Reads what starts with a name: a column, a call, or text with its type. */
  #reference(): Expr {
    const tokens = this.#tokens;
    const { start } = tokens.peek();
    const name = this.#name(isName);
    const { kind } = tokens.peek();
    if (kind === "text") {
      const operand: Expr = { type: "text", value: tokens.take().value, start };
      return { type: "cast", operand, to: name, start };
    }
    if (tokens.accept(".")) {
      if (tokens.accept("*")) return { type: "all", table: name, start };
      return { type: "name", table: name, name: this.#name(isLabel), start };
    }
    if (!tokens.isNext("(")) return { type: "name", table: undefined, name, start };
    return this.#enclosed(() => {
      if (tokens.isNext(")")) return { type: "call", name, isDistinct: false, args: [], start };
      const isDistinct = tokens.accept("distinct");
      const args = this.#list(() => this.#expression());
      return { type: "call", name, isDistinct, args, start };
    });
  }

  /** Reads what is in parentheses. */
  #enclosed<Part>(part: () => Part): Part {
    this.#tokens.expect("(");
    if (++this.#depth > limits.sqlNesting) {
      throw this.#tokens.refusal(`the SQL has more than ${limits.sqlNesting} nested parentheses`);
    }
    const inner = part();
    this.#tokens.expect(")");
    this.#depth--;
    return inner;
  }
}

const not = (operand: Expr): Expr => ({ type: "not", operand, start: operand.start });

/** Whether a token can be any name, as after AS and a period. */
const isLabel = ({ kind }: Token): boolean => kind === "word" || kind === "name";

const isName = (token: Token): boolean =>
  isLabel(token) && (token.kind === "name" || !reserved.has(token.value));
