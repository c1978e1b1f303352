// Queries on the hot path: built and compiled once, then only filled with values.
import type { Compilable, CompiledQuery } from "kysely";
import type { Db } from "./schema.ts";

/** Stands in a query for the value of this name. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) });

/**
 * A query that is built once per database and then run with the given values. While it is built the values are stand-ins,
 * so `build` may only pass them on: no test, no arithmetic, no list of them. A `null` value compares as SQL's null does.
 */
export function preparedQuery<Values extends object, Row>(
  build: (db: Db, values: Values) => Compilable<Row>,
): (db: Db, values: Values) => Promise<Row[]> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>();
  return async (db, values) => {
    const { adapter } = db.getExecutor();
    let query = compiled.get(adapter);
    if (!query) {
      query = build(db, placeholders as Values).compile();
      compiled.set(adapter, query);
    }
    const given = values as Readonly<Record<string, unknown>>;
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? given[parameter.name] : parameter,
    );
    return (await db.executeQuery<Row>({ ...query, parameters })).rows;
  };
}
