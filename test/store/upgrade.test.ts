// Tests that the service opens a database of an earlier version with an object of each kind, and keeps every row.
import Database from "better-sqlite3";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { defaultSchema } from "../../service/store/stores.ts";
import { liveState } from "../support/live-state.ts";
import {
  createTestDatabase,
  onPostgres,
  queryServer,
  type TestDatabase,
} from "../support/test-database.ts";
import { startService } from "../support/test-service.ts";

/** The database of the fixtures; see fixtures/README.md. */
const dialect = onPostgres ? "postgres" : "sqlite";
const fixture = readFileSync(join(import.meta.dirname, `fixtures/c18b28a.${dialect}.sql`), "utf8");
const tables = [...fixture.matchAll(/^CREATE TABLE (?:svc\.)?"?(\w+)"?/gim)]
  .map(([, name = ""]) => name)
  .filter((name) => !name.startsWith("migrations"));

type Row = Readonly<Record<string, unknown>>;

let place: TestDatabase;
let query: (text: string) => Promise<readonly Row[]>;

beforeEach(async () => {
  place = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), "svc-upgrade-"));
  const keyFile = place.secretKeyFile ?? join(folder, "secret.key");
  writeFileSync(keyFile, `${"k".repeat(43)}\n`, { mode: 0o600 });
  if (onPostgres) {
    query = async (text) => (await queryServer(text, place)) as readonly Row[];
    await query(`drop schema if exists ${defaultSchema} cascade; ${fixture}`);
  } else {
    const { drop } = place;
    place = { data: folder, drop };
    const file = join(folder, "account.db");
    query = async (text) => withDatabase(file, (db) => db.prepare(text).all() as readonly Row[]);
    withDatabase(file, (db) => db.exec(fixture));
  }
  const { drop } = place;
  place = {
    ...place,
    drop: async () => {
      await drop();
      rmSync(folder, { recursive: true });
    },
  };
});
afterEach(() => place.drop());

function withDatabase<T>(file: string, work: (db: Database.Database) => T): T {
  const db = new Database(file);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

async function rows(): Promise<ReadonlyMap<string, readonly Row[]>> {
  const found = new Map<string, readonly Row[]>();
  for (const name of tables)
    found.set(name, await query(`select * from ${onPostgres ? `${defaultSchema}.` : ""}${name}`));
  return found;
}

/** Returns the columns whose values changed or that were dropped; undefined if the row is lost. */
function changedColumns(row: Row, now: readonly Row[]): readonly string[] | undefined {
  const differing = (other: Row): readonly string[] =>
    Object.keys(row).filter((column) => other[column] !== row[column]);
  const same = now.filter((other) =>
    row["id"] === undefined
      ? differing(other).every((column) => !(column in other))
      : other["id"] === row["id"],
  );
  return same[0] && differing(same[0]);
}

/** Returns whether a row is kept. The operator's key is replaced, because its file is secret and not in the fixture. */
const isKept = (row: Row): boolean => row["is_bootstrap"] !== 1;

it("keeps every row of every table, and every object", async () => {
  const before = await rows();
  expect([...before.values()].flat().length).toBeGreaterThan(40);
  const service = await startService(place);
  const objects = await liveState(service);
  await service.close();
  const after = await rows();
  const changes = [...before].flatMap(([table, old]) =>
    old.filter(isKept).map((row) => {
      const columns = changedColumns(row, after.get(table) ?? []);
      return columns === undefined
        ? `${table} ${JSON.stringify(row)} is lost`
        : columns.map((column) => `${table}.${column}`).join(" ");
    }),
  );
  // Migration 0011 replaced stored addresses of deployments by computed ones, and no operation read the time of a
  // version's first run. A data folder records the prefix of its encrypted values.
  expect(new Set(changes.filter((one) => one !== ""))).toEqual(
    new Set([
      "deployments.deployment_url",
      "versions_run.first_run_at",
      ...(onPostgres ? [] : ["account.seal_prefix"]),
    ]),
  );
  expect(Object.keys(objects)).toMatchInlineSnapshot(`
    [
      "AllTenantsEmbedAccess/production/sales-overview",
      "ApiKey/ci",
      "ApiKey/operator",
      "Deployment/main",
      "Deployment/production",
      "EmbedGroup/acme-stores/viewers",
      "EmbedGroupMembership/acme-stores/viewers/jane-4711",
      "EmbedTenant/acme-stores",
      "EmbedUser/acme-stores/jane-4711",
      "EmbedUserAttribute/acme-stores/store",
      "EnvironmentVariable/production/DEFAULT_CURRENCY",
      "GroupMembership/analysts/jane@corp.example",
      "Notification/production/sales-overview/0%209%20*%20*%201/Europe%2FBerlin",
      "NotificationEmbedRecipient/production/sales-overview%2F0%25209%2520*%2520*%25201%2FEurope%252FBerlin/acme-stores/jane-4711",
      "NotificationRecipient/production/sales-overview%2F0%25209%2520*%2520*%25201%2FEurope%252FBerlin/admin@svc.localhost",
      "User/admin@svc.localhost",
      "User/analyst@svc.localhost",
      "User/jane@corp.example",
      "User/robot@corp.example",
      "UserAttribute/region",
      "UserAttributeValue/jane@corp.example/region",
      "UserGroup/analysts",
      "Workbook/production/sales-overview",
    ]
  `);
});
