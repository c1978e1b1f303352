// Records the rows that a transaction inserts, updates or deletes in some tables: as they were before it and are after it.
import {
  ColumnNode,
  type CompiledQuery,
  createQueryId,
  type DatabaseConnection,
  DeleteQueryNode,
  type Dialect,
  DummyDriver,
  InsertQueryNode,
  type Kysely,
  PrimitiveValueListNode,
  type QueryResult,
  ReferenceNode,
  ReturningNode,
  type RootOperationNode,
  SelectionNode,
  TableNode,
  Transaction,
  UpdateQueryNode,
  ValueNode,
  ValuesNode,
  type ValuesItemNode,
} from "kysely";
import { chunksOf } from "../../core/chunks.ts";
import { invariant } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { preparedListQuery } from "./prepared-query.ts";
import type { Db, Tables } from "./schema.ts";

/** A row with its columns. */
export type RecordedRow = Readonly<Record<string, string | number | null>>;

/** A row that a transaction wrote. Both are undefined if the transaction inserted and deleted it. */
export interface WrittenRow {
  readonly table: string;
  readonly before: RecordedRow | undefined;
  readonly after: RecordedRow | undefined;
}

/** A transaction that records the rows it writes. */
export interface RecordedTransaction {
  readonly db: Db;
  /**
   * Returns the written rows, in the order of their first write, and the number of rows beyond the limit of a
   * transaction, which are not recorded. Rows that the database deletes with another one are not among them.
   */
  writtenRows(): Promise<{ readonly rows: readonly WrittenRow[]; readonly more: number }>;
}

/** Generated columns, which are another column or 0. */
const generatedFrom: Readonly<Record<string, string>> = { tenant_scope: "embed_tenant_id" };

/** Records the rows that `tx` writes through the returned `db`, in the tables with a primary key in `keys`. */
export function recordRows(
  tx: Db,
  keys: Readonly<Record<string, readonly string[]>>,
): RecordedTransaction {
  const recorder = new RowRecorder(tx, keys);
  const executor = tx.getExecutor();
  const recording = executor.withConnectionProvider({
    provideConnection: (consumer, options) =>
      executor.provideConnection(
        (connection) => consumer(new RecordingConnection(connection, recorder)),
        options,
      ),
  });
  // A transaction uses only its executor.
  const driver = new DummyDriver();
  const dialect = { createDriver: () => driver } as unknown as Dialect;
  const db = new Transaction<Tables>({ config: { dialect }, dialect, driver, executor: recording });
  return { db, writtenRows: () => recorder.writtenRows() };
}

class RecordingConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;
  readonly #recorder: RowRecorder;

  constructor(connection: DatabaseConnection, recorder: RowRecorder) {
    this.#connection = connection;
    this.#recorder = recorder;
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#recorder.run<Row>(query, (changed) => this.#connection.executeQuery(changed));
  }

  streamQuery<Row>(query: CompiledQuery, size: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#connection.streamQuery(query, size);
  }
}

type Run = <Row>(query: CompiledQuery) => Promise<QueryResult<Row>>;

/** The recorder works on every table alike. */
type AnyTables = Record<string, Record<string, string | number | null>>;

class RowRecorder {
  readonly #tx: Kysely<AnyTables>;
  readonly #keys: Readonly<Record<string, readonly string[]>>;
  readonly #rows = new Map<string, { table: string; key: RecordedRow; before?: RecordedRow }>();
  #more = 0;

  constructor(tx: Db, keys: Readonly<Record<string, readonly string[]>>) {
    this.#tx = tx as unknown as Kysely<AnyTables>;
    this.#keys = keys;
  }

