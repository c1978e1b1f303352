// PostgreSQL as a data source: runs reading statements in a read-only transaction with limits of time and bytes.
import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { Client, ClientConfig, QueryConfig } from "pg";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { codeOf } from "../../core/system/system-error.ts";
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
import type { ResultValue } from "./engine.ts";

/** Rows of one step of a result. */
const rowsPerQuery = 1000;

/** Returns a database. It connects for each statement, so that it holds no connection between them. */
export function openPostgresSource(
  source: DatabaseAddress,
  options: SourceOptions,
): StoredDatabase {
  return {
    async run(statement, signal) {
      const { queryMs } = options.bounds ?? limits;
      const target = await connectionTarget(source, options, queryMs);
      return withConnection(target, signal, async (connection) => {
        await begin(connection);
        return readAll(read(connection, statement));
      });
    },
    async stream({ checks, statements, owner, writer, onStart }, signal) {
      const target = await connectionTarget(source, options, limits.rollupBuildMs);
      await withConnection(target, signal, async (connection, received) => {
        await begin(connection);
        await connection.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        await lock(connection, owner);
        await onStart?.();
        await requireChecks(checks, (statement) => read(connection, statement));
        received.reset();
        const [first] = statements;
        if (first) writer.setTypes(await columnTypes(connection, first));
        for (const statement of statements) {
          for await (const rows of read(connection, statement)) {
            await writer.add(rows);
            received.reset();
          }
        }
      });
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

function clientConfig({ source, address, isEncrypted, queryMs }: ConnectionTarget): ClientConfig {
  const { host, port, database, user, password, authorities } = source;
  const tls: ConnectionOptions = {
    // TLS has no server name for an IP address; the driver compares the certificate with the address.
    ...(isIP(host) === 0 && { servername: host }),
    ...(authorities !== undefined && { ca: authorities }),
  };
  return {
    host: address,
    port,
    database,
    user,
    password,
    ssl: isEncrypted ? tls : false,
    connectionTimeoutMillis: limits.storeConnectMs,
    statement_timeout: queryMs,
    application_name: "svc",
    types: textTypes,
  };
}

/** Connects, works within the limit of time, and ends the connection. */
async function withConnection<T>(
  target: ConnectionTarget,
  signal: AbortSignal,
  work: (connection: Client, received: ReceivedBytes) => Promise<T>,
): Promise<T> {
  // Loads the driver only if the server has such a data source.
  const { Client: client } = (await import("pg")).default;
  const config = clientConfig(target);
  const connection = new client(config);
  // The statement that runs reports it.
  connection.on("error", () => undefined);
  const received = countReceivedBytes();
  const { connection: wire, ssl } = connection;
  wire.once(ssl ? "sslconnect" : "connect", () => received.watch(wire.stream));
  return withinLimit(target, signal, {
    work: () => work(connection, received),
    cancel: () => void cancelOn(new client(config), connection),
    end: () => void connection.end().catch(() => undefined),
    isLate: (error) => codeOf(error) === "57014",
    messageOf: (error) => ("severity" in error ? error.message : undefined),
    isPassing: (error) => passingCodes.test(codeOf(error)),
  });
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

/** Codes of failures that pass: connections, resources, and a database that stops or starts. */
const passingCodes = /^(?:$|08|53|57P)/u;
