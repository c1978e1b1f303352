// The stores of a server: folders or memory on SQLite, schemas of one PostgreSQL database.
import type { LeaseHolders } from "./lease-holders.ts";
import type { DialectName } from "./migrations/baseline.ts";
import type { Db } from "./schema.ts";
import type { OnStatement } from "./timing.ts";

/** An open, migrated store of one account. */
export interface OpenStore {
  readonly db: Db;
  /** The database; only for code that must differ between the two. */
  readonly dialect: DialectName;
  /**
   * Rejects writes with `unavailable`, in every server, once the account is under a key with another prefix. Does
   * nothing on SQLite, where an account belongs to one server.
   */
  fenceWrites(sealPrefix: string): void;
  /** The servers that lease rows of the store. */
  readonly leaseHolders: LeaseHolders;
  /** Closes the store and unlocks the folder. */
  close(): Promise<void>;
}

/** The location of one account. */
export interface StoreLocation {
  /** On SQLite: the folder; defaults to the server's own. */
  readonly folder?: string | undefined;
  /** On PostgreSQL: the schema; defaults to `svc`. */
  readonly schema?: string | undefined;
  /** On SQLite: called when the folder is locked and before its database is opened. May throw. */
  readonly onLocked?: ((folder: string) => void) | undefined;
}

/** A PostgreSQL database that all stores of a server share. */
export interface Database {
  /** Runs a statement with schema-qualified names. */
  query(text: string, values: readonly unknown[]): Promise<readonly object[]>;
  /** Runs work while no other process runs work with that name. */
  withLock(name: string, work: () => Promise<void>): Promise<void>;
}

/** The location of a server's stores. */
export interface Stores {
  /** Undefined on SQLite. */
  readonly database: Database | undefined;
  /**
   * Opens an account's store and migrates it. Throws `usage` for an invalid schema name, `locked` for a folder in use,
   * `corrupt` for a foreign database, and `unavailable` if the database does not answer.
   */
  open(at: StoreLocation): Promise<OpenStore>;
  /** Closes the database, after all stores are closed. */
  close(): Promise<void>;
}

/** The default schema of an account on PostgreSQL. */
export const defaultSchema = "svc";

/** Returns true for a PostgreSQL URL. It may contain a password: never print it. */
export function isPostgres(place: string): boolean {
  return /^postgres(?:ql)?:/i.test(place);
}

/** Options of stores. */
export interface StoreOptions {
  /** Receives the duration of every statement. */
  readonly onStatement?: OnStatement | undefined;
  /** The application name of the connections; `svc` for servers. */
  readonly application?: string;
  /** Most connections to the database. */
  readonly connections?: number | undefined;
}
