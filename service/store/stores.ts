// The stores of a server, wherever they lie: folders or memory on SQLite, schemas of one PostgreSQL database.
import type { DialectName } from "./migrations/tables.ts";
import type { Db } from "./schema.ts";
import type { OnStatement } from "./timing.ts";

/** An open store: one account's tables, up to date. */
export interface OpenStore {
  readonly db: Db;
  /** The database beneath it; only what differs between the two may ask. */
  readonly dialect: DialectName;
  /**
   * From now on nothing is written once the account is under another key than the one whose sealed values begin so: `unavailable`,
   * in all of its servers. Where an account is one server's alone there is nothing to look for.
   */
  fenceWrites(sealPrefix: string): void;
  /** Lets go of the account and its folder. */
  close(): Promise<void>;
}

/** Where one account of a server lies. */
export interface StoreLocation {
  /** On SQLite; the place of the server itself where left out. */
  readonly folder?: string | undefined;
  /** On PostgreSQL; the default one where left out. */
  readonly schema?: string | undefined;
}

/** Connections to a PostgreSQL database, which all stores of a server share. */
export interface Database {
  /** Runs a statement that names the schema of whatever it uses. */
  query(text: string, values: readonly unknown[]): Promise<readonly object[]>;
  /** Runs work while nobody else on the database runs work of that name. */
  withLock(name: string, work: () => Promise<void>): Promise<void>;
}

/** Where the stores of one server lie. */
export interface Stores {
  /** Undefined on SQLite. */
  readonly database: Database | undefined;
  /**
   * Opens an account's store, made where it is missing, and brings its tables up to date. Fails with `usage` for a schema
   * that is none, `locked` for a folder in use, `corrupt` for a database that is not ours, `unavailable` where there is none
   * to be had.
   */
  open(at: StoreLocation): Promise<OpenStore>;
  /** Lets go of the database; the stores are closed before. */
  close(): Promise<void>;
}

/** The schema of a PostgreSQL database that an account lies in when nothing is said. */
export const defaultSchema = "svc";

/** True for a place that is a PostgreSQL database. Its URL may hold a password: never print one. */
export function isPostgres(place: string): boolean {
  return /^postgres(?:ql)?:/i.test(place);
}

/** How stores are used. */
export interface StoreOptions {
  /** Is told the time of every statement. */
  readonly onStatement?: OnStatement | undefined;
  /** What the connections to a database are called in it; `svc` for those of a server. */
  readonly application?: string;
}
