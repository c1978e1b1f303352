// MariaDB and MySQL as a data source: runs reading statements in a read-only transaction with limits of time and bytes.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect as connectTo, type Socket } from "node:net";
import type { Connection, ConnectionOptions, FieldPacket, PrepareStatementInfo } from "mysql2";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Statement } from "../query/sql-fragments.ts";
import {
  connectionTarget,
  type ConnectionTarget,
  countReceivedBytes,
  type DatabaseAddress,
  readAll,
  requireChecks,
  type ReceivedBytes,
  type SourceOptions,
  type StoredDatabase,
  withinLimit,
} from "./database-source.ts";
import type { ResultRows, ResultValue } from "./engine.ts";

/** Rows that are read at a time. */
const rowsPerStep = 1000;

/** Returns a database. It connects for each statement, so that it holds no connection between them. */
export function openMysqlSource(source: DatabaseAddress, options: SourceOptions): StoredDatabase {
  return {
    async run(statement, signal) {
      const { queryMs } = options.bounds ?? limits;
      const target = await connectionTarget(source, options, queryMs);
      return withConnection(target, signal, async (connection) => {
        await startReading(connection, queryMs);
        return readAll(readRows(connection, statement));
      });
    },
    async stream({ checks, statements, owner, writer, onStart }, signal) {
      const target = await connectionTarget(source, options, limits.rollupBuildMs);
      await withConnection(target, signal, async (connection, received) => {
        await startReading(connection, limits.rollupBuildMs);
        await lock(connection, owner);
        await onStart?.();
        await requireChecks(checks, (statement) => readRows(connection, statement));
        received.reset();
        for (const [index, statement] of statements.entries()) {
          const onTypes = index === 0 ? writer.setTypes : undefined;
          for await (const rows of readRows(connection, statement, onTypes)) {
            await writer.add(rows);
            received.reset();
          }
        }
        // The server notices late that a connection has ended.
        await ask(connection, "SELECT RELEASE_ALL_LOCKS()");
      });
    },
    close: async () => undefined,
  };
}

/** Lets one server at a time read rows to store, so that several do not slow the database down together. */
async function lock(connection: Connection, owner: string): Promise<void> {
  const name = createHash("sha256").update(`svc pre-aggregations of ${owner}`).digest("hex");
  const [[isLocked] = []] = await ask(connection, `SELECT GET_LOCK('${name.slice(0, 60)}', 0)`);
  if (String(isLocked) !== "1") throw new Failure("locked", "another server reads the database");
}

/** The settings of connections: every value is exact, and nothing but results is read. */
export const mysqlOptions = {
  rowsAsArray: true,
  dateStrings: true,
  jsonStrings: true,
  supportBigNumbers: true,
  bigNumberStrings: true,
  charset: "utf8mb4",
  // The driver would otherwise write code with what the server sends.
  disableEval: true,
  // The server could ask for a file of this machine.
  flags: ["-LOCAL_FILES"],
} as const satisfies ConnectionOptions;

const modes = [
  "ANSI_QUOTES",
  "PIPES_AS_CONCAT",
  "NO_BACKSLASH_ESCAPES",
  "ONLY_FULL_GROUP_BY",
  "STRICT_ALL_TABLES",
  "ERROR_FOR_DIVISION_BY_ZERO",
  "NO_ENGINE_SUBSTITUTION",
];

/**
 * Sets a connection up and begins a read-only transaction of one state of the data. Text that is cast is compared by its
 * bytes. Both kinds of servers have the statement, but not the same names. Notes would take the places of warnings.
 */
