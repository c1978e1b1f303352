// What databases on servers have in common as data sources: their address, the hosts that are reached, and limits of time and
// bytes.
import type { Duplex } from "node:stream";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { connectionProblem } from "../../core/system/connection-problems.ts";
import { codeOf } from "../../core/system/system-error.ts";
import type { Statement } from "../query/sql-fragments.ts";
import { allowedHostAddresses } from "../security/destinations.ts";
import {
  canceledFailure,
  type DatabaseLimits,
  type QueryDatabase,
  type QueryResult,
  type ResultRows,
  type ResultValue,
  tooLargeFailure,
  tooLongFailure,
} from "./engine.ts";
import type { RollupWriter } from "./rollup-file.ts";

/** The address of a database, and the user who reads it. */
export interface DatabaseAddress {
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
export interface SourceOptions {
  /** Hosts that may have private addresses, and may be reached without encryption. */
  readonly privateHosts: readonly string[];
  readonly bounds?: Pick<DatabaseLimits, "queryMs">;
}

/** A database whose rows can be stored. */
export interface StoredDatabase extends QueryDatabase {
  /**
   * Writes the rows of statements, which have the same columns and read one state of the data. Throws as {@link run}, and `locked` while another connection streams for the same owner.
   */
  stream(stream: RowStream, signal: AbortSignal): Promise<void>;
}

/** What must hold in the state of the data that rows are read from. */
export interface RowCheck {
  /** Returns no row if it holds. */
  readonly statement: Statement;
  /** Says that it does not hold. */
  readonly message: string;
}

/** Throws `invalid` for the first check that does not hold. */
export async function requireChecks(
  checks: readonly RowCheck[],
  read: (statement: Statement) => AsyncIterable<ResultRows>,
): Promise<void> {
  for (const { statement, message } of checks) {
    const { rows } = await readAll(read(statement));
    if (rows.length > 0) throw new Failure("invalid", message);
  }
}

/** What to stream. */
export interface RowStream {
  /** Are read before, of the same state of the data where a database has one for several statements. */
  readonly checks: readonly RowCheck[];
  readonly statements: readonly Statement[];
  /** Whose rows they are. */
  readonly owner: string;
  readonly writer: Pick<RollupWriter, "setTypes" | "add">;
  /** Called before the rows are read, once no other connection streams for the owner. */
  readonly onStart?: () => Promise<void>;
}

/** Where and how to connect: the address that was checked, because a second resolution could return another one. */
export interface ConnectionTarget {
  readonly source: DatabaseAddress;
  readonly address: string;
  readonly isEncrypted: boolean;
  readonly queryMs: number;
}

/** Returns where to connect. Throws `invalid` for a host that the operator does not allow. */
export async function connectionTarget(
  source: DatabaseAddress,
  { privateHosts }: SourceOptions,
  queryMs: number,
): Promise<ConnectionTarget> {
  const isEncrypted = source.isEncrypted ?? !privateHosts.includes(source.host);
  const [address = source.host] = await allowedHostAddresses({
    host: source.host,
    isEncrypted,
    privateHosts,
    option: "--database-private-host",
    plainProblem: "is reached without TLS; set SVC_DB_SSL to true",
    fail: (message, cause) => new Failure("invalid", message, { cause: cause ?? message }),
  });
  return { source, address, isEncrypted, queryMs };
}

/** A connection that works within a limit of time. */
export interface LimitedWork<T> {
  readonly work: () => Promise<T>;
  /** Ends the running statement in the database. */
  readonly cancel: () => void;
  readonly end: () => void;
  /** Returns whether the database itself ended a statement at its limit of time. */
  readonly isLate: (error: unknown) => boolean;
  /** Returns the message of an error of the database itself; undefined for one of the connection. */
  readonly messageOf: (error: Error) => string | undefined;
  /** Returns whether an error of the database passes, as one of its resources does. */
  readonly isPassing: (error: unknown) => boolean;
}

/**
 * Works within the limit of time of a target, and ends the connection. Failures with a cause name hosts, users and values, and
 * are for developers.
 */
export async function withinLimit<T>(
  { source: { host, port }, queryMs }: Pick<ConnectionTarget, "source" | "queryMs">,
  signal: AbortSignal,
  { work, cancel, end, isLate, messageOf, isPassing }: LimitedWork<T>,
): Promise<T> {
  const late = AbortSignal.timeout(queryMs);
  const stop = AbortSignal.any([signal, late]);
  const stopped = Promise.withResolvers<never>();
  const onStop = () => {
    cancel();
    stopped.reject(new Error("stopped"));
  };
  stop.addEventListener("abort", onStop, { once: true });
  const result = stop.aborted ? Promise.reject(new Error("stopped")) : work();
  try {
    return await Promise.race([result, stopped.promise]);
  } catch (error) {
    if (signal.aborted) throw canceledFailure();
    if (late.aborted || isLate(error)) throw tooLongFailure(queryMs, error);
    if (error instanceof Failure) throw error;
    const message = error instanceof Error ? messageOf(error) : undefined;
    if (message !== undefined)
      throw new Failure(isPassing(error) ? "unavailable" : "invalid", message, { cause: error });
    const reason =
      connectionProblem(codeOf(error)) ?? (error instanceof Error ? error.message : "");
    const text = `the database ${host}:${port} cannot be reached: ${reason}; check the variables of its host, port and TLS`;
    throw new Failure("unavailable", text, { cause: error });
  } finally {
    stop.removeEventListener("abort", onStop);
    result.catch(() => undefined);
    end();
  }
}

/** Reads all rows of a result. Throws `limit_reached` for too many bytes. */
export async function readAll(parts: AsyncIterable<ResultRows>): Promise<QueryResult> {
  const rows: (readonly ResultValue[])[] = [];
  let bytes = 0;
  for await (const part of parts) {
    bytes += JSON.stringify(part).length;
    if (bytes > limits.queryResultBytes) throw tooLargeFailure();
    rows.push(...part);
  }
  return { rows, bytes };
}

/** Bytes that a connection receives. A row has fewer than three times as many bytes in protocols as in JSON. */
const receivedBytesMax = 3 * limits.queryResultBytes;

/** The bytes that a connection received. */
export interface ReceivedBytes {
  /** Forgets them, because the rows are out of memory. */
  readonly reset: () => void;
  /** Ends a stream that receives more than a result may have: the database chooses the bytes of a row. */
  readonly watch: (stream: Duplex) => void;
}

/** Counts the bytes that a connection receives. */
export function countReceivedBytes(): ReceivedBytes {
  let bytes = 0;
  return {
    reset: () => void (bytes = 0),
    watch: (stream) =>
      stream.on("data", (part: Buffer) => {
        bytes += part.length;
        if (bytes > receivedBytesMax) stream.destroy(tooLargeFailure());
      }),
  };
}
