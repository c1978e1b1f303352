// The state that the replicas of a controller share: documents in a table of PostgreSQL.
import { Failure, isFailure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import type { Secret } from "../core/secret.ts";
import { type Database, openDatabase } from "../reconciler/sessions.ts";
import { type Env, readSecret, type SecretSource } from "./config.ts";
import type { StateStore } from "./state-store.ts";

/**
 * Created by the first that uses the database, one at a time: concurrent `create … if not exists` alone can fail. The revision
 * of a document is the transaction that wrote it. Leases without the table of replicas, as after half a restore, are nobody's.
 */
const tables = `
  select pg_advisory_xact_lock(hashtext('svc_controller'));
  create table if not exists svc_controller_documents (
    name text primary key,
    text text not null,
    revision xid8 not null default pg_current_xact_id()
  );
  create index if not exists svc_controller_revisions on svc_controller_documents (revision);
  do $$ begin
    if to_regclass('svc_controller_replicas') is null then
      drop table if exists svc_controller_leases;
    end if;
  end $$;
  create table if not exists svc_controller_replicas (
    id text primary key,
    work text not null,
    until timestamptz not null
  );
  create table if not exists svc_controller_leases (
    name text primary key,
    replica text not null references svc_controller_replicas on delete cascade
  )`;

const missing = `
  select 1 as missing from unnest(array['documents', 'replicas', 'leases']) as part (name)
  where to_regclass('svc_controller_' || part.name) is null`;

const select = "select name, text, revision from svc_controller_documents where name = any($1)";

const insert = `
  insert into svc_controller_documents (name, text) values ($1, $2)
  on conflict (name) do nothing returning name`;

const update = `
  update svc_controller_documents set text = $2, revision = pg_current_xact_id()
  where name = $1 and revision = $3::xid8 returning name`;

interface DocumentRow {
  readonly name: string;
  readonly text: string;
  readonly revision: string;
}

/** Opens the database of a state, with its tables. Fails as {@link openDatabase} and its statements do. */
export async function openStateDatabase(url: Secret): Promise<Database> {
  const { controllerConnections: connections, controllerStatementMs: statementMs } = limits;
  const database = await openDatabase(url, { holds: "the state", connections, statementMs });
  try {
    if ((await database.query(missing)).length > 0) await database.query(tables);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Returns the state in a database. */
export function postgresStore(database: Database): StateStore {
  const rowOf = async (name: string): Promise<DocumentRow | undefined> =>
    (await database.query<DocumentRow>(select, [[name]]))[0];
  return {
    load: async (name) => (await rowOf(name))?.text,
    loadAll: async (names) => {
      const rows = await database.query<DocumentRow>(select, [names]);
      return new Map(rows.map(({ name, text }) => [name, text]));
    },
    change: async (name, change) => {
      for (let attempt = 1; attempt <= limits.controllerWrites; attempt++) {
        const row = await rowOf(name);
        const text = change(row?.text);
        const written =
          row === undefined
            ? await database.query(insert, [name, text])
            : await database.query(update, [name, text, row.revision]);
        if (written.length > 0) return;
      }
      throw new Failure("unavailable", `too many others write ${name} in ${database.name}`);
    },
    remove: async (name) => {
      await database.query("delete from svc_controller_documents where name = $1", [name]);
    },
  };
}

/** The failures of databases of a state. */
const stateFailures = new WeakSet<object>();

/** Returns whether an error comes from the database of a state. */
export function isStateFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return stateFailures.has(error) || isStateFailure(error.cause);
}

/** Opens the state in a database on first use, and again after it could not be opened. */
export function databaseStore(address: SecretSource, env: Env): StateStore {
  let opened: Promise<StateStore> | undefined;
  const open = async (): Promise<StateStore> =>
    postgresStore(await openStateDatabase(readSecret(address, env)));
  const whenOpen = (): Promise<StateStore> => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  const call = async <T>(act: (store: StateStore) => Promise<T>): Promise<T> => {
    try {
      return await act(await whenOpen());
    } catch (error) {
      if (isFailure(error)) stateFailures.add(error);
      throw error;
    }
  };
  return {
    load: (name) => call((store) => store.load(name)),
    loadAll: (names) => call((store) => store.loadAll(names)),
    change: (name, change) => call((store) => store.change(name, change)),
    remove: (name) => call((store) => store.remove(name)),
  };
}
