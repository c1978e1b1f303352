// Prepared queries for hot paths: built and compiled once, then run with values.
import type { Compilable, CompiledQuery } from "kysely";
import { limits } from "../../core/limits/limits.ts";
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

/**
 * Creates a {@link preparedQuery} over a list of values: a query for each length. Use it where most lists are short, or
 * a page long.
 */
export function preparedListQuery<Item, Row>(
  build: (db: Db, items: readonly Item[]) => Compilable<Row>,
): (db: Db, items: readonly Item[]) => Promise<Row[]> {
  const byLength = new Map<number, (db: Db, items: readonly Item[]) => Promise<Row[]>>();
  return async (db, items) => {
    let query = byLength.get(items.length);
    if (query === undefined) {
      const { length } = items;
      query = preparedQuery((tx: Db, values: readonly Item[]) =>
        build(
          tx,
          Array.from({ length }, (_, at) => values[at] as Item),
        ),
      );
      if (byLength.size >= limits.keptQueries) byLength.clear();
      byLength.set(length, query);
    }
    return query(db, items);
  };
}

/** Results by their input values, valid for a number of writes. */
interface KnownResults<Result> {
  readonly writes: number;
  readonly results: Map<string, Result>;
}

/**
 * Returns a function that caches the result of `read` until the next write. Use it for data that most requests read.
 * Stores that other processes write are always read. The caller must not change the results.
 */
export function keptResult<Values extends object, Result>(
  read: (db: Db, values: Values) => Promise<Result>,
): (db: Db, values: Values) => Promise<Result> {
  const kept = new WeakMap<object, KnownResults<Result>>();
  return async (db, values) => {
    const writes = writeCount(db);
    if (writes === undefined) return read(db, values);
    const { adapter } = db.getExecutor();
    let known = kept.get(adapter);
    if (known?.writes !== writes) {
      known = { writes, results: new Map() };
      kept.set(adapter, known);
    }
    const key = JSON.stringify(values);
    if (known.results.has(key)) return known.results.get(key) as Result;
    const result = await read(db, values);
    if (known.results.size >= limits.keptQueries) known.results.clear();
    known.results.set(key, result);
    return result;
  };
}

/** Creates a {@link preparedQuery} that caches its rows until the next write, like {@link keptResult}. */
export function keptQuery<Values extends object, Row>(
  build: (db: Db, values: Values) => Compilable<Row>,
): (db: Db, values: Values) => Promise<readonly Row[]> {
  return keptResult(preparedQuery(build));
}