export async function startReading(connection: Connection, queryMs: number): Promise<void> {
  const collation = "/*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */";
  const limit = `/*M! max_statement_time = ${queryMs / 1000}, */ /*!80017 max_execution_time = ${queryMs}, */`;
  await ask(
    connection,
    `SET NAMES utf8mb4 COLLATE ${collation}, ${limit} time_zone = '+00:00', sql_mode = '${modes.join(",")}', div_precision_increment = 30, sql_notes = 0, max_error_count = 64, optimizer_search_depth = 0, group_concat_max_len = ${limits.queryResultBytes}`,
  );
  await ask(connection, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
}

/** Runs a statement without values. */
function ask(connection: Connection, text: string): Promise<readonly (readonly unknown[])[]> {
  return new Promise((resolve, reject) => {
    connection.query(text, (error, rows) =>
      error ? reject(error) : resolve(rows as unknown as readonly (readonly unknown[])[]),
    );
  });
}

/** A connection with its socket, in whose place TLS puts another one. */
type SocketConnection = Connection & { readonly stream: Socket };

/** Connects, works within the limit of time, and ends the connection. */
async function withConnection<T>(
  target: ConnectionTarget,
  signal: AbortSignal,
  work: (connection: Connection, received: ReceivedBytes) => Promise<T>,
): Promise<T> {
  // Loads the driver only if the server has such a data source.
  const { createConnection } = (await import("mysql2")).default;
  const connection = createConnection(connectionOptions(target)) as SocketConnection;
  const { stream: plain } = connection;
  const received = countReceivedBytes();
  received.watch(plain);
  // The driver does not report a lost connection to a statement whose rows it streams.
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => undefined);
  connection.on("error", lost.reject);
  return withinLimit(target, signal, {
    async work() {
      await connected(connection);
      if (connection.stream !== plain) received.watch(connection.stream);
      return Promise.race([work(connection, received), lost.promise]);
    },
    cancel: () => void cancelOn(createConnection(connectionOptions(target)), connection),
    end: () => connection.destroy(),
    isLate: (error) => timeoutErrors.has(errorOf(error)),
    messageOf: (error) =>
      "sqlState" in error ? error.message.replaceAll(clientAddress, "") : undefined,
    isPassing: (error) => passingErrors.has(errorOf(error)),
  });
}

/** The address from which a user connects, in messages: `'svc'@'10.0.0.5'`. */
const clientAddress = /(?<=')@'[^']*'/gu;

function connectionOptions({ source, address, isEncrypted }: ConnectionTarget): ConnectionOptions {
  const { host, port, database, user, password, authorities } = source;
  return {
    ...mysqlOptions,
    host,
    port,
    database,
    user,
    password,
    // The driver compares the certificate with the host, whose address was checked.
    stream: () => connectTo({ host: address, port, noDelay: true }),
    ...(isEncrypted && {
      ssl: { verifyIdentity: true, ...(authorities !== undefined && { ca: authorities }) },
    }),
    connectTimeout: limits.storeConnectMs,
  };
}

function connected(connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve()));
  });
}