  /** Runs a query, and records the rows that it writes. */
  async run<Row>(compiled: CompiledQuery, run: Run): Promise<QueryResult<Row>> {
    const { query } = compiled;
    const table = writtenTable(query);
    const key = table === undefined ? undefined : this.#keys[table];
    if (table === undefined || key === undefined) return run(compiled);
    if (InsertQueryNode.is(query)) return this.#insert(compiled, { table, key, query, run });
    const change = query as Omit<UpdateQueryNode, "kind"> & Partial<Omit<DeleteQueryNode, "kind">>;
    const { where, with: named, joins, from, using } = change;
    const others = [named, joins, using, UpdateQueryNode.is(query) ? from : undefined];
    invariant(
      others.every((part) => part === undefined),
      `a write of ${table} with other tables`,
    );
    const all = this.#selectAll(table).toOperationNode();
    const before = await this.#tx.executeQuery<RecordedRow>(
      this.#compile(where === undefined ? all : { ...all, where }),
    );
    this.#record(table, before.rows);
    const result = await run<Row>(compiled);
    this.#more += Math.max(0, Number(result.numAffectedRows ?? 0) - before.rows.length);
    return result;
  }

  async #insert<Row>(
    compiled: CompiledQuery,
    write: {
      readonly table: string;
      readonly key: readonly string[];
      readonly query: InsertQueryNode;
      readonly run: Run;
    },
  ): Promise<QueryResult<Row>> {
    const { table, key, query, run } = write;
    if (query.onConflict?.updates !== undefined) {
      this.#record(table, await this.#conflicting(table, query));
    }
    const returning = keptReturning.get(query) ?? this.#compile(withKey(query, key));
    // A prepared insert has one node for all its runs.
    keptReturning.set(query, returning);
    const { parameters } = compiled;
    const result = await run<Row & RecordedRow>({ ...returning, parameters });
    this.#record(table, result.rows, true);
    if (query.returning !== undefined) return result;
    return { ...result, numAffectedRows: BigInt(result.rows.length), rows: [] };
  }

  #compile(query: RootOperationNode): CompiledQuery {
    return this.#tx.getExecutor().compileQuery(query, createQueryId());
  }

  /** Selects at most as many rows as can be recorded. */
  #selectAll(table: string) {
    return this.#tx.selectFrom(table).selectAll().limit(limits.auditRows);
  }

  /** Returns the rows that an insert can update, among others. */
  async #conflicting(
    table: string,
    { columns = [], values, onConflict }: InsertQueryNode,
  ): Promise<readonly RecordedRow[]> {
    invariant(values && ValuesNode.is(values), `an upsert of ${table} without values`);
    let select = this.#selectAll(table);
    for (const { column } of onConflict?.columns ?? []) {
      const source = generatedFrom[column.name];
      const index = columns.findIndex(({ column: { name } }) => name === (source ?? column.name));
      const inserted = values.values.map((item) => valueOf(item, index));
      const keys = source === undefined ? inserted : inserted.map((value) => value ?? 0);
      select = select.where(column.name, "in", [...new Set(keys)]);
    }
    return select.execute();
  }

  #record(table: string, rows: readonly RecordedRow[], areNew = false): void {
    const names = this.#keys[table] ?? [];
    for (const row of rows) {
      const key = Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
      const place = placeOf(table, names, key);
      if (this.#rows.has(place)) continue;
      if (this.#rows.size >= limits.auditRows) this.#more++;
      else this.#rows.set(place, areNew ? { table, key } : { table, key, before: row });
    }
  }

  /** Returns the rows with these keys. */
  async #read(table: string, keys: readonly RecordedRow[]): Promise<readonly RecordedRow[]> {
    const names = this.#keys[table] ?? [];
    const [name = "", ...others] = names;
    if (others.length === 0) {
      return readByKey(table, name)(
        this.#tx,
        keys.map((key) => key[name] ?? null),
      );
    }
    const rows = this.#tx.selectFrom(table).selectAll();
    return rows.where((eb) => eb.or(keys.map((key) => eb.and(key)))).execute();
  }

  async writtenRows() {
    const written = [...this.#rows];
    const after = new Map<string, RecordedRow>();
    for (const [table, rows] of Map.groupBy(written, ([, row]) => row.table)) {
      const names = this.#keys[table] ?? [];
      for (const part of chunksOf(rows, limits.rowsPerQuery)) {
        const keys = part.map(([, { key }]) => key);
        for (const row of await this.#read(table, keys)) after.set(placeOf(table, names, row), row);
      }
    }
    return {
      rows: written.map(([place, { table, before }]) => ({
        table,
        before,
        after: after.get(place),
      })),
      more: this.#more,
    };
  }
}

const keptReturning = new WeakMap<InsertQueryNode, CompiledQuery>();

/** Returns an insert that returns the key of its rows too. */
function withKey(query: InsertQueryNode, key: readonly string[]): InsertQueryNode {
  const added = key.map((name) =>
    SelectionNode.create(ReferenceNode.create(ColumnNode.create(name))),
  );
  const { selections = [] } = query.returning ?? {};
  return { ...query, returning: ReturningNode.create([...selections, ...added]) };
}

const readersByKey = new Map<string, ReturnType<typeof makeReader>>();

/** Returns the query of rows by their key, prepared once for each table. */
function readByKey(table: string, key: string): ReturnType<typeof makeReader> {
  const reader = readersByKey.get(table) ?? makeReader(table, key);
  readersByKey.set(table, reader);
  return reader;
}

function makeReader(table: string, key: string) {
  return preparedListQuery((db: Db, values: readonly (string | number | null)[]) =>
    (db as unknown as Kysely<AnyTables>)
      .selectFrom(table)
      .selectAll()
      .where(key, "in", [...values]),
  );
}

function placeOf(table: string, names: readonly string[], row: RecordedRow): string {
  return JSON.stringify([table, ...names.map((name) => row[name])]);
}

/** Returns a value of an inserted row. */
function valueOf(item: ValuesItemNode, index: number): string | number | null {
  if (PrimitiveValueListNode.is(item))
    return (item.values[index] ?? null) as string | number | null;
  const value = item.values[index];
  invariant(value && ValueNode.is(value), "an upsert with a computed key");
  return value.value as string | number | null;
}

/** Returns the table that a query writes; undefined if it writes none. */
function writtenTable(query: RootOperationNode): string | undefined {
  const table = InsertQueryNode.is(query)
    ? query.into
    : UpdateQueryNode.is(query)
      ? query.table
      : DeleteQueryNode.is(query)
        ? query.from.froms[0]
        : undefined;
  if (table === undefined) return undefined;
  invariant(TableNode.is(table), "a write of a table under another name");
  return table.table.identifier.name;
}
