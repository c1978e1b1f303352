// Prepared queries for hot paths: built and compiled once, then run with values.
import type { Compilable, CompiledQuery } from "kysely";
import { limits } from "../../core/limits.ts";
import type { Db } from "./schema.ts";
import { writeCount } from "./write-count.ts";

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

/** The rows of a query by its values, as of a number of writes. */
interface KnownRows<Row> {
  readonly writes: number;
  readonly rows: Map<string, Row[]>;
}

/**
 * Creates a {@link preparedQuery} that keeps its rows until the next write. Use it for what most requests read. Stores
 * that other processes write are always read. The caller must not change the rows.
 */
export function keptQuery<Values extends object, Row>(
  build: (db: Db, values: Values) => Compilable<Row>,
): (db: Db, values: Values) => Promise<readonly Row[]> {
  const read = preparedQuery(build);
  const kept = new WeakMap<object, KnownRows<Row>>();
  return async (db, values) => {
    const writes = writeCount(db);
    if (writes === undefined) return read(db, values);
    const { adapter } = db.getExecutor();
    let known = kept.get(adapter);
    if (known?.writes !== writes) {
      known = { writes, rows: new Map() };
      kept.set(adapter, known);
    }
    const key = JSON.stringify(values);
    const before = known.rows.get(key);
    if (before !== undefined) return before;
    const rows = await read(db, values);
    if (known.rows.size >= limits.keptQueries) known.rows.clear();
    known.rows.set(key, rows);
    return rows;
  };
}