const beginOfReading = /^[\s(]*(?:SELECT|WITH)\b/iu;

/** Reads the rows of a statement in steps. Only a statement with a result runs, and its result is as the tables have it. */
export async function* readRows(
  connection: Connection,
  { text, values }: Statement,
  onTypes?: (names: readonly string[]) => void,
): AsyncGenerator<ResultRows> {
  const prepared = await new Promise<PrepareStatementInfo>((resolve, reject) => {
    connection.prepare(text, (error, statement) => (error ? reject(error) : resolve(statement)));
  });
  const { columns } = prepared as unknown as { readonly columns: readonly unknown[] };
  // Statements such as OPTIMIZE TABLE have a result, and end the transaction.
  if (columns.length === 0 || !beginOfReading.test(text)) {
    throw new Failure("invalid", "only SELECT is supported, also after WITH");
  }
  const rows = prepared.execute([...values]).stream({ highWaterMark: rowsPerStep });
  // An error can arrive together with the fields; the iterator throws it.
  rows.on("error", () => undefined);
  const [fields] = (await once(rows, "fields")) as [readonly FieldPacket[]];
  const cells = fields.map(cellReader);
  onTypes?.(fields.map(typeName));
  let step: (readonly ResultValue[])[] = [];
  // Otherwise the driver would read the rest of a result that is too large.
  const iterator = rows.iterator({ destroyOnReturn: false });
  for await (const row of iterator as AsyncIterable<readonly unknown[]>) {
    step.push(row.map((cell, index) => cells[index]?.(cell) ?? null));
    if (step.length < rowsPerStep) continue;
    yield step;
    step = [];
  }
  await requireNoWarnings(connection);
  yield step;
  // MariaDB can fail to execute a prepared statement twice.
  connection.unprepare(text);
}

/** Codes of warnings about names that will change in a later version. */
const deprecations = new Set(["1287", "1681", "3719", "3778"]);

/** Throws `invalid` if the statement changed a value: text that is no number would be 0, and a time that is none NULL. */
async function requireNoWarnings(connection: Connection): Promise<void> {
  for (const [level, code, message] of await ask(connection, "SHOW WARNINGS")) {
    if (level === "Note" || deprecations.has(String(code))) continue;
    const cause = new Error(`warning ${String(code)}`);
    const [text, own = text] = problemText.exec(String(message)) ?? [String(message)];
    throw new Failure("invalid", own, { cause });
  }
}

/** The text that the SQL of a query makes a wrong time or number of, so that it fails with it. */
const problemText =
  /^(?:Incorrect datetime|Truncated incorrect INTEGER) value: '(the server has .*|a sum or .*)'$/u;

type CellReader = (cell: unknown) => ResultValue;

/** Returns what reads the cells of a column as text, as the database writes them. Throws `invalid` for values that are no text. */
function cellReader(field: FieldPacket): CellReader {
  const name = typeName(field);
  if (name === "float4") return (cell) => (cell === null ? null : shortest(Number(cell)));
  return (cell) => {
    if (cell === null) return null;
    if (typeof cell === "string") return name === "timestamp" ? shortTime(cell) : cell;
    if (typeof cell === "number") return String(cell);
    if (name === "bit" && Buffer.isBuffer(cell))
      return BigInt(`0x${cell.toString("hex")}`).toString();
    throw new Failure(
      "invalid",
      `the column ${field.name} has binary values; convert them to text, as HEX does`,
    );
  };
}

/** Returns a time without the zeros that fill its fraction, as other databases write it. */
function shortTime(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/u, "") : text;
}

/** Returns the shortest text of a number of single precision. */
function shortest(value: number): string {
  const digits = [6, 7, 8, 9].find(
    (count) => Math.fround(Number(value.toPrecision(count))) === value,
  );
  return String(Number(value.toPrecision(digits ?? 9)));
}

/** The names of types by their numbers in the protocol, as PostgreSQL names them; of integers, which booleans are too, `int`. */
const typeNames: Readonly<Record<number, string>> = {
  1: "int",
  2: "int",
  3: "int",
  4: "float4",
  5: "float8",
  7: "timestamp",
  8: "int",
  9: "int",
  10: "date",
  12: "timestamp",
  13: "int",
  16: "bit",
  246: "numeric",
  252: "text",
  253: "text",
  254: "text",
};

function typeName({ columnType, type }: FieldPacket): string {
  const number = columnType ?? type ?? -1;
  return typeNames[number] ?? `number ${number} of the protocol`;
}

/** Ends the statement of another connection of the same user. */
async function cancelOn(connection: Connection, running: Connection): Promise<void> {
  connection.on("error", () => undefined);
  try {
    const { threadId } = running;
    if (!threadId) return;
    await connected(connection);
    await ask(connection, `KILL QUERY ${threadId}`);
  } catch {
    // The database's own limit ends the statement.
  } finally {
    connection.destroy();
  }
}

function errorOf(error: unknown): number {
  return error instanceof Error && "errno" in error ? Number(error.errno) : 0;
}

/** Errors of statements that take too long, in MariaDB and in MySQL. */
const timeoutErrors = new Set([1969, 3024]);

/** Errors that pass: too many connections, no memory, a server that stops, locks, and connections and statements that end. */
const passingErrors = new Set([
  1037, 1038, 1040, 1041, 1053, 1203, 1205, 1213, 1226, 1317, 1927, 3169,
]);
