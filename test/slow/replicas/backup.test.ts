// Tests backups of accounts in a database: they have the state of one moment and are restored completely or not at all, in a
// database or a folder.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { restore } from "../../../service/maintenance/backup.ts";
import {
  backupDatabaseAccount,
  restoreDatabaseAccount,
  type DatabaseAccount,
} from "../../../service/maintenance/database-backup.ts";
import type { ServerOptions } from "../../../service/server/server.ts";
import type { Db } from "../../../service/store/schema.ts";
import { transferredTables } from "../../../service/store/transfer.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { createTestDatabase, queryServer, type TestDatabase } from "../../support/test-database.ts";

const groups = "/api/v1/user-groups";
const variables = "/api/v1/deployments/1/env-vars";
let place: TestDatabase;
let folder: string;
let account: DatabaseAccount;
const pathIn = (...names: string[]): string => join(folder, ...names);

beforeEach(async () => {
  place = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), "svc-backup-"));
  account = { database: place.data, schema: "svc", keyFile: pathIn("key") };
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await place.drop();
});

async function withServer<T>(
  options: Partial<ServerOptions>,
  work: (service: TestService) => Promise<T>,
): Promise<T> {
  const service = await startService(options);
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

const onDatabase = (): Partial<ServerOptions> => ({
  data: place.data,
  secretKeyFile: pathIn("key"),
});
const waitForDisconnect = async (): Promise<void> => {
  const open = `select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'svc'`;
  while ((await queryServer(open, place)).length > 0);
};

/**
 * Creates more groups than a batch, deletes the last one, and creates a secret, an embed user, and a workbook with a
 * dashboard.
 */
const fillAccount = () =>
  withServer(onDatabase(), async (service) => {
    const rows = Array.from({ length: 1100 }, (_, n) => ({ name: `g ${n}`, created_at: "2026" }));
    await service.db.insertInto("user_groups").values(rows).execute();
    await service.db.deleteFrom("user_groups").where("name", "=", "g 1099").execute();
    const env_variables = [{ name: "REGION", value: "EMEA" }];
    await service.send("PUT", variables, { body: { env_variables } });
    const session = { deploymentId: 1, externalId: "v@example.com", embedTenantName: "tenant" };
    await service.send("POST", "/api/v1/embed/generate-session", { body: session });
    const workbook = { body: { name: "Sales" } };
    await service.send("POST", "/api/v1/deployments/1/workbooks", workbook);
    return allRows(service.db);
  });

/** Returns every row, except those that belong to a server. */
async function allRows(db: Db): Promise<Readonly<Record<string, unknown>>> {
  const found: Record<string, unknown> = {};
  for (const name of transferredTables) {
    if (["account", "api_keys", "deployment_variables"].includes(name)) continue;
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    found[name] = rows.map((row) => JSON.stringify(row)).toSorted();
  }
  return found;
}

async function expectAllRows(service: TestService, was: object): Promise<void> {
  expect(await allRows(service.db)).toEqual(was);
  const { body } = await service.send("GET", variables);
  expect(body).toMatchObject({ items: [{ name: "REGION", value: "EMEA" }] });
  const created = await service.send("POST", groups, { body: { name: "next" } });
  // An assigned id is never reused.
  expect((created.body as { id: number }).id).toBe(1101);
}

describe("a backup of an account in a database", () => {
  it("goes into a folder, and into another database under another key, with every row and secret", async () => {
    const was = await fillAccount();
    await backupDatabaseAccount(account, pathIn("backup"), { withKey: true });
    expect(readdirSync(pathIn("backup")).toSorted()).toEqual([
      "account.db",
      "backup.json",
      "secret.key",
    ]);
    await restore(pathIn("backup"), pathIn("data"));
    await withServer({ data: pathIn("data") }, (service) => expectAllRows(service, was));
    const other = { ...account, schema: "svc_other", keyFile: pathIn("other.key") };
    await restoreDatabaseAccount(pathIn("backup"), other);
    const options = { ...onDatabase(), schema: "svc_other", secretKeyFile: pathIn("other.key") };
    await withServer(options, (service) => expectAllRows(service, was));
  });

  it("is of one moment while others write, who do not wait for it", async () => {
    await fillAccount();
    const created: string[] = [];
    const before = await withServer(onDatabase(), async (service) => {
      const over = new AbortController();
      const write = async (): Promise<void> => {
        for (let count = 0; !over.signal.aborted; count++) {
          await service.send("POST", groups, { body: { name: `new ${count}` } });
          created.push(`new ${count}`);
        }
      };
      const writing = write();
      while (created.length < 5) await new Promise((done) => setTimeout(done, 5));
      const known = created.length;
      await backupDatabaseAccount(account, pathIn("backup"), {});
      over.abort();
      await writing;
      return known;
    });
    expect(created.length).toBeGreaterThan(before);
    await restore(pathIn("backup"), pathIn("data"), { keyFile: pathIn("key") });
    const restored = await withServer({ data: pathIn("data") }, async ({ db }) => {
      const rows = await db.selectFrom("user_groups").select("name").orderBy("id").execute();
      return rows.map(({ name }) => name).filter((name) => name.startsWith("new"));
    });
    expect(restored.length).toBeGreaterThanOrEqual(before);
    expect(restored).toEqual(created.slice(0, restored.length));
  });

  it("replaces existing data on request, and keeps it beside the new data", async () => {
    const was = await fillAccount();
    await backupDatabaseAccount(account, pathIn("backup"), {});
    await expect(restoreDatabaseAccount(pathIn("backup"), account)).rejects.toMatchObject({
      code: "refused",
    });
    await withServer(onDatabase(), async (service) => {
      await service.send("POST", groups, { body: { name: "later" } });
      const robbed = restoreDatabaseAccount(pathIn("backup"), account, { replace: true });
      await expect(robbed).rejects.toMatchObject({ code: "locked" });
    });
    await waitForDisconnect();
    const { replaced } = await restoreDatabaseAccount(pathIn("backup"), account, { replace: true });
    await withServer(onDatabase(), (service) => expectAllRows(service, was));
    const kept = await queryServer(
      `select name from ${replaced}.user_groups where name = 'later'`,
      place,
    );
    expect(kept).toHaveLength(1);
  });

  it("is refused if it is missing, without its key or damaged, and leaves nothing behind", async () => {
    await fillAccount();
    const nowhere = backupDatabaseAccount({ ...account, schema: "nowhere" }, pathIn("x"));
    await expect(nowhere).rejects.toMatchObject({ code: "usage" });
    writeFileSync(pathIn("stranger"), `${"A".repeat(43)}\n`);
    const strange = { ...account, keyFile: pathIn("stranger") };
    const withKey = backupDatabaseAccount(strange, pathIn("x"), { withKey: true });
    await expect(withKey).rejects.toMatchObject({ code: "usage" });
    const missing = { ...account, keyFile: pathIn("missing") };
    const without = backupDatabaseAccount(missing, pathIn("x"), { withKey: true });
    await expect(without).rejects.toMatchObject({ code: "usage" });
    await backupDatabaseAccount(account, pathIn("backup"), {});
    const elsewhere = restoreDatabaseAccount(pathIn("backup"), { ...strange, schema: "svc_other" });
    await expect(elsewhere).rejects.toMatchObject({ code: "corrupt" });
    const database = pathIn("backup", "account.db");
    writeFileSync(database, readFileSync(database).subarray(0, -4096));
    const damagedValue = restoreDatabaseAccount(pathIn("backup"), {
      ...account,
      schema: "svc_other",
    });
    await expect(damagedValue).rejects.toMatchObject({ code: "corrupt" });
    const schemas = await queryServer(
      "select nspname from pg_namespace where nspname like 'svc\\_%'",
      place,
    );
    expect(schemas).toEqual([]);
    expect(readdirSync(folder).toSorted()).toEqual(["backup", "key", "key.accounts", "stranger"]);
  });

  it("contains every table except those of jobs and migrations, which belong to no account", async () => {
    await fillAccount();
    await restore(...(await makeBackup()));
    const names = await withServer({ data: pathIn("data") }, async ({ db }) => {
      const tables = await db.introspection.getTables();
      return tables.map(({ name }) => name).filter((name) => !name.startsWith("sqlite_"));
    });
    const known = [...transferredTables, "jobs", "migrations", "migrations_lock"];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });
});

async function makeBackup(): Promise<[string, string]> {
  await backupDatabaseAccount(account, pathIn("backup"), { withKey: true });
  return [pathIn("backup"), pathIn("data")];
}
