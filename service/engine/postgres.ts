// PostgreSQL as a data source: runs reading statements in a read-only transaction with limits of time and bytes.
import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { Client, ClientConfig, QueryConfig } from "pg";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Statement } from "../query/sql-fragments.ts";
import { allowedHostAddresses } from "../security/destinations.ts";
import type { RollupWriter } from "./rollup-file.ts";
import {
  canceledFailure,
  type DatabaseLimits,
  type QueryDatabase,
  type QueryResult,
  type ResultValue,
  tooLargeFailure,
  tooLongFailure,
} from "./engine.ts";

/** The address of a database, and the user who reads it. */
export interface PostgresSource {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** Undefined to encrypt the connection unless the operator allows the host. */
  readonly isEncrypted: boolean | undefined;
  /** Certificates of authorities in PEM, which replace the known ones. */
  readonly authorities: string | undefined;
}

/** The permissions that the operator gives, and limits for tests. */
export interface PostgresOptions {
  /** Hosts that may have private addresses, and may be reached without encryption. */
  readonly privateHosts: readonly string[];
  readonly bounds?: Pick<DatabaseLimits, "queryMs">;
}

/** Rows of one step of a result. */
const rowsPerQuery = 1000;

/** Bytes that a connection receives. A row has fewer than three times as many bytes in the protocol as in JSON. */
const receivedBytesMax = 3 * limits.queryResultBytes;

/** A database whose rows can be stored. */
export interface PostgresDatabase extends QueryDatabase {
  /**
   * Writes the rows of statements, which have the same columns and read one state of the data. Throws as {@link run}, and `locked` while another connection streams for the same owner.
   */
  stream(stream: RowStream, signal: AbortSignal): Promise<void>;
}

/** What to stream. */
export interface RowStream {
  readonly statements: readonly Statement[];
  /** Whose rows they are. */
  readonly owner: string;
  readonly writer: Pick<RollupWriter, "setTypes" | "add">;
  /** Called before the rows are read, once no other connection streams for the owner. */
  readonly onStart?: () => Promise<void>;
}

/** Returns a database. It connects for each statement, so that it holds no connection between them. */
export function openPostgresSource(
  source: PostgresSource,
  { privateHosts, bounds = limits }: PostgresOptions,
): PostgresDatabase {
  const configure = async (queryMs: number) => {
    const isEncrypted = source.isEncrypted ?? !privateHosts.includes(source.host);
    const [address = source.host] = await allowedHostAddresses({
      host: source.host,
      isEncrypted,
      privateHosts,
      option: "--database-private-host",
      plainProblem: "is reached without TLS; set SVC_DB_SSL to true",
      fail: (message, cause) => new Failure("invalid", message, { cause: cause ?? message }),
    });
    return clientConfig(source, { address, isEncrypted, queryMs });
  };
  return {
    async run(statement, signal) {
      const { queryMs } = bounds;
      return withConnection(await configure(queryMs), { signal, queryMs }, (connection) =>
        readAll(connection, statement),
      );
    },
    async stream({ statements, owner, writer, onStart }, signal) {
      const queryMs = limits.rollupBuildMs;
      await withConnection(
        await configure(queryMs),
        { signal, queryMs },
        async (connection, received) => {
          await begin(connection);
          await connection.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
          await lock(connection, owner);
          await onStart?.();
          const [first] = statements;
          if (first) writer.setTypes(await columnTypes(connection, first));
          for (const statement of statements) {
            for await (const rows of read(connection, statement)) {
              await writer.add(rows);
              received.reset();
            }
          }
        },
      );
    },
    close: async () => undefined,
  };
}

/** Lets one server at a time read rows to store, so that several do not slow the database down together. */
async function lock(connection: Client, owner: string): Promise<void> {
  const { rows } = await connection.query<{ readonly isLocked: boolean }>({
    text: `SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS "isLocked"`,
    values: [`svc pre-aggregations of ${owner}`],
  });
  if (rows[0]?.isLocked !== true) throw new Failure("locked", "another server reads the database");
}

const booleanType = 16;

/** Values are text, except booleans: a double cannot hold every number. */
export const textTypes = {
  getTypeParser: (type: number) => (text: string) => (type === booleanType ? text === "t" : text),
};

function clientConfig(
  { host, port, database, user, password, authorities }: PostgresSource,
  on: { readonly address: string; readonly isEncrypted: boolean; readonly queryMs: number },
): ClientConfig {
  const tls: ConnectionOptions = {
    // TLS has no server name for an IP address; the driver compares the certificate with the address.
    ...(isIP(host) === 0 && { servername: host }),
    ...(authorities !== undefined && { ca: authorities }),
  };
  return {
    // The address that was checked: a second resolution could return another one.
    host: on.address,
    port,
    database,
    user,
    password,
    ssl: on.isEncrypted ? tls : false,
    connectionTimeoutMillis: limits.storeConnectMs,
    statement_timeout: on.queryMs,
    application_name: "svc",
    types: textTypes,
  };
}

interface RunOptions {
  readonly signal: AbortSignal;
  readonly queryMs: number;
}

