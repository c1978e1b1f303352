// Pieces of SQL. Text comes only from the data model and this module; every value is bound.

/** A value that is bound to a statement. */
export type BoundValue = string | number | boolean | null;

/** SQL as text and bound values in order. `failing` is text of a data model that can fail for a value of a row. */
export type Sql = readonly (
  | string
  | { readonly bound: BoundValue }
  | { readonly failing: string }
)[];

/** Joins text and pieces: `sql`SELECT ${expression}``. */
export function sql(text: TemplateStringsArray, ...pieces: readonly Sql[]): Sql {
  const whole: Sql[number][] = [];
  for (const [index, part] of text.entries()) {
    if (part !== "") whole.push(part);
    for (const piece of pieces[index] ?? []) whole.push(piece);
  }
  return whole;
}

/** Returns text from the data model or this program as SQL. */
export function raw(text: string): Sql {
  return [text];
}

/** Returns SQL whose text can fail for a row. */
export function failing(pieces: Sql): Sql {
  return pieces.map((piece) => (typeof piece === "string" ? { failing: piece } : piece));
}

/** Returns whether SQL can fail for a row. */
export function canFail(pieces: Sql): boolean {
  return pieces.some((piece) => typeof piece === "object" && "failing" in piece);
}

/** Returns the text of a piece. */
export function pieceText(piece: Sql[number], textOfBound: (value: BoundValue) => string): string {
  if (typeof piece === "string") return piece;
  return "failing" in piece ? piece.failing : textOfBound(piece.bound);
}

/** Returns a bound value. */
export function bind(value: BoundValue): Sql {
  return [{ bound: value }];
}

/** Joins pieces with a separator. */
export function joinSql(pieces: readonly Sql[], separator: string): Sql {
  return pieces.flatMap((piece, index) => (index === 0 ? piece : [separator, ...piece]));
}

/** Names expressions by a letter and their positions: `d0`, `d1`, …. */
export function numbered(letter: string, expressions: readonly Sql[]): readonly Sql[] {
  return expressions.map((one, index) => sql`${one} AS ${raw(`${letter}${index}`)}`);
}

/** Writes a SELECT list: the dimensions as `d0`, `d1`, …, and the aggregates as `m0`, `m1`, …. */
export function selectList(dimensions: readonly Sql[], aggregates: readonly Sql[]): Sql {
  return joinSql([...numbered("d", dimensions), ...numbered("m", aggregates)], ", ");
}

/** Returns the position of the same SQL in a list; -1 if there is none. */
export function positionOf(list: readonly Sql[], one: Sql): number {
  const key = JSON.stringify(one);
  return list.findIndex((other) => JSON.stringify(other) === key);
}

/** Returns a GROUP BY clause over the first columns of a SELECT list; empty without columns. */
export function groupBy(count: number): Sql {
  if (count === 0) return [];
  return raw(` GROUP BY ${Array.from({ length: count }, (_, index) => index + 1).join(", ")}`);
}

/** Returns the conjunction of conditions; `TRUE` for none. */
export function allOf(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return raw("TRUE");
  return joinSql(
    conditions.map((one) => sql`(${one})`),
    " AND ",
  );
}

/** Returns the disjunction of conditions; `FALSE` for none. */
export function anyOf(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return raw("FALSE");
  return joinSql(
    conditions.map((one) => sql`(${one})`),
    " OR ",
  );
}

/** Returns a WHERE clause; empty without conditions. */
export function whereSql(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? [] : sql` WHERE ${allOf(conditions)}`;
}

/** A statement as text with placeholders, and its values. */
export interface Statement {
  readonly text: string;
  readonly values: readonly BoundValue[];
}

/** Prints SQL with the placeholders of a database. */
export function printSql(
  pieces: Sql,
  { placeholder }: { readonly placeholder: (position: number, value: BoundValue) => string },
): Statement {
  const values: BoundValue[] = [];
  const text = pieces
    .map((piece) => pieceText(piece, (value) => placeholder(values.push(value), value)))
    .join("");
  return { text, values };
}
