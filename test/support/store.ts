// Where a test keeps its account: in memory, or in a schema of its own where the suite runs on PostgreSQL.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { inject } from "vitest";
import { restore } from "../../service/backup.ts";
import { type Database, openStores, type OpenStore } from "../../service/store/open.ts";
import { surfaces } from "../../service/server.ts";

/** True where the suite runs on PostgreSQL. */
export const onPostgres = process.env["SVC_TEST_STORE"] === "postgres";

/** The surfaces that a suite runs through: what they differ in has nothing to do with the store. */
export const surfacesHere = onPostgres ? (["full"] as const) : surfaces;

/** A place for one account. */
export interface Place {
  readonly data: string;
  readonly schema?: string;
  readonly secretKeyFile?: string;
  /** Takes it away, with all that is in it. */
  drop(): Promise<void>;
}

/** A place that nobody has used. */
export async function freshPlace(): Promise<Place> {
  const source = process.env["SVC_TEST_BACKUP"];
  if (source !== undefined) return restoredPlace(source);
  if (!onPostgres) return { data: ":memory:", drop: async () => undefined };
  const [data, secretKeyFile] = [inject("postgres"), inject("secretKeyFile")];
  if (data === undefined || secretKeyFile === undefined) throw new Error("there is no PostgreSQL");
  const schema = `test_${randomBytes(6).toString("hex")}`;
  return {
    data,
    schema,
    secretKeyFile,
    drop: () => onServer(`drop schema if exists ${schema}, ${schema}_jobs cascade`),
  };
}

/** A data folder made of the backup that the environment names, for running any test against a restored account. */
async function restoredPlace(source: string): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "svc-restored-"));
  const data = join(folder, "data");
  await restore(source, data);
  return { data, drop: async () => rmSync(folder, { recursive: true }) };
}

/** An open store, and the database that it lies in. */
export interface OpenPlace extends OpenStore {
  readonly database: Database | undefined;
  readonly jobsSchema: string;
}

/** Opens the store of a place alone, without a server; closing it closes the database as well. */
export async function openPlace({ data, schema }: Place): Promise<OpenPlace> {
  const stores = await openStores(data);
  try {
    const store = await stores.open({ schema });
    const close = async (): Promise<void> => {
      await store.close();
      await stores.close();
    };
    const { database } = stores;
    return { ...store, database, jobsSchema: `${schema}_jobs`, close };
  } catch (error) {
    await stores.close();
    throw error;
  }
}

/** Runs statements on the server of the run, as its administrator. */
export async function onServer(text: string): Promise<void> {
  const client = new Client({ connectionString: inject("postgres") });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
