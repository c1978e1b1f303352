// Prepared queries for hot paths: built and compiled once, then run with values.
import type { Compilable, CompiledQuery } from "kysely";
import type { Db } from "./schema.ts";

/** Returns a placeholder for the value of this name. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) });

/**
 * Builds a query once per database and runs it with the given values. During the build the values are placeholders, so
 * `build` may only pass them on: no conditions, arithmetic or lists of them. `null` compares as SQL null.
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
