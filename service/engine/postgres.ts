// PostgreSQL as a data source: runs reading statements in a read-only transaction with limits of time and bytes.
import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { Client, ClientConfig } from "pg";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Statement } from "../query/sql-fragments.ts";
import { allowedHostAddresses } from "../security/destinations.ts";
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

/** Returns a database. It connects for each statement, so that it holds no connection between them. */
export function openPostgresSource(
  source: PostgresSource,
  { privateHosts, bounds = limits }: PostgresOptions,
): QueryDatabase {
  return {
    async run(statement, signal) {
      const isEncrypted = source.isEncrypted ?? !privateHosts.includes(source.host);
      const [address = source.host] = await allowedHostAddresses({
        host: source.host,
        isEncrypted,
        privateHosts,
        option: "--database-private-host",
        plainProblem: "is reached without TLS; set SVC_DB_SSL to true",
        fail: (message, cause) => new Failure("invalid", message, { cause: cause ?? message }),
      });
      const config = clientConfig(source, { address, isEncrypted, queryMs: bounds.queryMs });
      return runStatement(config, statement, { signal, queryMs: bounds.queryMs });
    },
    close: async () => undefined,
  };
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

async function runStatement(
  config: ClientConfig,
  statement: Statement,
  { signal, queryMs }: RunOptions,
): Promise<QueryResult> {
  // Loads the driver only if the server has such a data source.
  const { Client: client } = (await import("pg")).default;
  const connection = new client(config);
  // The statement that runs reports it.
  connection.on("error", () => undefined);
  limitReceivedBytes(connection);
  const late = AbortSignal.timeout(queryMs);
  const stop = AbortSignal.any([signal, late]);
  const stopped = Promise.withResolvers<never>();
  const onStop = () => {
    void cancelOn(new client(config), connection);
    stopped.reject(new Error("stopped"));
  };
  stop.addEventListener("abort", onStop, { once: true });
  const result = stop.aborted ? Promise.reject(new Error("stopped")) : read(connection, statement);
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

/** A cursor accepts only one SELECT, regardless of the data model's text, and keeps a large result in the database. */
async function read(connection: Client, { text, values }: Statement): Promise<QueryResult> {
  await connection.connect();
  // All rows are fetched, but by default the planner expects only a tenth of a cursor's rows.
  await connection.query(
    "SET TIME ZONE 'UTC'; SET DateStyle = ISO; SET cursor_tuple_fraction = 1; BEGIN READ ONLY",
  );
  const declared = {
    text: `DECLARE rows NO SCROLL CURSOR FOR ${text}`,
    values: [...values],
    // A single statement, even without values.
    queryMode: "extended",
  };
  await connection.query(declared);
  const rows: (readonly ResultValue[])[] = [];
  let bytes = 0;
  for (;;) {
    const part = await connection.query<ResultValue[]>({
      text: `FETCH FORWARD ${rowsPerQuery} FROM rows`,
      rowMode: "array",
    });
    bytes += JSON.stringify(part.rows).length;
    if (bytes > limits.queryResultBytes) throw tooLargeFailure();
    rows.push(...part.rows);
    if (part.rows.length < rowsPerQuery) return { rows, bytes };
  }
}

/**
 * Ends a connection that receives more than a result may have. The database chooses the bytes of a row, and the driver
 * keeps every row of a step in memory.
 */
function limitReceivedBytes({ connection, ssl }: Client): void {
  let bytes = 0;
  const watch = () => {
    const { stream } = connection;
    stream.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes > receivedBytesMax) stream.destroy(tooLargeFailure());
    });
  };
  connection.once(ssl ? "sslconnect" : "connect", watch);
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
