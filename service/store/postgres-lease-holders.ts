// Each server holds an advisory lock with its number on a connection of its own: PostgreSQL releases it when the process ends,
// however it ends.
import { randomInt } from "node:crypto";
import { sql, type SqlBool } from "kysely";
import { Client } from "pg";
import type { LeaseHolders } from "./lease-holders.ts";

/** The first half of the locks; the second is the number of a server. */
const lockClass = 0x73_76_63;

/** Returns the holders of leases in a database. Connects when this server leases something, and again if the connection breaks. */
export function postgresLeaseHolders(connectionString: string, application: string): LeaseHolders {
  const number = randomInt(1, 2 ** 31 - 1);
  let connection: Promise<Client> | undefined;
  let isClosed = false;
  const connect = async (): Promise<Client> => {
    const client = new Client({ connectionString, application_name: application, keepAlive: true });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.query("select pg_advisory_lock($1, $2)", [lockClass, number]);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    client.on("end", () => {
      connection = undefined;
      if (!isClosed) void ownNumber();
    });
    return client;
  };
  const ownNumber = async (): Promise<number | undefined> => {
    if (isClosed) return undefined;
    const connecting = (connection ??= connect());
    try {
      await connecting;
      return number;
    } catch {
      // The next lease tries again.
      if (connection === connecting) connection = undefined;
      return undefined;
    }
  };
  return {
    ownNumber,
    // A lock that a server waits for, after its connection broke, counts too.
    isGone: (column) => sql<SqlBool>`(${sql.ref(column)} is not null and not exists (
      select from pg_catalog.pg_locks
      where locktype = 'advisory' and objsubid = 2 and classid::bigint = ${lockClass}
        and objid::bigint = ${sql.ref(column)}
        and database = (select oid from pg_catalog.pg_database where datname = current_database())))`,
    close: async () => {
      isClosed = true;
      const client = await connection?.catch(() => undefined);
      await client?.end();
    },
  };
}
