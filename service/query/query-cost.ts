// Limits the SQL that planning one query writes. A small data model can describe SQL of any size, because references
// are expanded in place.
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { pieceText, type Sql } from "./sql-fragments.ts";

/** Counts the SQL that planning one query writes. Every method throws `invalid` above its limit. */
export class QueryCost {
  #stages = 0;
  #queries = 0;
  #length = 0;
  /** The references that are being written, the outermost first. */
  readonly #references: string[] = [];

  /** Counts a stage of a multi-stage measure: measures of many stages can need each other several times. */
  countStage(measure: string): void {
    this.#stages++;
    if (this.#stages <= limits.queryStages) return;
    throw new Failure(
      "invalid",
      `${measure} needs more than ${limits.queryStages} stages; use fewer multi-stage measures in each other`,
    );
  }

  /** Counts a nested query: `{cube.sql()}`, or a dimension with `sub_query`. */
  countQuery(name: string): void {
    this.#queries++;
    if (this.#queries <= limits.queryNestedQueries) return;
    throw new Failure(
      "invalid",
      `the query reads ${name} and others in more than ${limits.queryNestedQueries} nested queries; use {cube.sql()} and dimensions with sub_query less often`,
    );
  }

  /** Charges SQL each time that it becomes a part of larger SQL, because its pieces are copied. */
  charge(sql: Sql): void {
    for (const piece of sql) this.#length += pieceText(piece, () => "").length + 1;
    if (this.#length <= limits.querySqlLength) return;
    const [first] = this.#references;
    const where = first === undefined ? "" : `, in what ${first} references`;
    throw new Failure(
      "invalid",
      `the SQL of the query has more than ${limits.querySqlLength} characters${where}; SQL is written in place of each reference: use shorter SQL, fewer references to it, or fewer members and filters in one query`,
    );
  }

  /** Writes the SQL that a reference stands for. */
  reference(name: string, write: () => Sql): Sql {
    if (this.#references.length >= limits.queryReferenceDepth) {
      throw new Failure(
        "invalid",
        `references nest more than ${limits.queryReferenceDepth} levels deep in the SQL of ${this.#references[0]}; write the SQL of some members in place of a reference`,
      );
    }
    this.#references.push(name);
    try {
      return write();
    } finally {
      this.#references.pop();
    }
  }
}
