// Provides the database of a test: in memory, or in its own schema if the suite runs on PostgreSQL.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { inject } from "vitest";
import type { Database, OpenStore } from "../../service/store/stores.ts";
import { openStores } from "../../service/store/open.ts";
import { surfaces } from "../../service/server/server.ts";
import { runsAllCases } from "./sampling.ts";
import { runSql, databaseUrl } from "./postgres-server.ts";

/** True where the suite runs on PostgreSQL. */
export const onPostgres = process.env["SVC_TEST_STORE"] === "postgres";

/** True where the queries of the suite run on MariaDB. */
export const onMysql = process.env["SVC_TEST_QUERIES"] === "mysql";

/** True where the queries of the suite run on ClickHouse. */
export const onClickhouse = process.env["SVC_TEST_QUERIES"] === "clickhouse";

/** False on PostgreSQL in an ordinary run, which does not repeat tests that are independent of the store. */
export const runsInFull = !onPostgres || runsAllCases;

/** The surfaces that a suite tests: all of them, but on PostgreSQL, which takes longer, only the largest one. */
export const testedSurfaces = runsInFull ? surfaces : (["full"] as const);

const placesOnPostgres = runsAllCases
  ? (["postgres", "service"] as const)
  : (["postgres"] as const);

/** The locations of a suite's inventories. The service keeps them in the same tables on both stores. */
export const inventoryPlaces = onPostgres ? placesOnPostgres : (["service"] as const);

/** A store for one account. */
export interface TestDatabase {
  readonly data: string;
  readonly secretKeyFile?: string;
  /** Removes it with its contents. */
  readonly drop: () => Promise<void>;
}

/** Creates an unused store. */
export async function createTestDatabase(): Promise<TestDatabase> {
  if (!onPostgres) return { data: ":memory:", drop: async () => undefined };
  return createPostgresDatabase();
}

/** Creates an unused store that outlives the process that opens it. */
export async function createLastingDatabase(): Promise<TestDatabase> {
  if (onPostgres) return createTestDatabase();
  const data = mkdtempSync(join(tmpdir(), "svc-account-"));
  return { data, drop: async () => rmSync(data, { recursive: true }) };
}

/** Creates a separate database. */
async function createPostgresDatabase(): Promise<TestDatabase> {
  const [url, folder] = [inject("postgres"), inject("secretKeyFolder")];
  if (url === undefined || folder === undefined) throw new Error("there is no PostgreSQL");
  const name = `test_${randomBytes(6).toString("hex")}`;
  await queryServer(`create database ${name} ${inject("postgresCopy")}`);
  const drop = async (): Promise<void> => {
    await queryServer(`drop database if exists ${name} with (force)`);
  };
  // A key file belongs to one database.
  return { data: databaseUrl(url, name), secretKeyFile: join(folder, name), drop };
}

/** An open store, and its database. */
export interface OpenTestDatabase extends OpenStore {
  readonly database: Database | undefined;
}

/** Opens only the store, without a server. Closing it closes the database as well. */
export async function openTestDatabase({ data }: TestDatabase): Promise<OpenTestDatabase> {
  const stores = await openStores(data);
  try {
    const store = await stores.open({});
    const close = async (): Promise<void> => {
      await store.close();
      await stores.close();
    };
    const { database } = stores;
    return { ...store, database, close };
  } catch (error) {
    await stores.close();
    throw error;
  }
}

let administrator: Pool | undefined;

/** Runs statements on the server of the run, as its administrator; in the database of a given store, if any. */
export async function queryServer(text: string, place?: TestDatabase): Promise<readonly object[]> {
  if (place !== undefined) return runSql(place.data, text);
  // One connection for all tests: the server takes milliseconds to check a password.
  administrator ??= new Pool({
    connectionString: inject("postgres") ?? "",
    max: 1,
    allowExitOnIdle: true,
  });
  return (await administrator.query<object>(text)).rows;
}
