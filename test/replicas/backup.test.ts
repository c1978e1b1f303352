// Backups of accounts in a database: of one moment, put back there or into a folder, whole or not at all.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { restore } from "../../service/backup.ts";
import { backupShared, restoreShared, type SharedAccount } from "../../service/backup-shared.ts";
import type { ServerOptions } from "../../service/server.ts";
import type { Db } from "../../service/store/schema.ts";
import { transferred } from "../../service/store/transfer.ts";
import { startService, type TestService } from "../support/service.ts";
import { freshPlace, onServer, type Place } from "../support/store.ts";

const groups = "/api/v1/user-groups";
const variables = "/api/v1/deployments/1/env-vars";
let place: Place;
let folder: string;
let account: SharedAccount;
const at = (...names: string[]): string => join(folder, ...names);

beforeEach(async () => {
  place = await freshPlace();
  folder = mkdtempSync(join(tmpdir(), "svc-backup-"));
  account = { database: place.data, schema: "svc", keyFile: at("key") };
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await place.drop();
});

async function serving<T>(
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

const onDatabase = (): Partial<ServerOptions> => ({ data: place.data, secretKeyFile: at("key") });
const quiet = async (): Promise<void> => {
  const open = `select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'svc'`;
  while ((await onServer(open, place)).length > 0);
};

/** More groups than a batch, the last of which is gone, a secret, an embed user, and a workbook with a dashboard. */
const filled = () =>
  serving(onDatabase(), async (service) => {
    const rows = Array.from({ length: 1100 }, (_, n) => ({ name: `g ${n}`, created_at: "2026" }));
    await service.db.insertInto("user_groups").values(rows).execute();
    await service.db.deleteFrom("user_groups").where("name", "=", "g 1099").execute();
    const env_variables = [{ name: "REGION", value: "EMEA" }];
    await service.send("PUT", variables, { body: { env_variables } });
    const session = { deploymentId: 1, externalId: "v@example.com", embedTenantName: "tenant" };
    await service.send("POST", "/api/v1/embed/generate-session", { body: session });
    const workbook = { body: { name: "Sales" } };
    await service.send("POST", "/api/v1/deployments/1/workbooks", workbook);
    return contents(service.db);
  });

/** Every row, but what belongs to the server that serves it. */
async function contents(db: Db): Promise<Readonly<Record<string, unknown>>> {
  const found: Record<string, unknown> = {};
  for (const name of transferred) {
    if (["account", "api_keys", "deployment_variables"].includes(name)) continue;
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    found[name] = rows.map((row) => JSON.stringify(row)).toSorted();
  }
  return found;
}

async function expectWhole(service: TestService, was: object): Promise<void> {
  expect(await contents(service.db)).toEqual(was);
  const { body } = await service.send("GET", variables);
  expect(body).toMatchObject({ items: [{ name: "REGION", value: "EMEA" }] });
  const made = await service.send("POST", groups, { body: { name: "next" } });
  // An id that was given away is never given again.
  expect((made.body as { id: number }).id).toBe(1101);
}

describe("a backup of an account in a database", () => {
  it("goes into a folder, and into another database under another key, with every row and secret", async () => {
    const was = await filled();
    await backupShared(account, at("backup"), { withKey: true });
    expect(readdirSync(at("backup")).toSorted()).toEqual([
      "account.db",
      "backup.json",
      "secret.key",
    ]);
    await restore(at("backup"), at("data"));
    await serving({ data: at("data") }, (service) => expectWhole(service, was));
    const other = { ...account, schema: "svc_other", keyFile: at("other.key") };
    await restoreShared(at("backup"), other);
    const options = { ...onDatabase(), schema: "svc_other", secretKeyFile: at("other.key") };
    await serving(options, (service) => expectWhole(service, was));
  });

  it("is of one moment while others write, who do not wait for it", async () => {
    await filled();
    const made: string[] = [];
    const before = await serving(onDatabase(), async (service) => {
      const over = new AbortController();
      const write = async (): Promise<void> => {
        for (let count = 0; !over.signal.aborted; count++) {
          await service.send("POST", groups, { body: { name: `new ${count}` } });
          made.push(`new ${count}`);
        }
      };
      const writing = write();
      while (made.length < 5) await new Promise((done) => setTimeout(done, 5));
      const known = made.length;
      await backupShared(account, at("backup"), {});
      over.abort();
      await writing;
      return known;
    });
    expect(made.length).toBeGreaterThan(before);
    await restore(at("backup"), at("data"), { keyFile: at("key") });
    const there = await serving({ data: at("data") }, async ({ db }) => {
      const rows = await db.selectFrom("user_groups").select("name").orderBy("id").execute();
      return rows.map(({ name }) => name).filter((name) => name.startsWith("new"));
    });
    expect(there.length).toBeGreaterThanOrEqual(before);
    expect(there).toEqual(made.slice(0, there.length));
  });

  it("takes the place of what is there where that is asked for, and keeps it beside", async () => {
    const was = await filled();
    await backupShared(account, at("backup"), {});
    await expect(restoreShared(at("backup"), account)).rejects.toMatchObject({ code: "refused" });
    await serving(onDatabase(), async (service) => {
      await service.send("POST", groups, { body: { name: "later" } });
      const robbed = restoreShared(at("backup"), account, { replace: true });
      await expect(robbed).rejects.toMatchObject({ code: "locked" });
    });
    await quiet();
    const { replaced } = await restoreShared(at("backup"), account, { replace: true });
    await serving(onDatabase(), (service) => expectWhole(service, was));
    const kept = await onServer(
      `select name from ${replaced}.user_groups where name = 'later'`,
      place,
    );
    expect(kept).toHaveLength(1);
  });

  it("is refused where there is none, without its key, or damaged, and leaves nothing behind", async () => {
    await filled();
    const nowhere = backupShared({ ...account, schema: "nowhere" }, at("x"));
    await expect(nowhere).rejects.toMatchObject({ code: "usage" });
    writeFileSync(at("stranger"), `${"A".repeat(43)}\n`);
    const strange = { ...account, keyFile: at("stranger") };
    const withKey = backupShared(strange, at("x"), { withKey: true });
    await expect(withKey).rejects.toMatchObject({ code: "usage" });
    const missing = { ...account, keyFile: at("missing") };
    const without = backupShared(missing, at("x"), { withKey: true });
    await expect(without).rejects.toMatchObject({ code: "usage" });
    await backupShared(account, at("backup"), {});
    const elsewhere = restoreShared(at("backup"), { ...strange, schema: "svc_other" });
    await expect(elsewhere).rejects.toMatchObject({ code: "corrupt" });
    const database = at("backup", "account.db");
    writeFileSync(database, readFileSync(database).subarray(0, -4096));
    const torn = restoreShared(at("backup"), { ...account, schema: "svc_other" });
    await expect(torn).rejects.toMatchObject({ code: "corrupt" });
    const schemas = await onServer(
      "select nspname from pg_namespace where nspname like 'svc\\_%'",
      place,
    );
    expect(schemas).toEqual([]);
    expect(readdirSync(folder).toSorted()).toEqual(["backup", "key", "stranger"]);
  });

  it("knows every table, but those of jobs and of migrations, which no account has of its own", async () => {
    await filled();
    await restore(...(await backedUp()));
    const names = await serving({ data: at("data") }, async ({ db }) => {
      const tables = await db.introspection.getTables();
      return tables.map(({ name }) => name).filter((name) => !name.startsWith("sqlite_"));
    });
    const known = [...transferred, "jobs", "migrations", "migrations_lock"];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });
});

async function backedUp(): Promise<[string, string]> {
  await backupShared(account, at("backup"), { withKey: true });
  return [at("backup"), at("data")];
}
