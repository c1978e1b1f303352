// The databases on servers that can be data sources, by their type in the variables of a deployment.
import type { DatabaseAddress, SourceOptions, StoredDatabase } from "./database-source.ts";
import { openClickhouseSource } from "./clickhouse.ts";
import { openMysqlSource } from "./mysql.ts";
import { openPostgresSource } from "./postgres.ts";

const opening = {
  postgres: openPostgresSource,
  mysql: openMysqlSource,
  clickhouse: openClickhouseSource,
};

/** The type of a database. */
export type DatabaseType = keyof typeof opening;

/** A database as a data source. */
export interface Database {
  readonly type: DatabaseType;
  readonly at: DatabaseAddress;
}

/** Opens a database. */
export function openDatabase({ type, at }: Database, options: SourceOptions): StoredDatabase {
  return opening[type](at, options);
}