/** Connects, works within the limit of time, and ends the connection. */
async function withConnection<T>(
  config: ClientConfig,
  { signal, queryMs }: RunOptions,
  work: (connection: Client, received: ReceivedBytes) => Promise<T>,
): Promise<T> {
  // Loads the driver only if the server has such a data source.
  const { Client: client } = (await import("pg")).default;
  const connection = new client(config);
  // The statement that runs reports it.
  connection.on("error", () => undefined);
  const received = limitReceivedBytes(connection);
  const late = AbortSignal.timeout(queryMs);
  const stop = AbortSignal.any([signal, late]);
  const stopped = Promise.withResolvers<never>();
  const onStop = () => {
    void cancelOn(new client(config), connection);
    stopped.reject(new Error("stopped"));
  };
  stop.addEventListener("abort", onStop, { once: true });
  const result = stop.aborted ? Promise.reject(new Error("stopped")) : work(connection, received);
  try {
    return await Promise.race([result, stopped.promise]);
  } catch (error) {
    if (signal.aborted) throw canceledFailure();
    if (late.aborted || isCode(error, "57014")) throw tooLongFailure(queryMs, error);
    throw error instanceof Failure ? error : databaseFailure(error);
  } finally {
    stop.removeEventListener("abort", onStop);
    result.catch(() => undefined);
    void connection.end().catch(() => undefined);
  }
}

/** Begins a transaction. A cursor accepts only one SELECT, regardless of the data model's text, and keeps a large result in the database. */
async function begin(connection: Client): Promise<void> {
  await connection.connect();
  // All rows are fetched, but by default the planner expects only a tenth of a cursor's rows.
  await connection.query(
    "SET TIME ZONE 'UTC'; SET DateStyle = ISO; SET cursor_tuple_fraction = 1; BEGIN READ ONLY",
  );
}

/** Reads the rows of a statement in steps. */
async function* read(
  connection: Client,
  { text, values }: Statement,
): AsyncGenerator<readonly (readonly ResultValue[])[]> {
  const declared = {
    text: `DECLARE rows NO SCROLL CURSOR FOR ${text}`,
    values: [...values],
    // A single statement, even without values.
    queryMode: "extended",
  };
  await connection.query(declared);
  for (;;) {
    const part = await connection.query<ResultValue[]>({
      text: `FETCH FORWARD ${rowsPerQuery} FROM rows`,
      rowMode: "array",
    });
    yield part.rows;
    if (part.rows.length < rowsPerQuery) break;
  }
  await connection.query("CLOSE rows");
}

async function readAll(connection: Client, statement: Statement): Promise<QueryResult> {
  await begin(connection);
  const rows: (readonly ResultValue[])[] = [];
  let bytes = 0;
  for await (const part of read(connection, statement)) {
    bytes += JSON.stringify(part).length;
    if (bytes > limits.queryResultBytes) throw tooLargeFailure();
    rows.push(...part);
  }
  return { rows, bytes };
}

/**
 * Returns the names of the types of a statement's columns. Texts of a database whose collations take different texts for
 * equal have none, nor do those in another encoding than UTF-8.
 */
async function columnTypes(
  connection: Client,
  { text, values }: Statement,
): Promise<readonly string[]> {
  const { fields } = await connection.query({
    text: `SELECT * FROM (${text}) AS described LIMIT 0`,
    values: [...values],
    queryMode: "extended",
  } as QueryConfig);
  const oids = fields.map(({ dataTypeID }) => dataTypeID);
  const { rows } = await connection.query<{ readonly oid: string; readonly name: string }>({
    text: `SELECT oid, CASE
      WHEN typcollation <> 0 AND EXISTS (SELECT FROM pg_collation WHERE NOT collisdeterministic)
      THEN 'text of a database with collations that are not deterministic'
      WHEN typcollation <> 0 AND current_setting('server_encoding') <> 'UTF8'
      THEN 'text in ' || current_setting('server_encoding')
      WHEN typtype = 'e' THEN 'enum' ELSE typname END AS name FROM pg_type WHERE oid = ANY($1)`,
    values: [oids],
  });
  const names = new Map(rows.map(({ oid, name }) => [Number(oid), name]));
  return oids.map((oid) => names.get(oid) ?? "");
}

/**
 * Ends a connection that receives more than a result may have. The database chooses the bytes of a row, and the driver
 * keeps every row of a step in memory.
 */
function limitReceivedBytes({ connection, ssl }: Client): ReceivedBytes {
  let bytes = 0;
  const watch = () => {
    const { stream } = connection;
    stream.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes > receivedBytesMax) stream.destroy(tooLargeFailure());
    });
  };
  connection.once(ssl ? "sslconnect" : "connect", watch);
  return { reset: () => void (bytes = 0) };
}

/** The bytes that a connection received. */
interface ReceivedBytes {
  /** Forgets them, because the rows are out of memory. */
  readonly reset: () => void;
}

/** Cancels the statement of another connection of the same user. */
async function cancelOn(connection: Client, running: Client): Promise<void> {
  const { processID } = running as Client & { readonly processID: number | null };
  try {
    if (processID === null) return;
    connection.on("error", () => undefined);
    await connection.connect();
    await connection.query({ text: "SELECT pg_cancel_backend($1)", values: [processID] });
  } catch {
    // The database's own limit ends the statement.
  } finally {
    await connection.end().catch(() => undefined);
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** Codes of failures that pass: connections, resources, and a database that stops or starts. */
const passingCodes = /^(?:08|53|57P)/u;

/** Returns the message of the database, but not of a failure that passes, because it can contain the address or the user. */
function databaseFailure(error: unknown): Failure {
  const code = error instanceof Error && "severity" in error && "code" in error ? error.code : "";
  const isLasting = error instanceof Error && code !== "" && !passingCodes.test(String(code));
  if (isLasting) return new Failure("invalid", error.message, { cause: error });
  return new Failure("unavailable", "the database cannot be reached", { cause: error });
}
